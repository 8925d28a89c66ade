"""Weights learned from labelled lines and labelled incidents, as values (docs/learned.md).

`workbench/train_lines.py` and `workbench/train_verdicts.py` fit them, `diagnosis/learned/` reads them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import exp, sqrt

from babysitter.model.ids import RuleId
from babysitter.model.log import LogLine

# Words are summed in alphabetical order: in the order of a set, ties would fall as the process hashes.
FEW = 6  # words, added to the number of those of a line: few words say less than many

Scores = Mapping[str, float]  # by class of causes: what speaks for it, of no unit


@dataclass(frozen=True, slots=True)
class LineWeights:
    """How much each word of a line, and each pair of neighbours, speaks for what the line can mean.

    `classes`: causes, and "calm" and "consequence" for lines that name none. Words are stems.
    """

    classes: tuple[str, ...] = ()
    of_word: Mapping[str, Scores] = field(default_factory=dict, repr=False)

    def score(self, words: Collection[str]) -> Scores:
        """What these words of one line speak for, by class: the sum over the root of their number."""
        known = [self.of_word[word] for word in sorted(words) if word in self.of_word]
        length = sqrt(len(known) + FEW)
        return {name: value / length for name, value in _sum(known).items()}


@dataclass(frozen=True, slots=True)
class VerdictWeights:
    """What the rules' verdict, the state of the job and the meaning of its lines say about the cause.

    `of_word`: of words about verdict and state. `of_meaning`: of the features of the lines.
    `sharpness`: turns sums into shares.
    """

    classes: tuple[str, ...] = ()
    of_word: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    of_meaning: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    sharpness: float = 1.0

    def shares(self, words: Collection[str], meanings: Scores) -> dict[str, float]:
        """The share of each class. `meanings`: the features of the lines, with their values."""
        known = [self.of_word[word] for word in sorted(words) if word in self.of_word]
        length = sqrt(len(known) or 1)
        told = {name: value / length for name, value in _sum(known).items()}
        read = [
            {name: weight * score for name, weight in self.of_meaning[meaning].items()}
            for meaning, score in meanings.items()
            if meaning in self.of_meaning
        ]
        sums = _sum([told, *read])
        most = max((sums.get(name, 0.0) for name in self.classes), default=0.0)
        powers = {name: exp(self.sharpness * (sums.get(name, 0.0) - most)) for name in self.classes}
        whole = sum(powers.values())
        return {name: power / whole for name, power in powers.items()}


def _sum(scores: Iterable[Scores]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for score in scores:
        for name, value in score.items():
            sums[name] = sums.get(name, 0.0) + value
    return sums


@dataclass(frozen=True, slots=True)
class TextReading:
    """What the text model makes of a text: the share of each class of causes and of each action, by name."""

    causes: Scores
    actions: Scores = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogReading:
    """The newest lines of a job by what they mean, with what is known beside them.

    `words`: what is known beside the lines, as words that have weights. `meanings`: what the lines speak for,
    by feature (`diagnosis/learned/read_log.py`). `text`: all that is known, in words; `read_text`: what the
    text model makes of it, which takes a tenth of a second (None: it is not asked). `first_line`: the number
    of the first of `lines`, from 0. `source`: of all lines; "" = their tasks. `own_rules`: rules
    that do not come with the program, or count less than as shipped: no weight was learned beside them.
    `dumps`: thread dumps that `text` has too. `word_count`: of lines, dumps and fields, small ones aside.
    """

    weights: VerdictWeights
    words: frozenset[str]
    meanings: Scores
    text: str
    lines: tuple[LogLine, ...]
    first_line: int
    source: str
    own_rules: frozenset[RuleId] = frozenset()
    read_text: Callable[[str], TextReading] | None = None
    dumps: tuple[str, ...] = ()
    word_count: int | None = None

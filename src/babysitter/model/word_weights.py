"""How much each word of a log speaks for each cause: weights learned from labelled incidents, as a value.

The weights are fitted by `workbench/train_words.py`; `diagnosis/learned/` says what a word is.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import exp, sqrt

from babysitter.model.ids import RuleId
from babysitter.model.log import LogLine

FEW = 20  # words of a log

Scores = Mapping[str, float]  # by class of causes: what speaks for it, of no unit


@dataclass(frozen=True, slots=True)
class WordWeights:
    """Weights by word and class, of two kinds of words: those of the log, and those of the rules' verdict.

    `sharpness`: turns scores into probabilities.
    """

    classes: tuple[str, ...] = ()
    of_text: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    of_verdict: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    sharpness: float = 1.0

    def known(self, words: Collection[str]) -> int:
        """How many of these words of a log have weights."""
        return sum(word in self.of_text for word in words)

    def score_text(self, words: Collection[str]) -> Scores:
        """What these words of a log speak for."""
        return _scores(self.of_text, words, FEW)

    def score_verdict(self, words: Collection[str]) -> Scores:
        """What these words about the rules' verdict speak for."""
        return _scores(self.of_verdict, words)

    def probabilities(self, *scores: Scores) -> dict[str, float]:
        """The share of each class, by all that speaks for it."""
        sums = {name: sum(each.get(name, 0.0) for each in scores) for name in self.classes}
        most = max(sums.values(), default=0.0)
        powers = {name: exp(self.sharpness * (value - most)) for name, value in sums.items()}
        whole = sum(powers.values())
        return {name: power / whole for name, power in powers.items()}


def _scores(weights: Mapping[str, Scores], words: Collection[str], few: int = 0) -> Scores:
    """The sum over the words that are known, over the root of their number: a long log says no more.

    `few`: is added to their number, so that a few words say less than many.
    """
    known = [weights[word] for word in words if word in weights]
    scores: dict[str, float] = {}
    for each in known:
        for name, weight in each.items():
            scores[name] = scores.get(name, 0.0) + weight
    length = sqrt(len(known) + few) if known else 1.0
    return {name: value / length for name, value in scores.items()}


@dataclass(frozen=True, slots=True)
class WordReading:
    """What the words of a job's newest lines speak for.

    `first_line`: the number of the first of these lines, from 0. `source`: of all lines; "" = their tasks.
    `own_rules`: rules that do not come with the program, so no weight was learned beside them.
    """

    weights: WordWeights
    scores: Scores
    lines: tuple[LogLine, ...]
    first_line: int
    source: str
    own_rules: frozenset[RuleId] = frozenset()

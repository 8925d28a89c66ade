"""What a line of a log means by its words, learned from labelled lines of many programs (docs/learned.md).

A rule knows the lines of one program. Most programs have none, and their engineers word a full disk or a
refused login in a thousand ways; but the words are the same few thousand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from babysitter.diagnosis.frame.word_stems import read_stems
from babysitter.diagnosis.learned.cause_classes import CALM
from babysitter.diagnosis.learned.weights_file import parse_line_weights
from babysitter.model.finding import Cause
from babysitter.model.learned_weights import LineWeights, Scores

WEIGHTS_FILE = Path(__file__).with_name("line_words.tsv")
CONSEQUENCE = "consequence"  # the label of a line that says only that something failed
CLEAR = 0.25  # measured: a score from which on a line speaks for its cause by itself
LEAST = 0.15  # measured: below it a line says nothing
NO_CAUSE = (CALM, CONSEQUENCE, Cause.UNKNOWN.value)

_in_use: LineWeights | None = None  # weights other than the shipped ones


@dataclass(frozen=True, slots=True)
class LineMeaning:
    """The cause that a line speaks for. `is_vague`: such words stand in reports of other causes, too."""

    cause: Cause
    score: float

    @property
    def is_vague(self) -> bool:
        return self.score < CLEAR


@cache
def shipped_line_weights() -> LineWeights:
    """The weights that come with the program."""
    return parse_line_weights(WEIGHTS_FILE.read_text(encoding="utf-8"))


def use(weights: LineWeights) -> None:
    """Score lines by these weights from now on: for the workbench, which has just fitted them."""
    global _in_use
    _in_use = weights
    for cache_wrapper in (meaning_of_stems, scores_of_line):
        cache_wrapper.cache_clear()


def meaning_of(message: str) -> LineMeaning | None:
    """The cause that a message speaks for most; None if it speaks for none, or is calm."""
    return meaning_of_stems(read_stems(message))


@lru_cache(maxsize=4096)
def meaning_of_stems(stems: tuple[str, ...]) -> LineMeaning | None:
    """As `meaning_of`, of the stems of a message."""
    scores = scores_of_stems(stems)
    best = max(scores, key=lambda name: scores[name], default=CALM)
    if best in NO_CAUSE or scores[best] < LEAST:
        return None
    return LineMeaning(Cause(best), scores[best])


@lru_cache(maxsize=4096)
def scores_of_line(text: str) -> Scores:
    """What a line speaks for, by class."""
    return scores_of_stems(read_stems(text))


def trouble_in(scores: Scores) -> float:
    """How clearly a line with these scores speaks for a cause; 0 where it names none."""
    return max((value for name, value in scores.items() if name not in NO_CAUSE), default=0.0)


def scores_of_stems(stems: Sequence[str]) -> Scores:
    """As `scores_of_line`, of the stems of a line."""
    return (_in_use or shipped_line_weights()).score(words_of_stems(stems))


def words_of_stems(stems: Sequence[str]) -> set[str]:
    """The words that have weights: stems, and pairs of neighbours."""
    return {*stems, *(f"{one} {other}" for one, other in pairwise(stems))}

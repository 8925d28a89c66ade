"""Labelled incidents -> the weights of words for causes.

Each case is judged by the rules as they are; what its log says and what the rules make of it become words
(`diagnosis/learned/`). A ridge regression gives each word a weight for each cause. Most cases have taught the
rules something, so each is judged a second time with most rules left out: a verdict must not count for more
than it is worth on new cases. `benchmarks/words.py` fits the shipped weights and measures them.

Needs numpy, which the extra `dev` installs.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.learned.cause_classes import class_of
from babysitter.diagnosis.learned.read_words import MIN_WORDS
from babysitter.model.word_weights import FEW, Scores, WordWeights
from babysitter.usecases.classify_text import examine
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.thinned_rules import thinned

Array = NDArray[np.float64]

RIDGE = 0.3
VERDICT_SHARE = 0.5  # of the weight of what the rules say, beside the words of the log
THINNED = 0.75  # of the rules are left out when each case is judged a second time
ALSO_ACCEPTABLE = 0.4  # of a second defensible cause, beside 1 of the first
MIN_CASES = 3  # in which a word must stand
TEXT_WORDS = 2000  # that are kept
SMALLEST = 0.1  # weight that is kept; more words and smaller weights are not right more often
SHARPNESS = 6.0


@dataclass(frozen=True, slots=True)
class _Recorder(WordWeights):
    """Weights of nothing, which keep the words that they are asked for."""

    text: set[str] = field(default_factory=set)
    verdict: set[str] = field(default_factory=set)

    def known(self, words: Collection[str]) -> int:  # noqa: ARG002  every log says enough
        return MIN_WORDS

    def score_text(self, words: Collection[str]) -> Scores:
        self.text.update(words)
        return {}

    def score_verdict(self, words: Collection[str]) -> Scores:
        self.verdict.update(words)
        return {}

    def probabilities(self, *scores: Scores) -> dict[str, float]:  # noqa: ARG002  the rules' verdict stands
        return {}


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A labelled case as words: of its log, and of what the rules say."""

    case: LabelledCase
    file: str  # whose cases are left out together
    text: frozenset[str]
    verdict: frozenset[str]
    by_rules: str

    @property
    def accepted(self) -> frozenset[str]:
        """The classes that count as right."""
        return frozenset(map(class_of, self.case.label.accepted))


def read_examples(cases: Sequence[tuple[LabelledCase, str]], playbook: Playbook) -> list[JudgedCase]:
    """Every case, with the name of its file, twice: judged by all rules, then by few."""
    few = thinned(playbook, THINNED, seed=1)
    by_all = [_example(case, file, playbook) for case, file in cases]
    return [*by_all, *(_example(case, file, few) for case, file in cases)]


def _example(case: LabelledCase, file: str, playbook: Playbook) -> JudgedCase:
    """Judge a case by the rules alone and collect the words."""
    recorder = _Recorder()
    dumps = (case.evidence.thread_dump,)
    examined = examine(case.evidence.text, playbook, case.evidence.facts, dumps=dumps, weights=recorder)
    by_rules = class_of(examined.diagnosis.cause)
    return JudgedCase(case, file, frozenset(recorder.text), frozenset(recorder.verdict), by_rules)


def fit(examples: Sequence[JudgedCase]) -> WordWeights:
    """The weights that fit the examples best; words that say little are left out."""
    classes = tuple(sorted({class_of(each.case.label.cause) for each in examples}))
    wanted = np.array([[_wanted(each, name) for name in classes] for each in examples])
    verdict = _vocabulary([each.verdict for each in examples])
    text = _vocabulary([each.text for each in examples])
    text = _weightiest(text, _solve(examples, text, verdict, wanted), examples)
    weights = _solve(examples, text, verdict, wanted)
    return WordWeights(
        classes,
        _rows(text, weights, classes, SMALLEST),
        _rows(verdict, VERDICT_SHARE * weights[len(text) :], classes, SMALLEST * VERDICT_SHARE),
        SHARPNESS,
    )


def _solve(
    examples: Sequence[JudgedCase], text: Mapping[str, int], verdict: Mapping[str, int], wanted: Array
) -> Array:
    """A row of weights for each word of the text, then for each of the verdict; a column for each class."""
    of_text = _matrix([each.text for each in examples], text, FEW)
    whole = np.hstack([of_text, VERDICT_SHARE * _matrix([each.verdict for each in examples], verdict)])
    return whole.T @ np.linalg.solve(whole @ whole.T + RIDGE * np.eye(len(whole)), wanted)


def _wanted(example: JudgedCase, name: str) -> float:
    if class_of(example.case.label.cause) == name:
        return 1.0
    return ALSO_ACCEPTABLE if name in example.accepted else 0.0


def _vocabulary(texts: Sequence[Collection[str]]) -> dict[str, int]:
    counts = Counter(word for words in texts for word in words)
    return {word: place for place, word in enumerate(sorted(w for w, n in counts.items() if n >= MIN_CASES))}


def _weightiest(words: Mapping[str, int], weights: Array, examples: Sequence[JudgedCase]) -> dict[str, int]:
    """The words that say most, by their weights and by how often they stand."""
    counts = np.array([sum(word in each.text for each in examples) for word in words])
    worth = np.sqrt((weights[: len(words)] ** 2).sum(axis=1) * counts)
    best = set(np.argsort(-worth)[:TEXT_WORDS].tolist())
    kept = [word for word, place in words.items() if place in best]
    return {word: place for place, word in enumerate(kept)}


def _matrix(texts: Sequence[Collection[str]], vocabulary: Mapping[str, int], few: int = 0) -> Array:
    """One row for each text, as `WordWeights` reads it."""
    matrix = np.zeros((len(texts), len(vocabulary)))
    for row, words in enumerate(texts):
        known = [vocabulary[word] for word in words if word in vocabulary]
        if known:
            matrix[row, known] = 1 / np.sqrt(len(known) + few)
    return matrix


def _rows(
    vocabulary: Mapping[str, int], weights: Array, classes: Sequence[str], smallest: float
) -> dict[str, Scores]:
    return {
        word: {
            name: float(value)
            for name, value in zip(classes, weights[place], strict=True)
            if abs(value) >= smallest
        }
        for word, place in vocabulary.items()
    }

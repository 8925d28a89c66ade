"""Labelled incidents -> how much the rules' verdict and the meaning of lines say about the cause.

Each case is judged by the rules as they are; the state of the job, what the rules make of it and what its
lines mean go into a ridge regression. Most cases have taught the rules something, so each is judged a second
time with most rules left out: a verdict must not count for more than it is worth on new cases.
`benchmarks/learned.py` fits the shipped weights and measures them.

Needs numpy, which the extra `dev` installs.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.learned.cause_classes import class_of
from babysitter.model.learned_weights import Scores, VerdictWeights
from babysitter.usecases.looking.classify_text import examine
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.ridge import Array
from babysitter.workbench.thinned_rules import thinned

RIDGE = 0.3
WORDS_SHARE = 0.5  # of the weight of words, beside that of lines
THINNED = 0.75  # of the rules are left out when each case is judged a second time
ALSO_ACCEPTABLE = 0.4  # of a second defensible cause, beside 1 of the first
MIN_CASES = 3  # in which a word must stand
SMALLEST = 0.02  # weight that is kept
SHARPNESS = 6.0


@dataclass(frozen=True, slots=True)
class _Recorder(VerdictWeights):
    """Weights of nothing, which keep what they are asked about."""

    words: set[str] = field(default_factory=set)
    meanings: dict[str, float] = field(default_factory=dict)

    def shares(self, words: Collection[str], meanings: Scores) -> dict[str, float]:
        self.words.update(words)
        self.meanings.update(meanings)
        return {}  # the rules' verdict stands


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A labelled case: words about its state and the rules' verdict, and what its lines mean."""

    case: LabelledCase
    file: str  # whose cases are left out together
    words: frozenset[str]
    meanings: Scores

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
    recorder = _Recorder()
    dumps = (case.evidence.thread_dump,)
    examine(case.evidence.text, playbook, case.evidence.facts, dumps=dumps, weights=recorder)
    return JudgedCase(case, file, frozenset(recorder.words), recorder.meanings)


def fit(examples: Sequence[JudgedCase]) -> VerdictWeights:
    """The weights that fit the examples best. A case without a line that can be read teaches nothing."""
    examples = [example for example in examples if example.words]
    classes = tuple(sorted({class_of(example.case.label.cause) for example in examples}))
    wanted = np.array([[_wanted(example, name) for name in classes] for example in examples])
    counts = Counter(word for example in examples for word in example.words)
    words = sorted(word for word, count in counts.items() if count >= MIN_CASES)
    meanings = sorted({name for example in examples for name in example.meanings})
    matrix = np.array([_row(example, words, meanings) for example in examples])
    square = matrix.T @ matrix + RIDGE * np.eye(matrix.shape[1])
    weights = np.linalg.solve(square, matrix.T @ wanted)
    return VerdictWeights(
        classes,
        _by_name(words, WORDS_SHARE * weights[: len(words)], classes),
        _by_name(meanings, weights[len(words) :], classes),
        SHARPNESS,
    )


def _wanted(example: JudgedCase, name: str) -> float:
    if class_of(example.case.label.cause) == name:
        return 1.0
    return ALSO_ACCEPTABLE if name in example.accepted else 0.0


def _row(example: JudgedCase, words: Sequence[str], meanings: Sequence[str]) -> list[float]:
    """A case as numbers, weighed as `VerdictWeights` weighs it."""
    stand = [word in example.words for word in words]
    value = WORDS_SHARE / np.sqrt(sum(stand) or 1)
    return [value * share for share in stand] + [example.meanings.get(name, 0.0) for name in meanings]


def _by_name(names: Sequence[str], weights: Array, classes: Sequence[str]) -> dict[str, Scores]:
    return {
        name: {
            cause: float(value) for cause, value in zip(classes, row, strict=True) if abs(value) >= SMALLEST
        }
        for name, row in zip(names, weights, strict=True)
    }

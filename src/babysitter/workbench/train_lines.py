"""Labelled lines -> the weights of words for what a line means (docs/learned.md).

A row of the corpus is `label<tab>line`; the label is a cause, `calm` or `consequence`, and may be followed
by a comma and a second defensible one. A ridge regression gives each word a weight for each label.

Needs numpy, which the extra `dev` installs.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from babysitter.diagnosis.causes.rule import ScenarioFile
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.frame.word_stems import read_stems
from babysitter.diagnosis.learned.cause_classes import CALM, class_of
from babysitter.diagnosis.learned.line_meaning import CONSEQUENCE, words_of_stems
from babysitter.errors import UserError
from babysitter.model.finding import Cause
from babysitter.model.learned_weights import FEW, LineWeights
from babysitter.workbench.evaluate import LabelledCase
from babysitter.workbench.ridge import Array, SparseRows, solve_ridge

RIDGE = 1.0
ALSO_ACCEPTABLE = 0.4  # of a second defensible label, beside 1 of the first
MIN_LINES = 2  # in which a word must stand
WORDS = 9000  # that are kept
SMALLEST = 0.1  # weight that is kept
MIN_STEMS = 3  # of a line of an incident: fewer say nothing


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """A line and what it means: its label first, then another defensible one."""

    labels: tuple[str, ...]
    text: str


def read_lines(path: Path) -> Iterator[LabelledLine]:
    """The rows of a file. Raises UserError that names the first row that is none."""
    for number, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not row.strip() or row.startswith("#"):
            continue
        labels, tab, text = row.partition("\t")
        if not tab or not text.strip():
            raise UserError(f"{path}:{number}: write a label, a tab and a line")
        try:
            yield LabelledLine(tuple(map(_class, labels.split(","))), text)
        except ValueError:
            raise UserError(
                f"{path}:{number}: {labels!r} is not a cause, {CALM!r} or {CONSEQUENCE!r}"
            ) from None


def specimens(playbook: Playbook, files: Sequence[ScenarioFile]) -> Iterator[LabelledLine]:
    """The specimens of signatures that mean something by themselves."""
    for file in files:
        for name, texts in file.specimens.items():
            rule = playbook.by_id.get(name)
            if rule is not None:
                yield from (LabelledLine((class_of(rule.cause),), text) for text in texts)


def calm_lines(cases: Iterable[LabelledCase]) -> Iterator[LabelledLine]:
    """The lines of incidents in which nothing is wrong: each is calm, however it sounds. One per wording."""
    seen: set[tuple[str, ...]] = set()
    for case in cases:
        if set(map(class_of, case.label.accepted)) == {CALM}:
            for text in case.evidence.text.splitlines():
                stems = read_stems(text)
                if len(stems) >= MIN_STEMS and stems not in seen:
                    seen.add(stems)
                    yield LabelledLine((CALM,), text)


def _class(label: str) -> str:
    return label if label in (CALM, CONSEQUENCE) else class_of(Cause(label))


def fit_lines(lines: Sequence[LabelledLine]) -> LineWeights:
    """The weights that fit the lines best; words that say little are left out."""
    classes = tuple(sorted({line.labels[0] for line in lines}))
    texts = [words_of_stems(read_stems(line.text)) for line in lines]
    wanted = np.array([[_wanted(line, name) for name in classes] for line in lines])
    wanted -= wanted.mean(axis=0)
    counts = Counter(word for words in texts for word in words)
    known = sorted(word for word, count in counts.items() if count >= MIN_LINES)
    weights = _solve(texts, known, wanted)
    worth = (weights**2).sum(axis=1) * np.array([counts[word] for word in known])
    kept = sorted(known[place] for place in np.argsort(-worth)[:WORDS])
    weights = _solve(texts, kept, wanted)
    return LineWeights(
        classes,
        {
            word: {
                name: float(weight)
                for name, weight in zip(classes, row, strict=True)
                if abs(weight) >= SMALLEST
            }
            for word, row in zip(kept, weights, strict=True)
        },
    )


def _wanted(line: LabelledLine, name: str) -> float:
    if line.labels[0] == name:
        return 1.0
    return ALSO_ACCEPTABLE if name in line.labels else 0.0


def _solve(texts: Sequence[Collection[str]], words: Sequence[str], wanted: Array) -> Array:
    place = {word: number for number, word in enumerate(words)}
    rows = [[place[word] for word in text if word in place] for text in texts]
    scales = [1 / np.sqrt(len(row) + FEW) for row in rows]
    return solve_ridge(SparseRows(rows, scales, len(words)), wanted, RIDGE)

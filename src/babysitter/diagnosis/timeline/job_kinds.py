"""Which readers belong to which kind of job: the table. A new kind of job is a row here.

A kind is recognised by the jobs that a run created, or, where it creates none, by a line that such a program
prints.
"""

from collections.abc import Callable
from dataclasses import dataclass

from babysitter.diagnosis.timeline.measures.training_lines import progress_of, read_step
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import pipeline_attempts
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import (
    is_zephyrs,
    line_at,
    read_header,
    read_progress,
)
from babysitter.model.job import JobTree
from babysitter.model.log import LogLine, Role
from babysitter.model.progress import Progress

ZEPHYR, TRAINING, PLAIN = "zephyr", "training", "plain"


@dataclass(frozen=True, slots=True)
class Kind:
    """How such a job is recognised, and how its progress is read.

    `reporters`: the roles whose lines may report progress; of all others the same text is just text.
    `has_crew`: it starts child jobs, and is up only when they are.
    """

    name: str
    by_tree: Callable[[JobTree], bool]
    by_line: Callable[[LogLine], bool]
    read_progress: Callable[[LogLine], Progress | None]
    reporters: frozenset[Role]
    has_crew: bool = False


def _training_progress(line: LogLine) -> Progress | None:
    step = read_step(line.text)
    at = line_at(line)
    return progress_of(step, at) if step is not None and step.is_training and at is not None else None


def _is_training(line: LogLine) -> bool:
    step = read_step(line.text)
    return step is not None and step.is_training and step.loss is not None


def _is_zephyr(line: LogLine) -> bool:
    header = read_header(line)
    return header is not None and is_zephyrs(header)


KINDS: tuple[Kind, ...] = (
    Kind(
        ZEPHYR,
        by_tree=lambda tree: bool(pipeline_attempts(tree)),
        by_line=_is_zephyr,
        read_progress=read_progress,
        reporters=frozenset({Role.COORDINATOR}),
        has_crew=True,
    ),
    Kind(
        TRAINING,
        by_tree=lambda tree: False,  # noqa: ARG005
        by_line=_is_training,
        read_progress=_training_progress,
        reporters=frozenset({Role.PARENT, Role.OTHER}),
    ),
    Kind(
        PLAIN,
        by_tree=lambda tree: False,  # noqa: ARG005
        by_line=lambda line: False,  # noqa: ARG005
        read_progress=lambda line: None,  # noqa: ARG005
        reporters=frozenset(),
    ),
)


def kind_named(name: str) -> Kind:
    """The row of a kind; plain for names that have none."""
    return next((kind for kind in KINDS if kind.name == name), KINDS[-1])


def recognise(tree: JobTree | None, lines: tuple[LogLine, ...], known: str, *, is_text: bool) -> str:
    """The kind of a job, given what was recognised before: a run with a pipeline is Zephyr's.

    Of a watched job only its tree shows that it started other jobs: a program that prints the log of another
    prints the same lines. `is_text`: there are only lines to go by, as in a log file.
    """
    if known == ZEPHYR:
        return known
    for kind in KINDS:
        if tree is not None and kind.by_tree(tree):
            return kind.name
    if known and known != PLAIN:
        return known
    for kind in KINDS:
        if (is_text or not kind.has_crew) and any(kind.by_line(line) for line in lines):
            return kind.name
    return known

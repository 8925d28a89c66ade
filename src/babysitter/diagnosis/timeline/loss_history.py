"""What a watch remembers of a training run's loss: the newest reports, and the best level it has held."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from babysitter.diagnosis.timeline.job_kinds import TRAINING, kind_named
from babysitter.diagnosis.timeline.loss import RUNAWAY_LEAST_LEVEL, LossSeries, read_losses
from babysitter.diagnosis.timeline.training_lines import read_step
from babysitter.diagnosis.timeline.zephyr_jobs import role_of
from babysitter.model.ids import job_of
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation

MAX_REPORTS = 12
MAX_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class LossHistory:
    """A loss read from old and new reports. `places`: where each line stands among the new ones; -1 = old."""

    run: LossSeries = field(default_factory=LossSeries)
    lines: tuple[LogLine, ...] = ()
    places: tuple[int, ...] = ()


def with_losses(memory: Memory, observation: Observation) -> Memory:
    """The memory with the loss reports among the new lines. Only of a training run; else as it was."""
    if memory.kind != TRAINING:
        return memory
    reports = _reports(memory, observation)
    if not reports:
        return memory
    before = replace(memory, loss_reports=(), loss_level=None) if observation.is_reread else memory
    told = (*before.loss_reports, *(line for _, line in reports))
    run = _read(told, before.loss_level)
    level = run.best_loss if run.reports >= RUNAWAY_LEAST_LEVEL else before.loss_level
    kept = tuple(line._replace(text=line.text[:MAX_CHARACTERS]) for line in told[-MAX_REPORTS:])
    return replace(before, loss_reports=kept, loss_level=level)


def course_of(before: Memory, memory: Memory, observation: Observation) -> LossHistory:
    """The loss as it stands after a look. `before`: what was remembered before it, `memory`: after it."""
    new = _reports(memory, observation) if memory.kind == TRAINING else ()
    if not new:
        return LossHistory()
    is_same_run = before.root_submitted_at in (None, memory.root_submitted_at)
    old = before.loss_reports if is_same_run and not observation.is_reread else ()
    lines = (*old, *(line for _, line in new))
    first = observation.excerpt.first_line if observation.excerpt is not None else 0
    places = (*([-1] * len(old)), *(first + place for place, _ in new))
    return LossHistory(_read(lines, before.loss_level if old else None), lines, places)


def _read(lines: Sequence[LogLine], level: float | None) -> LossSeries:
    return read_losses((line.text for line in lines), level=level)


def _reports(memory: Memory, observation: Observation) -> tuple[tuple[int, LogLine], ...]:
    """The loss reports among the new lines, each with its place there."""
    reporters = kind_named(memory.kind).reporters
    return tuple(
        (place, line)
        for place, line in enumerate(observation.seen_lines)
        if (memory.roles.get(line.task) or role_of(job_of(line.task), observation.root)) in reporters
        and (step := read_step(line.text)) is not None
        and step.is_training
        and (step.loss is not None or step.grad_norm is not None)
    )

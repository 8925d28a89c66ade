"""What the reports of one run say together: advancing? a finite loss? one that ran away and stays?"""

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from babysitter.diagnosis.timeline.lifecycle import Milestone, read_milestone
from babysitter.diagnosis.timeline.training_lines import TrainingStep, read_step

RUNAWAY_LEAST_REPORTS = 5  # before that, a loss has no level that it could leave
RUNAWAY_LEAST_LEVEL = 2  # reports at the level that it left
RUNAWAY_FACTOR = 2.0
RUNAWAY_LEAST_RISE = 1.0  # nats; a small loss that doubles is noise
RUNAWAY_TAIL = 3  # so many reports in a row must be high, the newest among them
NOT_FINITE_LEAST_REPORTS = 2  # one bad value may be a skipped step

_PROVES_ADVANCE = frozenset({Milestone.CHECKPOINT_SAVED, Milestone.SERVING, Milestone.FINISHED})


class LossState(StrEnum):
    """How the loss (or the gradient norm) of a run stands at its newest report."""

    UNKNOWN = "unknown"  # no report names one
    FINITE = "finite"
    SPIKED = "spiked"  # it rose far and came back
    RECOVERED = "recovered"  # it was nan or inf, and is finite again
    NOT_FINITE = "not-finite"
    RAN_AWAY = "ran-away"  # it rose far above its best level and stays there


@dataclass(frozen=True, slots=True)
class LossSeries:
    """Measured values of a training run. Places count from 0 within what was read; None = no such line.

    `advanced_at`: the newest place that proves progress: a higher step, a checkpoint saved, tokens served.
    `bad_from`: where a loss that is not finite or ran away left its level. `best_loss`: the best level held,
    also before what was read, unless the run `began_again` within it.
    """

    loss: LossState = LossState.UNKNOWN
    first: TrainingStep | None = None
    newest: TrainingStep | None = None
    newest_place: int | None = None
    reports: int = 0
    advanced_at: int | None = None
    bad_from: int | None = None
    best_loss: float | None = None
    checkpoints_saved: int = 0
    steps_skipped: int = 0
    milestone: Milestone | None = None  # the newest one
    milestone_place: int | None = None
    is_finished: bool = False
    began_again: bool = False  # its step counter fell back to the start

    @property
    def is_at_its_level(self) -> bool:
        """The newest report proves that nothing is wrong with the loss now."""
        if self.newest is None or self.newest.loss is None or not self.newest.is_finite:
            return False
        return self.best_loss is None or self.newest.loss < _limit(self.best_loss)


def read_run(texts: Iterable[str], *, level: float | None = None) -> LossSeries:
    """Fold the lines of one run, oldest first. Several ranks that print the same reports do no harm.

    `level`: the best loss that was held before these lines, where it is known.
    """
    steps: list[tuple[int, TrainingStep]] = []
    marks: list[tuple[int, Milestone]] = []
    for place, text in enumerate(texts):
        if (step := read_step(text)) is not None:
            steps.append((place, step))
        if (mark := read_milestone(text)) is not None:
            marks.append((place, mark))
    return _folded(steps, marks, level)


def _folded(
    steps: list[tuple[int, TrainingStep]], marks: list[tuple[int, Milestone]], level: float | None
) -> LossSeries:
    series = _main_series(steps)
    own = _since_its_start(series)
    began_again = len(own) < len(series)
    state, bad_from, best = _loss_state(own, None if began_again else level)
    counts = Counter(mark for _, mark in marks)
    advances = [*_advances(steps), *(place for place, mark in marks if mark in _PROVES_ADVANCE)]
    return LossSeries(
        loss=state,
        first=own[0][1] if own else None,
        newest=own[-1][1] if own else None,
        newest_place=own[-1][0] if own else None,
        reports=len(own),
        advanced_at=max(advances, default=None),
        bad_from=bad_from,
        best_loss=best,
        checkpoints_saved=counts[Milestone.CHECKPOINT_SAVED],
        steps_skipped=counts[Milestone.STEP_SKIPPED],
        milestone=marks[-1][1] if marks else None,
        milestone_place=marks[-1][0] if marks else None,
        is_finished=counts[Milestone.FINISHED] > 0,
        began_again=began_again,
    )


def _main_series(steps: list[tuple[int, TrainingStep]]) -> list[tuple[int, TrainingStep]]:
    """The reports of the series that speaks most, one with a loss first: the others may be anybody's text."""
    training = [(place, step) for place, step in steps if step.is_training]
    with_loss = [
        (place, step) for place, step in training if step.loss is not None or step.grad_norm is not None
    ]
    counts = Counter(step.series for _, step in (with_loss or training))
    if not counts:
        return []
    chosen = counts.most_common(1)[0][0]
    return [(place, step) for place, step in training if step.series == chosen]


def _since_its_start(own: list[tuple[int, TrainingStep]]) -> list[tuple[int, TrainingStep]]:
    """The reports after the last fall of the step counter to less than half: before it was another try."""
    start = 0
    for index, ((_, before), (_, after)) in enumerate(itertools.pairwise(own), start=1):
        if before.step is not None and after.step is not None and after.step < before.step / 2:
            start = index
    return own[start:]


def _advances(steps: list[tuple[int, TrainingStep]]) -> list[int]:
    """Places where a series counted higher than ever before (its first report included)."""
    highest: dict[str, float] = {}
    places = []
    for place, step in steps:
        reached = step.step if step.step is not None else step.epoch
        if reached is None:
            continue
        before = highest.get(step.series)
        # A new epoch, or a resumed run, counts from its start again: falling back far is a new series.
        if before is None or reached > before or reached < before / 2:
            places.append(place)
            highest[step.series] = reached
    return places


def _loss_state(
    own: list[tuple[int, TrainingStep]], level: float | None
) -> tuple[LossState, int | None, float | None]:
    """The state, where a bad one began, and the best level reached."""
    told = [(place, step) for place, step in own if step.loss is not None or step.grad_norm is not None]
    if not told:
        return LossState.UNKNOWN, None, level
    losses = [
        (place, step.loss) for place, step in told if step.loss is not None and math.isfinite(step.loss)
    ]
    best = _best_level([loss for _, loss in losses], level)
    bad = [place for place, step in told if not step.is_finite]
    if bad:
        tail = _bad_tail(told)
        if len(tail) >= NOT_FINITE_LEAST_REPORTS or (tail and not math.isfinite(told[-1][1].loss or 0.0)):
            return LossState.NOT_FINITE, tail[0], best
        if not tail:
            return LossState.RECOVERED, bad[0], best
    away = _ran_away_from(losses, level)
    if away is not None:
        return LossState.RAN_AWAY, away, best
    return (LossState.SPIKED if _spiked(losses) else LossState.FINITE), None, best


def _bad_tail(told: list[tuple[int, TrainingStep]]) -> list[int]:
    """Places of the unbroken run of reports at the end that are not finite, oldest first."""
    tail: list[int] = []
    for place, step in reversed(told):
        if step.is_finite:
            break
        tail.append(place)
    return tail[::-1]


def _best_level(losses: list[float], before: float | None = None) -> float | None:
    """The lowest mean of two neighbouring reports: a level that was held, not a lucky value."""
    held = [statistics.fmean(pair) for pair in itertools.pairwise(losses)] or losses
    return min([*held, *([] if before is None else [before])], default=None)


def _limit(best: float) -> float:
    """The loss above which a run that held `best` has left its level."""
    return max(best * RUNAWAY_FACTOR, best + RUNAWAY_LEAST_RISE)


def _ran_away_from(losses: list[tuple[int, float]], level: float | None) -> int | None:
    """The place where the loss left its level for good; None when it did not."""
    if level is None and len(losses) < RUNAWAY_LEAST_REPORTS:
        return None
    best = _best_level([loss for _, loss in losses], level)
    if best is None or min(loss for _, loss in losses) <= 0:
        return None  # rewards and policy objectives go below zero; a factor says nothing there
    limit = _limit(best)
    high = []
    for place, loss in reversed(losses):
        if loss < limit:
            break
        high.append(place)
    most = len(losses) if level is not None else len(losses) - RUNAWAY_LEAST_LEVEL
    return high[-1] if RUNAWAY_TAIL <= len(high) <= most else None


def _spiked(losses: list[tuple[int, float]]) -> bool:
    """Whether the loss rose far above the level just before it, though it came back since."""
    lowest = math.inf
    for _, loss in losses:
        if 0 < lowest * RUNAWAY_FACTOR < loss and loss - lowest > RUNAWAY_LEAST_RISE:
            return True
        lowest = min(lowest, loss)
    return False

"""A loss that ran away: it rose far above the best level that it held, and stays there.

A loss that is not a number is found in any format by `non_finite.py`.
"""

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from babysitter.diagnosis.timeline.training_lines import TrainingStep, read_step

RUNAWAY_LEAST_REPORTS = 5  # before that, a loss has no level that it could leave
RUNAWAY_LEAST_LEVEL = 2  # reports at the level that it left
RUNAWAY_FACTOR = 2.0
RUNAWAY_LEAST_RISE = 1.0  # nats; a small loss that doubles is noise
RUNAWAY_TAIL = 3  # so many reports in a row must be high, the newest among them


@dataclass(frozen=True, slots=True)
class LossSeries:
    """The loss of a training run. Places count from 0 within what was read; None = no such line.

    `bad_from`: where a loss that ran away left its level. `best_loss`: the best level held, also before what
    was read, unless the run began again within it.
    """

    newest: TrainingStep | None = None
    newest_place: int | None = None
    reports: int = 0
    bad_from: int | None = None
    best_loss: float | None = None

    @property
    def is_at_its_level(self) -> bool:
        """The newest report proves that nothing is wrong with the loss now."""
        if self.newest is None or self.newest.loss is None or not self.newest.is_finite:
            return False
        return self.best_loss is None or self.newest.loss < _limit(self.best_loss)


def read_losses(texts: Iterable[str], *, level: float | None = None) -> LossSeries:
    """Fold the lines of one run, oldest first. Several ranks that print the same reports do no harm.

    `level`: the best loss that was held before these lines, where it is known.
    """
    steps = [(place, step) for place, text in enumerate(texts) if (step := read_step(text)) is not None]
    series = _main_series(steps)
    own = _since_its_start(series)
    level = level if len(own) == len(series) else None
    losses = [(place, step.loss) for place, step in own if step.loss is not None and math.isfinite(step.loss)]
    return LossSeries(
        newest=own[-1][1] if own else None,
        newest_place=own[-1][0] if own else None,
        reports=len(own),
        bad_from=_ran_away_from(losses, level),
        best_loss=_best_level([loss for _, loss in losses], level),
    )


def _main_series(steps: list[tuple[int, TrainingStep]]) -> list[tuple[int, TrainingStep]]:
    """The reports of the series that speaks most of a loss: the others may be anybody's text."""
    training = [
        (place, step)
        for place, step in steps
        if step.is_training and (step.loss is not None or step.grad_norm is not None)
    ]
    counts = Counter(step.series for _, step in training)
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


def _best_level(losses: list[float], before: float | None = None) -> float | None:
    """The lowest mean of two neighbouring reports: a level that was held, not a lucky value."""
    held = [statistics.fmean(pair) for pair in itertools.pairwise(losses)] or losses
    return min([*held, *([] if before is None else [before])], default=None)


def _limit(best: float) -> float:
    """The loss above which a run that held `best` has left its level."""
    return max(best * RUNAWAY_FACTOR, best + RUNAWAY_LEAST_RISE)


def _ran_away_from(losses: list[tuple[int, float]], level: float | None) -> int | None:
    """The place where the loss left its level for good; None when it did not."""
    if not losses or (level is None and len(losses) < RUNAWAY_LEAST_REPORTS):
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

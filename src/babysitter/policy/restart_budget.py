"""May a restart help, and is one allowed now? Answers with a named reason, never a bool."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.incident import BUDGET_WINDOW, Ledger
from babysitter.model.limits import Limits
from babysitter.model.verdict import Change, Diagnosis, Verdict

LEAST_CONFIDENCE = 0.65  # below it a verdict is called a guess


class RestartEligibility(Enum):
    """Why a restart may or may not be proposed."""

    ALLOWED = "a restart may help"
    NOT_ADVISED = "the diagnosis does not ask for a restart"
    ONLY_GUESSED = "its cause is only a guess"
    CAUSE_FORBIDS = "the same again would fail again"
    NO_CHANGE_KNOWN = "it needs a change, and none is known that babysit could make"
    SAME_CAUSE_AGAIN = "the same cause came back after a restart"
    BUDGET_SPENT = "the restart budget is spent"
    NO_PROGRESS = "earlier restarts brought no progress"
    HEALING = "the job's own recovery is at work"
    BLIND = "the cluster cannot be seen right now"
    GONE = "the cluster does not know the job any more"
    TWO_COORDINATORS = "an older coordinator still runs; a restart would add a third writer"
    IN_PROGRESS = "an action for this job is already under way"

    @property
    def allows(self) -> bool:
        return self is RestartEligibility.ALLOWED


@dataclass(frozen=True, slots=True)
class Budget:
    """Restarts left now, and how many count against it."""

    left: int
    used: int


def budget(ledger: Ledger, high_water: int, *, now: datetime, limits: Limits) -> Budget:
    """Restarts left in the window; a restart after which the job got further than before it is forgiven.

    `high_water`: shards (or steps) the job has done now.
    """
    recent = [restart for restart in ledger.restarts if now - restart.at < BUDGET_WINDOW]
    best = high_water
    used = 0
    for restart in reversed(recent):
        if best <= restart.high_water:
            used += 1
        best = max(best, restart.high_water)
    # Even forgiven restarts are bounded: three times the budget in a day is a person's business.
    if len(recent) >= 3 * limits.restarts_per_day:
        used = limits.restarts_per_day
    return Budget(left=max(0, limits.restarts_per_day - used), used=used)


def restart_eligibility(
    verdict: Verdict,
    diagnosis: Diagnosis,
    change: Change | None,
    ledger: Ledger,
    *,
    high_water: int,
    now: datetime,
    limits: Limits,
    is_asked: bool = False,
) -> RestartEligibility:
    """The first argument against a restart, or ALLOWED. `is_asked`: somebody asks for it, sure or not."""
    if not diagnosis.action.restarts:
        return RestartEligibility.NOT_ADVISED
    if diagnosis.confidence < LEAST_CONFIDENCE and not is_asked:
        return RestartEligibility.ONLY_GUESSED
    if verdict.blind:
        return RestartEligibility.BLIND
    if verdict.gone is not None:
        return RestartEligibility.GONE
    if verdict.two_coordinators:
        return RestartEligibility.TWO_COORDINATORS
    if verdict.healing:
        return RestartEligibility.HEALING
    if change is None:
        if about(diagnosis.cause).repeat_fails:
            return RestartEligibility.CAUSE_FORBIDS
        if diagnosis.action is ActionKind.RESTART_WITH_CHANGE:
            return RestartEligibility.NO_CHANGE_KNOWN
        if _came_back(diagnosis.cause, ledger, high_water):
            return RestartEligibility.SAME_CAUSE_AGAIN
    allowance = budget(ledger, high_water, now=now, limits=limits)
    if allowance.left == 0:
        return RestartEligibility.NO_PROGRESS if len(ledger.restarts) > 1 else RestartEligibility.BUDGET_SPENT
    return RestartEligibility.ALLOWED


def _came_back(cause: Cause, ledger: Ledger, high_water: int) -> bool:
    """Whether the last restart was for this very cause and the job got no further since."""
    return bool(ledger.restarts) and (
        ledger.restarts[-1].cause is cause and high_water <= ledger.restarts[-1].high_water
    )

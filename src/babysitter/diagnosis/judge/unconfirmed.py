"""What one look says of a job of which nothing is confirmed: well, not seen, or under a suspicion."""

from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.ids import RuleId
from babysitter.model.verdict import Diagnosis, Signal, SignalKind, Verdict

_SUSPECTED = {
    SignalKind.ZOMBIE_LIKE: Cause.ZOMBIE_COORDINATOR,
    SignalKind.LINGERING: Cause.STAGE_STUCK,
    SignalKind.TWO_COORDINATORS: Cause.ZOMBIE_COORDINATOR,
    SignalKind.STUCK: Cause.STAGE_STUCK,
    SignalKind.QUIET: Cause.STAGE_STUCK,
    SignalKind.STRAGGLING: Cause.STRAGGLERS,
    SignalKind.CHURN: Cause.WORKER_CHURN,
    SignalKind.ERRORS: Cause.UNKNOWN,
}
_WITHOUT_ARTICLE = (Cause.STRAGGLERS, Cause.WORKER_CHURN)
PREFIX = "suspected."  # of the rule id of what is not confirmed
CONFIDENCE = 0.5  # guess: of a suspicion that a second look has not tested


def suspicion_of(verdict: Verdict) -> Signal | None:
    """The open suspicion that a second look could confirm; None where none is open or a cause is proven."""
    if verdict.diagnosis is not None or verdict.blind:
        return None
    return next((signal for signal in verdict.signals if signal.kind in _SUSPECTED), None)


def diagnosis_or_best(verdict: Verdict) -> Diagnosis:
    """The diagnosis of a look, else what can be said honestly without one."""
    if verdict.diagnosis is not None:
        return verdict.diagnosis
    if verdict.blind:
        text = f"Nothing can be said of the job now: {verdict.blind[0].reason}."
        return Diagnosis(Cause.UNKNOWN, Severity.INFO, ActionKind.WAIT, text, 0.3)
    if (signal := suspicion_of(verdict)) is not None:
        cause = _SUSPECTED[signal.kind]
        name = about(cause).title.lower() if cause is not Cause.UNKNOWN else "failure"
        name = name if cause in _WITHOUT_ARTICLE else f"a {name}"
        return Diagnosis(
            cause,
            Severity.DEGRADED,
            ActionKind.WAIT,
            f"Probably {name}: {signal.explanation.rstrip('.')}. A second look decides.",
            CONFIDENCE,
            signal.evidence,
            rules=(RuleId(f"{PREFIX}{signal.kind}"),),
            advice="Look again in a minute before anything is done.",
        )
    others = "; ".join(dict.fromkeys(other.explanation.rstrip(".") for other in verdict.signals))
    text = f"Nothing is wrong so far: {others}." if others else "Nothing is wrong."
    return Diagnosis(Cause.HEALTHY, Severity.BENIGN, ActionKind.IGNORE, text, 0.9)

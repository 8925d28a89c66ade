"""The verdict of a check to which the cluster answered that it does not know the job."""

from babysitter.diagnosis.judge.phases.phases import next_check_s
from babysitter.diagnosis.judge.progress_summary import outlook_of_memory
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone
from babysitter.model.verdict import Diagnosis, Reason, Verdict

SLOWER_AFTER_S = 600.0  # guess: what comes back after a controller restart comes back sooner


def missing(observation: Observation, gone: Gone, memory: Memory, limits: Limits) -> Verdict:
    """Keep the phase and judge nothing: a missing job is a fact, why it is missing is not known.

    The next check follows soon, to confirm; after ten minutes checks become rare.
    """
    since = memory.gone_since or gone.at
    gone_s = max(0.0, (observation.taken_at - since).total_seconds())
    is_confirmed = gone_s >= limits.suspicious_pulse_s
    reasons = (
        Reason("gone.not-known", True, f"not known to the cluster for {gone_s:.0f} s: {gone.reason}"),
        Reason(
            "gone.confirmed",
            is_confirmed,
            f"{gone_s:.0f} s (reported from {limits.suspicious_pulse_s:.0f} s on)",
        ),
        Reason("gone.together", len(gone.missing) > 1, f"{len(gone.missing)} of {gone.watched} watched jobs"),
    )
    return Verdict(
        phase=memory.phase,
        memory=memory,
        next_check_s=_next_check_s(memory, gone_s, limits),
        outlook=outlook_of_memory(memory, "The cluster does not know this job any more."),
        diagnosis=_diagnosis(observation, gone),
        attempt=memory.newest_attempt,
        gone=gone,
        wants=memory.wants,
        reasons=reasons,
    )


def _next_check_s(memory: Memory, gone_s: float, limits: Limits) -> float:
    if memory.phase is Phase.FINISHED:
        return next_check_s(memory.phase, memory.checks_in_phase, limits)
    if gone_s < limits.suspicious_pulse_s:
        return limits.suspicious_pulse_s
    return limits.pulse_s if gone_s < SLOWER_AFTER_S else limits.pending_pulse_most_s


def _diagnosis(observation: Observation, gone: Gone) -> Diagnosis:
    return Diagnosis(
        cause=Cause.JOB_GONE,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"The cluster answers, and does not know {observation.root} any more. It was deleted "
        "there, or its controller has lost its database. Nothing is concluded about the job itself.",
        confidence=0.9,
        evidence=(Evidence(gone.reason, f"job {observation.root}", at=gone.at),),
        retry=Retry.UNKNOWN,
    )

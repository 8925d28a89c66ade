"""What may still be concluded while nothing can be seen: nothing about the job."""

from babysitter.diagnosis.judge.phases.phases import next_check_s
from babysitter.diagnosis.judge.progress_summary import outlook_of_memory
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Unseen
from babysitter.model.verdict import Diagnosis, Reason, Verdict


def blind(observation: Observation, spot: Unseen, memory: Memory, limits: Limits) -> Verdict:
    """The verdict of a look that could not see the tree: the phase stays, judgement rests, look again.

    Old evidence keeps its age and clocks that count against the job stand still (see
    diagnosis/timeline/update_memory.py). Contact loss alone leads to no incident of the job, and never to a
    stop or a restart.
    """
    blind_s = max(0.0, (observation.taken_at - spot.since).total_seconds())
    after_s = next_check_s(memory.phase, memory.checks_in_phase, limits)
    if memory.phase is not Phase.FINISHED:
        after_s = min(after_s, limits.pulse_s)
    reason = Reason("blind.controller", True, f"not seen for {blind_s:.0f} s: {spot.reason}")
    return Verdict(
        phase=memory.phase,
        memory=memory,
        next_check_s=after_s,
        outlook=outlook_of_memory(memory, f"Cannot be seen: {spot.reason}"),
        diagnosis=Diagnosis(
            cause=Cause.CONTROLLER_UNREACHABLE,
            severity=Severity.DEGRADED,
            action=ActionKind.WAIT,
            explanation=f"The cluster cannot be seen for {blind_s:.0f} s; the job is not judged meanwhile. "
            f"{spot.reason}",
            confidence=0.9,
            evidence=(Evidence(spot.reason, str(spot.source), at=observation.taken_at),),
            retry=Retry.ITSELF,
        ),
        attempt=memory.newest_attempt,
        blind=observation.blind_spots,
        wants=memory.wants,
        reasons=(reason,),
    )

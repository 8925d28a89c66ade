"""The job is terminal: how did it end, and why?"""

from dataclasses import replace

from babysitter.diagnosis.causes.left_out import LEFT_OUT
from babysitter.diagnosis.judge.evidence import diagnosis_of_the_end
from babysitter.diagnosis.judge.own_exception import with_own_exception
from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.poison_item import name_failing_item
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis, Reason

RECENT_OUTAGE_S = 900.0


def finished(snapshot: Snapshot) -> PhaseResult:
    """Judge an end, from the top of the tree: what happened to children only follows from it."""
    state = snapshot.root.state
    reason = Reason("end.state", state.is_terminal, f"{snapshot.root.id} is {state}")
    diagnosis = None if not state.is_terminal else _how_it_ended(snapshot)
    return PhaseResult(Phase.FINISHED, diagnosis, reasons=(reason,))


def _how_it_ended(snapshot: Snapshot) -> Diagnosis | None:
    root = snapshot.root
    if root.state is JobState.SUCCEEDED:
        found = diagnosis_of_the_end(snapshot)
        is_news = found.cause is Cause.TRANSIENT_NOISE or not about(found.cause).is_benign
        is_known = found.cause is not Cause.UNKNOWN or LEFT_OUT in found.rules
        return found if is_news and is_known else None
    if root.state is JobState.UNSCHEDULABLE:
        return _unschedulable(snapshot)
    if snapshot.was_stopped:
        return _stopped(snapshot)
    found = with_own_exception(snapshot, name_failing_item(snapshot, diagnosis_of_the_end(snapshot)))
    if root.state is JobState.KILLED and found.cause is Cause.UNKNOWN and _is_after_an_outage(snapshot):
        return _lost_with_the_controller(snapshot)
    if about(found.cause).is_benign and found.cause is not Cause.USER_CANCEL:
        return replace(found, cause=Cause.UNKNOWN, severity=Severity.FATAL, action=ActionKind.ESCALATE)
    return found


def _stopped(snapshot: Snapshot) -> Diagnosis:
    """KILLED at the root: somebody stopped it, whatever else was wrong by then."""
    text = snapshot.root.error or "killed"
    return Diagnosis(
        cause=Cause.USER_CANCEL,
        severity=Severity.BENIGN,
        action=ActionKind.IGNORE,
        explanation="The job was stopped on request.",
        confidence=0.9,
        evidence=(Evidence(text, f"job {snapshot.root.id}", at=snapshot.root.finished_at),),
        retry=Retry.USELESS,
    )


def _unschedulable(snapshot: Snapshot) -> Diagnosis:
    root = snapshot.root
    text = (root.pending_reason or root.error or "unschedulable").strip()
    return Diagnosis(
        cause=Cause.UNSCHEDULABLE,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The cluster can never place the job as asked for: {text.splitlines()[0][:300]}",
        confidence=0.95,
        evidence=(Evidence(text[:1000], f"job {root.id}", at=root.finished_at),),
        retry=Retry.WITH_CHANGE,
    )


def _is_after_an_outage(snapshot: Snapshot) -> bool:
    until = snapshot.memory.blind_until_at
    return until is not None and snapshot.age_s(until) < RECENT_OUTAGE_S


def _lost_with_the_controller(snapshot: Snapshot) -> Diagnosis:
    """Killed without a word, right after the controller was away: not the job's own fault."""
    return Diagnosis(
        cause=Cause.CONTROLLER_UNREACHABLE,
        severity=Severity.FATAL,
        action=ActionKind.RESTART,
        explanation="The job was killed without a reason right after the controller could not be reached: "
        "it was lost with it.",
        confidence=0.6,
        evidence=(
            Evidence("killed, no reason given", f"job {snapshot.root.id}", at=snapshot.root.finished_at),
        ),
        retry=Retry.HELPS,
    )

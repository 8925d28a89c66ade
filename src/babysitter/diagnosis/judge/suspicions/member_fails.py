"""One worker, card or partition of a job gets nothing done any more while the others work on."""

from datetime import UTC, datetime

from babysitter.diagnosis.judge.likelihood.cause_by_lines import cause_by_lines, with_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.members.broken_member import BrokenMember, find_broken_member
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.member_line import MemberLine
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind


def member_fails(snapshot: Snapshot) -> Suspicion:
    """A member prints the line of its work no more, and another one again and again; others go on."""
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew:
        return none_of(SignalKind.ERRORS, "member.fails", "not a running job whose own log was read")
    least_s = snapshot.limits.member_fails_s
    broken = find_broken_member(snapshot.memory.member_lines, snapshot.now.timestamp(), least_s)
    if broken is None:
        return none_of(SignalKind.ERRORS, "member.fails", "each member does what the others of its kind do")
    told = _describe(broken)
    found = cause_by_lines(snapshot, broken.done.last_at_s)
    diagnosis = with_cause(
        Diagnosis(
            cause=Cause.STRAGGLERS,
            severity=Severity.DEGRADED,
            action=ActionKind.ESCALATE,
            explanation=f"A member of the job gets nothing done: {told}.",
            confidence=0.6,
            evidence=(_evidence(broken.done), _evidence(broken.instead)),
            retry=Retry.UNKNOWN,
            look_at=("worker-logs",),
        ),
        found,
    )
    reasons = (Reason("member.fails", True, told),)
    wants = frozenset({Want.TASKS, Want.WORKER_LINES})
    return Suspicion(SignalKind.ERRORS, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence, wants)


def _describe(broken: BrokenMember) -> str:
    for_s = broken.instead.last_at_s - broken.done.last_at_s
    return (
        f"{broken.label} has finished nothing for {for_s / 60:.0f} minutes and printed another line"
        f" {broken.instead.count} times, while {broken.others} others work on"
    )


def _evidence(line: MemberLine) -> Evidence:
    return Evidence(line.text, f"{line.kind} {line.name}", at=datetime.fromtimestamp(line.last_at_s, UTC))

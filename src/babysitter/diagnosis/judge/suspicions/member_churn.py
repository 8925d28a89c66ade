"""Members of a job that its own lines report lost, one after another, and no line says why."""

from datetime import UTC, datetime

from babysitter.diagnosis.judge.evidence import known_findings
from babysitter.diagnosis.judge.likelihood.by_lines import PROOF
from babysitter.diagnosis.judge.no_cause_found import DECISIVE
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.patience import patience_s
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.members.lost_members import find_series
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.progress import LostMember
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

MAX_SHOWN = 4


def member_churn(snapshot: Snapshot) -> Suspicion:
    """A series of losses in the same words. A cause that those lines name stands instead of it."""
    memory, window_s = snapshot.memory, snapshot.limits.churn_window_s
    series = find_series(memory.lost_members, has_clock=memory.first_line_at != memory.last_line_at)
    if not snapshot.runs or snapshot.pipeline is not None or not series:
        why_not = "its lines report no members lost one after another"
        return none_of(SignalKind.CHURN, "members.lost", why_not)
    named = _named_cause(snapshot, series)
    goes_on = memory.advanced_position is not None and memory.advanced_position > series[-1].place
    printed_s = snapshot.age_s(_at(series[-1])) - snapshot.age_s(memory.last_line_at)
    is_over = printed_s > window_s
    outcome = "work goes on in spite of it" if goes_on else "no work was reported after the last loss"
    told = f"{len(series)} members of the job were lost one after another"
    reasons = (
        Reason("members.lost", True, f"{told}; {outcome}"),
        Reason("members.named-cause", named is not None, f"their lines name {named or 'no cause'}"),
        Reason("members.over", is_over, f"lines went on for {printed_s:.0f} s after the last loss"),
    )
    if named is not None or is_over:
        return Suspicion(SignalKind.CHURN, Certainty.NONE, reasons)
    diagnosis = Diagnosis(
        cause=Cause.WORKER_CHURN,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT if goes_on else ActionKind.ESCALATE,
        explanation=f"{told[0].upper()}{told[1:]}, and no line says why; {outcome}.",
        confidence=0.66,
        evidence=tuple(_evidence(snapshot, lost_member) for lost_member in series[:MAX_SHOWN]),
        retry=Retry.ITSELF,
        look_at=("worker-logs", "machine"),
    )
    is_due = snapshot.age_s(_at(series[-1])) < patience_s(snapshot)
    is_open = (goes_on or is_due) and not snapshot.is_last_look
    level = Certainty.LIKELY if is_open else Certainty.PROVEN
    return Suspicion(SignalKind.CHURN, level, reasons, told, diagnosis, diagnosis.evidence)


def _named_cause(snapshot: Snapshot, series: tuple[LostMember, ...]) -> Cause | None:
    """The cause that a rule finds in lines of the series; that something went away with them is none."""
    places = {note.place for note in series}
    return next(
        (
            finding.cause
            for finding in known_findings(snapshot).all
            if places & {finding.position, finding.last_position}
            and finding.confidence >= (PROOF if about(finding.cause).is_echo else DECISIVE)
            and not about(finding.cause).is_benign
            and finding.cause is not Cause.WORKER_CHURN
        ),
        None,
    )


def _evidence(snapshot: Snapshot, note: LostMember) -> Evidence:
    excerpt = snapshot.observation.excerpt
    if excerpt is not None:
        return Evidence(note.text, excerpt.source, note.place + 1, at=_at(note))
    return Evidence(note.text, f"log of {snapshot.root.id}", at=_at(note))


def _at(note: LostMember) -> datetime | None:
    return None if note.at_s is None else datetime.fromtimestamp(note.at_s, UTC)

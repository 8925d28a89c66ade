"""A job counts its input on, and nothing of it comes out any more."""

from datetime import UTC, datetime

from babysitter.diagnosis.judge.likelihood.cause_by_lines import cause_by_lines, with_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.counts.standing_output import find_standing_output
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

NEAR_S = 300.0  # guess: before the output stood, a report may be of what stopped it


def nothing_comes_out(snapshot: Snapshot) -> Suspicion:
    """A count of output that rose in each report stands, while another of the same line rises."""
    if not snapshot.runs or not snapshot.sees_lines or snapshot.needs_crew:
        return none_of(SignalKind.STUCK, "output.stands", "not a running job whose own log was read")
    least_s = snapshot.limits.worthless_s
    standing = find_standing_output(snapshot.memory.work, snapshot.now.timestamp(), least_s)
    if standing is None or standing.output.still.at_s is None:
        return none_of(SignalKind.STUCK, "output.stands", "no output stands while its input is counted on")
    output, since_s = standing.output, standing.output.still.at_s
    told = (
        f"`{standing.name}` stands at {output.value:,.10g} in {output.still.reports} reports over"
        f" {standing.for_s / 60:.0f} minutes, while the same lines count on"
    )
    first = Evidence(output.still.text, output.speaker, at=datetime.fromtimestamp(since_s, UTC))
    diagnosis = with_cause(
        Diagnosis(
            cause=Cause.DATA_ERROR,
            severity=Severity.FATAL,
            action=ActionKind.ESCALATE,
            explanation=f"{told[0].upper()}{told[1:]}: the job reads its input, and nothing comes out.",
            confidence=0.6,
            evidence=(first,),
            retry=Retry.UNKNOWN,
        ),
        cause_by_lines(snapshot, since_s - NEAR_S),
    )
    reasons = (Reason("output.stands", True, told),)
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, told, diagnosis, diagnosis.evidence)

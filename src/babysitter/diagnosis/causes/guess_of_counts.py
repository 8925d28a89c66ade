"""Guesses from counts in a living job: churn, a part far behind the others, an end that does not come."""

from collections.abc import Callable, Sequence

from babysitter.diagnosis.causes.churn import find_churn, find_restarts
from babysitter.diagnosis.causes.outlier import find_outlier
from babysitter.diagnosis.timeline.aftermath import find_completion
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job_facts import JobFacts
from babysitter.model.limits import Limits

PREFIX = "words."  # of the rule id of a guess
CONFIDENCE = 0.6  # what is counted names its cause by itself
MAX_EVIDENCE = 3
MAX_AFTER_COMPLETION = 6  # lines; more of them are other work


def guess_of_counts(
    entries: Sequence[Entry], facts: JobFacts, evidence_of: Callable[[int], Evidence]
) -> Finding | None:
    """What numbers and repetitions in a living job say, whatever else it reports."""
    if deaths := find_churn(entries):
        text = f"The same end of a member of the job is reported {len(deaths)} times while others work."
        return _counted(Cause.WORKER_CHURN, text, deaths, evidence_of)
    if (restarts := find_restarts(entries)) is not None:
        text = "A member of the job has been started again many times."
        return _counted(Cause.WORKER_CHURN, text, (restarts,), evidence_of)
    if (behind := find_outlier(entries)) is not None:
        text = "One part takes many times as long, or has many times as much, as the others."
        return _counted(Cause.STRAGGLERS, text, (behind,), evidence_of)
    shown = entries[-MAX_AFTER_COMPLETION:]
    done = find_completion([entry.message for entry in shown])
    if done is not None and (facts.last_line_age_s or 0.0) > Limits().quiet_floor_s:
        text = "The program said that it is complete, and its process has not ended since."
        return _counted(Cause.ZOMBIE_COORDINATOR, text, (shown[done],), evidence_of)
    return None


def _counted(
    cause: Cause, text: str, lines: Sequence[Entry], evidence_of: Callable[[int], Evidence]
) -> Finding:
    row, places = about(cause), [entry.place for entry in lines]
    return Finding(
        rule=RuleId(f"{PREFIX}{cause}"),
        cause=cause,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT if row.heals else ActionKind.ESCALATE,
        explanation=text,
        evidence=tuple(evidence_of(place) for place in places[:MAX_EVIDENCE]),
        confidence=CONFIDENCE,
        retry=row.retry,
        count=max(2, len(lines)),
        position=places[0],
        last_position=places[-1],
        advice=row.advice,
    )

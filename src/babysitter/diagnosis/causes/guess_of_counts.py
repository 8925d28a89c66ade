"""Guesses from counts in a living job: churn, a part far behind the others, an end that does not come."""

from collections.abc import Callable, Sequence

from babysitter.diagnosis.causes.churn import find_churn, find_restarts
from babysitter.diagnosis.causes.outlier import find_outlier
from babysitter.diagnosis.causes.part_times import find_slow_parts
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.timeline.aftermath import MIN_ORDINARY_LINES, find_completion
from babysitter.diagnosis.timeline.counts.last_parts import find_last_parts
from babysitter.diagnosis.timeline.counts.slow_pace import find_slow_rest
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job_facts import JobFacts
from babysitter.model.limits import Limits
from babysitter.model.progress import CountedWork

PREFIX = "words."  # of the rule id of a guess
CONFIDENCE = 0.6  # what is counted names its cause by itself
MAX_EVIDENCE = 3
MIN_DEATHS_BEFORE_WORK = 3  # guess: fewer count only while no normal work follows them
MAX_AFTER_COMPLETION = 6  # lines; more of them are other work


def guess_of_counts(
    entries: Sequence[Entry], facts: JobFacts, work: CountedWork, evidence_of: Callable[[int], Evidence]
) -> Finding | None:
    """What numbers and repetitions in a living job say, whatever else it reports.

    `work`: what its lines have counted, those before the entries included.
    """
    deaths = find_churn(entries)
    if len(deaths) >= MIN_DEATHS_BEFORE_WORK or (deaths and _is_at_the_end(deaths[-1], entries)):
        text = f"The same end of a member of the job is reported {len(deaths)} times while others work."
        return _counted(Cause.WORKER_CHURN, text, deaths, evidence_of)
    restarts = find_restarts(entries)
    if restarts is not None and _is_at_the_end(restarts, entries):
        text = "A member of the job has been started again many times."
        return _counted(Cause.WORKER_CHURN, text, (restarts,), evidence_of)
    behind = find_outlier(entries)
    if behind is not None and _is_at_the_end(behind, entries):
        text = "One part takes many times as long, or has many times as much, as the others."
        return _counted(Cause.STRAGGLERS, text, (behind,), evidence_of)
    if slow := find_slow_parts(entries):
        text = "Some parts of the work take many times as long as the others."
        return _counted(Cause.STRAGGLERS, text, slow[-MAX_EVIDENCE:], evidence_of)
    rest = find_slow_rest(work)
    place = rest.last_place if rest is not None else find_last_parts(work, entries)
    reported = [entry for entry in entries if entry.place == place]
    if reported:
        text = "The last parts of the work take far longer than most of it took."
        return _counted(Cause.STRAGGLERS, text, reported, evidence_of)
    shown = entries[-MAX_AFTER_COMPLETION:]
    done = find_completion([entry.message for entry in shown])
    if done is not None and (facts.last_line_age_s or 0.0) > Limits().quiet_floor_s:
        text = "The program said that it is complete, and its process has not ended since."
        return _counted(Cause.ZOMBIE_COORDINATOR, text, (shown[done],), evidence_of)
    return None


def _is_at_the_end(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Whether less normal work follows than shows that the job has got over it."""
    later = (is_ordinary(frame.frame) for frame in reversed(entries) if frame.place > entry.place)
    return sum(later) < MIN_ORDINARY_LINES


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

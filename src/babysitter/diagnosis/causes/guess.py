"""A cause as a guess: what the lines of unexplained reports mean, for a job that no rule explains.

A guess ranks below every proof and sign of a rule and above silence. Its explanation says that it is a guess,
and whoever shows it leaves that out where other evidence makes it sure.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from babysitter.diagnosis.causes.guess_of_counts import MAX_EVIDENCE, PREFIX, guess_of_counts
from babysitter.diagnosis.causes.unexplained import (
    JobCourse,
    Unexplained,
    find_nearest,
    find_unexplained,
    name_end,
)
from babysitter.diagnosis.frame.word_stems import read_stems
from babysitter.diagnosis.learned.line_meaning import LEAST, meaning_of, scores_of_stems
from babysitter.diagnosis.timeline.entries import Entry, read_entries
from babysitter.diagnosis.timeline.repetition.nothing_new import Repeats, find_nothing_new
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.progress import CountedWork
from babysitter.model.verdict import GUESSED

CONFIDENCE = 0.48  # more than a rule that only guesses, less than a hint
VAGUE_CONFIDENCE = 0.32  # its words stand in reports of many causes
UNKNOWN_CONFIDENCE = 0.3
HINT_LIMIT = 0.6  # evidence below it does not name its cause by itself

# "The program ended with an exception" is true of most ends: words of the exception that say more come first.
_VAGUE_CAUSES = (Cause.CODE_ERROR, Cause.UNKNOWN)
_WAITING = frozenset({JobState.PENDING, JobState.BUILDING})
_COMES = frozenset(
    read_stems("waiting quota backoff provisioning booting starting")
)  # machines may still come
_NAME_WITH_DIGITS = re.compile(r"\b[\w.-]*\d[\w.-]*")
_SHORTAGE = re.compile(
    r"\bneed(?:s|ed|ing)? (?P<need>\d+(?:\.\d+)?)\s?\w{0,5}\b[^\d\n]{1,30}?"
    r"\b(?:available|free|largest\b.{0,12}|max\w*|have|has) (?P<free>\d+(?:\.\d+)?)"
)


def is_guess(finding: Finding) -> bool:
    """Whether a finding rests on what lines mean, and on no rule."""
    return finding.rule.startswith(PREFIX)


def guess_cause(
    findings: Findings,
    facts: JobFacts,
    entries: Sequence[Entry],
    evidence_of: Callable[[int], Evidence],
    work: CountedWork | None = None,
) -> Finding | None:
    """Return a guess at what is wrong; None when a rule says it, or when nothing seems wrong.

    `entries`: the newest lines, with the places that the findings' positions count. `evidence_of`: the line
    at a place. `work`: what all lines up to now have counted.
    """
    at = {entry.place: entry for entry in entries}
    has_failed = facts.state is not None and facts.state.ended_badly
    is_told = any(_tells(finding) and about(finding.cause).is_judged_over_time for finding in findings.all)
    lives = facts.state in (None, JobState.RUNNING)
    counted = (
        guess_of_counts(entries, facts, work or CountedWork(), evidence_of) if lives and not is_told else None
    )
    if counted is not None:
        return counted
    if facts.state is JobState.SUCCEEDED or _is_explained(findings, facts, at):
        return None
    course = JobCourse(has_failed, -1 if facts.advanced_after is None else facts.advanced_after)
    reports = find_unexplained(entries, _explained_places(findings, entries), course)
    if facts.state in _WAITING:
        return _guess_of_waiting(
            facts.pending_reason or "\n".join(report.entry.message for report in reports)
        )
    nearest = find_nearest([*reports, *_error_field(facts)] if has_failed else reports)
    if nearest is not None:
        return _guess(nearest, reports, has_failed, evidence_of)
    if has_failed:  # an end that nothing explains is reported without a guess
        return None
    if reports:
        return _not_known(reports, evidence_of)
    repeats = find_nothing_new(entries)
    return None if repeats is None else _guess_of_repeats(repeats, evidence_of)


def _is_explained(findings: Findings, facts: JobFacts, entries: Mapping[int, Entry]) -> bool:
    """Whether something that a rule found says more than words do, and was not overcome."""
    telling = [
        finding
        for finding in findings.all
        if _tells(finding) and not _says_only_that_code_failed(finding, entries)
    ]
    if facts.state is not None and facts.state.ended_badly:
        return bool(telling)
    advanced_after = -1 if facts.advanced_after is None else facts.advanced_after
    return any(finding.position < 0 or finding.last_position > advanced_after for finding in telling)


def _tells(finding: Finding) -> bool:
    is_trouble = finding.severity > Severity.INFO and not about(finding.cause).is_benign
    is_vague = finding.cause in _VAGUE_CAUSES and finding.confidence < CONFIDENCE
    return is_trouble and not finding.is_consequence and not is_vague and not is_guess(finding)


def _says_only_that_code_failed(finding: Finding, entries: Mapping[int, Entry]) -> bool:
    """Whether a hint at an error of the code stands on a line whose words alone name another cause."""
    if finding.cause is not Cause.CODE_ERROR or finding.confidence >= HINT_LIMIT:
        return False
    entry = entries.get(finding.position)
    named = meaning_of(entry.message) if entry is not None else None
    return named is not None and not named.is_vague and named.cause is not Cause.CODE_ERROR


class _ExplainedPlaces:
    """Places of the lines that findings rest on, and of other lines in the same words.

    The words of a line are read when it is asked for: most of a log is not.
    """

    def __init__(self, places: set[int], entries: Sequence[Entry]) -> None:
        self._places = places
        self._entries = {entry.place: entry for entry in entries}
        self._wordings = {_wording(self._entries[place].message) for place in places & self._entries.keys()}

    def __contains__(self, place: object) -> bool:
        if place in self._places:
            return True
        entry = self._entries.get(place) if self._wordings and isinstance(place, int) else None
        return entry is not None and _wording(entry.message) in self._wordings


def _wording(message: str) -> tuple[str, ...]:
    """The words of a message without names that hold digits: of a request, a shard, a host."""
    return read_stems(_NAME_WITH_DIGITS.sub(" ", message))


def _explained_places(findings: Findings, entries: Sequence[Entry]) -> _ExplainedPlaces:
    at = {entry.place: entry for entry in entries}
    explaining = [
        finding
        for finding in findings.all
        if _explains(finding) and not _says_only_that_code_failed(finding, at)
    ] + [finding for finding, _ in findings.cancelled]
    places = {
        place
        for finding in explaining
        for place in _places(finding)
        if not (about(finding.cause).is_benign and place in at and _is_severe(at[place]))
        if not (finding.is_consequence and place in at and _names_a_root(at[place].message))
    }
    return _ExplainedPlaces(places, entries)


def _is_severe(entry: Entry) -> bool:
    """Whether a line is of level error and names a cause: a rule about harmless lines does not explain it."""
    if not entry.frame.level.is_severe:
        return False
    named = meaning_of(entry.message)
    return named is not None and not named.is_vague


def _names_a_root(message: str) -> bool:
    """Whether words name a root cause: then the line is more than an echo."""
    named = meaning_of(message)
    return named is not None and not named.is_vague and not about(named.cause).is_echo


def _explains(finding: Finding) -> bool:
    """A rule that says little leaves its lines to be read for more."""
    return _tells(finding) or finding.severity <= Severity.INFO or finding.is_consequence


def _places(finding: Finding) -> Iterable[int]:
    yield from (finding.position, finding.last_position)
    yield from (line.line_number - 1 for line in finding.evidence if line.line_number is not None)


def _error_field(facts: JobFacts) -> list[Unexplained]:
    """What the cluster says about the end, after all lines."""
    entries = read_entries([facts.error]) if facts.error else []
    return [Unexplained(entry, name_end(entry.message)) for entry in entries]


def _guess(
    nearest: Unexplained,
    reports: Sequence[Unexplained],
    has_failed: bool,
    evidence_of: Callable[[int], Evidence],
) -> Finding:
    named = nearest.named
    assert named is not None
    row = about(named.cause)
    same = [report for report in reports if report.named is not None and report.named.cause is named.cause]
    places = [unexplained.entry.place for unexplained in same]
    return Finding(
        rule=RuleId(f"{PREFIX}{named.cause}"),
        cause=named.cause,
        severity=Severity.INFO if row.is_benign else Severity.DEGRADED,
        action=row.action if has_failed or row.is_benign else ActionKind.ESCALATE,
        explanation=f"By the wording of its lines, {row.explain[0].lower()}{row.explain[1:]}",
        evidence=tuple(evidence_of(place) for place in places[:MAX_EVIDENCE])
        or (Evidence(nearest.entry.text, "error"),),
        confidence=VAGUE_CONFIDENCE if named.is_vague else CONFIDENCE,
        retry=row.retry,
        count=max(1, len(same)),
        # What only takes long is said of this moment and not remembered.
        position=places[0] if places and not row.is_benign else -1,
        last_position=places[-1] if places and not row.is_benign else -1,
        advice=row.advice,
    )


def _not_known(reports: Sequence[Unexplained], evidence_of: Callable[[int], Evidence]) -> Finding:
    places = [report.entry.place for report in reports]
    return Finding(
        rule=RuleId(PREFIX + Cause.UNKNOWN.value),
        cause=Cause.UNKNOWN,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation="The job reports a failure that nothing explains, and no normal work follows.",
        evidence=tuple(evidence_of(place) for place in places[:MAX_EVIDENCE]),
        confidence=UNKNOWN_CONFIDENCE,
        count=len(places),
        position=places[0],
        last_position=places[-1],
    )


def _guess_of_repeats(repeats: Repeats, evidence_of: Callable[[int], Evidence]) -> Finding:
    """A living job that has said nothing new for long; the words that it repeats may name what it lacks."""
    named = meaning_of(repeats.lines[-1].message)
    is_named = named is not None and not named.is_vague and not about(named.cause).is_benign
    cause = named.cause if named is not None and is_named else Cause.STAGE_STUCK
    row, places = about(cause), [entry.place for entry in repeats.lines]
    return Finding(
        rule=RuleId(f"{PREFIX}{cause}"),
        cause=cause,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"{GUESSED}for "
        f"{repeats.for_s / 60:.0f} minutes the job has only repeated itself, and no count has risen.",
        evidence=tuple(evidence_of(place) for place in dict.fromkeys((places[0], places[-1]))),
        confidence=CONFIDENCE,
        retry=row.retry,
        count=len(places),
        position=places[0],
        last_position=places[-1],
        advice=row.advice,
    )


def _guess_of_waiting(reason: str) -> Finding:
    """A job that is not placed waits for room, unless its reason says that it cannot be placed."""
    cause = Cause.UNSCHEDULABLE if _is_impossible(reason) else Cause.CAPACITY_WAIT
    row = about(cause)
    what = "can never be placed as asked" if cause is Cause.UNSCHEDULABLE else "waits for free machines"
    return Finding(
        rule=RuleId(f"{PREFIX}{cause}"),
        cause=cause,
        severity=row.severity,
        action=row.action,
        explanation=f"{GUESSED}the job {what}.",
        evidence=(Evidence(reason, "pending reason"),) if reason else (),
        confidence=CONFIDENCE,
        retry=row.retry,
        advice=row.advice,
    )


def _is_impossible(reason: str) -> bool:
    stems = read_stems(reason)
    scores = scores_of_stems(stems)
    can_come = bool(_COMES.intersection(stems))
    never, later = scores.get(Cause.UNSCHEDULABLE, 0.0), scores.get(Cause.CAPACITY_WAIT, 0.0)
    return not can_come and (_is_short(reason) or never >= LEAST + max(later, 0.0))


def _is_short(reason: str) -> bool:
    """Whether more is asked for than the reason says that there is."""
    return any(float(found["need"]) > float(found["free"]) for found in _SHORTAGE.finditer(reason))

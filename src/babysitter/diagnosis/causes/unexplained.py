"""Reports of failure that no rule explains, and what their words name.

A report of a living job counts while nothing shows that the job went on: no work was done after it, no three
ordinary lines of the same speaker followed, nothing said that the same thing is well, and the job had not
completed. In a job that failed every report counts, also one that was retried or tolerated.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from babysitter.diagnosis.frame.failure_words import find_failure_words, reports_failure
from babysitter.diagnosis.frame.line import Frame
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.frame.word_stems import read_stems
from babysitter.diagnosis.learned.line_meaning import LineMeaning, meaning_of
from babysitter.diagnosis.stance.stance import stance_of, stance_of_introduction, without_doubt
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.diagnosis.timeline.aftermath import (
    MIN_ORDINARY_LINES,
    AftermathKind,
    JobEnd,
    LogEnd,
    Report,
    find_completion,
    read_aftermath,
)
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.processes.traceback import read_tracebacks
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause
from babysitter.model.log import LogLevel

MAX_LINES = 400  # of the end of a log
MAX_REPORTS = 40  # newest of a living job
MAX_LAST_WORDS = 30  # lines of an end that may name its cause in words that sound harmless
LAST_WORDS = 0.35  # score of a line that names a cause although it reports no failure
FIRST_VOTE = 1.5  # the report that stands first
VAGUE_VOTE = 0.4  # words that stand in reports of many causes

MIN_RETRIES = 3  # of the same in the same words, with nothing else after them
MIN_WAITS = 3
MIN_WAIT_S = 1200.0

_NOT_UP_YET = re.compile(
    r"(?i)\b(?:is|are|was|has|have|be|still) (?:\w+ )?(?:starting(?: up)?|booting|warming up|initiali[sz]ing|"
    r"loading|in (?:crash |archive )?recovery(?: mode)?|replaying)\b|\bnot (?:yet )?(?:finished )?"
    r"(?:accepting connections|initiali[sz](?:ed|ing)|started up|warmed up)\b"
)
_REPORTED = frozenset({Stance.REPORTED})
_ENDS_IN_NOTHING = re.compile(r"[:=]\s*(?:0+(?:\.0+)?%?|false|none|null|no)\W*$", re.IGNORECASE)
_EXCEPTION_NAME = re.compile(r"(?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Warning): (?=\S)")
_HAPPENED = _REPORTED | {Stance.RETRIED, Stance.TOLERATED}


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A report that no rule explains. `named`: what its words name, None if they name no cause."""

    entry: Entry
    named: LineMeaning | None


@dataclass(frozen=True, slots=True)
class JobCourse:
    """What is known of the job beside the lines. `advanced_after`: place of the line that proves progress."""

    has_failed: bool = False
    advanced_after: int = -1


def find_unexplained(
    entries: Sequence[Entry], explained: Container[int], course: JobCourse
) -> tuple[Unexplained, ...]:
    """Return the reports of failure that stand, oldest first.

    `explained`: places of lines that a rule explains.
    """
    entries = entries[-MAX_LINES:]
    if not entries:
        return ()
    units = _Units(entries)
    ordinary: Counter[str] = Counter()
    found: list[Unexplained] = []
    retried: Counter[tuple[str, ...]] = Counter()
    lasting = _lasting_wordings(entries)
    for entry in reversed(entries):
        if not course.has_failed and (entry.place <= course.advanced_after or len(found) == MAX_REPORTS):
            break
        if entry.place in units.inside or entry.place in explained:
            continue
        if not reports_failure(entry.frame):
            ordinary[entry.speaker] += is_ordinary(entry.frame)
        elif course.has_failed or ordinary[entry.speaker] < MIN_ORDINARY_LINES:
            report = Unexplained(entry, _named(entry, course, lasting))
            if not _says_enough(report, course, lasting):
                continue
            stance = _stance(entry, units, course)
            if stance is Stance.RETRIED and not ordinary[entry.speaker]:
                retried[read_stems(entry.message)] += 1
            is_in_vain = retried[read_stems(entry.message)] >= MIN_RETRIES
            if stance in _standing_stances(course) or (stance is Stance.RETRIED and is_in_vain):
                found.append(report)
    if not course.has_failed and found:
        log_end = _log_end(entries)
        found = [unexplained for unexplained in found if not _went_on(log_end, unexplained)]
    if course.has_failed and not found:
        return _last_words(entries, units, explained, course)
    return tuple(reversed(found))


def _lasting_wordings(entries: Sequence[Entry]) -> frozenset[tuple[str, ...]]:
    """The wordings that report a failure again and again for long."""
    times: defaultdict[tuple[str, ...], list[float]] = defaultdict(list)
    for entry in entries:
        if entry.at_s is not None and reports_failure(entry.frame):
            times[read_stems(entry.message)].append(entry.at_s)
    return frozenset(
        wording
        for wording, occurrences in times.items()
        if len(occurrences) >= MIN_WAITS and occurrences[-1] - occurrences[0] >= MIN_WAIT_S
    )


def _named(entry: Entry, course: JobCourse, lasting: Container[tuple[str, ...]]) -> LineMeaning | None:
    """What the words name that are more than a possibility or an advice, unless they are said for long.

    A living job that turns requests away because it starts only takes its time.
    """
    if read_stems(entry.message) in lasting:
        return name_end(entry.message) if course.has_failed else meaning_of(entry.message)
    certain = without_doubt(entry.frame)
    if not course.has_failed and _NOT_UP_YET.search(certain):
        return LineMeaning(Cause.SLOW_STARTUP, 1.0)
    named = meaning_of(certain)
    if course.has_failed and (named is None or named.is_vague):  # an advice may say more: "check your quota"
        named = meaning_of(entry.message)
    return _no_calm(named) if course.has_failed else named


def name_end(message: str) -> LineMeaning | None:
    """The cause that a line names for a job that has failed."""
    return _no_calm(meaning_of(message))


def _no_calm(named: LineMeaning | None) -> LineMeaning | None:
    """A failed job did not only take long, and a guess that somebody stopped it would calm without proof."""
    return None if named is None or about(named.cause).is_benign else named


def _last_words(
    entries: Sequence[Entry], units: "_Units", explained: Container[int], course: JobCourse
) -> tuple[Unexplained, ...]:
    """The last lines of a failed job that name a cause, where none reports a failure."""
    found = []
    for entry in entries[-MAX_LAST_WORDS:]:
        if entry.place in units.inside or entry.place in explained:
            continue
        named = name_end(entry.message)
        if named is None or named.score < LAST_WORDS:
            continue
        if is_ordinary(entry.frame) and entry is not entries[-1]:
            continue
        if _stance(entry, units, course) in _HAPPENED:
            found.append(Unexplained(entry, named))
    return tuple(found)


def find_nearest(reports: Sequence[Unexplained]) -> Unexplained | None:
    """Return the report whose words name the cause; None when none names any.

    Each wording votes once for its cause: the first one has more weight, vague words have less.
    """
    votes: Counter[Cause] = Counter()
    voters: dict[Cause, Unexplained] = {}
    wordings: set[tuple[str, ...]] = set()
    for report in reports:
        wording = read_stems(report.entry.message)
        if report.named is None or wording in wordings:
            continue
        weight = VAGUE_VOTE if report.named.is_vague else 1.0
        votes[report.named.cause] += weight * (1.0 if wordings else FIRST_VOTE)  # type: ignore[assignment]
        wordings.add(wording)
        before = voters.get(report.named.cause)
        if before is None or (before.named and before.named.is_vague and not report.named.is_vague):
            voters[report.named.cause] = report
    return voters[max(votes, key=lambda cause: votes[cause])] if votes else None


class _Units:
    """Tracebacks among the lines: what is inside of them, and which line introduces each exception."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.inside: set[int] = set()
        self._introduced_by: dict[int, Entry] = {}
        if not any("Traceback" in entry.text for entry in entries):
            return
        first = entries[0].place
        texts, speakers = [entry.text for entry in entries], [entry.speaker for entry in entries]
        for unit in read_tracebacks(texts, speakers):
            named = {raised.line + first for raised in unit.raised if raised.line >= 0}
            self.inside |= {line + first for line in unit.lines} - named
            if unit.announced_by is not None:
                self._introduced_by |= dict.fromkeys(named, entries[unit.announced_by])

    def introduces(self, place: int) -> Entry | None:
        """The line that introduces the exception at this place."""
        return self._introduced_by.get(place)


def _says_enough(report: Unexplained, course: JobCourse, lasting: Container[tuple[str, ...]]) -> bool:
    """Whether a line is more than a name, a count of nothing, or a warning that names nothing."""
    message = report.entry.message
    if not (stems := read_stems(message)) or _ENDS_IN_NOTHING.search(message):
        return False
    is_clear = report.named is not None and (stems in lasting or not report.named.is_vague)
    return course.has_failed or is_clear or not report.entry.frame.level.is_mild


def _standing_stances(course: JobCourse) -> frozenset[Stance]:
    return _HAPPENED if course.has_failed else _REPORTED


def _stance(entry: Entry, units: _Units, course: JobCourse) -> Stance:
    frame = entry.frame
    if frame.level.is_mild and (name := _EXCEPTION_NAME.match(entry.message)):
        # A warning that begins with an exception is a message about it, not the exception's own line.
        frame = frame._replace(start=frame.start + name.end())
    stance = stance_of(frame, _matcher(frame), job_lives=not course.has_failed)
    introduction = units.introduces(entry.place)
    if stance is Stance.REPORTED and introduction is not None:
        return stance_of_introduction(introduction.frame)
    return stance


def _matcher(frame: Frame) -> Callable[[str], bool]:
    """Whether a text, in which parts of the line are blanked out, still reports a failure."""
    start = frame.start
    if find_failure_words(frame.message) is None:  # it is a report by its level
        return lambda text: any(character.isalpha() for character in text[start:])
    return lambda text: find_failure_words(text[start:]) is not None


def _log_end(entries: Sequence[Entry]) -> LogEnd:
    completed = find_completion([entry.message for entry in entries])
    return LogEnd(entries, completed_place=None if completed is None else entries[completed].place)


def _went_on(log_end: LogEnd, report: Unexplained) -> bool:
    cause = report.named.cause if report.named else Cause.UNKNOWN
    entry = report.entry
    is_warning = entry.frame.level is LogLevel.WARNING
    at = Report(entry.place, cause, entry.message, entry.speaker, is_warning=is_warning)
    return read_aftermath(log_end, at, JobEnd()).kind is AftermathKind.WENT_ON

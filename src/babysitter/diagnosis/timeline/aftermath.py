"""What followed a report: the job ended, it went on, it went quiet, or nothing is known.

A report is disproved by what comes after it, in this order:

1. work: a counter rises after it, and not at a small part of its pace
2. an answer: a later line says that the same thing is well ("cw-rno2a is ready")
3. normal work of the same speaker: three ordinary lines, and no other failure after them
4. the job had already completed, and nothing rises any more: what is printed during its end has no effect

Neither a neighbour's chatter nor an orderly end disproves reports about what several processes share:
collectives, actors, accelerators, the controller, preemption. Those need 1 or 2, or half an hour of normal
work of the speaker; a collective is disproved by 1 and 2 only, because its ranks chat on while they hang.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.lazy_regex import lazy_regex
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause

MIN_ORDINARY_LINES = 3
MIN_BETWEEN_REPORTS = 5  # where another report follows them
MIN_AFTER_WARNING = 2  # of what the program itself calls no more than a warning
MAX_LINES_AFTER = 400  # the newest lines of a log, which are searched for normal work
MAX_IDENTIFIERS = 8
MAX_CHARACTERS = 400  # of a line that says that the job is complete

LASTING_WORK_S = 300.0  # after what lingers: a disk that is full does not empty itself
SHORT_WORK_S = 60.0  # after what the cluster heals by itself
LASTING_SHARED_S = 1800.0  # guess: after what several processes share


class AftermathKind(StrEnum):
    """What followed a report."""

    ENDED = "ended"
    WENT_ON = "went-on"
    WENT_QUIET = "went-quiet"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What followed, and the line that shows it (None: no line does)."""

    kind: AftermathKind
    reason: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How the log ends: with the job, or with more silence than this job is known for."""

    is_over: bool = False
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What may have been survived: a report of a cause by its last line."""

    place: int
    cause: Cause
    message: str
    speaker: str = ""
    at_s: float | None = None
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class LogEnd:
    """The end of a job's log: its newest lines, and the places of what they do not show any more.

    `risen_place`: of the last line that proves that work was done; `completed_place`: of the last that says
    that the whole job is complete; `crawls_from`: of the report since which the work goes on at a small
    part of its pace. None: no line says so.
    """

    entries: Sequence[Entry]
    risen_place: int | None = None
    completed_place: int | None = None
    risen_at_s: float | None = None
    crawls_from: int | None = None

    def after(self, place: int) -> Sequence[Entry]:
        """Return the newest lines behind a place."""
        if not self.entries:
            return ()
        return self.entries[max(0, place - self.entries[0].place + 1) :]


def read_aftermath(log_end: LogEnd, report: Report, end: JobEnd) -> Aftermath:
    """Return what followed a report. `log_end`: with places that rise by one."""
    risen, completed, later = log_end.risen_place, log_end.completed_place, log_end.after(report.place)
    if about(report.cause).lingers:
        enough_s = SHORT_WORK_S if about(report.cause).heals else LASTING_WORK_S
        lasting = (
            None if end.is_over or end.is_quiet else _find_lasting_work(log_end, later, report, enough_s)
        )
        if lasting is not None:
            return Aftermath(AftermathKind.WENT_ON, "work was done for long after it", lasting)
        return _without_lines(end)
    if log_end.crawls_from is not None and report.place > log_end.crawls_from:
        return _without_lines(end)  # the work suffers from it
    if risen is not None and risen > report.place:
        return Aftermath(AftermathKind.WENT_ON, "work was done after it", risen)
    if (answer := _find_answer(later, report)) is not None:
        return Aftermath(AftermathKind.WENT_ON, "a later line says that the same thing is well", answer)
    if about(report.cause).is_shared and not (about(report.cause).is_silent or end.is_over or end.is_quiet):
        lasting = _find_lasting_work(log_end, later, report, LASTING_SHARED_S)
        if lasting is not None:
            return Aftermath(AftermathKind.WENT_ON, "work was done for long after it", lasting)
    if not about(report.cause).is_shared and not end.is_over:
        enough = MIN_AFTER_WARNING if report.is_warning else MIN_ORDINARY_LINES
        if not end.is_quiet and (normal := _find_normal_work(later, report.speaker, enough)) is not None:
            return Aftermath(AftermathKind.WENT_ON, "normal work of the same process follows", normal)
        if completed is not None and completed < report.place and (risen is None or risen <= completed):
            return Aftermath(AftermathKind.WENT_ON, "the job had already completed", completed)
    if not end.is_over and (ended := _find_end(later)) is not None:
        return Aftermath(AftermathKind.ENDED, "the end of the process follows", ended)
    return _without_lines(end)


def _find_lasting_work(log_end: LogEnd, later: Sequence[Entry], report: Report, for_s: float) -> int | None:
    """The line that shows work, or an ordinary one, so many seconds after a report."""
    if report.at_s is None:
        return None
    enough_s = report.at_s + for_s
    if log_end.risen_at_s is not None and log_end.risen_at_s >= enough_s:
        return log_end.risen_place
    normal = _find_normal_work(_without_repeats(later), report.speaker, MIN_ORDINARY_LINES)
    newest = later[-1].at_s if later else None
    return normal if newest is not None and newest >= enough_s else None


def _without_repeats(entries: Sequence[Entry]) -> list[Entry]:
    """Each message once: a count that is told again in the same numbers shows no work."""
    return list({entry.message: entry for entry in entries}.values())


def find_completion(texts: Sequence[str]) -> int | None:
    """Return the index of the last line that says that the whole job is complete; None if none does."""
    return next((index for index in range(len(texts) - 1, -1, -1) if says_completed(texts[index])), None)


def _without_lines(end: JobEnd) -> Aftermath:
    if end.is_over:
        return Aftermath(AftermathKind.ENDED, "the job ended")
    if end.is_quiet:
        return Aftermath(AftermathKind.WENT_QUIET, "nothing came after it")
    return Aftermath(AftermathKind.UNKNOWN)


def says_completed(message: str) -> bool:
    """Whether a message says that the job or its pipeline is complete, and not a stage, step or task."""
    return len(message) <= MAX_CHARACTERS and _says_completed(without_digits(message))


@lru_cache(maxsize=4096)
def _says_completed(skeleton: str) -> bool:
    """The same of all messages that differ in digits only."""
    return _COMPLETED.search(skeleton) is not None and not _NOT_COMPLETED.search(skeleton)


def _find_normal_work(later: Sequence[Entry], speaker: str, enough: int) -> int | None:
    """The last of so many ordinary lines in a row of the same speaker; more where a failure follows them."""
    count, newest = 0, None
    needed = enough
    for entry in reversed(later):
        if entry.speaker != speaker:
            continue
        if reports_failure(entry.frame):
            count, newest, needed = 0, None, MIN_BETWEEN_REPORTS
        elif is_ordinary(entry.frame):
            count, newest = count + 1, newest or entry.place
            if count >= needed:
                return newest
    return None


def _find_answer(later: Sequence[Entry], report: Report) -> int | None:
    """A later line that names something of the report and says that it is well."""
    names = set(_IDENTIFIER.findall(report.message)[:MAX_IDENTIFIERS])
    if not names:
        return None
    for entry in later:
        says_well = _WELL.search(entry.message) and not _UNWELL.search(entry.message)
        if says_well and names.intersection(_IDENTIFIER.findall(entry.message)):
            if reports_failure(entry.frame):
                continue
            return entry.place
    return None


def _find_end(later: Sequence[Entry]) -> int | None:
    for entry in later:
        if _END.search(entry.message):
            return entry.place
    return None


_IDENTIFIER = lazy_regex(
    r"(?<![\w.])(?:(?=[\w.:/-]*[A-Za-z])(?=[\w.:/-]*\d)[A-Za-z0-9][\w.:/-]{1,80}[A-Za-z0-9]"
    r"|\d+(?:\.\d+){3}(?::\d+)?)"
)
_WELL = lazy_regex(
    r"(?i)\b(?:reachable|ready|connected|reconnected|ok|okay|registered|re-registered|healthy"
    r"|recovered"
    r"|succeeded|is up|back|alive|online|joined|available|completed|passed)\b"
)
_UNWELL = lazy_regex(
    r"(?i)\b(?:not|no longer|never|un\w+able|isn.t|wasn.t|until|wait\w*|expected|if|when|back-?off)\b"
)
_COMPLETED = lazy_regex(
    r"(?i)\b(?:pipeline|job|training|run|script|program|experiment|workflow)\b"
    r"(?: (?:is|has|was|run|execution))?[^\d\n]{0,25}?\b(?:complete[d]?|finished|succeeded|done|ended)\b"
    r"(?! (?:in part|stage|step|task|epoch|eval))"
)
_NOT_COMPLETED = lazy_regex(
    r"(?i)\b(?:stages?|steps?|tasks?|epochs?|iterations?|eval\w*|batch\w*|shards?|not|isn.t|until|when"
    r"|once"
    r"|after|before|if|will|fail\w*|error|unsuccess\w*|never|waiting|\d+ of \d+)\b|\d+\s?(?:/|%)"
)
_END = lazy_regex(
    r"(?i)\bexit(?:ed|ing|s)?(?: with)?(?: non-?zero)?(?: exit)?[ _]?(?:code|status)[ :=]{1,2}-?\d+"
    r"|^exit -?\d+$"
    r"|\b(?:process|task|job|container|pod|command|script)\b.{0,40}"
    r"\b(?:exited|terminated|was killed|returned non-?zero)\b"
)

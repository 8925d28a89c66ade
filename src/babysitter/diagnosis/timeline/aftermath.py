"""What followed a report: the job ended, it went on, it went quiet, or nothing is known.

A report is disproved by what comes after it, in this order:

1. work: a counter rises after it
2. an answer: a later line says that the same thing is well ("cw-rno2a is ready")
3. normal work of the same speaker: three ordinary lines, and no other failure after them
4. the job had already completed, and nothing rises any more: what is printed during its end has no effect

Neither a neighbour's chatter nor an orderly end disproves reports about what several processes share:
collectives, actors, accelerators, the controller, preemption. Those need 1 or 2.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.timeline.counters import Counters
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.pace import QUIET_FLOOR_S
from babysitter.model.finding import Cause

MIN_ORDINARY_LINES = 3
MAX_LINES_AFTER = 400  # of the end of a log that are searched for normal work
MAX_LINES_BEFORE = 4000  # searched for an earlier completion
MAX_IDENTIFIERS = 8

NEEDS_PROOF = frozenset(
    {
        Cause.COLLECTIVE_TIMEOUT,
        Cause.ACTOR_DIED,
        Cause.BAD_ACCELERATOR,
        Cause.CONTROLLER_UNREACHABLE,
        Cause.PREEMPTION,
    }
)


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
    """How the log ends. `quiet_limit_s`: seconds without a line after which the job is quiet for too long."""

    is_over: bool = False
    quiet_s: float = 0.0
    quiet_limit_s: float = QUIET_FLOOR_S

    @property
    def is_quiet(self) -> bool:
        return self.quiet_s > self.quiet_limit_s


@dataclass(frozen=True, slots=True)
class Report:
    """What may have been survived: a report of a cause by its last line."""

    place: int
    cause: Cause
    message: str
    speaker: str = ""

    @classmethod
    def at(cls, entries: Sequence[Entry], place: int, cause: Cause) -> "Report":
        """The report that ends with the line at this place, which must be one of the entries."""
        entry = entries[place - entries[0].place]
        return cls(place, cause, entry.message, entry.speaker)


def read_aftermath(entries: Sequence[Entry], counters: Counters, report: Report, end: JobEnd) -> Aftermath:
    """Return what followed a report.

    `entries`: lines of the job, oldest first, with places that rise by one; the report may stand before them.
    """
    index = report.place - entries[0].place if entries else 0
    if index >= len(entries):
        return _without_lines(end)
    index = max(-1, index)
    last_place, cause = report.place, report.cause
    if (rise := next((rise for rise in counters.rises if rise.place > last_place), None)) is not None:
        return Aftermath(AftermathKind.WENT_ON, "work was done after it", rise.place)
    if (answer := _find_answer(entries, index, report)) is not None:
        return Aftermath(AftermathKind.WENT_ON, "a later line says that the same thing is well", answer)
    if cause not in NEEDS_PROOF and not end.is_over:
        if not end.is_quiet and (normal := _find_normal_work(entries, index, report.speaker)) is not None:
            return Aftermath(AftermathKind.WENT_ON, "normal work of the same process follows", normal)
        if index >= 0 and (completed := _find_completion(entries, index)) is not None:
            return Aftermath(AftermathKind.WENT_ON, "the job had already completed", completed)
    if not end.is_over and (ended := _find_end(entries, index)) is not None:
        return Aftermath(AftermathKind.ENDED, "the end of the process follows", ended)
    return _without_lines(end)


def _without_lines(end: JobEnd) -> Aftermath:
    if end.is_over:
        return Aftermath(AftermathKind.ENDED, "the job ended")
    if end.is_quiet:
        return Aftermath(AftermathKind.WENT_QUIET, "nothing came after it")
    return Aftermath(AftermathKind.UNKNOWN)


def says_completed(message: str) -> bool:
    """Whether a message says that the job or its pipeline is complete, and not a stage, step or task."""
    return _COMPLETED.search(message) is not None and not _NOT_COMPLETED.search(message)


def _find_normal_work(entries: Sequence[Entry], index: int, speaker: str) -> int | None:
    """The last of three ordinary lines of the same speaker, with no failure of it after them."""
    count, newest = 0, None
    for entry in reversed(entries[max(index + 1, len(entries) - MAX_LINES_AFTER) :]):
        if entry.speaker != speaker:
            continue
        if reports_failure(entry.frame):
            return None
        if is_ordinary(entry.frame):
            count, newest = count + 1, newest or entry.place
            if count >= MIN_ORDINARY_LINES:
                return newest
    return None


def _find_answer(entries: Sequence[Entry], index: int, report: Report) -> int | None:
    """A later line that names something of the report and says that it is well."""
    names = set(_IDENTIFIER.findall(report.message)[:MAX_IDENTIFIERS])
    if not names:
        return None
    for entry in entries[max(index + 1, len(entries) - MAX_LINES_AFTER) :]:
        says_well = _WELL.search(entry.message) and not _UNWELL.search(entry.message)
        if says_well and names.intersection(_IDENTIFIER.findall(entry.message)):
            if reports_failure(entry.frame):
                continue
            return entry.place
    return None


def _find_completion(entries: Sequence[Entry], index: int) -> int | None:
    """The line before the report that says that the whole job is complete."""
    for entry in reversed(entries[max(0, index - MAX_LINES_BEFORE) : index]):
        if says_completed(entry.message):
            return entry.place
    return None


def _find_end(entries: Sequence[Entry], index: int) -> int | None:
    for entry in entries[max(index + 1, len(entries) - MAX_LINES_AFTER) :]:
        if _END.search(entry.message):
            return entry.place
    return None


_IDENTIFIER = re.compile(
    r"(?<![\w.])(?:(?=[\w.:/-]*[A-Za-z])(?=[\w.:/-]*\d)[A-Za-z0-9][\w.:/-]{1,80}[A-Za-z0-9]"
    r"|\d+(?:\.\d+){3}(?::\d+)?)"
)
_WELL = re.compile(
    r"(?i)\b(?:reachable|ready|connected|reconnected|ok|okay|registered|re-registered|healthy"
    r"|recovered"
    r"|succeeded|is up|back|alive|online|joined|available|completed|passed)\b"
)
_UNWELL = re.compile(
    r"(?i)\b(?:not|no longer|never|un\w+able|isn.t|wasn.t|until|wait\w*|expected|if|when|back-?off)\b"
)
_COMPLETED = re.compile(
    r"(?i)\b(?:pipeline|job|training|run|script|program|experiment|workflow)\b"
    r"(?: (?:is|has|was|run|execution))?[^\d\n]{0,25}?\b(?:complete[d]?|finished|succeeded|done|ended)\b"
    r"(?! (?:in part|stage|step|task|epoch|eval))"
)
_NOT_COMPLETED = re.compile(
    r"(?i)\b(?:stages?|steps?|tasks?|epochs?|iterations?|eval\w*|batch\w*|shards?|not|isn.t|until|when"
    r"|once"
    r"|after|before|if|will|fail\w*|error|unsuccess\w*|never|waiting|\d+ of \d+)\b|\d+\s?(?:/|%)"
)
_END = re.compile(
    r"(?i)\bexit(?:ed|ing|s)?(?: with)?(?: non-?zero)?(?: exit)?[ _]?(?:code|status)[ :=]{1,2}-?\d+"
    r"|^exit -?\d+$"
    r"|\b(?:process|task|job|container|pod|command|script)\b.{0,40}"
    r"\b(?:exited|terminated|was killed|returned non-?zero)\b"
)

"""What the wordings of a job tell: at which pace a line comes, and whether it is of work or of failure."""

import re
from functools import lru_cache

from babysitter.diagnosis.frame.failure_words import reports_failure
from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.ordinary import is_ordinary
from babysitter.diagnosis.stance.printed_text import holds_printed_failure
from babysitter.diagnosis.timeline.counts.counters import MIN_OTHER_REPORTS
from babysitter.diagnosis.timeline.counts.numbers import SlotKind
from babysitter.diagnosis.timeline.counts.work_words import says_done
from babysitter.diagnosis.timeline.repetition.housekeeping import is_housekeeping
from babysitter.diagnosis.timeline.repetition.nothing_came import says_nothing_came
from babysitter.model.log import LogLevel
from babysitter.model.progress import CountNote
from babysitter.model.run_profile import LineTemplate

MIN_LINES = 5  # fewer have no pace
UNEVEN = 4.0  # longest gap of a regular line, in mean gaps

_ERROR = re.compile(r"Traceback \(|[\w.]*(?:Error|Exception)\b|(?i:error|fatal)\b")
_ANSWERED = r"\b(?:GET|POST|PUT|HEAD|DELETE|PATCH) (?:https?:/)?/|\bHTTP/\d"
_REQUEST = re.compile(_ANSWERED)
_ASKED_FOR = re.compile(rf"{_ANSWERED}|(?i:\b(?:requests?|throughput|messages?)\b)")
# What was left undone, unless it is only counted: "skipped: 3", "0 dropped".
_LEFT_UNDONE = re.compile(
    r"(?i)(?<!\d )\b(?:skipp(?:ed|ing)|dropp(?:ed|ing)|discard(?:ed|ing)|rejected)\b(?!['\"]?\s?[:=]?\s?\d)"
    r"|\bnot \w+(?:ed|en): "
)
_MILD = frozenset({LogLevel.WARNING, LogLevel.DEBUG})
_IS_DONE = re.compile(r"(?i)\b(?:already|exists?|up to date|unchanged|not modified|duplicates?)\b")
# A piece of work is taken up once more, is given back, or comes to nothing.
_TAKEN_BACK = re.compile(
    r"(?i)\b(?:re-?try\w*|retries|re-?queu\w*|re-?connect\w*|re-?assign\w*|re-?wind\w*"
    r"|(?:roll|hand|giv|put|push|return|send|sent)\w*[- ](?:\w+ )?back"
    r"|(?:back|return\w*(?: \S+){0,2}) (?:to|into|in) (?:the )?\w*(?:queue|pool|backlog)"
    r"|(?:g[ai]ve|gives|got|gets|return(?:s|ed)|produced?|yield(?:s|ed)) (?:nothing|no \w+))\b"
)
_WORDS = re.compile(r"[a-z]+")
_NOT_READY = re.compile(r"(?i)\b(?:readiness|startup) probe\b")  # somebody asks whether it has started
_OF_TRAINING = re.compile(r"(?i)\b(?:iter(?:ation)?|step|epoch|loss)\b")
_REFUSED = re.compile(rf"(?:{_ANSWERED})(?!.*\b5\d\d\b)")  # at the fault of the one who asked


def is_regular(template: LineTemplate) -> bool:
    """Whether a line comes at a pace of its own."""
    mean_s = mean_gap_s(template)
    return template.count >= MIN_LINES and mean_s > 0 and template.longest_gap_s <= UNEVEN * mean_s


def mean_gap_s(template: LineTemplate) -> float:
    """Seconds between two lines of a wording."""
    return (template.last_at_s - template.first_at_s) / max(1, template.count - 1)


def shows_work(template: LineTemplate) -> bool:
    """Whether the words of a line tell of normal work."""
    return _tells_of_work(template.example)


@lru_cache(maxsize=4096)
def _tells_of_work(text: str) -> bool:
    frame = read_frame(text)
    if is_housekeeping(frame.message) or _LEFT_UNDONE.search(frame.message):
        return False
    return is_ordinary(frame)


def reports_trouble(template: LineTemplate) -> bool:
    """Whether a line reports that something failed, other than a request at the fault of who asked."""
    return _reports_trouble(template.example)


@lru_cache(maxsize=4096)
def _reports_trouble(text: str) -> bool:
    frame = read_frame(text)
    if not reports_failure(frame) or _REFUSED.search(text) or _NOT_READY.search(text):
        return False
    return not holds_printed_failure(frame)


def undoes_work(text: str) -> bool:
    """Whether a line says that a piece of work failed, was left out, or is taken up once more."""
    message = read_frame(text).message
    if says_nothing_came(message):
        return False
    if _reports_trouble(text):
        return True
    if _TAKEN_BACK.search(message):
        return not says_done(_WORDS.findall(message.lower()))
    return _LEFT_UNDONE.search(message) is not None and _IS_DONE.search(message) is None


def reports_severely(template: LineTemplate) -> bool:
    """Whether a line reports that something failed, and does not call it a warning."""
    text = template.example
    return not _is_called_mild(text) and reports_trouble(template)


def undoes_severely(template: LineTemplate) -> bool:
    """Whether a line says that a piece of work came to nothing, and does not call that a warning."""
    return not _is_called_mild(template.example) and undoes_work(template.example)


def _is_called_mild(text: str) -> bool:
    return read_frame(text).level in _MILD and not is_error(text)


@lru_cache(maxsize=4096)
def is_error(text: str) -> bool:
    """Whether a report ends what it is about: an exception or an error, and no warning."""
    frame = read_frame(text)
    return frame.level.is_severe or _ERROR.match(frame.message) is not None


def is_request(template: LineTemplate) -> bool:
    """Whether a line is of a request over HTTP."""
    return _REQUEST.search(template.example) is not None


def is_asked_for(template: LineTemplate) -> bool:
    """Whether a line is about what somebody asks for from outside: it stops when nobody does."""
    return asks_from_outside(template.example)


def asks_from_outside(text: str) -> bool:
    """The same of a line as it was printed."""
    return _ASKED_FOR.search(text) is not None and _OF_TRAINING.search(text) is None


def counts_work(note: CountNote) -> bool:
    """Whether a number counted some work: it is named, or it rises in every report of a line of work."""
    if not note.has_counted or note.kind != SlotKind.OTHER.value:
        return note.has_counted
    return note.is_monotone and note.reports >= MIN_OTHER_REPORTS and _tells_of_work(note.template)

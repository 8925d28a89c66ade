"""A step count that is reported again and again and stands still while the clock of the lines runs.

Ranks that wait for each other often go on talking: heartbeats, metrics, a progress bar drawn anew. Silence
never comes, so the count is the only witness. A running watch sees it by pace; a text has its own times.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, takewhile

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.model.finding import ActionKind, Cause, Evidence, Finding, Retry, Severity
from babysitter.model.ids import RuleId

FROZEN = RuleId("measured.count-stands-still")
POLLED = RuleId("measured.only-polls-go-on")
LEAST_POLLS = 3
LEAST_POLLED_S = 5400.0
LEAST_REPORTS = 3  # of the same count, the first included
LEAST_S = 1200.0
PACE_FACTOR = 6.0  # so many times longer than the longest gap between two counts before it
MAX_CHARACTERS = 400
MAX_HEAD = 60  # a line's own time stands at its beginning
DAY_S = 86_400.0

_STEP = re.compile(
    r"(?<![\w./-])(?:(?:global|train|trainer|training|optimizer|last|current|completed)[_ ]?)*"
    r"(?:step|iteration|iter)s?(?:_completed|_done)?\W{1,3}(?P<count>\d{1,12})(?![\w.])",
    re.IGNORECASE,
)
_NO_REPORT = re.compile(
    r"\b(?:resum\w*|restor\w*|load\w*|sav\w*|checkpoint\w*|ckpt\w*|restart\w*|attempt\w*|retr(?:y|ies|ying)|"
    r"errors?|fail\w*|eval\w*|valid\w*|test\w*|max|total|warm-?up|every|compil\w*)(?:\b|_)",
    re.IGNORECASE,
)
_TIME = re.compile(r"(?:(\d{4})-?(\d\d)-?(\d\d)[ T_])?(\d\d):(\d\d):(\d\d)")
_NUMBER = re.compile(r"\d[\d,_]*")
_POLL = re.compile(
    r"\"(?:GET|HEAD) /(?:[\w./-]{0,40}/)?(?:metrics|health\w*|livez|readyz|ready|ping|status|heartbeat)\b"
    r"[^\"]{0,80}\" 200\b"
)
_STEP_BEGINS = re.compile(
    r"(?:timer|phase|stage|entering|starting|begin\w*|start(?:ed)?)\W.{0,30}\b(?:\w+_)?train(?:ing)?(?:_step|_actor)?\b|"
    r"\b(?:\w+_)?train(?:_step|_actor)? (?:start|begin)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Report:
    place: int
    count: int
    at_s: float


def frozen_finding(lines: Sequence[str], *, source: str = "", silent_s: float = 0.0) -> Finding | None:
    """The finding for a count that stands still, or None. Places count from the first of `lines`."""
    reports = _reports(lines)
    if not reports:
        return None
    highest = max(each.count for each in reports)
    same = [each for each in reports if each.count == highest]
    first, last = same[0], same[-1]
    still_s = last.at_s - first.at_s
    if highest == 0 or len(same) < LEAST_REPORTS or reports[-1] is not last:
        return None
    if still_s < max(LEAST_S, PACE_FACTOR * _longest_gap_s(reports)):
        return None
    if _counts_on(lines, first.place):
        return None
    minutes = round((still_s + silent_s) / 60)
    return Finding(
        rule=FROZEN,
        cause=Cause.COLLECTIVE_TIMEOUT,
        severity=Severity.FATAL,
        action=ActionKind.RESTART,
        explanation=f"Step {highest} has been reported {len(same)} times over {minutes} minutes and nothing "
        "counts on: the processes live, the step does not end. Most often ranks wait for each other.",
        evidence=tuple(Evidence(lines[each.place], source, each.place + 1) for each in (first, last)),
        confidence=0.66,
        retry=Retry.HELPS,
        position=first.place,
        last_position=last.place,
        look_at=("worker-dump",),
    )


def polled_finding(lines: Sequence[str], *, source: str = "") -> Finding | None:
    """The finding for a step of training that began and behind which only a server's polls go on, or None."""
    told = [place for place, line in enumerate(lines) if line.strip()]
    behind = list(takewhile(lambda place: _POLL.search(lines[place]), reversed(told)))
    if len(behind) < LEAST_POLLS or len(behind) == len(told):
        return None
    last, newest = told[-len(behind) - 1], told[-1]
    if len(lines[last]) > MAX_CHARACTERS:
        return None
    message = strip_headers(lines[last])
    if _NO_REPORT.search(message) or not (_STEP_BEGINS.search(message) or _STEP.search(message)):
        return None
    began_s, ended_s = _anywhere_s(lines[last]), _anywhere_s(lines[newest])
    if began_s is None or ended_s is None or ended_s - began_s < LEAST_POLLED_S:
        return None
    return Finding(
        rule=POLLED,
        cause=Cause.COLLECTIVE_TIMEOUT,
        severity=Severity.FATAL,
        action=ActionKind.RESTART,
        explanation=f"For {round((ended_s - began_s) / 60)} minutes only polls of a server's health were "
        "written; the step of training that began before them has not ended.",
        evidence=tuple(Evidence(lines[place], source, place + 1) for place in (last, newest)),
        confidence=0.6,
        retry=Retry.HELPS,
        position=last,
        last_position=newest,
        look_at=("worker-dump",),
    )


def _reports(lines: Sequence[str]) -> list[_Report]:
    """Reports of a step with a time of their own, oldest first; a clock that falls has passed midnight."""
    found: list[_Report] = []
    passed_s = 0.0
    for place, line in enumerate(lines):
        if len(line) > MAX_CHARACTERS or "\r" in line or (at_s := _time_s(line)) is None:
            continue
        message = strip_headers(line)
        step = _STEP.search(message)
        if step is None or _NO_REPORT.search(message):
            continue
        if found and at_s + passed_s < found[-1].at_s - DAY_S / 2:
            passed_s += DAY_S
        found.append(_Report(place, int(step["count"]), at_s + passed_s))
    return found


def _longest_gap_s(reports: Sequence[_Report]) -> float:
    """The longest time between one count and the next higher one."""
    reached: dict[int, float] = {}
    for each in reports:
        reached.setdefault(each.count, each.at_s)
    times = sorted(reached.values())
    return max((after - before for before, after in pairwise(times)), default=0.0)


def _counts_on(lines: Sequence[str], since: int) -> bool:
    """Whether any other wording counts upwards after `since`: an evaluation, a restore, a compilation."""
    reached: dict[str, float] = {}
    for line in lines[since + 1 :]:
        message = strip_headers(line[:MAX_CHARACTERS])
        if _STEP.search(message) or not (numbers := _NUMBER.findall(message)):
            continue
        template = _NUMBER.sub("#", message)[:120]
        value = float(numbers[0].replace(",", "").replace("_", ""))
        if value > reached.setdefault(template, value):
            return True
    return False


def _time_s(line: str) -> float | None:
    """Seconds of the time in a line's head; without a date counted from midnight."""
    return _seconds(_TIME.search(line[:MAX_HEAD]))


def _anywhere_s(line: str) -> float | None:
    """As `_time_s`, behind a longer head: the name of an actor, an address."""
    return _seconds(_TIME.search(line[: 2 * MAX_HEAD]))


def _seconds(found: re.Match[str] | None) -> float | None:
    if found is None:
        return None
    year, month, day, hour, minute, second = found.groups()
    clock = int(hour) * 3600.0 + int(minute) * 60 + int(second)
    if year is None:
        return clock
    try:
        return datetime(int(year), int(month), int(day)).toordinal() * DAY_S + clock  # noqa: DTZ001
    except ValueError:
        return None

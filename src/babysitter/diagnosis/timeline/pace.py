"""How long a job may be quiet, measured by its own pace."""

import re
from collections.abc import Sequence
from functools import lru_cache
from statistics import median

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.timeline.counts.durations import DURATION, read_duration_s
from babysitter.model.limits import Limits
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.progress import CountedWork

MIN_RISES = 3  # fewer rises have no pace
MIN_RISES_WITHOUT_TIMES = 10  # fewer may be a burst at the start
MIN_GAPS = 2  # one gap does not show that the next will be alike
SLACK = 1.5  # guess: one piece of work may take so much longer than the usual one
DAY_S = 86_400.0
MAX_TOLD_S = DAY_S  # guess: of a piece of work
TOLD_TO_COUNTED = 100.0  # guess: of a piece to the pace of the counts; a longer one holds many of them
MAX_REACH = 20  # characters before what is told, in which it may be called one to come

_PIECE = r"(?:step|iter(?:ation)?|epoch|batch|round|rollout|generation|shard|task)"
_NUMBER = r" \d{1,15}(?:/\d{1,15})?"
_TOOK = (
    r"(?:took|takes|lasted|duration|elapsed|(?:done|finished|completed?|ended) in"
    r"|time(?!\W{0,3}(?:0[1-9]|[12]\d):\d\d:))"  # time 17:22:33 is one of the day
)
# quiet for about 35 min; last run: 35 min 12 s; usually takes 2h
_ANNOUNCED = (
    r"(?:quiet for|nothing (?:is|will be) printed for|last (?:run|build|time)(?: took)?:?"
    r"|(?:usually|normally|typically)(?: takes| needs)?|takes|expected(?: time| duration)?:?)"
    r"(?: (?:about|around|up to|roughly|some|~))?"
)
# timing/step 2225s; step_time=38.4s; this epoch took 634.08 s; epoch 3 finished in 2h10m;
# epoch 3: 68.2 seconds; sleeping 3600s, and what is announced
_TOLD = re.compile(
    rf"(?i)(?:(?<![a-z]){_PIECE}(?:(?:{_NUMBER})?[ _]{_TOOK}|{_NUMBER} in|{_NUMBER}:(?= \d{{1,15}}\.\d+ ?s))"
    rf"|\b(?:timing/|time/|time per ){_PIECE})"
    rf"\s?[=:]?\s?(?P<piece>(?>{DURATION}))(?!\s?=|[_/])"
    rf"|\b(?:sleep(?:ing|s)?(?: for)?|{_ANNOUNCED}) (?P<sleep>(?>{DURATION}))(?!\s?=|[_/])"
)
# quota used up, sleeping until 13:00:05; next run at 2026-03-05 02:00
_UNTIL = re.compile(
    r"(?i)\b(?:sleep\w*|paus\w*|resum\w*|continu\w*|wait\w*|next \w+|retry\w*)\b.{0,20}?\b(?:until|till|at)"
    r" (?:\d{4}-\d\d-\d\d[T ])?(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
)
_TO_COME = r"(?:remaining|left|eta|timeout|budget|limit)"
_TO_COME_BEFORE = re.compile(rf"(?i)(?<![a-z]){_TO_COME}\W{{0,3}}$")
_TO_COME_BEHIND = re.compile(rf"(?i)\s?\(?(?:\w{{1,20}} )?{_TO_COME}(?![a-z])")


def quiet_limit_s(work: CountedWork, line_gap_s: float, limits: Limits) -> float | None:
    """Return the seconds without a line after which a job is quiet for too long; None where it has no pace.

    `line_gap_s`: the longest time between two of its lines.
    """
    if not work.gaps_s or work.rises < MIN_RISES:
        return None
    longest_s = max(work.longest_gap_s, line_gap_s)
    return max(
        limits.pace_floor_s,
        limits.pace_median_factor * median(work.gaps_s),
        limits.pace_gap_factor * longest_s,
    )


def mean_quiet_limit_s(work: CountedWork, lasted_s: float, line_gap_s: float, limits: Limits) -> float | None:
    """Return the same for a job whose counts were read at once and have no times of their own.

    `lasted_s`: from its start to its last line.
    """
    if work.gaps_s or work.rises < MIN_RISES_WITHOUT_TIMES or lasted_s <= 0:
        return None
    return max(
        limits.pace_floor_s,
        limits.pace_median_factor * lasted_s / work.rises,
        limits.pace_gap_factor * line_gap_s,
    )


def usual_silence_s(memory: Memory) -> float:
    """Return how long a job is silent at its work: while one piece of it is done; 0 where nothing tells.

    By the times between its counts, and by what its newest lines say that a piece took.
    """
    gaps_s = memory.work.gaps_s
    counted_s = median(gaps_s) if len(gaps_s) >= MIN_GAPS else 0.0
    most_s = TOLD_TO_COUNTED * counted_s if counted_s > 0 else MAX_TOLD_S
    return SLACK * max(counted_s, _told_s(memory.recent_lines, most_s))


def _told_s(lines: Sequence[LogLine], most_s: float) -> float:
    """The longest piece of work, of those up to `most_s`, or sleep: one that sleeps counts nothing."""
    told = [piece for line in lines for piece in _read_told(line.text)]
    told += [(until_s, True) for line in lines if (until_s := _read_until_s(line)) is not None]
    return max((told_s for told_s, is_sleep in told if is_sleep or told_s <= most_s), default=0.0)


def _read_until_s(line: LogLine) -> float | None:
    """How long after a line the time of day comes until which it says that the job sleeps."""
    found = _UNTIL.search(strip_headers(line.text)) if "ntil" in line.text or " at " in line.text else None
    if found is None or not line.at_ms:
        return None
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    return (hour * 3600 + minute * 60 + second - line.at_ms / 1000) % DAY_S


@lru_cache(maxsize=4096)
def _read_told(text: str) -> tuple[tuple[float, bool], ...]:
    """What a line tells: seconds, and whether they are of a sleep. A look asks several times."""
    message = strip_headers(text)
    return tuple(
        (min(MAX_TOLD_S, read_duration_s(match["piece"] or match["sleep"])), bool(match["sleep"]))
        for match in _TOLD.finditer(message)
        if not _is_to_come(message, match)
    )


def _is_to_come(text: str, told: re.Match[str]) -> bool:
    before = text[max(0, told.start() - MAX_REACH) : told.start()]
    return bool(_TO_COME_BEFORE.search(before) or _TO_COME_BEHIND.match(text, told.end()))


def is_complete(work: CountedWork) -> bool:
    """Whether the newest count has reached its total: what comes after it need not be at its pace."""
    newest = max((note.last_place for note in work.counts), default=-1)
    return any(note.last_place == newest and note.value == note.total for note in work.counts)

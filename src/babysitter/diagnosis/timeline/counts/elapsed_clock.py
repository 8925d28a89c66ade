"""A clock for a text whose lines print no time: how long a bar or a wait has lasted by its own words.

`[3:10:04]` and `[4:10:05]` of one bar are an hour apart. A bar that is seen first began as long ago as it
tells; one that falls far back has begun anew. One that falls a little is of several processes, or tells of a
piece of work each time, so it tells no time; neither does a bar that is complete.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from babysitter.diagnosis.timeline.counts.counters import NEW_START_SHARE
from babysitter.diagnosis.timeline.counts.durations import DURATION, read_duration_s
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.lazy_regex import lazy_regex

MAX_NAME_CHARACTERS = 40
MAX_ELAPSED_S = 10 * 365 * 86_400.0  # no job lasts longer: the number is of something else

_ELAPSED = lazy_regex(
    r"\[(?P<bar>(?:\d{1,5}:)?\d{1,2}:\d\d)<"  # 12/900 [02:10<1:03:20, 4.1s/it]
    r"|\[(?P<whole>\d{1,5}:\d\d:\d\d)\]"  # 12/900 blocks [3:10:04]
    r"|\belapsed[:=]\s?(?P<named>(?:\d{1,5}:)?\d{1,2}:\d\d)(?![:\d])"
    r"|\brunning for (?P<since>\d{1,5}:\d\d:\d\d)"
    rf"|(?<![\w.])(?P<waited>{DURATION}) elapsed\b"
)
_MAY_TELL = lazy_regex(r"\[\d|elapsed|running for")
_NAME = lazy_regex(r"[^\d]*")
_COUNT = lazy_regex(r"(\d[\d.,_]*[kKMGT]?)/(\d[\d.,_]*[kKMGT]?)\b[^/\[]*\[")
_Name = tuple[str, str, str]


def elapsed_times_s(entries: Sequence[Entry]) -> list[float | None] | None:
    """Return when each line was printed, in seconds since the first bar began; None where no bar tells it."""
    told = [_told(entry) for entry in entries]
    courses: defaultdict[_Name, list[float]] = defaultdict(list)
    for reading in told:
        if reading is not None:
            courses[reading[0]].append(reading[1])
    clocks = {name for name, course in courses.items() if _is_clock(course)}
    if not clocks:
        return None
    now_s = 0.0
    bars: dict[_Name, tuple[float, float]] = {}  # when each began, and what it told last
    times: list[float | None] = []
    for reading in told:
        if reading is not None and reading[0] in clocks:
            name, elapsed_s = reading
            began_s, before_s = bars.get(name, (now_s - elapsed_s if bars else 0.0, elapsed_s))
            if elapsed_s < before_s:
                began_s = now_s
            bars[name] = began_s, elapsed_s
            now_s = max(now_s, began_s + elapsed_s)
        times.append(now_s if bars else None)
    return times if now_s <= MAX_ELAPSED_S else None


def _is_clock(course: Sequence[float]) -> bool:
    falls = [(before, after) for before, after in pairwise(course) if after < before]
    return max(course) > course[0] and all(after < NEW_START_SHARE * before for before, after in falls)


def _told(entry: Entry) -> tuple[_Name, float] | None:
    """The bar that a line shows, and for how long it has lasted."""
    message = entry.message
    found = _ELAPSED.search(message) if _MAY_TELL.search(message) else None
    count = _COUNT.search(message)
    if found is None or (count is not None and count[1] == count[2]):
        return None
    text = next(group for group in found.groups() if group)
    elapsed_s = read_duration_s(f"0:{text:0>5}" if text.count(":") == 1 else text)
    if elapsed_s > MAX_ELAPSED_S:
        return None
    words = _NAME.match(message)
    name = words[0][:MAX_NAME_CHARACTERS] if words else ""
    return (entry.speaker, name, count[2] if count else ""), elapsed_s

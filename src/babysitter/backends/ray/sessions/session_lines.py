"""Parts of session files -> lines in the order of their times, each with its place. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from babysitter.backends.ray.log_files.log_text import forwarded_pid, split_part
from babysitter.backends.ray.sessions.session_folder import SessionFile

_DATED = re.compile(r"(?P<date>20\d\d-[01]\d-[0-3]\d)[ T](?P<clock>[0-2]\d:[0-5]\d:[0-5]\d)")
_DATED_WITHIN = 80  # characters of a line's head
# Of Ray's own processes the warnings, errors and ends of processes; the rest is housekeeping.
_SYSTEM_WORTH = re.compile(
    r" [WEFC] \d+ \d+\] |threshold_memory_monitor|Killing \d+ worker|OOM kill|marked dead"
)
_SYSTEM_NOISE = re.compile(r"metrics|telemetry|state-dump", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """One line of a session.

    `number`: 1-based in its file; None behind a part that was left out. `stop`: offset behind it in its part.
    """

    text: str
    at_ms: int
    file: SessionFile
    number: int | None = None
    stop: int = 0


def lines_of_part(
    file: SessionFile, part: bytes, *, first_number: int | None, is_end: bool, is_cut: bool = False
) -> list[PlacedLine]:
    """The lines of a part of a file, with times. `is_cut`: it begins within a line, which is dropped.

    A line without a time has that of the line before. The last line of the file, if it has none, was
    written when the file was.
    """
    if is_cut:
        part = part[part.find(b"\n") + 1 :]
    found: list[tuple[str, int | None, int]] = []
    counted = newlines = 0
    for text, stop in split_part(part, is_whole_file=is_end).lines:
        newlines += part.count(b"\n", counted, stop - 1)  # its own stands at stop - 1
        counted = stop - 1
        found.append((text, first_number + newlines if first_number is not None else None, stop))
    written_ms = int(file.written_at.timestamp() * 1000)
    times = _times(file, [text for text, _, _ in found], written_ms, is_end=is_end)
    return [
        PlacedLine(f"{file.prefix}{text}", at_ms, file, number, stop)
        for (text, number, stop), at_ms in zip(found, times, strict=True)
        if not file.is_system or _is_worth(text)
    ]


def in_order(lines: Iterable[PlacedLine], read: Sequence[SessionFile]) -> list[PlacedLine]:
    """Lines by time, those of one file in their order; without the driver's copies of files read."""
    pids = {session_file.pid for session_file in read if session_file.pid is not None}
    own = [line for line in lines if not (line.file.is_driver and pids and forwarded_pid(line.text) in pids)]
    return sorted(own, key=lambda line: line.at_ms)  # stable: files keep their order


def _times(file: SessionFile, texts: Sequence[str], written_ms: int, *, is_end: bool) -> list[int]:
    dated = [_time_ms(text) for text in texts]
    first = next((candidate for candidate in dated if candidate is not None), written_ms)
    times: list[int] = []
    now = min(first, written_ms)
    for line_ms in dated:
        now = max(now, min(line_ms, written_ms)) if line_ms is not None else now
        times.append(now)
    if is_end and times and dated[-1] is None and not file.is_system:
        times[-1] = written_ms
    return times


def _time_ms(text: str) -> int | None:
    """The time that a line prints, in the time zone of this machine."""
    found = _DATED.search(text, 0, _DATED_WITHIN)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{found['date']} {found['clock']}")
        return int(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _is_worth(text: str) -> bool:
    return bool(_SYSTEM_WORTH.search(text)) and not _SYSTEM_NOISE.search(text)

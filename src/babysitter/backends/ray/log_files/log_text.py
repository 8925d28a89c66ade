"""Bytes of Ray's log files -> lines. Pure."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from babysitter.model.ids import TaskId
from babysitter.model.log import LogLevel, LogLine, LogSource

# First lines of worker files, again whenever the process takes another task: not the program's output.
_MARKER = re.compile(r":(?:job_id|actor_name|task_name):\S*$")
# A line of a worker as the driver's log repeats it, its speaker in colours: "(A pid=12, ip=10.0.0.2) text".
_FORWARDED = re.compile(
    r"(?:\x1b\[\d+m)?\((?P<speaker>[^()\n]{1,80}?) pid=(?P<pid>\d+)(?:, ip=[\w.:]+)?\)(?:\x1b\[0m)?"
)
# Behind the first line of a group of like lines: " [repeated 17x across cluster] (Ray deduplicates ...)".
_REPEATED = re.compile(r"(?:\x1b\[\d+m)? \[repeated \d+x across cluster\].*$")
_WORKER_FILE = re.compile(
    r"worker-(?P<worker>[0-9a-f]+)-(?P<job>[0-9a-f]{8})-(?P<pid>\d+)\.(?P<stream>out|err)$"
)
# Ray adds these guesses to the death of any process, whether or not memory was short: no evidence of it.
_GUESSES = re.compile(r" *Some common causes include: \(1\) the process was killed by the OOM killer[^\n]*")
PRESTARTED_JOB = "ffffffff"  # in the file names of workers that were started before they got a job
_LOST_NODE = re.compile(r"Agent for node id: \w+ doesn't exist|Cannot connect to host")
_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")
_LEVEL_WITHIN_CHARS = 80  # a level stands in the header of a line
_RANKS = (LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR, LogLevel.CRITICAL)


@dataclass(frozen=True, slots=True)
class WorkerFile:
    """What the name of a worker's log file says."""

    job_hex: str
    pid: int
    stream: str  # out or err


@dataclass(frozen=True, slots=True)
class FilePart:
    """Lines of a part of a file, and how many bytes of the part they take up."""

    lines: tuple[tuple[str, int], ...]  # text, and the offset in the part behind it
    consumed: int


def tells_lost_node(text: str) -> bool:
    """Whether the dashboard cannot read a file because its node is gone, before or after Ray noticed it."""
    return bool(_LOST_NODE.search(text))


def worker_file(name: str) -> WorkerFile | None:
    found = _WORKER_FILE.match(name)
    return WorkerFile(found["job"], int(found["pid"]), found["stream"]) if found else None


def without_guesses(text: str) -> str:
    """The text without what Ray guesses about every process that it lost."""
    return _GUESSES.sub("", text) if "Some common causes include" in text else text


def forwarded_pid(text: str) -> int | None:
    """The process whose line the driver's log repeats; None for a line of its own."""
    found = _FORWARDED.match(text)
    return int(found["pid"]) if found else None


def line_digest(text: str) -> str:
    """What a line of a worker and the driver's copy of it have in common, in eight characters."""
    found = _FORWARDED.match(text)
    own = _REPEATED.sub("", text[found.end() :] if found else text)
    return f"{zlib.crc32(own.strip().encode()):08x}"


def split_part(part: bytes, *, is_whole_file: bool) -> FilePart:
    """The complete lines of a part. A progress bar ends its states with carriage returns.

    What stands behind the last end of a line is left for the next reading, unless nothing more will come
    (`is_whole_file`) or the part has no end of a line at all.
    """
    end = max(part.rfind(b"\n"), part.rfind(b"\r")) + 1
    if is_whole_file or end == 0:
        end = len(part)
    lines: list[tuple[str, int]] = []
    begin = 0
    while begin < end:
        newline = part.find(b"\n", begin, end)
        stop = newline + 1 if newline >= 0 else end
        states = part[begin:stop].rstrip(b"\r\n").split(b"\r")
        text = without_guesses(states[-1].decode(errors="replace"))  # of a progress bar the newest state
        if not _MARKER.match(text) and (text or len(states) == 1):
            lines.append((text, stop))
        begin = stop
    return FilePart(tuple(lines), end)


def log_line(text: str, *, task: TaskId, at_ms: int, stream: str, attempt: int = -1) -> LogLine:
    found = _LEVEL.search(text, 0, _LEVEL_WITHIN_CHARS)
    level = LogLevel(found[1].lower()) if found else LogLevel.UNKNOWN
    return LogLine(text, at_ms, task, attempt, level, stream)


def is_wanted(line: LogLine, source: LogSource) -> bool:
    """Whether a line of the right file passes the other conditions of the source."""
    if source.containing and source.containing not in line.text:
        return False
    if source.since is not None and line.at_ms <= source.since.timestamp() * 1000:
        return False
    if source.at_least is None or line.level is LogLevel.UNKNOWN:
        return True
    return _RANKS.index(line.level) >= _RANKS.index(source.at_least)


def anchor_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The last lines, by which a later reading of the same file is continued."""
    return tuple(text[:200] for text in texts[-ANCHOR_LINES:])


ANCHOR_LINES = 3


def after_anchor(texts: Sequence[str], anchor: Sequence[str]) -> int | None:
    """Where in these lines reading goes on behind the anchor; None when it is not among them."""
    width = len(anchor)
    for end in range(len(texts), width - 1, -1):
        if anchor_of(texts[end - width : end]) == tuple(anchor):
            return end
    return None

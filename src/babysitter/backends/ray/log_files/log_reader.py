"""Log files of one job on Ray, read by byte offsets from the agents of its nodes.

An agent serves the files of its node and understands `Range`: what was read is never read again. Where an
agent cannot be reached, the dashboard gives the last lines of a file, continued behind lines already known.
A cursor is JSON: for each file the next byte offset, or the last lines where there are no offsets.

A look at a quiet job reads the driver's log, which repeats what workers print, and the file of one worker
each minute in turn. What was taken from the driver's log is left out when the worker's own file is read:
the cursor remembers it under "?pid".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import msgspec

from babysitter.backends.ray.dashboard.http_client import RayTransport
from babysitter.backends.ray.log_files.log_text import (
    after_anchor,
    anchor_of,
    forwarded_pid,
    is_wanted,
    line_digest,
    log_line,
    split_part,
    tells_lost_node,
)
from babysitter.clock import Clock
from babysitter.errors import ExternalError, Unreachable
from babysitter.model.ids import TaskId
from babysitter.model.log import Cursor, LogBatch, LogLine, LogSource

PART_BYTES = 150 * 1024  # of one file in one reading; a check makes up to six
TAIL_LINE_BYTES = 250  # guess: a line of a log, to size the tail that is asked for
DASHBOARD_LINES = 1000  # per file, where its agent is not reachable
AGENT_RETRY_AFTER = timedelta(minutes=10)
AGENT_LIMIT_S = 5.0

TURN_EVERY_S = 60
TURN, TURN_AT = "?turn", "?turn_at"  # in a cursor: whose turn it is next, and when the last one was
MAX_REMEMBERED = 300  # lines of one worker between two turns

Position = int | list[str]


@dataclass(frozen=True, slots=True)
class JobLogFile:
    """A log file and whose it is. `pid` None: the driver's log, which repeats lines of the workers."""

    node_id: str
    agent: str  # http://IP:PORT, "" where it is not known
    name: str
    task: TaskId
    stream: str
    attempt: int = -1
    pid: int | None = None

    @property
    def key(self) -> str:
        return f"{self.node_id[:8]}/{self.name}"


@dataclass(slots=True)
class _Reading:
    """What one reading gathers."""

    room: int
    lines: list[LogLine] = field(default_factory=list)
    positions: dict[str, Position] = field(default_factory=dict)
    skipped: int = 0
    is_full: bool = False
    read_pids: frozenset[int] = frozenset()  # workers whose own files are read now
    known_pids: frozenset[int] = frozenset()  # and those whose files are read at some time

    def remember(self, pid: int, text: str) -> None:
        """Note that a line of this worker was taken from the driver's log."""
        taken = self.positions.get(f"?{pid}")
        before = taken if isinstance(taken, list) else []
        self.positions[f"?{pid}"] = [*before, line_digest(text)][-MAX_REMEMBERED:]

    def was_taken(self, pid: int, text: str) -> bool:
        """Whether the line came from the driver's log before; asked once for each line of the file."""
        taken = self.positions.get(f"?{pid}")
        if not isinstance(taken, list) or (digest := line_digest(text)) not in taken:
            return False
        rest = list(taken)
        rest.remove(digest)
        self.positions[f"?{pid}"] = rest
        if not rest:
            del self.positions[f"?{pid}"]
        return True


class RayLogReader:
    """Reads the lines of a set of files from where a cursor says."""

    def __init__(self, line: RayTransport, clock: Clock) -> None:
        self._line = line
        self._clock = clock
        self._silent_agents: dict[str, datetime] = {}

    async def read(
        self,
        files: Sequence[JobLogFile],
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        in_turn: bool = False,
    ) -> LogBatch:
        """New lines, file after file. Files that the cursor does not know are read from their beginning.

        `in_turn`: of the workers' files that it knows, at most one.
        """
        known = positions_of(after)
        if known is None:  # not a cursor of ours: nothing is read twice, the caller begins anew
            return LogBatch((), Cursor("{}"))
        positions = dict(known)
        read = self._due(files, positions) if in_turn else files
        reading = _Reading(at_most, positions=positions, read_pids=_pids_of(read), known_pids=_pids_of(files))
        for file in read:
            position = known.get(file.key, 0)
            if reading.room <= 0:
                reading.positions.setdefault(file.key, position)
                reading.is_full = True
                continue
            await self._advance(file, position, reading, source)
        return LogBatch(tuple(reading.lines), _cursor(reading.positions), reading.skipped, reading.is_full)

    async def newest(self, files: Sequence[JobLogFile], source: LogSource, *, at_most: int) -> LogBatch:
        """The last lines; those of files that come later in `files` are taken first."""
        pids = _pids_of(files)
        positions: dict[str, Position] = {}
        found: list[LogLine] = []
        for file in reversed(files):
            tail, positions[file.key] = await self._tail(file, source, at_most, pids)
            found = [*tail, *found]
        return LogBatch(tuple(found[-at_most:]), _cursor(positions), is_full=len(found) >= at_most)

    def _due(self, files: Sequence[JobLogFile], positions: dict[str, Position]) -> Sequence[JobLogFile]:
        """The driver's log, files that were never read, and once a minute the next of the others."""
        now_s = self._now_ms() // 1000
        waiting = [file for file in files if file.pid is not None and positions.get(file.key)]
        last_s, number = positions.get(TURN_AT, 0), positions.get(TURN, 0)
        chosen: JobLogFile | None = None
        if waiting and isinstance(last_s, int) and isinstance(number, int) and now_s - last_s >= TURN_EVERY_S:
            chosen = waiting[number % len(waiting)]
            positions[TURN_AT], positions[TURN] = now_s, (number + 1) % len(waiting)
        return [file for file in files if file not in waiting or file is chosen]

    async def _advance(
        self,
        file: JobLogFile,
        position: Position,
        reading: _Reading,
        source: LogSource,
    ) -> None:
        if not isinstance(position, int) or not self._is_agent_usable(file):
            await self._advance_by_lines(file, position, reading, source)
            return
        part = f"bytes={position}-{position + PART_BYTES - 1}"
        answer = await self._ask_agent(file, part)
        if answer is None:
            await self._advance_by_lines(file, position, reading, source)
            return
        body, begin, total, at_ms = answer
        if total < position:  # cut off or replaced by a shorter file: its beginning is read next
            reading.positions[file.key], reading.is_full = 0, True
            return
        read = split_part(body, is_whole_file=False)
        consumed = begin + read.consumed
        for text, behind in read.lines:
            if reading.room <= 0:
                break
            consumed = begin + behind
            self._take(text, file, at_ms, source, reading)
        else:
            consumed = begin + read.consumed
        reading.positions[file.key] = consumed
        reading.is_full |= consumed < begin + read.consumed or begin + len(body) < total

    async def _advance_by_lines(
        self,
        file: JobLogFile,
        position: Position,
        reading: _Reading,
        source: LogSource,
    ) -> None:
        texts = await self._last_lines(file, DASHBOARD_LINES)
        begin = after_anchor(texts, position) if isinstance(position, list) else None
        if begin is None:
            begin = 0
            reading.skipped += 1 if len(texts) >= DASHBOARD_LINES else 0  # how many is not known
        end = begin
        while end < len(texts) and reading.room > 0:
            self._take(texts[end], file, self._now_ms(), source, reading)
            end += 1
        reading.is_full |= end < len(texts)
        if end > 0:
            reading.positions[file.key] = list(anchor_of(texts[:end]))

    async def _tail(
        self, file: JobLogFile, source: LogSource, at_most: int, pids: frozenset[int]
    ) -> tuple[list[LogLine], Position]:
        """The last lines of one file that are wanted, and where it goes on."""
        reading = _Reading(1 << 30, read_pids=pids, known_pids=pids)
        size = min(PART_BYTES, at_most * TAIL_LINE_BYTES + 4096)
        answer = await self._ask_agent(file, f"bytes=-{size}") if self._is_agent_usable(file) else None
        if answer is None:
            texts = await self._last_lines(file, min(at_most, DASHBOARD_LINES))
            for text in texts:
                self._take(text, file, self._now_ms(), source, reading)
            return reading.lines[-at_most:], list(anchor_of(texts)) if texts else 0
        body, begin, _, at_ms = answer
        cut = body.find(b"\n") + 1 if begin > 0 else 0  # the first line is not whole
        read = split_part(body[cut:], is_whole_file=False)
        for text, _ in read.lines:
            self._take(text, file, at_ms, source, reading)
        return reading.lines[-at_most:], begin + cut + read.consumed

    def _take(
        self,
        text: str,
        file: JobLogFile,
        at_ms: int,
        source: LogSource,
        reading: _Reading,
    ) -> None:
        """Keep a line if it is wanted, and only one of the driver's copy and the worker's own."""
        if file.pid is not None and reading.was_taken(file.pid, text):
            return
        forwarded = forwarded_pid(text) if file.pid is None else None
        if forwarded in reading.read_pids:
            return
        if forwarded in reading.known_pids and forwarded is not None:
            reading.remember(forwarded, text)
        line = log_line(text, task=file.task, at_ms=at_ms, stream=file.stream, attempt=file.attempt)
        if is_wanted(line, source):
            reading.lines.append(line)
            reading.room -= 1

    async def _ask_agent(self, file: JobLogFile, part: str) -> tuple[bytes, int, int, int] | None:
        """(bytes, offset of the first, size of the file, last change); None without the agent."""
        try:
            answer = await self._line.get(
                f"/logs/{file.name}", base=file.agent, part=part, limit_s=AGENT_LIMIT_S
            )
        except Unreachable:
            self._silent_agents[file.agent] = self._clock.now()
            return None
        at_ms = answer.modified_ms or self._now_ms()
        if answer.status == 404:
            return b"", 0, 0, at_ms
        if answer.status == 416:
            return b"", answer.total_bytes or 0, answer.total_bytes or 0, at_ms
        if answer.status == 206 and answer.total_bytes is not None:
            return answer.body, answer.begin, answer.total_bytes, at_ms
        if answer.status == 200:  # an empty file, or a server that does not know ranges
            return answer.body, 0, len(answer.body), at_ms
        return None

    async def _last_lines(self, file: JobLogFile, count: int) -> list[str]:
        query = [("node_id", file.node_id), ("filename", file.name), ("lines", str(count))]
        answer = await self._line.get("/api/v0/logs/file", query)
        if answer.status != 200:
            if "file is not found" in answer.text or (file.pid is not None and tells_lost_node(answer.text)):
                return []  # the driver's log says what became of it
            raise ExternalError(
                f"The log {file.name} cannot be read from Ray at {self._line.place}: {answer.last_line}.",
                next_step="Its node may be gone, and its logs with it.",
            )
        return [text for text, _ in split_part(answer.body, is_whole_file=True).lines]

    def _is_agent_usable(self, file: JobLogFile) -> bool:
        failed_at = self._silent_agents.get(file.agent)
        return bool(file.agent) and (failed_at is None or self._clock.now() - failed_at >= AGENT_RETRY_AFTER)

    def _now_ms(self) -> int:
        return int(self._clock.now().timestamp() * 1000)


def positions_of(cursor: Cursor | None) -> Mapping[str, Position] | None:
    """The positions in a cursor; empty for none, None for text that is not a cursor of this reader."""
    if not cursor:
        return {}
    try:
        return msgspec.json.decode(cursor, type=dict[str, int | list[str]])
    except msgspec.DecodeError:
        return None


def _pids_of(files: Sequence[JobLogFile]) -> frozenset[int]:
    return frozenset(file.pid for file in files if file.pid is not None)


def _cursor(positions: Mapping[str, Position]) -> Cursor:
    return Cursor(msgspec.json.encode(dict(sorted(positions.items()))).decode())

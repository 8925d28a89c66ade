"""The lines under judgement, made ready for rules: one tidy buffer, its hits, and who printed what.

Nothing is computed before a rule needs it: of a million lines only those that some pattern hit are ever
looked at one by one.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate, count, islice
from operator import add

from babysitter.diagnosis.causes.rule_fields import Fields
from babysitter.diagnosis.frame.line import MAX_HEADER_CHARACTERS, read_frame
from babysitter.diagnosis.signatures.pattern import Pattern, line_finder, parse_pattern
from babysitter.diagnosis.signatures.scanner import Scanner, tidy
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.diagnosis.timeline.processes.traceback import Reader, Traceback
from babysitter.model.finding import Evidence
from babysitter.model.ids import TaskId
from babysitter.model.log import LogLevel, LogLine, Role

MAX_QUOTE = 2000  # characters of a line that evidence keeps
MAX_TRACEBACK_LINES = 40_000
MAX_LAZY_LINES = 200_000  # of a pattern that only an `unless` asks for
MAX_NEAR_LINES = 40_000  # looked at one by one before a scan of everything is cheaper
WINDOW_LINES = 120  # how far a traceback is followed behind its head

# Scanned beside the rules' own patterns, so that tracebacks are found in the same pass.
TRACEBACK_HEAD = parse_pattern("Traceback (most recent call last)")
EXCEPTION_LINE = parse_pattern(
    "/(?:Error|Exception|Interrupt|Exit|Timeout|Died|Fault|Expired|Unavailable|NotFound|Exhausted|Refused)(?::|\\(|$)/"
)

_LEVEL = re.compile(
    r"^\W{0,4}(?:\S{1,40} ){0,4}?\[?(?:([DIWEF])\d{4,8}[ T]|(DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b)"
)
_LEVELS = {
    "D": LogLevel.DEBUG,
    "I": LogLevel.INFO,
    "W": LogLevel.WARNING,
    "E": LogLevel.ERROR,
    "F": LogLevel.CRITICAL,
    "C": LogLevel.CRITICAL,
}
_ORDER = (LogLevel.DEBUG, LogLevel.INFO, LogLevel.WARNING, LogLevel.ERROR, LogLevel.CRITICAL)
_TASK = re.compile(rb"^\s{0,4}(?:\[?[\d:T.\- ]{5,30}Z?\]? )?task=(?P<task>/\S+)")


class LineBuffer:
    """Lines numbered from 0: first the log's, then those of error and pending-reason fields."""

    def __init__(
        self,
        log: bytes,
        fields: Fields,
        *,
        entries: Sequence[LogLine] | None = None,
        source: str = "log",
        role_of_task: Callable[[TaskId], Role | None] | None = None,
    ) -> None:
        self.fields = fields
        self._entries = entries
        self._source = source
        self._role_of_task = role_of_task
        log = b"" if entries is None and log == b"\n" else tidy(log)
        # An entry may be an empty line, the last one too; a file's last newline begins no line.
        is_ended = entries is None and log.endswith(b"\n")
        is_there = bool(log) if entries is None else bool(entries)
        self._log_size = len(log) - is_ended
        self._counted = (0, 0)  # a line of the log far down, and where it starts
        self._extra = [
            (line, name_source)
            for name in ("error", "pending_reason")
            for text, name_source in fields.texts.get(name, ())
            for line in text.splitlines()
        ]
        extra = tidy(
            b"\n".join(line.encode("utf-8", "replace").replace(b"\n", b" ") for line, _ in self._extra)
        )
        between = b"\n" if is_there and not is_ended else b""
        self.buffer = log + between + extra if extra else log
        self._hits: dict[Pattern, list[int]] = {}
        self._scanned: frozenset[Pattern] = frozenset()
        self._spans: dict[int, tuple[int, int]] = {}
        self._quoted: dict[int, Evidence] = {}
        self.stances: dict[tuple[Pattern | None, bytes], Stance] = {}  # of lines of one wording

    def scan(self, engine: Scanner, patterns: Sequence[Pattern], known: frozenset[Pattern]) -> None:
        """Find all hits of these patterns in one pass. `known`: the same patterns as a set."""
        by_index: defaultdict[int, list[int]] = defaultdict(list)
        spans = self._spans
        for line, index, start, end in engine.scan(self.buffer):
            by_index[index].append(line)
            spans[line] = (start, end)
            if start <= self._log_size:
                self._counted = line, start
        self._hits.update((patterns[index], lines) for index, lines in by_index.items())
        self._scanned = self._scanned | known if self._scanned else known

    @cached_property
    def log_count(self) -> int:
        """Lines of the log; asked after the scan, which has counted most of them."""
        if self._entries is not None or not self._log_size:
            return len(self._entries or ())
        line, start = self._counted
        return line + self.buffer.count(b"\n", start, self._log_size) + 1

    @property
    def count(self) -> int:
        return self.log_count + len(self._extra)

    @property
    def patterns_hit(self) -> tuple[Pattern, ...]:
        return tuple(self._hits)

    def lines_with(self, pattern: Pattern) -> list[int]:
        """Lines that match, rising. A pattern outside the scan is searched now, and at most so many lines."""
        known = self._hits.get(pattern)
        if known is None:
            is_absent = pattern in self._scanned
            known = self._hits[pattern] = (
                []
                if is_absent
                else list(islice(self._search(pattern, 0, 0, len(self.buffer)), MAX_LAZY_LINES))
            )
        return known

    def lines_near(self, pattern: Pattern, anchors: Sequence[int], *, before: int, after: int) -> list[int]:
        """Lines that match from so many lines before an anchor to so many after one; perhaps others too."""
        width = before + after
        if pattern in self._hits or pattern in self._scanned or len(anchors) * width > MAX_NEAR_LINES:
            return self.lines_with(pattern)
        found: list[int] = []
        for first, last in runs_of(anchors, gap=width + 1):
            start = self._moved(self._span(first)[0], -before)
            end = self._moved(self._span(last)[1], after)
            found.extend(self._search(pattern, max(0, first - before), start, end))
        return found

    def occurs_after(self, pattern: Pattern, line: int) -> bool:
        """Whether a later line of the log matches."""
        known = self._hits.get(pattern, [] if pattern in self._scanned else None)
        if known is not None:
            at = bisect_left(known, line + 1)
            return at < len(known) and known[at] < self.log_count
        after = self._span(line)[1] + 1
        found = next(self._search(pattern, line + 1, after, len(self.buffer)), None)
        return found is not None and found < self.log_count

    def raw(self, line: int) -> bytes:
        """The tidy bytes of a line."""
        start, end = self._span(line)
        return self.buffer[start:end]

    def text(self, line: int) -> str:
        return self.raw(line).decode("utf-8", "replace")

    def captures(self, line: int, pattern: Pattern) -> dict[str, str]:
        return (pattern.captures(self.raw(line)) or {}) if pattern.names else {}

    def task(self, line: int) -> TaskId:
        """Whose line it is; "" when not known."""
        if line >= self.log_count:
            return TaskId("")
        if self._entries is not None:
            return self._entries[line].task
        found = _TASK.match(self.raw(line)[:300])
        return TaskId(found["task"].decode("utf-8", "replace")) if found else TaskId("")

    def role(self, line: int) -> Role | None:
        """Which process of a pipeline printed it; None when not known."""
        if self._role_of_task is None:
            return None
        task = self.task(line)
        return self._role_of_task(task) if task else None

    def level(self, line: int) -> LogLevel:
        if self._entries is not None and line < self.log_count:
            told = self._entries[line].level
            if told is not LogLevel.UNKNOWN:
                return told
        found = _LEVEL.match(self.text(line)[:120])
        return _LEVELS[(found[1] or found[2])[0]] if found else LogLevel.UNKNOWN

    def is_at_least(self, line: int, least: LogLevel) -> bool:
        level = self.level(line)
        return (
            level is LogLevel.UNKNOWN
            or least is LogLevel.UNKNOWN
            or _ORDER.index(level) >= _ORDER.index(least)
        )

    def stream(self, line: int) -> str:
        """stdout, stderr, build, ...; "" when not known. The words of a state or an error are no stream's."""
        if line >= self.log_count:
            return "fields"
        return self._entries[line].stream if self._entries is not None else ""

    def time_ms(self, line: int) -> int | None:
        """When it was printed: the time inside the line, else the entry's; None when neither is there."""
        entry_ms = self._entries[line].at_ms if self._entries is not None and line < self.log_count else 0
        frame = read_frame(self.text(line)[:MAX_HEADER_CHARACTERS])
        if frame.at_s is None or (entry_ms and not frame.has_date):
            return entry_ms or None
        return int(frame.at_s * 1000)

    def is_near_end(self, line: int, lines: int) -> bool:
        """Whether it is among the last so many lines of its task (of the log, when tasks are not known)."""
        if line >= self.log_count:
            return True
        if self._entries is None:
            return line >= self.log_count - lines
        return line >= self._start_of_end(lines).get(self._entries[line].task, 0)

    def evidence(self, line: int) -> Evidence:
        """A line as proof; several rules may quote the same one."""
        known = self._quoted.get(line)
        if known is None:
            known = self._quoted[line] = self._evidence(line)
        return known

    def _evidence(self, line: int) -> Evidence:
        text = self.text(line)[:MAX_QUOTE]
        if line >= self.log_count:
            return Evidence(text, self._extra[line - self.log_count][1])
        time_ms, task = self.time_ms(line), self.task(line)
        dated = time_ms is not None and time_ms > 86_400_000  # a clock time alone names no moment
        return Evidence(
            text,
            task or self._source,
            line + 1,
            datetime.fromtimestamp(time_ms / 1000, UTC) if dated and time_ms is not None else None,
            self.role(line) or Role.OTHER,
            self._entries[line].attempt if self._entries is not None else -1,
        )

    @cached_property
    def tracebacks(self) -> list[Traceback]:
        """All tracebacks, and exceptions that stand alone; bounded in how many lines are read for them."""
        reader = Reader()
        for index in self._traceback_lines():
            reader.feed(index, self.text(index)[:MAX_QUOTE], self.task(index))
        return reader.finish()

    @cached_property
    def unit_of_line(self) -> dict[int, Traceback]:
        """The traceback that a line belongs to or announces."""
        units: dict[int, Traceback] = {}
        for unit in self.tracebacks:
            if len(unit.lines) > 1 and unit.announced_by is not None:
                units[unit.announced_by] = unit
            units.update(dict.fromkeys(unit.lines, unit))
        return units

    def _traceback_lines(self) -> Iterator[int]:
        heads, exceptions = self.lines_with(TRACEBACK_HEAD), self.lines_with(EXCEPTION_LINE)
        wanted: set[int] = set()
        for head in heads:
            if len(wanted) >= MAX_TRACEBACK_LINES:
                break
            wanted.update(range(max(0, head - 1), min(self.count, head + WINDOW_LINES)))
        for line in exceptions[:MAX_TRACEBACK_LINES]:
            wanted.update((max(0, line - 1), line))
        yield from sorted(wanted)

    def _span(self, line: int) -> tuple[int, int]:
        """Where a line starts and ends; both the buffer's end when there is no such line.

        Rules look at lines that were hit and at their neighbours, so most are found from the line beside.
        """
        span = self._spans.get(line)
        if span is not None:
            return span
        size = len(self.buffer)
        if before := self._spans.get(line - 1):
            start = before[1] + 1
        elif after := self._spans.get(line + 1):
            start = self._moved(after[0], -1)
        else:
            start = self._starts[line] if line < len(self._starts) else size + 1
        if start > size:
            return size, size
        end = self.buffer.find(b"\n", start)
        self._spans[line] = span = start, size if end < 0 else end
        return span

    def _moved(self, at: int, lines: int) -> int:
        """From the start of a line so many lines back to the start of one, or from an end on to an end."""
        for _ in range(-lines):
            if at == 0:
                break
            at = self.buffer.rfind(b"\n", 0, at - 1) + 1
        for _ in range(lines):
            end = self.buffer.find(b"\n", at + 1)
            if end < 0:
                return len(self.buffer)
            at = end
        return at

    @cached_property
    def _starts(self) -> list[int]:
        """Offset of each line."""
        ends = accumulate(map(len, self.buffer.split(b"\n")))
        return [0, *map(add, ends, count(1))][:-1]  # a newline after each

    def _start_of_end(self, lines: int) -> dict[TaskId, int]:
        """For each task the first of its last so many lines."""
        known = self._ends.get(lines)
        if known is None:
            left: defaultdict[TaskId, int] = defaultdict(lambda: lines)
            known = {}
            for index in range(self.log_count - 1, -1, -1):
                task = self._entries[index].task if self._entries is not None else TaskId("")
                if left[task] > 0:
                    left[task] -= 1
                    known[task] = index
            self._ends[lines] = known
        return known

    @cached_property
    def _ends(self) -> dict[int, dict[TaskId, int]]:
        return {}

    def _search(self, pattern: Pattern, line: int, at: int, end: int) -> Iterator[int]:
        """Lines that match between two offsets, found by scanning for it alone. `line` starts `at`."""
        find, buffer = line_finder(pattern), self.buffer
        while at <= end:
            hit = find(buffer, at, end)
            if hit < 0:
                return
            line += buffer.count(b"\n", at, hit)
            line_end = buffer.find(b"\n", hit, end)
            line_end = end if line_end < 0 else line_end
            self._spans[line] = max(at, buffer.rfind(b"\n", at, hit) + 1), line_end
            yield line
            at, line = line_end + 1, line + 1


def runs_of(lines: Sequence[int], *, gap: int) -> Iterator[tuple[int, int]]:
    """First and last of each run of lines that are at most so far from one to the next; `lines` rise."""
    first = last = None
    for line in lines:
        if last is not None and first is not None and line - last > gap:
            yield first, last
            first = line
        first = line if first is None else first
        last = line
    if first is not None and last is not None:
        yield first, last

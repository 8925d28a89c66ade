"""Python tracebacks as units, however a log mangles them: prefixed, interleaved, chained, grouped, cut off.

A unit is one report of a failure: all its chained or grouped exceptions, the one where it began first. Lines
of several workers may be mixed; what tells them apart is the task of a line, or the prefix in front of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.lazy_regex import lazy_regex

MAX_LINES = 400  # of one unit; a longer one is closed as cut off
MAX_NOTES = 5
MAX_WORKERS = 4096  # whose last line is remembered
MAX_OPEN = 64  # workers that may be in the middle of a traceback at once


@dataclass(frozen=True, slots=True)
class TracebackFrame:
    """One call. `function` is "" where the log does not say it (a SyntaxError's place)."""

    file: str
    line: int
    function: str
    code: str = ""

    @property
    def is_user(self) -> bool:
        """Whether it is the job's own code rather than Python's, a package's or a framework's."""
        return not _FOREIGN.search(self.file)

    def __str__(self) -> str:
        return f"{self.file}:{self.function}"


@dataclass(frozen=True, slots=True)
class RaisedException:
    """One exception of a unit, frames outermost first."""

    type: str  # as printed, e.g. "torch.OutOfMemoryError"
    message: str
    frames: tuple[TracebackFrame, ...]
    notes: tuple[str, ...] = ()
    line: int = -1  # index of the line that names it

    @property
    def name(self) -> str:
        return self.type.rpartition(".")[2]

    @property
    def place(self) -> TracebackFrame | None:
        """The innermost frame of the job's own code, else the innermost one."""
        return next((frame for frame in reversed(self.frames) if frame.is_user), None) or (
            self.frames[-1] if self.frames else None
        )


@dataclass(frozen=True, slots=True)
class Traceback:
    """One report: indices of its lines, and of the line directly before it by the same worker."""

    raised: tuple[RaisedException, ...]  # the first is where it began, the last what was seen
    lines: tuple[int, ...]
    announced_by: int | None = None
    is_cut: bool = False

    @property
    def last(self) -> RaisedException | None:
        return self.raised[-1] if self.raised else None


def read_tracebacks(texts: Sequence[str], owners: Sequence[str] | None = None) -> list[Traceback]:
    """All units in these lines, by their first line. `owners`: whose line each is, where that is known."""
    reader = Reader()
    for index, text in enumerate(texts):
        reader.feed(index, text, owners[index] if owners else "")
    return reader.finish()


def unfinished(texts: Sequence[str], owners: Sequence[str], at_most: int = 40) -> tuple[int, ...]:
    """Indices of lines that the next lines may continue: the tail of each traceback still open at the end."""
    reader = Reader()
    for index, text in enumerate(texts):
        reader.feed(index, text, owners[index])
    return reader.open_lines(at_most)


_TIME = lazy_regex(r"\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\]?")
_WORKER_PREFIX = lazy_regex(
    r"\s{0,8}(?:\([\w.:<>\- ]{1,80}?pid=\d+(?:, ?ip=[\w.:-]+)?\) ?"
    r"|\[?(?:default|rank|Rank|RANK|local_rank)[ :=_]?\d+\]?:? ?"
    r"|\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\]? task=[\w./:-]+(?: attempt=\d+)? \| ?"
    r"|(?:node|host|worker|slice|task)[-_ ]?\d+: ?"
    r"|\[?[\w.-]{1,60}\]? {1,12}\| (?=\S| {2})"  # docker compose and its like: `name-1  | line`
    r"|\d{1,4}: (?=\S|  ))"
)
_GROUP = lazy_regex(r"\s*(?:\+-\+-{3,}.*|\+-{3,}.*|\| ?|\+ (?=Exception Group Traceback))")
_HEAD_WORDS = "Traceback (most recent call last)"
_HEAD = lazy_regex(r"(?:Exception Group )?Traceback \(most recent call last\):?")
_FRAME = lazy_regex(
    r'\s*File "(?P<file>[^"\n]{1,1000})", line (?P<line>\d{1,9})(?:, in (?P<function>.{1,300}))?\s*$'
)
_RAISED = lazy_regex(r"(?P<type>[A-Za-z_]\w*(?:\.[A-Za-z_<>]\w*>?)*)(?:: ?(?P<message>.*))?\s*$")
_ERROR_NAME = lazy_regex(
    r"(?:^|[\s:|(\]'\"])(?P<type>(?:[A-Za-z_]\w*\.)*[A-Z]\w*"
    r"(?:Error|Exception|Interrupt|Exit|Timeout|Died|Fault|Warning|Expired|Unavailable|NotFound|Exhausted|Refused))"
    r"(?:: (?P<message>.*)|\(|\s*$)"
)
_CHAIN = ("During handling of the above exception", "The above exception was the direct cause")
_FOREIGN = lazy_regex(
    r"site-packages|dist-packages|/lib/python\d|^<|/(?:zephyr|fray|iris|rigging|haliax|levanter|ray|torch|jax)/"
)
_NAME_HINT = lazy_regex(
    r"Error|Exception|Interrupt|Exit|Timeout|Died|Fault|Warning|Expired|Unavailable|NotFound|"
    r"Exhausted|Refused"
)


@dataclass(slots=True)
class _Open:
    """A unit being read."""

    announced_by: int | None
    head: str  # what stood before "Traceback", in case every line repeats it
    lines: list[int] = field(default_factory=list)
    raised: list[RaisedException] = field(default_factory=list)
    frames: list[TracebackFrame] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_complete: bool = False  # the exception's own line was read; a chain may follow
    expects_more: bool = False  # a chain marker was read

    def add(self, found: re.Match[str], line: int) -> None:
        self.raised.append(
            RaisedException(found["type"], (found["message"] or "").strip(), tuple(self.frames), line=line)
        )
        self.frames, self.is_complete, self.expects_more = [], True, False

    def close(self) -> Traceback:
        is_cut = bool(self.frames) or not self.raised
        if self.frames:
            self.raised.append(RaisedException("", "", tuple(self.frames), line=self.lines[-1]))
        return Traceback(tuple(self.raised), tuple(self.lines), self.announced_by, is_cut)


class Reader:
    """One pass over lines; bounded in what it keeps open."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], _Open] = {}
        self._last: dict[tuple[str, str], int] = {}
        self._done: list[Traceback] = []

    def feed(self, index: int, text: str, owner: str = "") -> None:
        """Take the next line. Indices rise, but may skip lines that are of no interest."""
        prefix, rest = _split(text)
        key = (owner, prefix)
        self._line(key, index, rest)
        if len(self._last) > MAX_WORKERS:
            self._last.clear()
        self._last[key] = index

    def finish(self) -> list[Traceback]:
        """All units, the open ones closed as they stand."""
        units = [*self._done, *(unit.close() for unit in self._open.values())]
        return sorted((unit for unit in units if unit.lines), key=lambda unit: unit.lines[0])

    def open_lines(self, at_most: int) -> tuple[int, ...]:
        """Lines of open units, the newest `at_most` of each."""
        return tuple(sorted(line for unit in self._open.values() for line in unit.lines[-at_most:]))

    def _line(self, key: tuple[str, str], index: int, rest: str) -> None:
        head = _HEAD.search(rest) if _HEAD_WORDS in rest else None
        unit = self._open.get(key)
        if head is not None:
            self._head(key, index, rest[: head.start()], unit)
            return
        if unit is not None:
            body = rest[len(unit.head) :] if unit.head and rest.startswith(unit.head) else rest
            if len(unit.lines) < MAX_LINES and _continues(unit, index, body):
                return
            self._done.append(self._open.pop(key).close())
        self._bare_exception(key, index, rest)

    def _head(self, key: tuple[str, str], index: int, before: str, unit: _Open | None) -> None:
        if unit is not None and (unit.expects_more or _GROUP.match(before + " ")):
            unit.lines.append(index)
            unit.is_complete = False
            return
        if unit is not None:
            self._done.append(self._open.pop(key).close())
        if len(self._open) >= MAX_OPEN:
            self._done.append(self._open.pop(next(iter(self._open))).close())
        announced_by = self._last.get(key)
        if before.strip(" +|") and len(before.strip()) > 2:
            announced_by = index
        fresh = _Open(announced_by, before if before.strip(" +|") else "")
        fresh.lines.append(index)
        self._open[key] = fresh

    def _bare_exception(self, key: tuple[str, str], index: int, rest: str) -> None:
        """An exception's line without a traceback before it: all that an error field or a short log gives."""
        if not _NAME_HINT.search(rest, 0, 600):
            return
        found = _ERROR_NAME.search(rest[:2000])
        if found is not None:
            raised = RaisedException(found["type"], (found["message"] or "").strip(), (), line=index)
            self._done.append(Traceback((raised,), (index,), self._last.get(key)))


def _continues(unit: _Open, index: int, body: str) -> bool:
    """Whether the line belongs to the unit; then it is added."""
    decoration = _GROUP.match(body)
    inner = body[decoration.end() :] if decoration else body
    frame = _FRAME.match(inner)
    if frame is not None and not (unit.is_complete and not unit.expects_more and not decoration):
        unit.frames.append(
            TracebackFrame(frame["file"], int(frame["line"]), (frame["function"] or "").strip())
        )
        unit.is_complete = False
    elif any(marker in inner for marker in _CHAIN):
        unit.expects_more = True
    elif not inner.strip():
        if unit.is_complete and not unit.expects_more and not decoration:
            unit.lines.append(index)
            return len(unit.lines) < MAX_LINES and _may_chain(unit)
    elif unit.is_complete and not decoration:
        return _adds_note(unit, index, inner)
    elif inner[:1].isspace() or inner.lstrip().startswith(("^", "~", "[Previous line", "...<")):
        if unit.frames and not unit.frames[-1].code:
            last = unit.frames[-1]
            unit.frames[-1] = TracebackFrame(last.file, last.line, last.function, inner.strip()[:200])
    elif found := _RAISED.match(inner[:4000]):
        if not unit.frames and not unit.raised and not _NAME_HINT.search(found["type"]):
            return False
        unit.add(found, index)
    elif not decoration:
        return False
    unit.lines.append(index)
    return True


def _may_chain(unit: _Open) -> bool:
    """A blank line after an exception: a chain marker may follow; two blank lines end it."""
    return len(unit.lines) < 2 or unit.lines[-1] - unit.lines[-2] <= MAX_OPEN


def _adds_note(unit: _Open, index: int, inner: str) -> bool:
    """Lines right after an exception that no logger wrote are its notes, or more of its message."""
    is_next = bool(unit.lines) and bool(unit.raised) and unit.raised[-1].line == index - 1 - len(unit.notes)
    if (
        not is_next
        or len(unit.notes) >= MAX_NOTES
        or strip_headers(inner) != inner.strip()
        or _RAISED.match(inner[:200])
    ):
        return False
    last = unit.raised[-1]
    unit.notes.append(inner.strip()[:300])
    unit.raised[-1] = RaisedException(last.type, last.message, last.frames, tuple(unit.notes), last.line)
    unit.lines.append(index)
    return True


def _split(text: str) -> tuple[str, str]:
    """The worker's prefix without its times, and the rest with its indentation."""
    prefix, rest = "", text
    for _ in range(3):
        found = _WORKER_PREFIX.match(rest)
        if found is None:
            break
        prefix += _TIME.sub("", found[0])
        rest = rest[found.end() :]
    return prefix.strip(), rest

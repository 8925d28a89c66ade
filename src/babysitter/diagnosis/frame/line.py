"""One log line without its headers: when, how severe, by whom, and the message."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from babysitter.diagnosis.frame.header_formats import find_header
from babysitter.diagnosis.frame.quotes import find_quoted_spans
from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.model.log import LogLevel

MAX_HEADERS = 8  # a pod prefix, a runtime's time, an actor, a rank, a time, a level, a module, a separator
MAX_HEADER_CHARACTERS = 600  # headers are searched for in the beginning of a line only

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\x1b[@-_]")
_LEVELS = dict.fromkeys("dt", LogLevel.DEBUG) | dict.fromkeys("in", LogLevel.INFO) | {"w": LogLevel.WARNING}
_LEVELS |= dict.fromkeys("es", LogLevel.ERROR) | dict.fromkeys("cfpa", LogLevel.CRITICAL)  # by first letter
# Fields of JSON and logfmt lines, wherever they stand.
_FIELD = re.compile(
    r"(?:\"|\b)(?P<key>level|lvl|severity|levelname|logger|name|caller|component|rank|pod|time|ts|"
    r"timestamp|asctime|t)"
    r"(?:\"\s?:\s?|=)\"?(?P<value>[^\",\s}][^\",}]{0,59}?)(?=[\",}]|\s[\w.]+=|$)"
)
_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d+)?)(Z|[+-]\d\d:?\d\d)?")


class Frame(NamedTuple):
    """A line taken apart (a NamedTuple because thousands are made at a time).

    `text`: the line without terminal escapes and outer spaces. `start`: where the message begins in it.
    `at_s`: epoch seconds of the line's own time; seconds since midnight when `has_date` is False.
    `program`: logger or component. `speaker`: worker, pod or task, outer first. `rank`: of the process.
    """

    text: str
    start: int = 0
    at_s: float | None = None
    has_date: bool = False
    level: LogLevel = LogLevel.UNKNOWN
    program: str = ""
    speaker: str = ""
    rank: int | None = None

    @property
    def message(self) -> str:
        return self.text[self.start :]

    @property
    def quoted(self) -> tuple[tuple[int, int], ...]:
        """Spans of the message that repeat data or somebody's words."""
        return find_quoted_spans(self.message)


_Span = tuple[int, int]


class _Headers(NamedTuple):
    """The headers of all lines of one shape: where they end, and where in the line their fields stand.

    A field without a name stands for those of a JSON or logfmt line, which are read from the line itself.
    `fixed`: level, program and speaker, where no digit is in them and nothing else is told but a time, which
    stands at `times` (date, clock, zone).
    """

    end: int
    spans: tuple[tuple[str, int, int], ...]
    fixed: tuple[LogLevel, str, str] | None = None
    times: tuple[_Span, _Span, _Span] = ((0, 0), (0, 0), (0, 0))


@lru_cache(maxsize=4096)
def _read_headers(skeleton: str) -> _Headers:
    start = 0
    spans: list[tuple[str, int, int]] = []
    for _ in range(MAX_HEADERS):
        found = find_header(skeleton, start) if start <= MAX_HEADER_CHARACTERS else None
        if found is None:
            break
        start, inner, has_more = found
        if any(name == "date" for name, _, _ in spans) and not any(name == "date" for name, _, _ in inner):
            inner = [span for span in inner if span[0] != "clock"]  # a time keeps its date
        spans += inner
        if has_more:
            spans.append(("", 0, 0))
    return _with_fixed(_Headers(start, tuple(spans)), skeleton)


def _with_fixed(headers: _Headers, skeleton: str) -> _Headers:
    """The headers with what is the same in all lines of this shape."""
    places = {name: (start, end) for name, start, end in headers.spans}
    date, clock, zone = (places.pop(name, (0, 0)) for name in ("date", "clock", "zone"))
    if not places.keys() <= {"level", "program", "speaker"}:
        return headers
    fields = _fields_of(skeleton, headers)
    program, speaker = fields.get("program", ""), fields.get("speaker", "")
    if clock[0] >= clock[1] or "0" in program or "0" in speaker:
        return headers
    return headers._replace(fixed=(_level(fields.get("level")), program, speaker), times=(date, clock, zone))


@lru_cache(maxsize=16_384)  # as strip_headers: what reads a log's lines reads them again
def read_frame(text: str) -> Frame:
    """Take the headers off a line. A line without a header is a message from its first character."""
    line = _plain(text)
    headers = _read_headers(without_digits(line))
    if not headers.spans:
        return Frame(line, headers.end)
    if headers.fixed is not None:
        return _frame_of_shape(line, headers.end, headers.times, headers.fixed)
    fields = _fields_of(line, headers)
    get = fields.get
    clock, rank = get("clock"), get("rank", "")
    at_s, has_date = _moment(get("date", ""), clock, get("zone", "")) if clock else (None, False)
    return Frame(
        line,
        headers.end,
        at_s,
        has_date,
        _level(get("level")),
        get("program", ""),
        get("speaker", ""),
        int(rank) if rank.isdigit() else None,
    )


def _frame_of_shape(
    line: str, start: int, times: tuple[_Span, _Span, _Span], fixed: tuple[LogLevel, str, str]
) -> Frame:
    """The frame of a line of which all but the time is known by its shape."""
    (date, date_end), (clock, clock_end), (zone, zone_end) = times
    at_s, has_date = _moment(line[date:date_end], line[clock:clock_end], line[zone:zone_end])
    level, program, speaker = fixed
    return Frame(line, start, at_s, has_date, level, program, speaker)


def _level(name: str | None) -> LogLevel:
    return _LEVELS.get(name[0].lower(), LogLevel.UNKNOWN) if name else LogLevel.UNKNOWN


@lru_cache(maxsize=8192)  # several readers ask about the same lines
def strip_headers(text: str) -> str:
    """The message of a line, without what stands in front of it."""
    line = _plain(text)
    return line[_read_headers(without_digits(line)).end :]


def _fields_of(line: str, headers: _Headers) -> dict[str, str]:
    """What an inner header says replaces an outer's; speakers add up."""
    fields: dict[str, str] = {}
    for name, start, end in headers.spans:
        value = line[start:end]
        if not name:
            _add_named_fields(fields, line)
            continue
        fields[name] = f"{fields.get(name, '')} {value.strip()}".strip() if name == "speaker" else value
    return fields


def _plain(text: str) -> str:
    """The line without escapes; of a line that was drawn again and again what stands in the end."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    text = text.strip()
    return text.rpartition("\r")[2].lstrip() if "\r" in text else text


def _add_named_fields(fields: dict[str, str], line: str) -> None:
    """Level, logger, rank and time of a line of named fields."""
    for found in _FIELD.finditer(line[:4000]):
        key, value = found["key"], found["value"]
        if key in ("level", "lvl", "severity", "levelname"):
            fields["level"] = value
        elif key in ("logger", "name", "caller", "component"):
            fields.setdefault("program", value)
        elif key == "rank":
            fields["rank"] = value
        elif key == "pod":
            fields.setdefault("speaker", value)
        elif when := _ISO.match(value):
            fields.update(zip(("date", "clock", "zone"), when.groups(default=""), strict=True))
        elif re.fullmatch(r"1\d{9}(?:\.\d+)?", value):
            fields.update(date="epoch", clock=value)


def _moment(date: str, clock: str, zone: str) -> tuple[float | None, bool]:
    """Seconds, and whether they count from the epoch or from midnight."""
    if date == "epoch":
        return float(clock), True
    minute, _, second = clock.rpartition(":")
    if ":" not in minute:
        return _minute(date, clock, zone)
    at_s, has_date = _minute(date, minute, zone)
    return at_s + float(second.replace(",", ".")), has_date


@lru_cache(maxsize=256)  # many lines are printed in one minute
def _minute(date: str, clock: str, zone: str) -> tuple[float, bool]:
    """The same of a time without seconds."""
    hour, minute = clock.rpartition(" ")[2].split(":")
    seconds = int(hour) * 3600.0 + int(minute[:2]) * 60.0
    midnight = _midnight_s(date) if date else None
    if midnight is None:
        return seconds, False
    return midnight + seconds - _offset_s(zone.strip()), True


@lru_cache(maxsize=64)
def _midnight_s(date: str) -> float | None:
    """Epoch seconds of a day; None for a date without a year, or that does not exist."""
    digits = date.replace("-", "").replace("/", "")
    if len(digits) != 8 or not digits.isdigit():
        return None
    try:
        return datetime(int(digits[:4]), int(digits[4:6]), int(digits[6:]), tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _offset_s(zone: str) -> float:
    if zone in ("", "Z"):
        return 0.0
    digits = zone[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600.0 + int(digits[2:]) * 60.0
    return -seconds if zone[0] == "-" else seconds

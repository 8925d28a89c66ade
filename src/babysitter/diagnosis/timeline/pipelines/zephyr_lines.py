"""Lines of Zephyr's own loggers -> progress, milestones, shard troubles; status texts -> progress.

Only lines whose header names one of Zephyr's loggers count: a user's program can print anything else, and
from which task a line came is the caller's to check (see progress_memory.py). The counts in a line are what
matters; wordings differ between generations and any of them is accepted at any time.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.model.log import LogLine
from babysitter.model.progress import Progress

MAX_CHARACTERS = 4000
# The time inside a line is more exact than the entry's. When they lie further apart than this, the process
# uses another time zone than UTC, or the line quotes an older one.
MAX_APART_S = 1200.0

_STAMP = (
    r"(?:[DIWEF](?P<y>\d{4})(?P<mo>\d\d)(?P<d>\d\d) (?P<h>\d\d):(?P<mi>\d\d):(?P<s>\d\d)(?:\.(?P<f>\d+))?"
    r"|(?P<y2>\d{4})-(?P<mo2>\d\d)-(?P<d2>\d\d)[ T](?P<h2>\d\d):(?P<mi2>\d\d):(?P<s2>\d\d)"
    r"(?:[.,](?P<f2>\d+))?Z?)"
)
_HEADER = re.compile(
    rf"^{_STAMP}(?:\s+(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b)?\s+(?:\d{{6,}} )?"
    r"(?P<logger>[A-Za-z_][\w.]*)\s+(?P<message>.*)$"
)
_N = r"\d{1,9}"
# The stage is in the last bracket, which may hold brackets itself; others may stand before it.
_BRACKETS = r"(?:\[[^\]]*\]\s+)*\[(?P<stage>.+?)\]\s+"
_PROGRESS = re.compile(
    rf"^(?:\[(?P<execution>\d{{8}}-\d{{6}}-[0-9a-f]+)\]\s*)?{_BRACKETS}"
    rf"(?P<done>{_N})/(?P<total>{_N}) complete, "
    rf"(?P<in_flight>{_N}) in-flight, (?P<queued>{_N}) queued"
    rf"(?:, (?P<alive>{_N})/(?P<workers>{_N}) workers alive, (?P<gone>{_N}) dead)?(?P<tail>.*)$"
)
_COUNT = re.compile(rf"^{_BRACKETS}(?P<done>{_N})/(?P<total>{_N}) tasks completed")
_ITEMS = re.compile(r"items=[\d.,]+ \((?P<rate>[\d.]+)/s\)")
_STAGE_NUMBER = re.compile(r"(?:^|-)stage(?P<number>\d+)(?:-|$)")
_STATUS = re.compile(
    r"\*\*(?P<stage>[^*\n]{1,200})\*\*(?:\s*\((?P<index>\d+)/(?P<of>\d+)\))?\s*\n\s*"
    r"(?P<done>\d{1,9})/(?P<total>\d{1,9}) shards"
)
_STATUS_DETAIL = re.compile(r"(?P<in_flight>\d{1,9}) in-flight, (?P<queued>\d{1,9}) queued")


class LogMarker(StrEnum):
    """What a line of Zephyr's marks, beside progress."""

    WORKERS_ASKED = "workers-asked"
    WORKER_REGISTERED = "worker-registered"
    WORKER_BACK = "worker-back"
    WORKER_SILENT = "worker-silent"
    ALL_WORKERS_GONE = "all-workers-gone"
    STAGE_STARTED = "stage-started"
    SHARD_FAILED = "shard-failed"  # given to another worker; counts against its budget
    SHARD_LOST = "shard-lost"  # given to another worker because its own died
    SHARD_GIVEN_UP = "shard-given-up"
    ABORTED = "aborted"
    SHUT_DOWN = "shut-down"
    PIPELINE_STARTED = "pipeline-started"  # printed by the parent
    PIPELINE_FAILED = "pipeline-failed"  # the parent tries again


class Header(NamedTuple):
    """The front of a log line that Zephyr's processes print (a NamedTuple: thousands are made at a time)."""

    at: datetime
    logger: str
    message: str


@dataclass(frozen=True, slots=True)
class ZephyrMilestone:
    """A marked line; `details` hold what its pattern captured (stage, total, shard, worker, reason, ...)."""

    said: LogMarker
    at: datetime
    details: dict[str, str] = field(default_factory=dict)


def line_at(line: LogLine) -> datetime | None:
    """When a line was printed: the time inside it where that is believable, else the entry's."""
    spans = _spans_of_header(without_digits(line.text)) if len(line.text) <= MAX_CHARACTERS else None
    return _moment(line.text, line.at_ms, spans)


def read_header(line: LogLine) -> Header | None:
    """Time, logger and message of a line with a header; None for prints, tracebacks, other formats."""
    return _read_header(line.text, line.at_ms)


@lru_cache(maxsize=8192)  # several readers ask about the lines of one page
def _read_header(text: str, at_ms: int) -> Header | None:
    if len(text) > MAX_CHARACTERS:
        return None
    spans = _spans_of_header(without_digits(text))
    if spans is None:
        return None
    at = _moment(text, at_ms, spans)
    if at is None:
        return None
    return Header(at, text[spans.logger : spans.end_of_logger], text[spans.message : spans.end])


def _moment(text: str, at_ms: int, spans: "_Spans | None") -> datetime | None:
    """The time inside a line with such a header where that is believable, else the entry's."""
    inside = _time_inside(text, spans, at_ms) if spans is not None else None
    return inside or (datetime.fromtimestamp(at_ms / 1000, UTC) if at_ms else None)


class _Spans(NamedTuple):
    """Where the parts of a header stand; `end_of_fraction` is `second` + 2 where there is none."""

    second: int
    end_of_fraction: int
    logger: int
    end_of_logger: int
    message: int
    end: int


@lru_cache(maxsize=4096)
def _spans_of_header(skeleton: str) -> _Spans | None:
    """The parts of the header that all lines of one shape have."""
    found = _HEADER.match(skeleton)
    if found is None:
        return None
    second = found.start("s") if found["s"] else found.start("s2")
    end = max(second + 2, found.end("f"), found.end("f2"))
    return _Spans(second, end, *found.span("logger"), *found.span("message"))


def is_zephyrs(header: Header) -> bool:
    """Whether the line's logger is one of Zephyr's."""
    return header.logger == "zephyr" or header.logger.startswith("zephyr.")


def read_progress(line: LogLine) -> Progress | None:
    """The progress report that this line is, or None."""
    if " complete" not in line.text or "zephyr" not in line.text:
        return None
    header = read_header(line)
    if header is None or not is_zephyrs(header):
        return None
    if found := _PROGRESS.match(header.message):
        tail = _ITEMS.search(found["tail"])
        optional = {
            name: int(found[name]) for name in ("alive", "workers", "gone") if found[name] is not None
        }
        return Progress(
            stage=found["stage"],
            done=int(found["done"]),
            total=int(found["total"]),
            at=header.at,
            stage_number=_number(found["stage"]),
            in_flight=int(found["in_flight"]),
            queued=int(found["queued"]),
            execution=found["execution"] or "",
            items_per_s=float(tail["rate"].rstrip(".")) if tail and tail["rate"].strip(".") else None,
            **optional,
        )
    if found := _COUNT.match(header.message):
        return Progress(
            found["stage"], int(found["done"]), int(found["total"]), header.at, _number(found["stage"])
        )
    return None


def read_status(text: str, at: datetime) -> Progress | None:
    """The progress that a coordinator's status text reports (May); a second source beside the log."""
    found = _STATUS.search(text[:MAX_CHARACTERS])
    if found is None:
        return None
    detail = _STATUS_DETAIL.search(text[:MAX_CHARACTERS])
    return Progress(
        stage=found["stage"],
        done=int(found["done"]),
        total=int(found["total"]),
        at=at,
        in_flight=int(detail["in_flight"]) if detail else None,
        queued=int(detail["queued"]) if detail else None,
    )


def read_milestone(line: LogLine) -> ZephyrMilestone | None:
    """What this line of Zephyr's marks, or None."""
    if "zephyr" not in line.text or not _may_be_milestone(without_digits(line.text)):
        return None
    header = read_header(line)
    if header is None or not is_zephyrs(header):
        return None
    for said, pattern in _MILESTONES:
        if found := pattern(header.message):
            return ZephyrMilestone(
                said, header.at, {k: v for k, v in found.groupdict().items() if v is not None}
            )
    return None


@lru_cache(maxsize=4096)
def _may_be_milestone(skeleton: str) -> bool:
    return any(word in skeleton for word in _MILESTONE_WORDS)


def _number(stage: str) -> int | None:
    found = _STAGE_NUMBER.search(stage)
    return int(found["number"]) if found else None


def _time_inside(text: str, spans: _Spans, at_ms: int) -> datetime | None:
    """The time that a header prints; None where it is not a valid time or is far from the entry's."""
    known = _minute(text[: spans.second])
    second = int(text[spans.second : spans.second + 2])
    if known is None or second > 59:
        return None
    minute, minute_ms = known
    fraction = text[spans.second + 3 : spans.end_of_fraction]
    microsecond = int(fraction[:6].ljust(6, "0")) if fraction else 0
    if at_ms and abs(at_ms - minute_ms - second * 1000 - microsecond / 1000) > MAX_APART_S * 1000:
        return None
    return minute.replace(second=second, microsecond=microsecond)


@lru_cache(maxsize=256)  # many lines are printed in one minute
def _minute(stamp: str) -> tuple[datetime, int] | None:
    """The minute that such a header begins with, and its epoch milliseconds; None where there is none."""
    digits = "".join(filter(str.isdigit, stamp))
    month, day, hour, minute = (int(digits[at : at + 2]) for at in (4, 6, 8, 10))
    try:
        begin = datetime(int(digits[:4]), month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
    return begin, int(begin.timestamp()) * 1000


# The first that fits wins, so what is more exact stands first.
_PHRASES: tuple[tuple[LogMarker, str], ...] = (
    (LogMarker.SHUT_DOWN, r"^Coordinator shutdown complete"),
    (LogMarker.SHUT_DOWN, r"^\[coordinator\.shutdown\] Starting shutdown"),
    (LogMarker.SHARD_LOST, r"Shard (?P<shard>\d+) requeued from worker (?P<worker>\S+) due to infra"),
    (
        LogMarker.SHARD_FAILED,
        r"Shard (?P<shard>\d+) failed on worker (?P<worker>\S+) \([^)]*?(?P<n>\d+)/(?P<most>\d+)\)",
    ),
    (
        LogMarker.SHARD_GIVEN_UP,
        r"Shard (?P<shard>\d+) has (?:failed (?P<n>\d+) times|been in flight during \d+)",
    ),
    (LogMarker.WORKER_BACK, r"Worker (?P<worker>\S+) re-registering"),
    (LogMarker.WORKER_REGISTERED, r"Worker (?P<worker>\S+) registered, total: (?P<count>\d+)"),
    (LogMarker.WORKER_SILENT, r"[Ww]orker (?P<worker>\S+) failed to heartbeat"),
    (LogMarker.ALL_WORKERS_GONE, r"^All workers are dead/failed"),
    (LogMarker.WORKERS_ASKED, r"^Starting (?P<count>\d+) workers\b"),
    (LogMarker.STAGE_STARTED, r"Starting stage (?P<stage>.+?)(?: \([^)]*\))? with (?P<total>\d+) tasks"),
    (LogMarker.ABORTED, r"^Coordinator aborted: (?P<reason>.*)"),
    (
        LogMarker.PIPELINE_STARTED,
        r"^Starting zephyr pipeline: (?P<execution>\S+)(?:.{0,120}attempt (?P<n>\d+))?",
    ),
    (
        LogMarker.PIPELINE_FAILED,
        r"^Pipeline attempt (?P<n>\d+) failed \((?P<left>\d+) retries left\)[^:]*: (?P<reason>.*)",
    ),
)
_MILESTONE_WORDS = ("oordinator", "Shard ", "orker ", "workers", "Starting ", "Pipeline ")  # one is in each
_MILESTONES = tuple((said, re.compile(phrase).search) for said, phrase in _PHRASES)

"""How babysit's own log is written: redacted, and without the local variables of tracebacks, whoever logs.

structlog's own defaults print local variables of every frame where rich is installed, and write to standard
output; libraries log through the standard library. Both go through here.
"""

import io
import json
import logging
import sys
import threading
import traceback
from collections.abc import MutableMapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, TextIO, cast

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import Processor

from babysitter.redact import redact, redact_value

INFO, WARNING, ERROR = 20, 30, 40
MAX_FRAMES = 50


class StandardError(io.TextIOBase):
    """Standard error as it is when something is written, not as it was when the log was configured."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def configure_log(stream: TextIO, *, as_json: bool, least_level: int = INFO) -> None:
    """From now on everything logged goes to `stream`: JSON lines, or lines for a person at a terminal.

    Includes what libraries log (warnings and worse) and exceptions that nobody caught.
    """
    structlog.configure(
        processors=_processors(as_json=as_json),
        wrapper_class=structlog.make_filtering_bound_logger(least_level),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LibraryFormatter(as_json=as_json))
    root = logging.getLogger()
    root.handlers[:] = [present for present in root.handlers if not _is_ours(present)] + [handler]
    root.setLevel(max(WARNING, least_level))
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def silence_log() -> None:
    """Log nothing any more: what an interruption cancels half way would log faults that are none."""
    structlog.configure(processors=[_drop])
    logging.disable(logging.CRITICAL)
    sys.unraisablehook = lambda _: None  # of coroutines that are collected half way


def _drop(_logger: Any, _method: str, _event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    raise structlog.DropEvent


def configure_log_unless_done() -> None:
    """Make the log safe for a command that did not choose one: warnings, for a person, on standard error."""
    if not structlog.is_configured():
        configure_log(cast("TextIO", StandardError()), as_json=False, least_level=WARNING)


def _is_ours(handler: logging.Handler) -> bool:
    return isinstance(handler.formatter, LibraryFormatter)


def _processors(*, as_json: bool) -> list[Processor]:
    stamped: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if as_json:
        frames = ExceptionDictTransformer(show_locals=False, max_frames=MAX_FRAMES, use_rich=False)
        return [
            *stamped,
            structlog.processors.ExceptionRenderer(frames),
            redact_event,
            structlog.processors.JSONRenderer(default=_safe_repr),
        ]
    return [
        *stamped,
        structlog.processors.format_exc_info,
        redact_event,
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]


def redact_event(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor of structlog: the event without secrets, by the names of its fields and in its texts."""
    plain = {
        name: value
        if isinstance(value, (str, int, float, dict, list, tuple, type(None)))
        else _safe_repr(value)
        for name, value in event.items()
    }
    redacted = redact_value(plain)
    assert isinstance(redacted, dict)
    return redacted


class LibraryFormatter(logging.Formatter):
    """Records of the standard library's logging, redacted, in the form that our own log has."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        event = redact(record.getMessage())
        trouble = redact(self.formatException(record.exc_info)) if record.exc_info else ""
        at = datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z")
        level = record.levelname.lower()
        if self._as_json:
            line = {"logger": record.name, "event": event, "level": level, "timestamp": at}
            return json.dumps({**line, "exception": trouble} if trouble else line)
        return "\n".join(filter(None, (f"{at} [{level}] {record.name}: {event}", trouble)))


def _log_uncaught(kind: type[BaseException], fault: BaseException, where: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    text = "".join(traceback.format_exception(kind, fault, where))
    print(redact(text), end="", file=sys.stderr)  # noqa: T201


def _log_uncaught_in_thread(fault: threading.ExceptHookArgs) -> None:
    if fault.exc_value is not None and not issubclass(fault.exc_type, SystemExit):
        _log_uncaught(fault.exc_type, fault.exc_value, fault.exc_traceback)


def _safe_repr(value: object) -> str:
    return redact(repr(value))

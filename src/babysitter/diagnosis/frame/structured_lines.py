"""Lines of JSON and logfmt loggers as other loggers write them: time, level, logger, message, the rest."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

MAX_LINE = 65_536  # bytes; a longer line is data, and reading it takes time and memory
MAX_PREFIX = 200  # characters in front of the fields, or of a logfmt message: headers, time, level

_MESSAGE_KEYS = ("msg", "message", "log", "textPayload", "event")
_LEVEL_KEYS = ("level", "severity", "lvl", "levelname")
_TIME_KEYS = ("time", "ts", "timestamp", "@timestamp", "asctime", "t")
_PROGRAM_KEYS = ("logger", "name", "caller", "component", "worker")
_ERROR_KEYS = frozenset({"error", "err", "exception", "exc_info", "stack_trace", "stacktrace", "cause"})
_OF_A_LOG = frozenset({*_LEVEL_KEYS, *_TIME_KEYS, "stream", "logger", "caller"})
_SHOWN = frozenset({*_MESSAGE_KEYS, *_LEVEL_KEYS, *_TIME_KEYS, *_PROGRAM_KEYS})
_SPELLED = tuple(f'"{key}"'.encode() for key in _MESSAGE_KEYS)
_LOGFMT_MARKS = (b' msg="', b' message="')
_MARKS = ('{"', *(mark.decode() for mark in _LOGFMT_MARKS))
_LOGFMT = re.compile(rb"\b(?:time|ts|t|level|lvl|severity)=")
_PAIR = re.compile(r'([\w.@-]{1,40})=("(?:[^"\\]|\\.)*"|\S*)')
_ESCAPED = re.compile(r"\\(.)")
_SPACES = re.compile(r"\s*\n\s*")


def unwrap_structured_lines(text: bytes) -> bytes:
    """Replace each line of a JSON or logfmt logger by its plain form; as many lines as before.

    `{"level":"error","ts":1767348672,"msg":"no space left"}` becomes `1767348672 ERROR no space left`. Rows
    of data have no level and no time, and stay.
    """
    if b'{"' in text and any(key in text for key in _SPELLED):
        text = _replace_lines(text, b'{"', _plain_json)
    for mark in _LOGFMT_MARKS:
        text = _replace_lines(text, mark, _plain_logfmt)
    return text


def unwrap_text(text: str) -> str:
    """The same for text."""
    if not any(mark in text for mark in _MARKS):
        return text
    return unwrap_structured_lines(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def _replace_lines(text: bytes, mark: bytes, plain: Callable[[bytes, bytes], bytes | None]) -> bytes:
    """Each line with a mark, replaced by what `plain` makes of it (prefix and fields; None: it stays)."""
    parts: list[bytes] = []
    done = 0
    at = text.find(mark)
    while at >= 0:
        start = text.rfind(b"\n", done, at) + 1 or done
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        is_short = at - start <= MAX_PREFIX and end - start <= MAX_LINE
        if is_short and (line := plain(text[start:at], text[at:end])) is not None:
            parts += [text[done:start], line]
            done = end
        at = text.find(mark, end)
    return b"".join([*parts, text[done:]]) if parts else text


def _plain_json(prefix: bytes, fields: bytes) -> bytes | None:
    if not any(key in fields for key in _SPELLED) or b"{" in prefix:
        return None
    try:
        return _plain(prefix, json.loads(fields))
    except (ValueError, RecursionError):  # RecursionError: nested a thousand levels deep
        return None


def _plain_logfmt(prefix: bytes, fields: bytes) -> bytes | None:
    begin = _LOGFMT.search(prefix)
    if begin is None:
        return None
    line = (prefix[begin.start() :] + fields).decode("utf-8", "replace")
    pairs = {key: _ESCAPED.sub(_unescaped, _bare(value)) for key, value in _PAIR.findall(line)}
    return _plain(prefix[: begin.start()], pairs)


def _bare(value: str) -> str:
    return value[1:-1] if value.startswith('"') else value


def _unescaped(found: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t"}.get(found[1], found[1])


def _plain(prefix: bytes, fields: Mapping[str, Any]) -> bytes | None:
    message = _first(fields, _MESSAGE_KEYS)
    if not isinstance(message, str) or not fields.keys() & _OF_A_LOG:
        return None
    parts = [str(_first(fields, _TIME_KEYS)), str(_first(fields, _LEVEL_KEYS)).upper()]
    if program := _first(fields, _PROGRAM_KEYS):
        parts.append(f"[{program}]")
    parts += [message, *_others(fields)]
    plain = " ".join(part for part in parts if part)
    return prefix + _SPACES.sub("  ", plain.strip()).encode("utf-8", "replace")


def _others(fields: Mapping[str, Any]) -> Iterator[str]:
    """What else the line says: the error as text, the rest as `key=value`."""
    for key, value in fields.items():
        if key in _ERROR_KEYS and isinstance(value, str):
            yield f"{key}: {value}"
        elif key not in _SHOWN and isinstance(value, str | int | float):
            yield f'{key}="{value}"' if isinstance(value, str) and " " in value else f"{key}={value}"


def _first(fields: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((fields[key] for key in keys if fields.get(key)), "")

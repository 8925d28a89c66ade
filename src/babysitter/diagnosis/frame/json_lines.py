"""Lines of JSON loggers as other loggers write them: time, level, logger, message, error."""

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_PREFIX = 120  # characters of a pod's or a runtime's header in front of the JSON

_MESSAGE_KEYS = ("msg", "message", "log", "textPayload", "event")
_LEVEL_KEYS = ("level", "severity", "lvl", "levelname")
_TIME_KEYS = ("time", "ts", "timestamp", "@timestamp", "asctime")
_PROGRAM_KEYS = ("logger", "name", "caller", "component")
_ERROR_KEYS = frozenset({"error", "err", "exception", "exc_info", "stack_trace", "stacktrace", "cause"})
_OF_A_LOG = frozenset({*_LEVEL_KEYS, *_TIME_KEYS, "stream", "logger", "caller"})
_SPELLED = tuple(f'"{key}"'.encode() for key in _MESSAGE_KEYS)

_SHOWN = frozenset({*_MESSAGE_KEYS, *_LEVEL_KEYS, *_TIME_KEYS, *_PROGRAM_KEYS})
_LINE = re.compile(rf'^([^{{\n]{{0,{MAX_PREFIX}}})(\{{"[^\n]*\}})[^\S\n]*$'.encode(), re.MULTILINE)
_SPACES = re.compile(r"\s*\n\s*")


def unwrap_json_lines(text: bytes) -> bytes:
    """Replace each line of a JSON logger by its plain form; as many lines as before.

    `{"level":"error","ts":1767348672,"msg":"no space left"}` becomes `1767348672 ERROR no space left`. Rows
    of data have no level and no time, and stay.
    """
    if b'{"' not in text or not any(key in text for key in _SPELLED):
        return text
    return _LINE.sub(_plain_line, text)


def _plain_line(found: re.Match[bytes]) -> bytes:
    if not any(key in found[2] for key in _SPELLED):
        return found[0]
    try:
        fields = json.loads(found[2])
    except ValueError:
        return found[0]
    message = _first(fields, _MESSAGE_KEYS)
    if not isinstance(message, str) or not fields.keys() & _OF_A_LOG:
        return found[0]
    parts = [str(_first(fields, _TIME_KEYS)), str(_first(fields, _LEVEL_KEYS)).upper()]
    if program := _first(fields, _PROGRAM_KEYS):
        parts.append(f"[{program}]")
    parts += [message, *_others(fields)]
    plain = " ".join(part for part in parts if part)
    return found[1] + _SPACES.sub("  ", plain.strip()).encode("utf-8", "replace")


def _others(fields: dict[str, Any]) -> Iterator[str]:
    """What else the line says: the error as text, the rest as `key=value`."""
    for key, value in fields.items():
        if key in _ERROR_KEYS and isinstance(value, str):
            yield f"{key}: {value}"
        elif key not in _SHOWN and isinstance(value, str | int | float):
            yield f'{key}="{value}"' if isinstance(value, str) and " " in value else f"{key}={value}"


def _first(fields: dict[str, Any], keys: tuple[str, ...]) -> Any:
    return next((fields[key] for key in keys if fields.get(key)), "")

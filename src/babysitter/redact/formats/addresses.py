"""Finds credentials inside addresses: `scheme://user:password@host`, `user:password@tcp(host)`, `.pgpass`."""

import re
from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import is_placeholder, is_plain
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

# The password may hold a slash or an @; the last @ before a host ends it, or before
# a path if the host is missing.
_URL_USER = lazy_regex(r"://([^\s/@:\"'<>]{0,256}):([^\s\"'<>]{1,512})@(?=[\w.\[\-/?]|$)")
_URL_TOKEN = lazy_regex(r"(?:https?|git|ssh|wss?|ftp|nats)(?:\+\w+)?://([^\s/@:\"'<>]{8,512})@")
_PORT_FIRST = lazy_regex(r"\d{1,5}(?:[/?#]|;[A-Za-z ]{1,40}=|$)")
_URL_ENCODED = lazy_regex(r"(?i)%3A%2F%2F[^\s%/:@]{0,80}%3A((?:(?!%40)\S){1,200})%40")
_URL_ENCODED_TOKEN = lazy_regex(r"(?i)%3A%2F%2F((?=[A-Za-z]{0,200}\d)[A-Za-z0-9_\-]{20,200})%40")
_DSN = lazy_regex(
    r"(?<![\w.:/-])([\w.-]{1,64}):([^\s@:/\"',()]{3,128})@(?:(?:tcp|unix|udp)?\(|[\w-]{1,64}\.[\w.-]{1,200})"
)
_NO_USERS = frozenset(("mailto", "acct", "git", "ssh", "http", "https"))
_PLACEHOLDERS = ("password", "passwd", "pass", "pwd", "secret", "PASSWORD")
_PGPASS = lazy_regex(
    r"(?m)(?:^|(?<=[\s\"'│]))[\w.*-]{1,253}:(?:5432|5433|6432|\*):[\w*-]{1,63}:[\w*-]{1,63}:"
    r"([^\s\"']{3,200})(?=[\"']|[ \t│]*$)"
)


_HINTS = ("@", "%40", ":5432", ":5433", ":6432", ":*:")
SIGNS = r"@|%40|:(?:5432|5433|6432|\*):"
_SIGNS = LinearPattern(SIGNS)


def find_in_addresses(text: Text) -> Iterator[Span]:
    """Spans of passwords and tokens in addresses."""
    if not text.holds_any(_HINTS):
        return
    for start, end in _SIGNS.lines(text):
        yield from _in_line(text.text, start, end)


def _in_line(text: str, start: int, end: int) -> Iterator[Span]:
    for found in _URL_USER.finditer(text, start, end):
        yield from _password(found)
    for found in _URL_TOKEN.finditer(text, start, end):
        if not is_plain(found[1]) and not found[1].startswith(REDACTED):
            yield found.span(1)
    for found in _DSN.finditer(text, start, end):
        if found[1].lower() not in _NO_USERS and not found[2].startswith((REDACTED, "sha256")):
            yield found.span(2)
    for pattern in (_URL_ENCODED, _URL_ENCODED_TOKEN, _PGPASS):
        for found in pattern.finditer(text, start, end):
            if REDACTED not in found[1]:
                yield found.span(1)


def _password(found: re.Match[str]) -> Iterator[Span]:
    """`https://host:8080/path@v1` has a port and no password."""
    password = found[2]
    is_port = _PORT_FIRST.match(password) is not None and (
        "/" in password or ";" in password or password.isdigit()
    )
    if is_port or "://" in password or password.startswith(REDACTED) or password in _PLACEHOLDERS:
        return
    if not is_placeholder(password):
        yield found.span(2)

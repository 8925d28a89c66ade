"""Takes secrets out of texts: every detector looks at the same text; what any of them found is replaced."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from babysitter.redact.addresses import find_in_addresses
from babysitter.redact.command_lines import find_in_commands
from babysitter.redact.http_headers import find_in_headers
from babysitter.redact.key_blocks import find_key_blocks
from babysitter.redact.layout import find_by_layout
from babysitter.redact.mentioned import find_mentioned
from babysitter.redact.name_scan import NAME_WORDS
from babysitter.redact.named import find_named
from babysitter.redact.neutral import strip_control_characters
from babysitter.redact.phrases import NEARS, find_phrases
from babysitter.redact.text_spans import (
    REDACTED,
    Detector,
    LinearPattern,
    Span,
    Text,
    replaced,
)
from babysitter.redact.tokens import find_tokens
from babysitter.redact.value_shapes import is_placeholder, is_plain, looks_random
from babysitter.redact.wrapped import find_continued

MAX_PASSES = 6  # taking one secret out can bring two halves of a line together; the fixed point comes at once
MAX_VALUES = 200  # secrets that are looked for again elsewhere in the same text
SHORTEST_VALUE = 8

DETECTORS: tuple[Detector, ...] = (
    find_tokens,
    find_key_blocks,
    find_in_headers,
    find_in_addresses,
    find_named,
    find_in_commands,
    find_by_layout,
    find_phrases,
    find_mentioned,
)


_NEAR = "|".join(re.escape(near) for near in NEARS if near.isascii())
# What every detector but the first needs to find anything; most lines of a log have none of it.
_SIGNS = LinearPattern(
    rf"{NAME_WORDS}|bearer|basic|@|%40|:(?:5432|5433|6432|\*):|[A-Za-z0-9+/]{{60}}|-----BEGIN|PuTTY|Private-|"
    r"-[ua]\b|--user|--auth|login|mysql|redis-cli|mongo|clickhouse|cqlsh|influx|sqlcmd|snowsql|"
    rf"ldap|net +use|\becho\b|curl|lftp|sqlplus|openssl|zip\b|\b7z|mosquitto|twine|flit|doctl|"
    rf"ssh-keygen|freerdp|mstsc|rabbitmqctl|mc +alias|addauth|psk\b|{_NEAR}",
    ignore_case=True,
)


def redact(text: str) -> str:
    """Return the text (made neutral) with every secret replaced by `[redacted]`.

    Idempotent, linear in time, and line by line: the result has as many lines as the neutral text. A secret
    that was recognised by its name is removed wherever else it stands in the text.
    """
    for _ in range(MAX_PASSES):
        before = text
        text = _pass(strip_control_characters(text))
        if text == before:
            break
    return text


def redact_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines redacted together, so that a key that spans several of them is recognised."""
    neutral_lines = [strip_control_characters(line) for line in lines]
    whole = redact("\n".join(neutral_lines)).split("\n")
    redacted, at = [], 0
    for line in neutral_lines:
        height = line.count("\n") + 1
        redacted.append("\n".join(whole[at : at + height]))
        at += height
    return redacted


def _pass(plain: str) -> str:
    text = Text(plain)
    detectors = DETECTORS if _SIGNS.found_in(text) else DETECTORS[:1]
    found = [span for detector in detectors for span in detector(text)]
    if "\n" in plain:
        found += list(find_continued(text, sorted(set(found))))
    if not found:
        return plain
    found += list(_again(text, found))
    return replaced(plain, found)


def _again(text: Text, found: Sequence[Span]) -> Iterator[Span]:
    """Further places of values that were found: the exception that quotes the password it was given."""
    values = {text.text[start:end].strip("\"' ") for start, end in found}
    worth = filter(_is_worth_finding, sorted(values, key=len, reverse=True))
    for value in islice(worth, MAX_VALUES):
        at = text.text.find(value)
        while at >= 0:
            yield at, at + len(value)
            at = text.text.find(value, at + len(value))


def _is_worth_finding(value: str) -> bool:
    if len(value) < SHORTEST_VALUE or "\n" in value or REDACTED in value or is_placeholder(value):
        return False
    return looks_random(value, least=SHORTEST_VALUE, hex_too=True) or not is_plain(value)

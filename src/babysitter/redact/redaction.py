"""Takes secrets out of texts: every detector looks at the same text; what any of them found is replaced."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from babysitter.redact.formats import (
    addresses,
    code_lists,
    command_arguments,
    command_lines,
    encoded_text,
    hex_dumps,
    http_headers,
    key_bytes,
    secret_objects,
    sql_rows,
)
from babysitter.redact.formats.addresses import find_in_addresses
from babysitter.redact.formats.code_lists import find_code_lists
from babysitter.redact.formats.command_arguments import find_in_arguments
from babysitter.redact.formats.command_lines import find_in_commands
from babysitter.redact.formats.encoded_text import find_in_encoded
from babysitter.redact.formats.escaped_text import find_in_escaped
from babysitter.redact.formats.hex_dumps import find_in_dumps
from babysitter.redact.formats.http_headers import find_in_headers
from babysitter.redact.formats.joined_strings import find_joined
from babysitter.redact.formats.key_blocks import find_key_blocks
from babysitter.redact.formats.key_bytes import find_key_bytes
from babysitter.redact.formats.layout import find_below_labels, find_by_layout
from babysitter.redact.formats.secret_objects import find_secret_objects
from babysitter.redact.formats.sql_rows import find_sql_rows
from babysitter.redact.formats.wrapped import find_continued
from babysitter.redact.kinds.tokens import find_tokens
from babysitter.redact.neutral import strip_control_characters
from babysitter.redact.phrases import labels, phrases, sentences
from babysitter.redact.phrases.labels import find_behind_labels
from babysitter.redact.phrases.mentioned import find_mentioned
from babysitter.redact.phrases.phrases import find_phrases
from babysitter.redact.phrases.sentences import find_in_sentences
from babysitter.redact.settings.name_scan import NAME_WORDS
from babysitter.redact.settings.named import find_named
from babysitter.redact.settings.value_shapes import is_placeholder, is_plain, looks_random
from babysitter.redact.text_spans import (
    REDACTED,
    Detector,
    PatternSet,
    Span,
    Text,
    replaced,
)

MAX_PASSES = 6  # taking one secret out can bring two halves of a line together; the fixed point comes at once
MAX_VALUES = 200  # secrets that are looked for again elsewhere in the same text
SHORTEST_VALUE = 8


def _find_encoded(text: Text) -> Iterator[Span]:
    return find_in_encoded(text, _everything)


def _find_dumped(text: Text) -> Iterator[Span]:
    return find_in_dumps(text, _everything)


# Every detector with what a text must hold (in lower case) so that it can find anything: most lines of a log
# have none of it. The first two look for themselves.
_FIRST: tuple[Detector, ...] = (find_tokens, find_key_blocks)
_BY_SIGNS: tuple[tuple[Detector, str], ...] = (
    (find_in_headers, http_headers.SIGNS),
    (find_in_addresses, addresses.SIGNS),
    (find_named, NAME_WORDS),
    (find_in_commands, command_lines.SIGNS),
    (find_in_arguments, command_arguments.SIGNS),
    (find_by_layout, NAME_WORDS),
    (find_phrases, phrases.SIGNS),
    (find_mentioned, NAME_WORDS),
    (find_behind_labels, labels.SIGNS),
    (find_below_labels, labels.SIGNS),
    (find_in_sentences, sentences.SIGNS),
    (find_code_lists, code_lists.SIGNS),
    (find_sql_rows, sql_rows.SIGNS),
    (find_secret_objects, secret_objects.SIGNS),
    (_find_encoded, encoded_text.SIGNS),
    (_find_dumped, hex_dumps.SIGNS),
    (find_key_bytes, key_bytes.SIGNS),
)
_SIGNS = PatternSet([signs for _, signs in _BY_SIGNS])
DETECTORS: tuple[Detector, ...] = (*_FIRST, *(detector for detector, _ in _BY_SIGNS))


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
    by_signs = [_BY_SIGNS[number][0] for number in _SIGNS.found_in(text)]
    found = [span for detector in (*_FIRST, *by_signs) for span in detector(text)]
    if "\n" in plain:
        found += list(find_continued(text, sorted(set(found))))
    if "\\" in plain and (by_signs or "\\u00" in plain):
        found += list(find_in_escaped(text, _in_plain))
    if not found:
        return plain
    found += list(find_joined(text, sorted(set(found))))
    found += list(_again(text, found))
    return replaced(plain, found)


def _everything(text: Text) -> Iterator[Span]:
    yield from find_tokens(text)
    yield from find_key_blocks(text)
    yield from _in_plain(text)


def _in_plain(text: Text) -> Iterator[Span]:
    """What the detectors of lines find in a text that was escaped."""
    found = [
        span for number in _SIGNS.found_in(text) for span in _BY_SIGNS[number][0](text) if span[1] > span[0]
    ]
    yield from found
    yield from find_continued(text, sorted(set(found)))


def _again(text: Text, found: Sequence[Span]) -> Iterator[Span]:
    """Further places of values that were found: the exception that quotes the password it was given."""
    values = {text.text[start:end].strip("\"' ") for start, end in found}
    values |= {value.rsplit("/", 1)[-1] for value in values if "hooks" in value or "services/" in value}
    for value in worth_finding(values):
        at = text.text.find(value)
        while at >= 0:
            yield at, at + len(value)
            at = text.text.find(value, at + len(value))


def worth_finding(values: Iterable[str]) -> Sequence[str]:
    """At most 200 values to look for elsewhere, the longest first; none that is a plain word."""
    return list(islice(filter(_is_worth_finding, sorted(values, key=len, reverse=True)), MAX_VALUES))


def _is_worth_finding(value: str) -> bool:
    if len(value) < SHORTEST_VALUE or "\n" in value or REDACTED in value or is_placeholder(value):
        return False
    return looks_random(value, least=SHORTEST_VALUE, hex_too=True) or not is_plain(value)

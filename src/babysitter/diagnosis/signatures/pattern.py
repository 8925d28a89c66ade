"""One pattern of a playbook: a literal or a `/regex/`, linear-time by construction.

Everything that a pattern can do wrong is found here, when it is read: constructs that would need
backtracking, expressions that match every line, programs too big to be worth their scan.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import re2

from babysitter.diagnosis.signatures.needed_words import Choices, needed_words
from babysitter.diagnosis.signatures.prefilter import prefilter_expression
from babysitter.diagnosis.signatures.regex import BadRegex, parse_literal, parse_regex
from babysitter.diagnosis.signatures.regex_tree import (
    RegexNode,
    counted_gaps,
    names_of,
    shortest,
    shortest_match,
    spell,
    telling_length,
    widened,
    with_single_blanks,
)

LINE_LIMIT_BYTES = 16_384  # a longer line is cut to its head and tail (engine.tidy), in every engine alike
COUNTED = 20  # gaps up to this long are counted while scanning, longer ones only in the lines found
PROGRAM_LIMIT = 6_000  # RE2 instructions; a hand-written rule needs 20 to 400


class BadPattern(ValueError):
    """A pattern that cannot be used; the sentence says why and what to do instead."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Pattern:
    """`regex` decides and finds the captures; `names` are its groups in order.

    `quick` is for scanning lines in which a blank stands for a run of them: it matches the same lines, and of
    those longer than `exact_up_to_bytes` perhaps more, which `regex` sorts out.
    Equal patterns are one object (`_only_one`): a page of lines costs a thousand look-ups of one.
    """

    text: str  # as written in the playbook
    regex: str
    quick: str
    is_literal: bool
    ignore_case: bool = False
    names: tuple[str, ...] = ()
    exact_up_to_bytes: int = LINE_LIMIT_BYTES
    telling: int = 0  # characters that any matching line holds at the least, in one piece
    needed_words: Choices = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _only_one, tuple(getattr(self, field.name) for field in fields(self))

    def matches(self, line: bytes) -> bool:
        """Whether a line matches."""
        line = line[:LINE_LIMIT_BYTES]
        return finder(self)(line, 0, len(line)) >= 0

    def captures(self, line: bytes) -> dict[str, str] | None:
        """What the first match in a line captures, or None when there is no match."""
        values = capturer(self)(line[:LINE_LIMIT_BYTES])
        if values is None:
            return None
        return {
            name: value.decode("utf-8", "replace") for name, value in zip(self.names, values, strict=True)
        }

    def captures_in(self, text: str) -> dict[str, str] | None:
        """The same for a short text of several lines, such as an error field."""
        for line in text.encode("utf-8", "replace").split(b"\n"):
            found = self.captures(line)
            if found is not None:
                return found
        return None


def parse_pattern(text: str, *, ignore_case: bool = False, shown: str = "") -> Pattern:
    """Understand one pattern. `shown`: how the playbook writes it. Raises BadPattern.

    `/.../` is a regular expression, `/.../i` one that ignores case; everything else is a literal text.
    """
    body, is_literal, ignore_case = _split(text, ignore_case)
    if not body:
        raise BadPattern("an empty pattern would match every line; write the text that the program prints")
    if is_literal and "\n" in body:
        raise BadPattern("a pattern is held against one line at a time; use `sequence` for several lines")
    try:
        node = parse_literal(body) if is_literal else parse_regex(body)
        if node.can_be_empty:
            raise BadRegex("can match nothing at all, so it would match every line")
        if ignore_case and not body.isascii():
            raise BadRegex("ignores case, which is only possible for ASCII")
    except BadRegex as error:
        raise BadPattern(f"{text} {error}") from None
    part = None if is_literal else prefilter_expression(node)
    scanned = node if is_literal else widened(shortest(part or node), gap=COUNTED)
    pattern = _only_one(
        shown or text,
        spell(node),
        spell(with_single_blanks(scanned), names=False),
        is_literal,
        ignore_case,
        tuple(names_of(node)),
        0 if part is not None else _exact_up_to_bytes(shortest(node)),
        telling_length(node),
        needed_words(node),
    )
    _check_size(pattern)
    return pattern


def _exact_up_to_bytes(node: RegexNode) -> int:
    """How long a line may be so that no gap in it is longer than the expression allows."""
    least = shortest_match(node)
    return min((LINE_LIMIT_BYTES, *(high + least - low for low, high in counted_gaps(node, gap=COUNTED))))


_living: WeakValueDictionary[tuple[Any, ...], Pattern] = WeakValueDictionary()


def _only_one(*values: Any) -> Pattern:
    """The pattern with these fields."""
    return _living.setdefault(values, Pattern(*values))


def most_telling(patterns: Sequence[Pattern]) -> Pattern:
    """Of patterns that must all occur the one to look for; of equals the later, by custom the rarer."""
    return max(reversed(patterns), key=lambda pattern: pattern.telling)


@lru_cache(maxsize=8192)
def compiled(pattern: Pattern) -> Any:
    """The RE2 program of a pattern, over bytes."""
    return re2.compile(pattern.regex.encode("ascii"), options=re2_options(ignore_case=pattern.ignore_case))


Find: TypeAlias = Callable[[bytes, int, int], int]


@lru_cache(maxsize=8192)
def finder(pattern: Pattern) -> Find:
    """Where the first match of a pattern in a line begins, -1 when there is none; as `bytes.find`."""
    if not pattern.names:
        return _finder(compiled(pattern))
    return _finder(re2.compile(_without_names(pattern), options=re2_options(ignore_case=pattern.ignore_case)))


def _without_names(pattern: Pattern) -> bytes:
    """The expression without captures, which cost half of the time."""
    return re.sub(r"\(\?P<\w+>", "(?:", pattern.regex).encode("ascii")


@lru_cache(maxsize=1024)
def line_finder(pattern: Pattern) -> Find:
    """The same in a buffer of many lines, where ^ and $ are the ends of a line."""
    options = re2_options(ignore_case=pattern.ignore_case)
    return _finder(re2.compile(b"(?m)" + _without_names(pattern), options=options))


def _finder(program: Any) -> Find:
    # Straight to the binding: the wrapper's search() makes a generator and three objects for each line.
    match, anywhere = program._regexp.Match, re2._Anchor.UNANCHORED

    def find(text: bytes, start: int, end: int) -> int:
        begin: int = match(anywhere, text, start, end)[0][0]
        return begin

    return find


Capture: TypeAlias = Callable[[bytes], tuple[bytes, ...] | None]


@lru_cache(maxsize=8192)
def capturer(pattern: Pattern) -> Capture:
    """The values of a pattern's names in their order, for callers with many lines; None without a match."""
    # Only named groups capture (regex.py spells all others `(?:`), so their order is their number. A group
    # that took no part has the span (-1, -1), which is empty. Nearly all patterns have one or two names, for
    # which a loop would take half of the time.
    match, anywhere = compiled(pattern)._regexp.Match, re2._Anchor.UNANCHORED

    def one(line: bytes) -> tuple[bytes, ...] | None:
        (found, _), (start, end) = match(anywhere, line, 0, len(line))
        return (line[start:end],) if found >= 0 else None

    def two(line: bytes) -> tuple[bytes, ...] | None:
        (found, _), (start, end), (start2, end2) = match(anywhere, line, 0, len(line))
        return (line[start:end], line[start2:end2]) if found >= 0 else None

    def any_number(line: bytes) -> tuple[bytes, ...] | None:
        (found, _), *spans = match(anywhere, line, 0, len(line))
        return tuple([line[start:end] for start, end in spans]) if found >= 0 else None

    return {1: one, 2: two}.get(len(pattern.names), any_number)


def re2_options(*, ignore_case: bool = False) -> Any:
    """Bytes in, bytes out: invalid UTF-8 in a log must not hide a line."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.case_sensitive = not ignore_case
    options.max_mem = 8 << 20
    return options


def _split(text: str, ignore_case: bool) -> tuple[str, bool, bool]:
    if len(text) > 2 and text.startswith("/") and text.endswith(("/", "/i")) and text != "/i":
        body, _, flag = text[1:].rpartition("/")
        ignore_case = ignore_case or flag == "i"
        if body.startswith("(?i)"):
            return body[4:], False, True
        return body, False, ignore_case
    return text, True, ignore_case


def _check_size(pattern: Pattern) -> None:
    try:
        program = compiled(pattern)
    except re2.error as error:
        reason = error.args[0] if error.args else b"it does not compile"
        words = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise BadPattern(f"{pattern.text} is not a linear-time pattern: {words}") from None
    if program.programsize > PROGRAM_LIMIT:
        raise BadPattern(
            f"{pattern.text} is too big ({program.programsize} steps, at most {PROGRAM_LIMIT}); "
            "use smaller repeat counts"
        )

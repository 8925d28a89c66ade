"""One pattern of a playbook: a literal or a `/regex/`, linear-time by construction.

Everything a pattern can do wrong is found here, when it is read, and said in words: constructs that would
need backtracking, expressions that match every line, programs too big to be worth their scan.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

LINE_LIMIT_BYTES = 16_384  # of a longer line only the head is matched, in every engine alike
PROGRAM_LIMIT = 6_000  # RE2 instructions; a hand-written rule needs 20 to 400

_BACKTRACKING = (
    ("(?=", "a lookahead"),
    ("(?!", "a negative lookahead"),
    ("(?<=", "a lookbehind"),
    ("(?<!", "a negative lookbehind"),
    ("(?>", "an atomic group"),
    ("(?P=", "a backreference"),
    ("(?(", "a conditional group"),
)


class BadPattern(ValueError):
    """A pattern that cannot be used; the sentence says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`regex` is RE2 syntax, for one line; `names` are its named groups in order."""

    text: str  # as written in the playbook
    regex: str
    is_literal: bool
    ignore_case: bool = False
    names: tuple[str, ...] = ()

    def search(self, line: bytes) -> dict[str, str] | None:
        """The captures of the first match in the head of a line, or None."""
        found = compiled(self).search(line[:LINE_LIMIT_BYTES])
        if found is None:
            return None
        return {name: (found.group(name) or b"").decode("utf-8", "replace") for name in self.names}

    def matches(self, text: str) -> bool:
        """Whether the pattern occurs in a short text such as an error field."""
        return any(self.search(line) is not None for line in text.encode("utf-8", "replace").split(b"\n"))


def parse_pattern(text: str, *, ignore_case: bool = False) -> Pattern:
    """Understand one pattern. Raises BadPattern.

    `/.../` is a regular expression, `/.../i` one that ignores case; everything else is a literal text.
    """
    body, is_literal, ignore_case = _split(text, ignore_case)
    if not body:
        raise BadPattern("an empty pattern would match every line; write the text that the program prints")
    if "\n" in body:
        raise BadPattern("a pattern is held against one line at a time; use `sequence` for several lines")
    if is_literal:
        return Pattern(text, re2.escape(body), is_literal=True, ignore_case=ignore_case)
    pattern = Pattern(text, body, is_literal=False, ignore_case=ignore_case)
    names = _examine(pattern)
    return Pattern(text, body, is_literal=False, ignore_case=ignore_case, names=names)


@lru_cache(maxsize=4096)
def compiled(pattern: Pattern) -> Any:
    """The RE2 program of a pattern, over bytes."""
    return re2.compile(pattern.regex.encode(), options=_options(pattern))


def _split(text: str, ignore_case: bool) -> tuple[str, bool, bool]:
    if len(text) > 2 and text.startswith("/"):
        if text.endswith("/i"):
            return text[1:-2], False, True
        if text.endswith("/"):
            return text[1:-1], False, ignore_case
    return text, True, ignore_case


def _examine(pattern: Pattern) -> tuple[str, ...]:
    """The named groups of a regex that is fit for use. Raises BadPattern."""
    for construct, name in _BACKTRACKING:
        if _contains_unescaped(pattern.regex, construct):
            raise BadPattern(
                f"{pattern.text} needs backtracking ({name}); only linear-time patterns are taken. "
                "Put the exclusion into `except:` instead"
            )
    try:
        program = compiled(pattern)
    except re2.error as error:
        raise BadPattern(f"{pattern.text} is not a linear-time pattern: {_words(error)}") from None
    if program.programsize > PROGRAM_LIMIT:
        raise BadPattern(
            f"{pattern.text} is too big ({program.programsize} steps, at most {PROGRAM_LIMIT}); "
            "use smaller repeat counts"
        )
    if program.search(b"") is not None:
        raise BadPattern(f"{pattern.text} matches an empty line, so it would match every line")
    named = sorted(program.groupindex.items(), key=lambda entry: entry[1])
    return tuple(name.decode() if isinstance(name, bytes) else name for name, _ in named)


def _contains_unescaped(regex: str, construct: str) -> bool:
    start = regex.find(construct)
    while start >= 0:
        backslashes = len(regex[:start]) - len(regex[:start].rstrip("\\"))
        if backslashes % 2 == 0:
            return True
        start = regex.find(construct, start + 1)
    return False


def _words(error: Exception) -> str:
    reason = error.args[0] if error.args else "it does not compile"
    words = reason.decode() if isinstance(reason, bytes) else str(reason)
    if words.startswith("invalid escape sequence") and words[-1:].isdigit():
        return f"{words} (a backreference needs backtracking)"
    return words


def _options(pattern: Pattern) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not pattern.ignore_case
    options.max_mem = 8 << 20
    return options

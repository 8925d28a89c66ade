"""One row of the table of phrases: the words around a secret that has no name and no known form."""

import re
from dataclasses import dataclass

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name
from babysitter.redact.text_spans import LinearPattern


@dataclass(frozen=True, slots=True)
class Phrase:
    """`near`: literals of which one must occur. `lines_before`, `lines_after`: how far the pattern reads.

    `hint`: where a literal occurs in too many lines, what must occur instead.
    """

    id: str
    near: tuple[str, ...]
    pattern: re.Pattern[str]
    judged: Name = Name.PASSWORD
    lines_before: int = 0
    lines_after: int = 0
    hint: LinearPattern | None = None


def phrase(
    id: str,  # noqa: A002
    near: str,
    pattern: str,
    judged: Name = Name.PASSWORD,
    *,
    before: int = 0,
    after: int = 0,
    hint: str = "",
) -> Phrase:
    """Make a row; the literals of `near` are separated by `|`."""
    scanner = LinearPattern(hint, ignore_case=True) if hint else None
    return Phrase(id, tuple(near.split("|")), lazy_regex(pattern), judged, before, after, scanner)

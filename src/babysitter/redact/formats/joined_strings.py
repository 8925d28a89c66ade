"""Finds the further pieces of a secret that a program puts together from strings: `"one" + "two"`."""

from collections.abc import Iterator, Sequence

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import is_plain, looks_random
from babysitter.redact.text_spans import REDACTED, Span, Text

MAX_PIECES = 16
SHORTEST = 6  # characters of a piece
_SIGN = r"(?:\+|\.{1,2}|&|\\)"  # of JavaScript, PHP and Lua, Basic; a line that goes on
_PIECE = lazy_regex(
    rf"(?P<quote>[\"'])[ \t]{{0,8}}(?:{_SIGN}[ \t]{{0,8}}(?:\n[ \t]{{0,80}})?"
    rf"|\n[ \t]{{0,80}}{_SIGN}[ \t]{{0,8}})"
    r"(?P=quote)(?P<value>[A-Za-z0-9_\-+/=.~]{6,512})(?=(?P=quote))"
)


def find_joined(text: Text, found: Sequence[Span]) -> Iterator[Span]:
    """Spans of the pieces behind a secret that its quote closes."""
    for _, end in found:
        for _ in range(MAX_PIECES):
            piece = _PIECE.match(text.text, end)
            if piece is None or REDACTED in piece["value"] or not _goes_on(piece["value"]):
                break
            yield piece.span("value")
            end = piece.end()


def _goes_on(piece: str) -> bool:
    is_mixed = any(map(str.isdigit, piece)) and any(map(str.isalpha, piece))
    return (
        looks_random(piece, least=SHORTEST)
        or (is_mixed and "=" not in piece.rstrip("="))
        or not is_plain(piece)
    )

"""Differences from the last good runs in words, redacted."""

from collections.abc import Sequence

from babysitter.messages.subject import escape
from babysitter.model.run_profile import DifferenceKind, RunDifference

MAX_ON_CARD = 3
MAX_LINE_CHARS = 160
TITLE = "Different from the last good run"

_KINDS = {
    DifferenceKind.NEW: "new",
    DifferenceKind.MISSING: "missing",
    DifferenceKind.STOPPED: "stopped",
    DifferenceKind.COUNT: "fewer",
    DifferenceKind.DURATION: "slower",
    DifferenceKind.NOT_REACHED: "not reached",
}


def words_of_kind(kind: str) -> str:
    """The kind of a difference, in a word or two."""
    return _KINDS[DifferenceKind(kind)]


def differences_note(differences: Sequence[RunDifference]) -> tuple[tuple[str, str], ...]:
    """The most telling differences as one note of a card; nothing where there is none."""
    if not differences:
        return ()
    told = [
        f"{words_of_kind(each.kind)}: {escape(each.text, most=MAX_LINE_CHARS)} ({escape(each.comparison)})"
        for each in differences[:MAX_ON_CARD]
    ]
    return ((TITLE, "; ".join(told)),)

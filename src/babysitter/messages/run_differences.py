"""Differences from the last good runs in words, redacted."""

from collections.abc import Sequence

from babysitter.messages.difference_words import TITLE, words_of_kind
from babysitter.messages.subject import escape
from babysitter.model.run_profile import RunDifference

MAX_ON_CARD = 3
MAX_LINE_CHARS = 160


def differences_note(differences: Sequence[RunDifference]) -> tuple[tuple[str, str], ...]:
    """The most telling differences as one note of a card; nothing where there is none."""
    if not differences:
        return ()
    told = [
        f"{words_of_kind(shown.kind)}: {escape(shown.text, most=MAX_LINE_CHARS)} ({escape(shown.comparison)})"
        for shown in differences[:MAX_ON_CARD]
    ]
    return ((TITLE, "; ".join(told)),)

"""What a difference from the last good runs is called. A command that prints one needs nothing of cards."""

from babysitter.model.run_profile import DifferenceKind

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

"""Durations as options and tool arguments take them."""

from datetime import timedelta

from babysitter.errors import UserError
from babysitter.model.duration import duration_s

EXAMPLES = "Use for example 30m, 4h or 2d."
_UNITS_S = {"d": 86_400, "h": 3600, "m": 60}


def parse_duration(text: str, *, at_most: timedelta, option: str = "", above_zero: bool = False) -> timedelta:
    """Return the duration that `text` means; a number without a unit is seconds.

    Raises UserError, naming the option, for anything else and for a duration above `at_most`.
    """
    shown = f"'{text[:40]}' for {option}" if option else f"'{text[:40]}'"
    seconds = duration_s(text)
    if seconds is None:
        raise UserError(f"Invalid duration {shown}.", next_step=EXAMPLES)
    if seconds > at_most.total_seconds():
        raise UserError(f"The duration {shown} is too long.", next_step=f"Use at most {short(at_most)}.")
    if above_zero and not seconds:
        raise UserError(f"The duration {shown} is not above zero.", next_step=EXAMPLES)
    return timedelta(seconds=seconds)


def short(duration: timedelta) -> str:
    """Format a duration in its largest whole unit, e.g. 30m."""
    seconds = int(duration.total_seconds())
    unit = next((candidate for candidate, size in _UNITS_S.items() if seconds and seconds % size == 0), "s")
    return f"{seconds // _UNITS_S.get(unit, 1)}{unit}"

"""Numbers and times as people say them. Pure; used by every surface so that all say the same."""

import shlex
from collections.abc import Sequence
from datetime import datetime

from babysitter.model.cause_info import about
from babysitter.model.finding import Cause

BAR_CELLS = 12


def cause_name(cause: Cause) -> str:
    """A cause as a title: "Zombie coordinator"."""
    return about(cause).title


def format_duration(seconds: float) -> str:
    """The two largest units that matter: "3 d 4 h", "12 min", "40 s"."""
    whole = max(0, round(seconds))
    parts = []
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        amount, whole = divmod(whole, size)
        if amount:
            parts.append((amount, unit))
    if not parts:
        return "0 s"
    shown = parts[:1] if parts[0][1] in ("min", "s") and parts[0][0] >= 10 else parts[:2]
    return " ".join(f"{amount} {unit}" for amount, unit in shown)


def format_time(at: datetime, *, now: datetime | None = None) -> str:
    """A time of day, with the date when it is not today's: "14:05 UTC", "21 Nov 14:05 UTC"."""
    if now is not None and at.date() != now.date():
        return f"{at.day} {at:%b %H:%M} UTC"
    return f"{at:%H:%M} UTC"


def size(amount_bytes: int) -> str:
    """ "9.7 GB", in the decimal units that job commands use."""
    value, units = float(amount_bytes), ["B", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value, units = value / 1000, units[1:]
    return f"{value:.1f} {units[0]}" if value < 100 and units[0] != "B" else f"{value:.0f} {units[0]}"


def count(number: int, noun: str) -> str:
    """ "1 worker", "3 workers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def bar(done: int, total: int) -> str:
    """A progress bar in text; empty for a total that is not known."""
    if total <= 0:
        return ""
    cells = min(BAR_CELLS, max(0, done * BAR_CELLS // total))
    return "█" * cells + "░" * (BAR_CELLS - cells)


def command_line(argv: Sequence[str]) -> str:
    """A command as a person would type it."""
    return shlex.join(argv)


def shortened(text: str, most: int) -> str:
    """At most this many characters; says how many are missing."""
    if len(text) <= most:
        return text
    tail = f" … ({len(text) - most:,} more characters)"
    return text[: max(0, most - len(tail))] + tail

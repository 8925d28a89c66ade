"""Compared values in words."""

from collections.abc import Sized


def runs_in_words(good: Sized) -> str:
    """What is compared with."""
    return "the good run" if len(good) == 1 else f"each of the last {len(good)} good runs"


def span_in_words(seconds: float) -> str:
    """A duration as it is compared: 0.4 s, 41 s, 4 min 5 s, 41 min, 3.5 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1f} s"
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{round(whole / 60)} min" if whole < 7200 else f"{whole / 3600:.1f} h"

"""Durations as people write them: 90, 90s, 5m, 12h, 2d."""

import re

_UNIT_S = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def duration_s(text: str) -> float | None:
    """Return the seconds that `text` means, or None when it is not a duration. No unit means seconds."""
    found = re.fullmatch(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([smhd]?)\s*", text, re.ASCII)
    return float(found[1]) * _UNIT_S[found[2]] if found else None

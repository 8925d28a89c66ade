"""The `Retry-After` header of HTTP: how long a service asks to be left alone, within reason."""

import math

MAX_RETRY_AFTER_S = (
    300.0  # guess: longer than Slack ever asks (30 s); a wrong header must not mute us for a day
)


def parse_retry_after(header: str | None) -> float | None:
    """Seconds, from 0 to 5 min; None when the header is missing, a date, or not a number."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return None if math.isnan(seconds) else min(MAX_RETRY_AFTER_S, max(0.0, seconds))

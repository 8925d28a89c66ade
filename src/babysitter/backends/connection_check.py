"""What was found when a part of a set-up was tried for real."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One part, whether it works, what was found, and what to do when it does not."""

    name: str
    ok: bool
    detail: str
    next_step: str = ""

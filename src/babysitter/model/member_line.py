"""One wording of lines that one member of a job prints: a worker, a rank, a card, a partition."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemberLine:
    """How often and when member `name` of a kind printed lines of one wording. Times are seconds since 1970.

    `kind`, `name`: "gpu" and "3", "w" and "5". `text`: the newest of the lines.
    """

    kind: str
    name: str
    wording: str
    count: int
    first_at_s: float
    last_at_s: float
    longest_gap_s: float
    text: str

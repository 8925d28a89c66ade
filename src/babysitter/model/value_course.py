"""What a named value in a job's lines was, and since when it is something else."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OffValue:
    """Reports, unbroken to the newest, of an unusual value. Times are seconds since 1970.

    `value`: the newest; None = not a number. `beside`: the largest other number of the newest line.
    `has_input`: whether such numbers show that there was work: they are as large as the value was, and rise
    and fall or are of what is rejected.
    """

    value: float | None
    reports: int
    first_at_s: float
    last_at_s: float
    text: str
    beside: float = 0.0
    has_input: bool = False

    @property
    def for_s(self) -> float:
        return self.last_at_s - self.first_at_s

    @property
    def gap_s(self) -> float:
        """Mean time between two of them."""
        return self.for_s / max(1, self.reports - 1)


@dataclass(frozen=True, slots=True)
class ValueCourse:
    """A value behind the same words of one speaker. `newest`: usual ones without their signs, newest last.

    `kind`: what it measures (see timeline/counts/named_values.py). `level`: the mean that they have of
    late. `resolution`: the least difference that its digits can show. `usual_text`: the newest usual line.
    """

    series: str
    speaker: str
    name: str
    kind: str
    level: float = 0.0
    newest: tuple[float, ...] = ()
    reports: int = 0
    zeros: int = 0
    resolution: float = 1.0
    is_negative: bool = False  # the newest usual value
    usual_text: str = ""
    off: OffValue | None = None

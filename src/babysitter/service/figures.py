"""How the service is doing, in numbers: for whoever watches the watcher."""

from dataclasses import dataclass
from datetime import timedelta

from babysitter.errors import FactsChanged
from babysitter.service.hall import Hall
from babysitter.store.tally import Counts


@dataclass(frozen=True, slots=True)
class Figures:
    """`late_s`: by how much the watch that has waited longest is overdue. `troubles`: by part."""

    counts: Counts
    late_s: float
    troubles: dict[str, str]


async def figures(hall: Hall) -> Figures:
    """The numbers of this moment. Raises Unreachable when the database does not answer."""
    async with hall.store.reading() as records:
        counts = await records.tally.count()
    late = hall.clock.now() - counts.earliest_due_at if counts.earliest_due_at else timedelta()
    return Figures(counts, max(0.0, late.total_seconds()), dict(hall.troubles))


def why_not_serving(hall: Hall) -> str:
    """What keeps this process from looking after watches; "" when nothing does."""
    try:
        return "" if hall.tenure.lease else "no lease"
    except FactsChanged as overtaken:
        return overtaken.sentence

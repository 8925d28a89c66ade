"""The state of the service in numbers, for monitoring."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from babysitter.engine.app import App
from babysitter.errors import FactsChanged
from babysitter.model.advisor_spend import AdvisorDay, AdvisorSpend
from babysitter.store.repositories.counts import Counts

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ServiceStats:
    """`late_s`: by how much the watch that has waited longest is overdue. `troubles`: by part."""

    counts: Counts
    late_s: float
    troubles: dict[str, str]
    opinions: AdvisorSpend = field(default_factory=AdvisorSpend)  # since the database was made
    day: AdvisorDay = field(default_factory=AdvisorDay)


@dataclass(frozen=True, slots=True)
class ProcessFigures:
    """What this process counted since it began; known also while the database cannot be read.

    `failed_activities`: attempts that failed, by periodic activity. `sent`: things sent past the outbox.
    """

    failed_writes: int = 0
    is_storage_failing: bool = False
    failed_activities: Mapping[str, int] = field(default_factory=dict)
    sent: Mapping[str, int] = field(default_factory=dict)


async def service_stats(app: App) -> ServiceStats:
    """The numbers of this moment. Raises StorageUnavailable when the database does not answer."""
    async with app.store.reading() as tx:
        counts = await tx.tally.count()
        opinions = await tx.advisor.spent(BEGINNING)
        day = await tx.advisor.day(app.clock.now())
    late = app.clock.now() - counts.earliest_due_at if counts.earliest_due_at else timedelta()
    return ServiceStats(counts, max(0.0, late.total_seconds()), dict(app.troubles), opinions, day)


async def advisor_day(app: App) -> AdvisorDay:
    """What second opinions cost in 24 hours. Raises StorageUnavailable."""
    async with app.store.reading() as tx:
        return await tx.advisor.day(app.clock.now())


def process_figures(app: App) -> ProcessFigures:
    """What needs no database to be told."""
    outage = app.storage.outage
    return ProcessFigures(
        failed_writes=app.storage.failed_writes,
        is_storage_failing=outage is not None and outage.is_failing,
        failed_activities=dict(app.failures),
        sent=dict(app.sent),
    )


def not_serving_reason(app: App) -> str:
    """What keeps this process from looking after watches; "" when nothing does."""
    try:
        _ = app.leadership.lease
    except FactsChanged as overtaken:
        return overtaken.sentence
    outage = app.storage.outage
    return f"The database {outage.summary}" if outage is not None and outage.is_failing else ""

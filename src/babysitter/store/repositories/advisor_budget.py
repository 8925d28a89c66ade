"""What second opinions cost: one row for each, written before the question is asked."""

import json
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, func, insert, select, update

from babysitter.model.advisor_spend import DAY, AdvisorDay, AdvisorLimits, AdvisorSpend
from babysitter.store.connection import Connection
from babysitter.store.schema.advisor_tables import advisor_spending
from babysitter.store.schema.tables import meta

KEY = "advisor"
MICRO = 1_000_000


class AdvicePurpose(StrEnum):
    """What was asked for."""

    INCIDENT = "incident"
    WATCH = "watch"  # without an incident
    COMMAND = "command"  # diagnose, classify
    EVALUATION = "evaluation"  # eval: as many questions as a folder has cases


class AdvisorBudget:
    """Reads and writes what was spent inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def offer(self, limits: AdvisorLimits | None) -> None:
        """Write down what a day may cost from now on; None = nobody gives opinions."""
        await self._connection.execute(meta.delete().where(meta.c.key == KEY))
        if limits is not None:
            value = json.dumps(asdict(limits))
            await self._connection.execute(meta.insert().values(key=KEY, value=value))

    async def limits(self) -> AdvisorLimits | None:
        """The limits of the service that began last; None when it has no advisor."""
        value = await self._connection.scalar(select(meta.c.value).where(meta.c.key == KEY))
        return None if value is None else AdvisorLimits(**json.loads(value))

    async def reserve(self, at: datetime, purpose: AdvicePurpose, most: AdvisorSpend) -> int:
        """Count a question with the most that it may cost. `settle` replaces that by what it did cost.

        What is not settled, because its process died, counts as if it had cost the most.
        """
        values = _row(at, purpose, most)
        number = await self._connection.scalar(
            insert(advisor_spending).values(**values).returning(advisor_spending.c.seq)
        )
        return int(number)

    async def settle(self, number: int, cost: AdvisorSpend) -> None:
        """Count what a question did cost. Safe to repeat."""
        await self._connection.execute(
            update(advisor_spending).where(advisor_spending.c.seq == number).values(**_costs(cost))
        )

    async def note_free(self, at: datetime, purpose: AdvicePurpose) -> None:
        """Count an opinion that cost nothing."""
        await self.reserve(at, purpose, AdvisorSpend(opinions=1))

    async def spent(self, since: datetime) -> AdvisorSpend:
        """What all opinions since then cost."""
        row = (await self._connection.execute(_total_since(since))).first()
        if row is None:
            return AdvisorSpend()
        return AdvisorSpend(
            row.number, int(row.calls), int(row.tokens), int(row.micros) / MICRO, int(row.unpriced)
        )

    async def day(self, now: datetime) -> AdvisorDay:
        """What the last 24 hours cost, beside what they may cost."""
        return AdvisorDay(await self.spent(now - DAY), await self.limits())


def _total_since(since: datetime) -> Select[Any]:
    """The question for the sums of all rows since then."""
    table = advisor_spending.c
    return select(
        func.count().label("number"),
        func.coalesce(func.sum(table.calls), 0).label("calls"),
        func.coalesce(func.sum(table.tokens), 0).label("tokens"),
        func.coalesce(func.sum(table.cost_micros), 0).label("micros"),
        func.coalesce(func.sum(table.calls).filter(table.cost_micros.is_(None)), 0).label("unpriced"),
    ).where(table.at >= since)


def _row(at: datetime, purpose: AdvicePurpose, cost: AdvisorSpend) -> dict[str, object]:
    return {"at": at, "purpose": purpose.value, **_costs(cost)}


def _costs(cost: AdvisorSpend) -> dict[str, object]:
    is_priced = not cost.unpriced_calls
    return {
        "calls": cost.calls,
        "tokens": cost.tokens,
        "cost_micros": round(cost.cost_usd * MICRO) if is_priced else None,
    }

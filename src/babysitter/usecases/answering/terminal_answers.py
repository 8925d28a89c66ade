"""The service's part of an answer at a terminal: decide what `approve`, `deny` and `snooze` left for it.

The command leaves a row in the inbox and waits (usecases/answering/quick_answer.py). What is decided here
is what the command would have decided itself: the same function, in one transaction, in which the row goes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import structlog

from babysitter.engine.app import App
from babysitter.engine.periodic import PeriodicActivity
from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.model.proposal import Surface
from babysitter.model.terminal_answer import TerminalAnswer
from babysitter.store.quick.sqlite_inbox import answer_from
from babysitter.usecases.answering.approvals import decide, refuse

log = structlog.get_logger()
ANSWER_INTERVAL_S = 0.5  # a person waits for it


async def decide_terminal_answers(app: App) -> None:
    """Decide everything that was left, oldest first. Raises StorageUnavailable; what is left then stays."""
    async with app.store.reading() as tx:
        waiting = await tx.inbox.of(Surface.TERMINAL)
    for row in waiting:
        try:
            given = answer_from(row.body)
        except ValueError as fault:
            log.warning("terminal_answer_not_read", answer=row.id, because=str(fault))
            async with app.store.transaction() as tx:
                await tx.inbox.take_out(row.id)
        else:
            await _decide(app, row.id, given)


async def _decide(app: App, row: str, given: TerminalAnswer) -> None:
    until = None if given.snooze_s is None else app.clock.now() + timedelta(seconds=given.snooze_s)
    door = Surface.TERMINAL
    try:
        await decide(app, given.proposal, given.person, given.answer, door, snooze_until=until, incoming=row)
    except (NotAllowed, FactsChanged) as refusal:
        log.info("terminal_answer_refused", answer=row, because=refusal.sentence)  # and recorded as an event
    except UserError as fault:
        await refuse(app, given.proposal, given.person, door, fault.sentence, incoming=row)


@asynccontextmanager
async def deciding_terminal_answers(app: App) -> AsyncIterator[None]:
    """Decide what is left, again and again, while the block lasts. With PostgreSQL nothing is ever left."""
    if app.settings.database_url is not None:
        yield
        return
    deciding = asyncio.create_task(_keep_deciding(app), name="terminal answers")
    try:
        yield
    finally:
        deciding.cancel()
        await asyncio.gather(deciding, return_exceptions=True)


async def _keep_deciding(app: App) -> None:
    activity = PeriodicActivity(
        "terminal answers",
        lambda: decide_terminal_answers(app),
        every_s=ANSWER_INTERVAL_S,
        clock=app.wall_clock,
        troubles=app.troubles,
        failures=app.failures,
    )
    await activity.repeat(app.wall_clock)

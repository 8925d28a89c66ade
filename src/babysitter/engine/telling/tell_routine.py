"""Deliver events that need nobody: one line each, and one message a day, without a mention.

Channels differ: Slack shows one message a day, which grows; a terminal, a log and a program get each line;
mail and its like get the whole day once it is over (model/message.py: `Audience`).
"""

from datetime import datetime, timedelta

from babysitter.engine.telling.enqueue import message_id
from babysitter.messages.routine import compose_day
from babysitter.model.ids import MessageId, WatchId
from babysitter.model.message import Audience, Message, MessageContent, MessageKind
from babysitter.store.store import Transaction

LOOKS_BACK_DAYS = 7  # for days that ended while no service ran


async def tell_routine(
    tx: Transaction, words: MessageContent, *, key: str, now: datetime, watch: WatchId | None = None
) -> bool:
    """Write a line down, and the message of its day with it; False when this key was said before."""
    day = _of_day(now)
    line = Message(
        id=message_id(key),
        conversation=day,
        occasion=MessageKind.ROUTINE,
        words=words,
        created_at=now,
        watch=watch,
        audience=Audience.PLAIN,
    )
    if not await tx.outbox.put(line):
        return False
    digest = await _digest(tx, now, Audience.EDITING, day)
    if not await tx.outbox.put(digest):
        await tx.outbox.edit(digest.id, digest)
    return True


async def tell_days_that_ended(tx: Transaction, *, now: datetime) -> None:
    """Enqueue the message of a day that is over. Idempotent."""
    for days in range(LOOKS_BACK_DAYS, 0, -1):
        then = now - timedelta(days=days)
        closing = message_id(f"routine:{then:%Y-%m-%d}:closed")
        has_lines = await tx.outbox.message(_of_day(then)) is not None
        if has_lines and await tx.outbox.message(closing) is None:
            await tx.outbox.put(await _digest(tx, then, Audience.DAILY, closing, created_at=now))


async def _digest(
    tx: Transaction,
    day: datetime,
    audience: Audience,
    message: MessageId,
    *,
    created_at: datetime | None = None,
) -> Message:
    lines = await tx.routine.of(_of_day(day))
    return Message(
        id=message,
        conversation=message,
        occasion=MessageKind.DIGEST,
        words=compose_day(day.date(), [(f"{line.created_at:%H:%M}", line.words) for line in lines]),
        created_at=created_at or day,
        audience=audience,
    )


def _of_day(now: datetime) -> MessageId:
    return message_id(f"routine:{now:%Y-%m-%d}")

"""Messages to be told once. Written in the transaction that causes them; a row is done when it arrived.

Each message has one delivery per notifier. `claimed` is written before the notifier is asked, so a claim
found after a crash is a doubt: the notifier looks whether it arrived before it posts again. An edit keeps
only its newest content, so edits that pile up are merged.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from babysitter.model.ids import IncidentId, MessageId, ProposalId
from babysitter.model.message import Message
from babysitter.redact import redact
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.repositories.outbox_due import (
    HELD,
    MAX_PAUSE,
    UNFINISHED,
    WITH_WORK,
    DeliveryState,
    may_be_tried,
    was_shown_before,
)
from babysitter.store.schema.tables import deliveries, edits, messages, notifiers

LATE_NOTIFIER_LOOKS_BACK = timedelta(hours=1)
EDIT_FOR_FOOTER_AFTER = timedelta(minutes=5)
MAX_ERROR_CHARS = 500


@dataclass(frozen=True, slots=True)
class MessageLocation:
    """Where a message ended up, in the notifier's own words."""

    place: str
    handle: str
    thread: str = ""


@dataclass(frozen=True, slots=True)
class PendingPost:
    """One message to be posted. `is_repeat`: an earlier try may have arrived."""

    message: Message
    thread: MessageLocation | None
    is_repeat: bool
    tries: int  # before this one
    revision: int  # of the content shown; 0 = as first written


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """New content for a message that was posted."""

    message: Message
    at: MessageLocation
    revision: int


class Outbox:
    """Reads and writes the outbox inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, message: Message, *, hold_until: datetime | None = None) -> bool:
        """Write a message down to be told once; False when its id is known: it was said already."""
        assert message.replaces is None, "an edit is not a new message"
        known = select(messages.c.seq).where(messages.c.id == message.id)
        if await self._connection.scalar(known) is not None:
            return False
        written = await self._connection.execute(
            insert(messages)
            .values(
                id=message.id,
                conversation=message.conversation,
                occasion=message.occasion,
                created_at=message.created_at,
                hold_until=hold_until,
                watch=message.watch,
                incident=message.incident,
                proposal=message.proposal,
                body=codec(Message).encode(message),
            )
            .returning(messages.c.seq)
        )
        number = written.scalar()
        await self._deliver_through(
            await self._notifiers(), [(number, message.id, message.conversation, hold_until)]
        )
        return True

    async def edit(self, target: MessageId, message: Message) -> bool:
        """Show new content in place of `target`'s; False when nothing worth showing has changed.

        A footer alone (when it was last looked at) is worth an edit every few minutes.
        """
        row = (await self._connection.execute(select(edits).where(edits.c.message == target))).first()
        shown = row.body if row is not None else await self._body(target)
        if shown is None:
            return False
        content = replace(message, id=target, replaces=target)
        before = codec(Message).decode(shown)
        since = message.created_at - (row.at if row is not None else before.created_at)
        if _content(before) == _content(content):
            same_footer = before.words.footer == content.words.footer
            if same_footer or since < EDIT_FOR_FOOTER_AFTER:
                return False
        values = {"at": message.created_at, "body": codec(Message).encode(content)}
        if row is None:
            await self._connection.execute(insert(edits).values(message=target, revision=1, **values))
        else:
            await self._connection.execute(
                update(edits).where(edits.c.message == target).values(revision=row.revision + 1, **values)
            )
        return True

    async def message(self, message: MessageId) -> Message | None:
        """A message as first written."""
        body = await self._body(message)
        return codec(Message).decode(body) if body else None

    async def about(
        self, *, incident: IncidentId | None = None, proposal: ProposalId | None = None
    ) -> tuple[Message, ...]:
        """Messages about an incident or a proposal as first written, oldest first."""
        asked = select(messages.c.body).order_by(messages.c.seq)
        if incident is not None:
            asked = asked.where(messages.c.incident == incident)
        if proposal is not None:
            asked = asked.where(messages.c.proposal == proposal)
        return tuple(codec(Message).decode(row.body) for row in await self._connection.execute(asked))

    async def register(self, names: Collection[str], *, now: datetime) -> None:
        """From now on every message goes through exactly these notifiers.

        A new one gets what was said in the last hour; what waits for one that is gone is dropped.
        """
        known = await self._notifiers()
        for gone in set(known) - set(names):
            await self._connection.execute(notifiers.delete().where(notifiers.c.name == gone))
            await self._connection.execute(
                update(deliveries)
                .where(deliveries.c.notifier == gone, deliveries.c.state.in_(UNFINISHED))
                .values(state=DeliveryState.DROPPED, error="not configured any more")
            )
        for name in sorted(set(names) - set(known)):
            await self._connection.execute(insert(notifiers).values(name=name))
            told = select(deliveries.c.message).where(deliveries.c.notifier == name)
            recent = select(messages).where(
                messages.c.created_at > now - LATE_NOTIFIER_LOOKS_BACK, messages.c.id.not_in(told)
            )
            rows = (await self._connection.execute(recent.order_by(messages.c.seq))).all()
            new = [(row.seq, row.id, row.conversation, row.hold_until) for row in rows]
            await self._deliver_through([name], new)

    async def claim(
        self, notifier: str, *, now: datetime, busy: Collection[MessageId], edits_too: bool, at_most: int
    ) -> tuple[PendingPost, ...]:
        """The next message of each conversation that may be posted now, oldest first, marked as claimed.

        `busy`: claims of this process under way; any other claim was left by a process that ended.
        `edits_too`: whether the notifier edits; then a message is posted with its newest content.
        """
        waits = (deliveries.c.notifier == notifier, deliveries.c.state.in_(UNFINISHED))
        under_way = select(deliveries.c.conversation).where(*waits, deliveries.c.message.in_(list(busy)))
        heads = (
            select(func.min(deliveries.c.seq))
            .where(*waits, deliveries.c.hold_until.is_(None))
            .group_by(deliveries.c.conversation)
        )
        asked = (
            select(deliveries)
            .where(
                deliveries.c.notifier == notifier,
                deliveries.c.seq.in_(heads),
                deliveries.c.conversation.not_in(under_way),
                may_be_tried(now, now + MAX_PAUSE),
            )
            .order_by(deliveries.c.seq)
            .limit(at_most)
        )
        claimed = (await self._connection.execute(asked)).all()
        postings = [await self._posting(row, edits_too=edits_too) for row in claimed]
        for row in claimed:
            await self._mark(notifier, row.message, state=DeliveryState.CLAIMED, tries=row.tries + 1)
        return tuple(postings)

    async def posted(
        self, notifier: str, message: MessageId, at: MessageLocation, *, revision: int, now: datetime
    ) -> None:
        """It arrived, there."""
        await self._mark(
            notifier,
            message,
            state=DeliveryState.DONE,
            place=at.place,
            handle=at.handle,
            thread=at.thread,
            shown_revision=revision,
            shown_at=now,
            error="",
        )

    async def failed(
        self, notifier: str, message: MessageId, error: str, *, again_at: datetime, is_doubtful: bool
    ) -> None:
        """It did not arrive, or that is not known; to be tried again."""
        state = DeliveryState.DOUBTFUL if is_doubtful else DeliveryState.WAITING
        await self._mark(
            notifier, message, state=state, next_try_at=again_at, error=redact(error)[:MAX_ERROR_CHARS]
        )

    async def dropped(self, notifier: str, message: MessageId, error: str) -> None:
        """It can never arrive."""
        await self._mark(
            notifier, message, state=DeliveryState.DROPPED, error=redact(error)[:MAX_ERROR_CHARS]
        )

    async def edits_due(
        self, notifier: str, *, shown_before: datetime, at_most: int
    ) -> tuple[PendingEdit, ...]:
        """Posted messages whose newest content is not shown, least recently edited first."""
        asked = (
            select(edits, deliveries.c.place, deliveries.c.handle, deliveries.c.thread)
            .join(deliveries, deliveries.c.message == edits.c.message)
            .where(
                deliveries.c.notifier == notifier,
                deliveries.c.state == DeliveryState.DONE,
                deliveries.c.shown_revision < edits.c.revision,
                was_shown_before(shown_before, shown_before + MAX_PAUSE),
            )
            .order_by(deliveries.c.shown_at)
            .limit(at_most)
        )
        return tuple(
            PendingEdit(
                codec(Message).decode(row.body),
                MessageLocation(row.place, row.handle, row.thread),
                row.revision,
            )
            for row in await self._connection.execute(asked)
        )

    async def shown(self, notifier: str, message: MessageId, revision: int, *, now: datetime) -> None:
        """This content is to be seen now (or never will be, when the edit was refused for good)."""
        await self._mark(notifier, message, shown_revision=revision, shown_at=now)

    async def held_until(self, now: datetime) -> tuple[Message, ...]:
        """Messages held back that may be told now, oldest first."""
        held = await self._connection.execute(HELD, {"now": now})
        return tuple(codec(Message).decode(row.body) for row in held)

    async def release(self, held: Sequence[MessageId], *, digested: Collection[MessageId]) -> None:
        """Let held messages go; those in `digested` are told by the digest and not again."""
        for message_id in held:
            await self._connection.execute(
                update(messages).where(messages.c.id == message_id).values(hold_until=None)
            )
            values: dict[str, object] = {"hold_until": None}
            if message_id in digested:
                values["state"] = DeliveryState.DIGESTED
            await self._connection.execute(
                update(deliveries).where(deliveries.c.message == message_id).values(**values)
            )

    async def with_work(self, *, now: datetime, shown_before: datetime) -> frozenset[str]:
        """Notifiers with a message to try now, or an edit to make; cheap enough to ask all the time."""
        moments = {
            "now": now,
            "far": now + MAX_PAUSE,
            "shown_before": shown_before,
            "shown_far": shown_before + MAX_PAUSE,
        }
        rows = await self._connection.execute(WITH_WORK, moments)
        return frozenset(row.notifier for row in rows)

    async def waiting_count(self, notifier: str) -> int:
        """Messages not told yet, held ones included: a sign that a notifier is in trouble."""
        asked = select(func.count()).where(
            deliveries.c.notifier == notifier, deliveries.c.state.in_(UNFINISHED)
        )
        return int((await self._connection.scalar(asked)) or 0)

    async def _posting(self, row: Row[Any], *, edits_too: bool) -> PendingPost:
        message = await self.message(row.message)
        assert message is not None
        revision = 0
        if edits_too:
            newest = await self._connection.execute(select(edits).where(edits.c.message == row.message))
            if (edited := newest.first()) is not None:
                content = codec(Message).decode(edited.body)
                message = replace(message, words=content.words, buttons=content.buttons)
                revision = edited.revision
        return PendingPost(
            message=message,
            thread=await self._thread(row.notifier, row.conversation),
            is_repeat=row.state in (DeliveryState.CLAIMED, DeliveryState.DOUBTFUL),
            tries=row.tries,
            revision=revision,
        )

    async def _thread(self, notifier: str, conversation: str) -> MessageLocation | None:
        """The root of a conversation: the newest message that began a thread."""
        asked = (
            select(deliveries.c.place, deliveries.c.handle)
            .where(
                deliveries.c.notifier == notifier,
                deliveries.c.conversation == conversation,
                deliveries.c.state == DeliveryState.DONE,
                deliveries.c.thread == "",
            )
            .order_by(deliveries.c.seq.desc())
            .limit(1)
        )
        row = (await self._connection.execute(asked)).first()
        return MessageLocation(row.place, row.handle) if row is not None else None

    async def _body(self, message: MessageId) -> str | None:
        found: str | None = await self._connection.scalar(
            select(messages.c.body).where(messages.c.id == message)
        )
        return found

    async def _notifiers(self) -> list[str]:
        return [row.name for row in await self._connection.execute(select(notifiers.c.name))]

    async def _deliver_through(
        self, names: Collection[str], new: Sequence[tuple[int, str, str, datetime | None]]
    ) -> None:
        rows = [
            {
                "notifier": name,
                "message": message,
                "seq": number,
                "conversation": conversation,
                "state": DeliveryState.WAITING,
                "hold_until": hold_until,
                "tries": 0,
                "error": "",
                "place": "",
                "handle": "",
                "thread": "",
                "shown_revision": 0,
            }
            for name in names
            for number, message, conversation, hold_until in new
        ]
        if rows:
            await self._connection.execute(insert(deliveries), rows)

    async def _mark(self, notifier: str, message: MessageId, **values: object) -> None:
        await self._connection.execute(
            update(deliveries)
            .where(deliveries.c.notifier == notifier, deliveries.c.message == message)
            .values(**values)
        )


def _content(message: Message) -> tuple[object, ...]:
    """What is compared to see whether an edit shows anything new."""
    return replace(message.words, footer=""), message.buttons

"""Deliver outbox messages in order per conversation, once, within the rate limits of each notifier.

A message is claimed in the database before it is posted and done when its receipt is written: whatever ends
the process in between leaves a doubt, and the notifier looks before it posts again. Edits come after
messages; only the newest content is sent, and not more often than every few seconds per message.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog

from babysitter.clock import Clock, has_come
from babysitter.engine.telling.enqueue import message_id
from babysitter.engine.telling.job_pages import JobPages
from babysitter.errors import StorageUnavailable
from babysitter.messages.compose import digest
from babysitter.model.events import MessageDropped
from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageKind
from babysitter.notify.audience import is_for
from babysitter.notify.notifier import Notifier, NotifyError, Receipt
from babysitter.store.repositories.outbox import MessageLocation, PendingEdit, PendingPost
from babysitter.store.store import Store

log = structlog.get_logger()

AT_ONCE = 4  # conversations per notifier
MAX_ROUNDS = 50  # per tick; more waits for the next one
EDIT_EVERY = timedelta(seconds=5)  # per message
EDITS_AT_ONCE = 20
POST_TIMEOUT_S = 60.0
BACKOFF_MOST_S = 60.0
PAUSE_AFTER_FAILURES = 3
STORAGE_PAUSE_MOST_S = 15.0  # after the database could not be used
MAX_PAUSE = timedelta(minutes=6)  # no pause is longer; see retry_after.py


@dataclass(slots=True)
class _Line:
    """How it goes with one notifier."""

    notifier: Notifier
    paused_until: datetime | None = None
    failures: int = 0  # in a row
    database_paused_until: datetime | None = None
    not_stored: int = 0  # in a row: times that the database could not be used
    working: asyncio.Task[None] | None = None
    # Posted, and that could not be written down: written down at the next try instead of posted again.
    receipts: dict[MessageId, tuple[Receipt, int]] = field(default_factory=dict)  # and the revision posted


class Deliverer:
    """`clock`: the product's time, for what is held back. `wall_clock`: the real one, for pauses and
    tries. `pages`: adds the address of the job's page to each message.
    """

    def __init__(
        self,
        store: Store,
        notifiers: Sequence[Notifier],
        clock: Clock,
        wall_clock: Clock,
        pages: JobPages | None = None,
    ) -> None:
        self._store = store
        self._pages = pages
        self._clock = clock
        self._wall_clock = wall_clock
        self._lines = [_Line(target) for target in notifiers]

    async def begin(self) -> None:
        """Have every message go through these notifiers from now on."""
        async with self._store.transaction() as tx:
            names = [line.notifier.name for line in self._lines]
            await tx.outbox.register(names, now=self._clock.now())
            told = [line.notifier.description for line in self._lines]
            await tx.channels.replace([text for text in told if text])

    async def tick(self, *, edit_every: timedelta = EDIT_EVERY) -> None:
        """Start to deliver what is due. Returns at once; a slow notifier does not delay another.

        `edit_every`: a message that was posted or edited later than so long ago is not edited yet.
        """
        busy, is_held = await self._due(edit_every)
        if is_held:
            await self._let_go_of_held()
            busy, _ = await self._due(edit_every)
        for line in self._lines:
            if line.notifier.name in busy and (line.working is None or line.working.done()):
                serving = self._serve(line, edit_every)
                line.working = asyncio.create_task(serving, name=f"deliver {line.notifier.name}")

    async def finish(self) -> None:
        """Deliver what can be delivered now, edits without their usual distance, and wait for it.

        Nobody edits after this process: a message must not show yesterday's state until the next start. A
        database that failed seconds ago is tried once more; a receipt that waits for it would be lost.
        """
        await self.settled()
        for line in self._lines:
            line.database_paused_until = None
        with contextlib.suppress(StorageUnavailable):
            await self.tick(edit_every=timedelta(0))
        await self.settled()

    async def settled(self) -> None:
        """Return when everything that was started has ended."""
        working = [line.working for line in self._lines if line.working is not None]
        if working:
            await asyncio.wait(working)

    async def give_up(self) -> None:
        """End what is under way; a message claimed and not posted is a doubt for the next process."""
        for line in self._lines:
            if line.working is not None:
                line.working.cancel()
        await self.settled()

    async def _serve(self, line: _Line, edit_every: timedelta) -> None:
        """Deliver what one notifier may get now. A database that cannot be used pauses it; never raises."""
        now = self._wall_clock.now()
        pauses = (line.paused_until, line.database_paused_until)
        if not all(has_come(pause, now, horizon=MAX_PAUSE) for pause in pauses):
            return
        try:
            await self._deliver(line, edit_every)
            line.not_stored = 0
        except StorageUnavailable as fault:
            line.not_stored += 1
            pause_s = min(STORAGE_PAUSE_MOST_S, 2.0 ** min(line.not_stored, 10))
            line.database_paused_until = self._wall_clock.now() + timedelta(seconds=pause_s)
            log.warning(
                "delivery_not_stored",
                notifier=line.notifier.name,
                because=fault.sentence,
                retry_in_s=pause_s,
            )
        except Exception:  # the top of a delivery
            log.exception("delivery_crashed", notifier=line.notifier.name)
            line.paused_until = self._wall_clock.now() + timedelta(seconds=BACKOFF_MOST_S)

    async def _deliver(self, line: _Line, edit_every: timedelta) -> None:
        for _ in range(MAX_ROUNDS):
            now = self._wall_clock.now()
            if not has_come(line.paused_until, now, horizon=MAX_PAUSE):
                return
            async with self._store.transaction() as tx:
                postings = await tx.outbox.claim(
                    line.notifier.name, now=now, busy=(), edits_too=line.notifier.edits, at_most=AT_ONCE
                )
            if not postings:
                break
            # All of them end before the first failure is raised: a message in flight is not claimed again.
            ended = await asyncio.gather(
                *(self._post(line, posting) for posting in postings), return_exceptions=True
            )
            for fault in ended:
                if fault is not None:
                    raise fault
        if line.notifier.edits:
            await self._edit_all(line, edit_every)

    async def _post(self, line: _Line, posting: PendingPost) -> None:
        message, thread = posting.message, posting.thread
        receipt: Receipt | NotifyError
        if message.id in line.receipts:
            earlier, revision = line.receipts[message.id]
            await self._arrived(line, replace(posting, revision=revision), earlier)
            return
        if not is_for(message, line.notifier):
            async with self._store.transaction() as tx:
                await tx.routine.leave_out(line.notifier.name, message.id)
            return
        try:
            async with asyncio.timeout(POST_TIMEOUT_S):
                receipt = await line.notifier.post(
                    await self._with_page(message),
                    thread=Receipt(thread.place, thread.handle, thread.thread) if thread else None,
                    is_repeat=posting.is_repeat,
                )
        except NotifyError as error:
            receipt = error
        except TimeoutError:
            receipt = NotifyError("It took too long.", is_doubtful=True)
        except Exception as fault:  # the top of a message delivery
            log.exception("telling broke", notifier=line.notifier.name, message=message.id)
            receipt = NotifyError(f"A fault of babysit's own ({type(fault).__name__}).", is_doubtful=True)
        if isinstance(receipt, Receipt):
            await self._arrived(line, posting, receipt)
        else:
            await self._failed(line, posting, receipt)

    async def _arrived(self, line: _Line, posting: PendingPost, receipt: Receipt) -> None:
        line.failures = 0
        line.receipts[posting.message.id] = receipt, posting.revision
        async with self._store.transaction() as tx:
            await tx.outbox.posted(
                line.notifier.name,
                posting.message.id,
                MessageLocation(receipt.place, receipt.handle, receipt.thread),
                revision=posting.revision,
                now=self._wall_clock.now(),
            )
        del line.receipts[posting.message.id]

    async def _failed(self, line: _Line, posting: PendingPost, error: NotifyError) -> None:
        name, message = line.notifier.name, posting.message
        log.warning("not told", notifier=name, message=message.id, error=error.sentence)
        async with self._store.transaction() as tx:
            if error.is_final:
                await tx.outbox.dropped(name, message.id, error.sentence)
                await tx.events.append(
                    MessageDropped(
                        at=self._clock.now(),
                        watch=message.watch,
                        message=message.id,
                        notifier=name,
                        occasion=message.occasion,
                        because=error.sentence,
                    )
                )
                return
            again_at = self._pause(line, error, tries=posting.tries)
            await tx.outbox.failed(
                name,
                message.id,
                error.sentence,
                again_at=again_at,
                is_doubtful=error.is_doubtful or posting.is_repeat,
            )

    def _pause(self, line: _Line, error: NotifyError, *, tries: int) -> datetime:
        """When to try again. A pause asked for, or failures in a row, hold the whole notifier."""
        line.failures += 1
        pause_s = error.retry_after_s or min(BACKOFF_MOST_S, 2.0 ** min(tries, 10))
        again_at = self._wall_clock.now() + timedelta(seconds=pause_s)
        if error.retry_after_s is not None or line.failures >= PAUSE_AFTER_FAILURES:
            line.paused_until = again_at
        return again_at

    async def _edit_all(self, line: _Line, edit_every: timedelta) -> None:
        shown_before = self._wall_clock.now() - edit_every
        async with self._store.reading() as tx:
            due = await tx.outbox.edits_due(
                line.notifier.name, shown_before=shown_before, at_most=EDITS_AT_ONCE
            )
        for editing in due:
            if not await self._edit(line, editing):
                return

    async def _edit(self, line: _Line, editing: PendingEdit) -> bool:
        """Show the newest content; False when the notifier wants to be left alone."""
        at = editing.at
        try:
            async with asyncio.timeout(POST_TIMEOUT_S):
                message = await self._with_page(editing.message)
                await line.notifier.edit(Receipt(at.place, at.handle, at.thread), message)
            line.failures = 0
        except NotifyError as error:
            if not error.is_final:
                self._pause(line, error, tries=line.failures)
                return False
            log.warning("not edited", message=editing.message.id, error=error.sentence)
        except Exception:  # the top of a message delivery
            log.exception("editing broke", notifier=line.notifier.name, message=editing.message.id)
        async with self._store.transaction() as tx:
            await tx.outbox.shown(
                line.notifier.name, editing.message.id, editing.revision, now=self._wall_clock.now()
            )
        return True

    async def _due(self, edit_every: timedelta) -> tuple[frozenset[str], bool]:
        """Names of the notifiers with something to do, and whether held messages may be told now."""
        now = self._wall_clock.now()
        async with self._store.reading() as tx:
            busy = await tx.outbox.with_work(now=now, shown_before=now - edit_every)
            return busy, bool(await tx.outbox.held_until(self._clock.now()))

    async def _with_page(self, message: Message) -> Message:
        return message if self._pages is None else await self._pages.with_page(message)

    async def _let_go_of_held(self) -> None:
        """After quiet hours: what can be answered comes as it is, the rest as one digest."""
        now = self._clock.now()
        async with self._store.transaction() as tx:
            held = await tx.outbox.held_until(now)
            told_together = [message for message in held if not message.buttons]
            if len(told_together) < 2:
                told_together = []
            else:
                await tx.outbox.put(_digest_of(told_together, now))
            await tx.outbox.release(
                [message.id for message in held], digested=[message.id for message in told_together]
            )


def _digest_of(held: Sequence[Message], now: datetime) -> Message:
    identity: MessageId = message_id("digest:" + ",".join(message.id for message in held))
    return Message(
        id=identity,
        conversation=identity,
        occasion=MessageKind.DIGEST,
        words=digest([message.words for message in held], now=now),
        created_at=now,
    )

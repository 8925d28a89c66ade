"""Messages that need nobody: the lines of a day, and which channel does not get which of them."""

from collections.abc import Sequence

from sqlalchemy import select, update

from babysitter.model.ids import MessageId
from babysitter.model.message import Message, MessageKind
from babysitter.store.codec import codec
from babysitter.store.connection import Connection
from babysitter.store.repositories.outbox_due import DeliveryState
from babysitter.store.schema.tables import deliveries, messages


class RoutineLines:
    """Reads them, and lets channels leave them out, inside one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def of(self, conversation: str) -> Sequence[Message]:
        """The lines of a conversation, oldest first."""
        asked = select(messages.c.body).where(
            messages.c.conversation == conversation, messages.c.occasion == MessageKind.ROUTINE
        )
        rows = await self._connection.execute(asked.order_by(messages.c.seq))
        return tuple(codec(Message).decode(row.body) for row in rows)

    async def leave_out(self, notifier: str, message: MessageId) -> None:
        """This channel tells it in another message."""
        await self._connection.execute(
            update(deliveries)
            .where(deliveries.c.notifier == notifier, deliveries.c.message == message)
            .values(state=DeliveryState.DIGESTED)
        )

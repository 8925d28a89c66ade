"""Which messages a channel gets."""

from babysitter.model.message import Audience, Message
from babysitter.notify.notifier import Notifier


def is_for(message: Message, notifier: Notifier) -> bool:
    """Whether this channel gets the message; what it does not get is told by another one."""
    return message.audience is Audience.ALL or message.audience is audience_of(notifier)


def audience_of(notifier: Notifier) -> Audience:
    if notifier.edits:
        return Audience.EDITING
    return Audience.DAILY if notifier.is_daily else Audience.PLAIN

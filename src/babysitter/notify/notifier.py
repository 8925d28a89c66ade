"""A way to tell people something: send one message, edit one, say whether an error is final."""

from dataclasses import dataclass
from typing import Protocol

from babysitter.model.message import Message


@dataclass(frozen=True, slots=True)
class Receipt:
    """Where a message ended up, in the notifier's own words; enough to edit it or to reply to it."""

    place: str  # e.g. a Slack channel id
    handle: str  # e.g. a Slack message timestamp
    thread: str = ""  # the conversation's root, "" when the message is the root itself


class NotifyError(Exception):
    """A message could not be sent or edited.

    `is_final`: sending it again can never work. `retry_after_s`: what the service asked for.
    `is_doubtful`: it may have arrived; look before sending again.
    """

    def __init__(
        self,
        sentence: str,
        *,
        is_final: bool = False,
        retry_after_s: float | None = None,
        is_doubtful: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.is_final = is_final
        self.retry_after_s = retry_after_s
        self.is_doubtful = is_doubtful


class Notifier(Protocol):
    """Tells people. Every method raises NotifyError, within a bounded time."""

    @property
    def name(self) -> str:
        """Key of its receipts in the store: slack, webhook, console, ..."""

    @property
    def description(self) -> str:
        """Who or what is told, for people, e.g. "Slack channel C0JOBS". No secrets; "" = nobody sees it."""

    @property
    def edits(self) -> bool:
        """Whether posted messages can be edited (live state is not sent otherwise)."""

    @property
    def is_daily(self) -> bool:
        """Whether what needs nobody is told once a day: each message disturbs, and none can be edited."""

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        """Post once. `thread`: the conversation's first message, None to start it.

        `is_repeat`: an earlier try may have arrived; the notifier looks for `message.id` before posting.
        """

    async def edit(self, receipt: Receipt, message: Message) -> None:
        """Replace what was posted. Safe to repeat."""

    async def close(self) -> None: ...

"""Is a connected socket deaf? Judged from pongs and from our own echo. Pure: times come in.

Slack sends an app its own messages back as events. So whatever we say must be heard again within
seconds; when nothing was said or heard for a while, one of our messages is touched (poked) to find out.
Deaf is noticed at the latest after SILENCE + ECHO, 75 s.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

PONG_WITHIN = timedelta(seconds=30)
ECHO_WITHIN = timedelta(seconds=30)
SILENCE_BEFORE_POKE = timedelta(seconds=45)
# An echo may overtake the answer to the call that caused it.
ECHO_MAY_BE_EARLY = timedelta(seconds=5)
MAX_ECHOLESS_RECONNECTS = 2
RECONNECTS_KEPT = 20


class SocketHealth(Enum):
    """How well the socket hears."""

    CLOSED = "not connected"
    WELL = "hears"
    UNSURE = "silent; to be poked"
    NO_PONGS = "deaf: no answer to pings"
    NO_EVENTS = "deaf: our own messages do not come back"

    @property
    def is_deaf(self) -> bool:
        return self in (SocketHealth.NO_PONGS, SocketHealth.NO_EVENTS)


@dataclass(slots=True)
class SocketActivity:
    """Notes about one socket; `judge` reads them."""

    connected_at: datetime | None = None
    ponged_at: datetime | None = None
    heard_at: datetime | None = None
    unanswered_since: datetime | None = None  # when we said something that has not come back yet
    echo_is_known: bool = False  # whether this workspace ever sent us an event
    deaf_reconnects: list[datetime] = field(default_factory=list)

    def connected(self, at: datetime) -> None:
        self.connected_at = self.ponged_at = self.heard_at = at
        self.unanswered_since = None

    def closed(self) -> None:
        self.connected_at = None

    def ponged(self, at: datetime) -> None:
        self.ponged_at = at

    def heard(self, at: datetime) -> None:
        """An event or a press arrived."""
        self.heard_at = at
        self.unanswered_since = None
        self.echo_is_known = True
        self.deaf_reconnects.clear()

    def said(self, at: datetime) -> None:
        """Something of ours was posted or edited; it should come back."""
        just_heard = self.heard_at is not None and at - self.heard_at <= ECHO_MAY_BE_EARLY
        if self.unanswered_since is None and not just_heard:
            self.unanswered_since = at

    def gave_up(self, at: datetime) -> None:
        """The connection is being replaced because it seemed deaf."""
        self.deaf_reconnects = [*self.deaf_reconnects[-RECONNECTS_KEPT:], at]
        self.closed()

    @property
    def has_no_echo(self) -> bool:
        """Reconnecting did not help and no event ever came: the app is not subscribed to messages."""
        return not self.echo_is_known and len(self.deaf_reconnects) >= MAX_ECHOLESS_RECONNECTS

    def judge(self, now: datetime) -> SocketHealth:
        if self.connected_at is None or self.ponged_at is None or self.heard_at is None:
            return SocketHealth.CLOSED
        if now - self.ponged_at > PONG_WITHIN:
            return SocketHealth.NO_PONGS
        if self.has_no_echo:
            return SocketHealth.WELL
        if self.unanswered_since is not None:
            return SocketHealth.NO_EVENTS if now - self.unanswered_since > ECHO_WITHIN else SocketHealth.WELL
        return SocketHealth.UNSURE if now - self.heard_at > SILENCE_BEFORE_POKE else SocketHealth.WELL

"""What a workspace holds: people, channels, messages, files. State only; no wire."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

BOT_SCOPES = frozenset(
    {
        "chat:write",
        "channels:history",
        "groups:history",
        "files:write",
        "usergroups:read",
        "users:read",
    }
)


class SlackFault(Exception):
    """An answer of the form {"ok": false, "error": code}."""

    def __init__(self, code: str, **more: Any) -> None:
        super().__init__(code)
        self.code = code
        self.more = more


@dataclass
class User:
    id: str
    name: str
    team: str
    is_bot: bool = False
    is_restricted: bool = False  # a guest
    is_stranger: bool = False  # of another workspace, in a shared channel
    deleted: bool = False

    def as_wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "team_id": self.team,
            "name": self.name,
            "real_name": self.name.title(),
            "deleted": self.deleted,
            "is_bot": self.is_bot,
            "is_app_user": False,
            "is_restricted": self.is_restricted,
            "is_ultra_restricted": False,
            "is_stranger": self.is_stranger,
        }


@dataclass
class Message:
    """One posted message; `ts` names it within its channel."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: list[dict[str, Any]] = field(default_factory=list)
    thread_ts: str | None = None  # its parent; None = not in a thread
    metadata: dict[str, Any] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    edited_at: float | None = None

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def menus(self) -> list[dict[str, Any]]:
        """The menus a person sees now."""
        elements = [element for block in self.blocks for element in block.get("elements", ())]
        return [element for element in elements if element.get("type") == "static_select"]

    @property
    def buttons(self) -> list[dict[str, Any]]:
        """The buttons a person sees now."""
        return [
            element
            for block in self.blocks
            for element in (
                *block.get("elements", ()),
                *([block["accessory"]] if "accessory" in block else ()),
            )
            if element.get("type") == "button"
        ]


@dataclass
class Edit:
    """A change that was made to a message."""

    ts: str
    channel: str
    text: str
    blocks: list[dict[str, Any]]


@dataclass
class Ephemeral:
    """What only one person saw."""

    channel: str
    user: str
    text: str
    thread_ts: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class File:
    id: str
    name: str
    length: int
    content: bytes = b""
    channel: str = ""
    thread_ts: str | None = None
    title: str = ""
    shared: bool = False


@dataclass
class Channel:
    id: str
    name: str
    is_private: bool = False
    has_bot: bool = True
    is_archived: bool = False
    messages: dict[str, Message] = field(default_factory=dict)


@dataclass
class Grant:
    """What a token may do."""

    kind: str  # bot or app
    scopes: frozenset[str]


class Workspace:
    """People, channels and everything said in them. `now` gives seconds since 1970."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.team = "T0SIM"
        self.app_id = "A0SIM"
        self.bot = User("U0BABYSIT", "babysit", self.team, is_bot=True)
        self.bot_id = "B0SIM"
        self.users: dict[str, User] = {}
        self.groups: dict[str, list[str]] = {}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, File] = {}
        self.edits: list[Edit] = []
        self.ephemerals: list[Ephemeral] = []
        self.tokens: dict[str, Grant] = {}
        self._sequence = itertools.count(1)
        self._last_us = 0
        self.add_user(self.bot)

    def add_user(self, user: User) -> User:
        self.users[user.id] = user
        return user

    def person(self, user_id: str, name: str = "", **facts: Any) -> User:
        """A member of this workspace."""
        return self.add_user(User(user_id, name or user_id.lower(), facts.pop("team", self.team), **facts))

    def add_channel(self, channel_id: str, name: str = "jobs", **facts: Any) -> Channel:
        self.channels[channel_id] = Channel(channel_id, name, **facts)
        return self.channels[channel_id]

    def next_ts(self) -> str:
        """A fresh timestamp id, always greater than every earlier one."""
        self._last_us = max(int(self.now() * 1_000_000), self._last_us + 100)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"

    def next_id(self, prefix: str) -> str:
        return f"{prefix}0SIM{next(self._sequence):05d}"

    def channel(self, channel_id: str, *, member: bool = True) -> Channel:
        """The channel as the bot may know it; a private one without the bot does not exist for it."""
        channel = self.channels.get(channel_id)
        if channel is None or (channel.is_private and not channel.has_bot):
            raise SlackFault("channel_not_found")
        if member and not channel.has_bot:
            raise SlackFault("not_in_channel")
        return channel

    def everything(self) -> Iterator[Message]:
        for channel in self.channels.values():
            yield from channel.messages.values()

    def find(self, ts: str) -> Message | None:
        return next((message for message in self.everything() if message.ts == ts), None)

    def replies(self, channel: Channel, ts: str) -> list[Message]:
        """A parent and its replies, oldest first."""
        parent = channel.messages.get(ts)
        if parent is None:
            raise SlackFault("thread_not_found")
        root = parent.thread_ts or parent.ts
        return [message for message in channel.messages.values() if root in (message.ts, message.thread_ts)]

    def as_wire(self, message: Message, *, with_metadata: bool = False) -> dict[str, Any]:
        """A message as the Web API gives it."""
        answer: dict[str, Any] = {
            "type": "message",
            "user": message.user,
            "ts": message.ts,
            "text": message.text,
            "team": self.team,
        }
        if message.user == self.bot.id:
            answer |= {"bot_id": self.bot_id, "app_id": self.app_id}
        if message.blocks:
            answer["blocks"] = message.blocks
        if message.thread_ts:
            answer["thread_ts"] = message.thread_ts
        if message.files:
            answer["files"] = [{"id": file, "name": self.files[file].name} for file in message.files]
        if message.edited_at is not None:
            answer["edited"] = {"user": message.user, "ts": f"{message.edited_at:.6f}"}
        if with_metadata and message.metadata:
            answer["metadata"] = message.metadata
        return answer

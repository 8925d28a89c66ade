"""A channel with a card in it, people who press, and everything between them and the decision."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from babysitter.errors import FactsChanged, NotAllowed
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, MessageId, Person, ProposalId
from babysitter.model.message import (
    Button,
    ButtonKind,
    Message,
    MessageContent,
    MessageKind,
)
from babysitter.model.proposal import Answer, Decision, Surface
from babysitter.notify.notifier import Receipt
from babysitter.sim.slack import SlackServer
from babysitter.slack.click import Click
from babysitter.slack.click_handler import ClickHandler
from babysitter.slack.click_result import ClickResult
from babysitter.slack.http_endpoint import PATH
from babysitter.slack.interactivity import SlackInteractivity
from babysitter.slack.posting import SlackNotifier, open_client
from babysitter.slack.socket_mode import SlackConnection
from tests.support.waiting import HANG_S
from tests.surfaces.manual_clock import ManualClock

CARD = MessageContent(
    "Zombie coordinator: dedup", "It has stopped working.", severity="fatal", commands=("stop /ada/dedup",)
)
ANSWERS = (
    ButtonKind.APPROVE,
    ButtonKind.DENY,
    ButtonKind.SNOOZE_1H,
    ButtonKind.SNOOZE_4H,
    ButtonKind.SNOOZE_CHANGE,
)


@dataclass
class MemoryDesk:
    """The rules of deciding, in memory: the first answer wins, in time, by an approver, on the same facts."""

    clock: ManualClock
    approvers: tuple[str, ...] = ("U0ADA", "U0BOB")
    expires_at: dict[str, datetime] = field(default_factory=dict)
    withdrawn: dict[str, str] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    acts: list[str] = field(default_factory=list)
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    feedback: list[tuple[str, str, bool]] = field(default_factory=list)
    taken_back: list[tuple[str, str]] = field(default_factory=list)
    advice: list[tuple[str, str]] = field(default_factory=list)  # second opinions that were asked for
    causes: list[Cause | None] = field(default_factory=list)  # that were named with it
    evidence: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pages: dict[str, tuple[str, ...]] = field(default_factory=dict)
    shown: list[str] = field(default_factory=list)
    slowness: asyncio.Event | None = None
    is_stuck: bool = False
    is_broken: bool = False
    inbox: dict[str, Click] = field(default_factory=dict)
    kept_at_all: list[str] = field(default_factory=list)

    async def keep(self, press: Click) -> None:
        if self.is_broken:
            raise RuntimeError("a fault of our own")
        if self.is_stuck:
            await asyncio.Event().wait()
        self.inbox[press.identity] = press
        self.kept_at_all.append(press.identity)

    async def kept(self) -> Sequence[Click]:
        return tuple(self.inbox.values())

    async def answered(self, press: Click) -> None:
        self.inbox.pop(press.identity, None)

    async def decide(
        self,
        proposal: ProposalId,
        person: Person,
        answer: Answer,
        door: Surface,
        *,
        snooze_until: datetime | None = None,
        incoming: str = "",
    ) -> ClickResult:
        self.inbox.pop(incoming, None)
        if self.slowness is not None:
            await self.slowness.wait()
        if proposal not in self.expires_at:
            return ClickResult(False, "This offer is not known any more.")
        if person not in self.approvers:
            self.refused.append((proposal, person, "not an approver"))
            raise NotAllowed("Only U0ADA and U0BOB may answer this.")
        if proposal in self.withdrawn:
            raise FactsChanged(f"The offer was withdrawn: {self.withdrawn[proposal]}.")
        first = self.decisions.get(proposal)
        if first is not None:
            return ClickResult(False, f"Already approved by {first.person} at {first.decided_at:%H:%M} UTC.")
        if self.clock.now() >= self.expires_at[proposal]:
            return ClickResult(
                False, f"The offer ended at {self.expires_at[proposal]:%H:%M} UTC; nothing was done."
            )
        self.decisions[proposal] = Decision(proposal, person, answer, door, self.clock.now(), snooze_until)
        if answer is Answer.YES:
            self.acts.append(proposal)
        return ClickResult(True)

    async def refuse(self, target: str, by: str, door: Surface, because: str) -> None:  # noqa: ARG002
        self.refused.append((target, by, because))

    async def give_feedback(
        self, incident: IncidentId, person: Person, *, was_right: bool, cause: Cause | None = None
    ) -> ClickResult:
        self.feedback.append((incident, person, was_right))
        self.causes.append(cause)
        return ClickResult(True)

    async def take_back_feedback(self, incident: IncidentId, person: Person) -> ClickResult:
        self.taken_back.append((incident, person))
        return ClickResult(True, "Taken back.")

    async def ask_advice(self, incident: IncidentId, person: Person) -> ClickResult:
        self.advice.append((incident, person))
        return ClickResult(True)

    async def more_evidence(self, incident: IncidentId) -> Sequence[str]:
        return self.evidence.get(incident, ())

    async def command_pages(self, proposal: ProposalId) -> Sequence[str]:
        return self.pages.get(proposal, ())

    async def record_shown(self, proposal: ProposalId) -> None:
        self.shown.append(proposal)


@dataclass
class Rig:
    slack: SlackServer
    desk: MemoryDesk
    clock: ManualClock
    notifier: SlackNotifier
    surface: SlackInteractivity

    @property
    def door(self) -> ClickHandler:
        return self.surface.door

    @property
    def socket(self) -> SlackConnection:
        assert self.surface.socket is not None
        return self.surface.socket

    async def offer(self, number: int = 1, thread: Receipt | None = None) -> Receipt:
        """Post a card with every button; its offer lasts an hour."""
        self.desk.expires_at[f"p-{number}"] = self.clock.now() + timedelta(hours=1)
        buttons = [Button(kind, f"p-{number}") for kind in ANSWERS]
        buttons += [
            Button(kind, f"i-{number}")
            for kind in ButtonKind
            if kind not in (*ANSWERS, ButtonKind.SHOW_COMMAND)
        ]
        card = Message(
            MessageId(f"m-{number}"),
            "w-1",
            MessageKind.INCIDENT,
            CARD,
            self.clock.now(),
            proposal=ProposalId(f"p-{number}"),
            buttons=tuple(buttons),
        )
        return await self.notifier.post(card, thread=thread, is_repeat=False)

    async def press(self, user: str, button: ButtonKind | str = ButtonKind.APPROVE, **how: object) -> str:
        """What this person was told, "" for nothing. Every press must be acknowledged."""
        before = len(self.slack.ephemerals)
        ack = await self.slack.click(user, str(button), **how)  # type: ignore[arg-type]
        assert ack.acked
        await self.door.settled()
        return " ".join(
            ephemeral.text for ephemeral in self.slack.ephemerals[before:] if ephemeral.user == user
        )


def make_rig(
    slack: SlackServer,
    clock: ManualClock,
    desk: MemoryDesk,
    *,
    over_http: bool = False,
    ping_every_s: float = HANG_S,
) -> Rig:
    if over_http:  # Slack signs with its time, and the endpoint compares it with its own
        slack.workspace.now = lambda: clock.now().timestamp()
    client = open_client(slack.bot_token, base_url=slack.base_url)
    notifier = SlackNotifier(client, "C0JOBS")
    surface = SlackInteractivity(
        client,
        notifier,
        desk,
        clock,
        app_token="" if over_http else slack.app_token,
        signing_secret=slack.signing_secret if over_http else "",
        wall_clock=clock,
        ping_every_s=ping_every_s,
    )
    return Rig(slack, desk, clock, notifier, surface)


@contextlib.asynccontextmanager
async def connected(rig: Rig) -> AsyncIterator[Rig]:
    """The rig with its socket open."""
    running = asyncio.create_task(rig.surface.run())
    await rig.slack.sockets.connected()
    await rig.slack.until(lambda: not rig.socket.status.trouble)
    try:
        yield rig
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


@contextlib.asynccontextmanager
async def listening(rig: Rig) -> AsyncIterator[Rig]:
    """The rig with its HTTP endpoint open instead."""
    running = asyncio.create_task(rig.surface.run())
    await rig.slack.until(lambda: rig.surface.port)
    rig.slack.interactivity_url = f"http://127.0.0.1:{rig.surface.port}{PATH}"
    try:
        yield rig
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

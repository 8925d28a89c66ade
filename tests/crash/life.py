"""One life of the service, in a process of its own: it begins, does what is due, and ends or is killed.

It runs on a clock in a shared file: whoever waits moves it, so nobody does. What the process needs beside
its state folder is in `Plan`; everything else it must find there, as after any crash.
"""

import asyncio
import contextlib
import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import structlog

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.connection.connect import writer_over
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.registry import OpenCluster
from babysitter.clock import SystemClock
from babysitter.config import Settings
from babysitter.config.settings import SlackSettings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.errors import StorageUnavailable
from babysitter.model.ids import JobId, Person
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.model.terminal_answer import TerminalAnswer
from babysitter.slack.approval_adapter import ApprovalAdapter
from babysitter.slack.interactivity import SlackInteractivity
from babysitter.slack.posting import SlackNotifier
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.quick.sqlite_inbox import put_answer
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.answering.request_stop import propose_stop
from babysitter.usecases.answering.terminal_answers import decide_terminal_answers
from babysitter.usecases.watching.manage_watches import WatchStatus, all_watch_statuses, start_watch
from babysitter.wiring import open_app
from tests.crash.points import Points, install
from tests.crash.write_faults import WriteFaults
from tests.crash.write_faults import install as install_faults

ADA = Person("U0ADA")
ROOT = JobId("/ada/dedup")
STEP_S = 10.0
MAX_STEPS = 160
CLICK_TIMEOUT_S = 120.0  # really; only a press that is lost takes so long


@dataclass(frozen=True)
class Plan:
    """What one life is to do. `answer`: by which door somebody answers, "" = nobody does."""

    state: Path
    clock: Path
    cluster_url: str
    slack_url: str
    answer: str = ""  # slack, terminal, left, deny, stop, ""
    kill_at: int = 0
    label: str = ""  # count only points of this label
    unwritable: tuple[int, int] = (0, 0)  # the first write that fails, and how many do
    until: str = "offered"  # offered, settled, expired, called-off
    is_whole: bool = False  # from the start of the watch on, not from the offer on


class SharedClock:
    """Time in eight bytes that several processes see. To sleep is to move it on."""

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as stream:
            self._bytes = mmap.mmap(stream.fileno(), 8)

    @staticmethod
    def made(file: Path, at: datetime) -> "SharedClock":
        file.write_bytes(struct.pack("d", at.timestamp()))
        return SharedClock(file)

    def now(self) -> datetime:
        return datetime.fromtimestamp(struct.unpack("d", self._bytes[:8])[0], UTC)

    def set(self, at: datetime) -> None:
        self._bytes[:8] = struct.pack("d", at.timestamp())

    def advance(self, seconds: float) -> None:
        self.set(self.now() + timedelta(seconds=seconds))

    async def sleep_until(self, at: datetime) -> None:
        if at > self.now():
            self.set(at)
        await asyncio.sleep(0)


def live(plan: Plan, told: Connection) -> None:
    """Entry of the process. Tells ("killed", label), or ("click", ""), and at its end ("ended", points)."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    points = Points(plan.kill_at, plan.label, lambda label: told.send(("killed", label)))
    install(points)
    faults = WriteFaults(*plan.unwritable, lambda label: told.send(("failed", label)))
    install_faults(faults)
    asyncio.run(_live(plan, lambda: told.send(("click", "")), faults))
    told.send(("ended", points.labels))


async def _live(plan: Plan, ask_for_click: Callable[[], None], faults: WriteFaults) -> None:
    clock = SharedClock(plan.clock)
    slack = SlackSettings(bot_token="xoxb-made-up", channel="C0JOBS", api_url=plan.slack_url)
    settings = Settings(state_dir=plan.state, slack=slack, approvers=((str(ADA),),))
    async with open_app(settings, clock=clock, opener=_opener(clock)) as app, Service(app) as service:
        faults.is_armed = True
        if plan.until == "offered" or plan.is_whole:
            await _begin(app, plan)
        elif plan.answer == "stop":
            await _stop(app)
        elif plan.answer == "slack" and await _is_open(app):
            await _hear(app, ask_for_click)
        elif plan.answer and await _is_open(app):
            await _answer(app, plan)
        for _ in range(MAX_STEPS):
            # An outage lasts as long as the retries of these writes take. Retried once an hour, twenty writes
            # would fail for longer than an offer stands, and nobody is reminded of one that has expired.
            waits_long = plan.until == "expired" and not faults.are_under_way
            clock.advance(3600.0 if waits_long else STEP_S)
            await service.tick()
            await service.settled()
            if (plan.is_whole or plan.unwritable[0]) and plan.answer and await _is_open(app):
                await _answer(app, plan)
            if await _is_over(app, plan.until):
                return


def _opener(clock: SharedClock) -> Callable[[ClusterSpec], OpenCluster]:
    def opened(spec: ClusterSpec) -> OpenCluster:
        line = HttpTransport(DirectEndpoint(spec.url), place=spec.url, ask_limit_s=5.0)
        reader = IrisReader(line, clock=clock)
        launching = replace(spec, client_revision_date="2026-11-20")
        return OpenCluster(spec, reader=reader, writer=writer_over(line, reader, launching, clock=clock))

    return opened


async def _begin(app: App, plan: Plan) -> None:
    """Start the watch, unless an earlier life did."""
    if not await all_watch_statuses(app):
        await start_watch(app, ROOT, ClusterSpec("marin", url=plan.cluster_url), by=ADA)


async def _answer(app: App, plan: Plan) -> None:
    """A person's answer in a terminal; who sees it fail or die looks, and answers again."""
    answer = Answer.NO if plan.answer == "deny" else Answer.YES
    if plan.answer == "left":
        await _leave(app)
        return
    with contextlib.suppress(StorageUnavailable):
        await decide(app, (await _standing(app)).proposals[-1].id, ADA, answer, Surface.TERMINAL)


async def _leave(app: App) -> None:
    """A person's answer that is left for the service, once; a later life finds it, or what it became."""
    async with app.store.reading() as tx:
        is_left = bool(await tx.inbox.of(Surface.TERMINAL))
    if not is_left:
        proposal = (await _standing(app)).proposals[-1].id
        given = TerminalAnswer("terminal:1", proposal, ADA, Answer.YES)
        put_answer(app.state_folder / FILE_NAME, given, now=app.clock.now())
    await decide_terminal_answers(app)


async def _stop(app: App) -> None:
    """A person asks for a stop instead of the restart, and approves it; a later life does what is left."""
    watch, proposals = (await _standing(app)).watch, (await _standing(app)).proposals
    if proposals[-1].status is ProposalStatus.APPROVED:
        return
    if await _is_open(app) and proposals[-1].submits:
        await decide(app, proposals[-1].id, ADA, Answer.NO, Surface.TERMINAL)
    asked = await propose_stop(app, watch.id, why="It is not needed any more.", asked_by="an agent")
    await decide(app, asked.proposal.id, ADA, Answer.YES, Surface.TERMINAL)


async def _hear(app: App, ask_for_click: Callable[[], None]) -> None:
    """Connect to Slack, have somebody press the button, and wait for what follows from it."""
    notifier = app.notifier("slack")
    assert isinstance(notifier, SlackNotifier)
    reception = ApprovalAdapter(app)
    surface = SlackInteractivity(
        notifier.client, notifier, reception, app.clock, app_token="xapp-made-up", wall_clock=SystemClock()
    )
    reception.members_of = surface.people.members_of
    hearing = asyncio.create_task(surface.run())
    try:
        async with asyncio.timeout(CLICK_TIMEOUT_S):
            assert surface.socket is not None
            while surface.socket.status.trouble:  # noqa: ASYNC110  the socket has no event for it
                await asyncio.sleep(0.005)
            ask_for_click()
            while await _is_open(app):  # noqa: ASYNC110  the database has none either
                await asyncio.sleep(0.005)
    except TimeoutError:
        pass  # nobody was heard: the next life hears
    finally:
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)


async def _standing(app: App) -> WatchStatus:
    return (await all_watch_statuses(app))[0]


async def _is_open(app: App) -> bool:
    proposals = (await _standing(app)).proposals
    return bool(proposals) and proposals[-1].status is ProposalStatus.OPEN


async def _is_over(app: App, until: str) -> bool:
    """Whether everything that this life is about has happened and has been told."""
    async with app.store.reading() as tx:
        if await tx.outbox.waiting_count("slack"):
            return False
    standing = await _standing(app)
    if not standing.proposals or until == "offered":
        return bool(standing.proposals)
    status = standing.proposals[-1].status
    if until == "called-off":
        return status is ProposalStatus.WITHDRAWN
    if until == "expired":
        return status not in (ProposalStatus.OPEN, ProposalStatus.SNOOZED)
    return status is ProposalStatus.DENIED or not standing.incidents

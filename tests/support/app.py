"""A whole babysit around a small cluster: real store, real rules, a clock that the test moves."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import OpenCluster
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.cluster_pool import Opener
from babysitter.engine.service import Service
from babysitter.model.events import Event
from babysitter.model.ids import JobId, Person, TaskId, is_within
from babysitter.model.job import Job, JobState
from babysitter.model.message import Message
from babysitter.model.submission import Submission, SubmitContext
from babysitter.model.thread_dump import ThreadDump
from babysitter.model.watch import Watch
from babysitter.notify.notifier import NotifyError, Receipt
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding
from babysitter.usecases.watching.manage_watches import start_watch
from babysitter.wiring import open_app
from tests.support.build import ROOT, submission
from tests.support.clock import FakeClock
from tests.support.cluster import SmallCluster

MARIN = ClusterSpec(name="marin", cluster="marin")
ADA = Person("U-ada")


@dataclass
class RecordingNotifier:
    """A notifier that remembers what it was told. `troubles`: errors to answer the next posts with."""

    name: str = "ear"
    edits: bool = True
    is_daily: bool = False
    description: str = "the test"
    heard: list[Message] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)
    threads: dict[str, str] = field(default_factory=dict)  # message id -> thread
    edited: list[Message] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)
    is_down: NotifyError | None = None

    async def post(self, message: Message, *, thread: Receipt | None, is_repeat: bool) -> Receipt:
        if self.is_down is not None:
            raise self.is_down
        known = next(
            (number for number, candidate in enumerate(self.heard) if candidate.id == message.id), None
        )
        if is_repeat:
            self.repeats.append(message.id)
        if not (is_repeat and known is not None):
            self.heard.append(message)
            known = len(self.heard) - 1
        self.threads[message.id] = thread.handle if thread else ""
        if self.troubles:
            raise self.troubles.pop(0)
        return Receipt("here", str(known), self.threads[message.id])

    async def edit(self, receipt: Receipt, message: Message) -> None:  # noqa: ARG002
        if self.is_down is not None:
            raise self.is_down
        self.edited.append(message)

    async def close(self) -> None: ...

    @property
    def occasions(self) -> list[str]:
        return [message.occasion.value for message in self.heard]


class TimedCluster(SmallCluster):
    """A small cluster whose dumps bear the time at which they are taken."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self._clock = clock

    async def dump(self, task: TaskId) -> ThreadDump:
        return replace(await super().dump(task), taken_at=self._clock.now())


def _nothing() -> None: ...


class SmallWriter:
    """Acts on a small cluster: what is stopped is killed, what is submitted runs. Counts what it did."""

    def __init__(self, cluster: SmallCluster, clock: FakeClock) -> None:
        self._cluster = cluster
        self._clock = clock
        self.stopped: list[JobId] = []
        self.submitted: list[JobId] = []
        self.findings: tuple[PreflightFinding, ...] = ()
        self.refuses: Exception | None = None  # raised instead of submitting
        self.tried: list[JobId] = []
        self.preflights: list[tuple[Submission, Purpose]] = []
        self.after_submit: Callable[[], None] = _nothing

    async def stop(self, job: JobId) -> None:
        self.stopped.append(job)
        for other in list(self._cluster.jobs.values()):
            if is_within(other.id, job) and not other.state.is_terminal:
                ended = replace(other, state=JobState.KILLED, finished_at=self._clock.now())
                self._cluster.jobs[other.id] = ended

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:
        self.preflights.append((submission, purpose))
        return self.findings

    async def by_hand(self, submission: Submission) -> str:
        return " ".join(submission.words)

    async def submit(self, submission: Submission) -> JobId:
        assert submission.job is not None
        self.tried.append(submission.job)
        if self.refuses is not None:
            raise self.refuses
        self.submitted.append(submission.job)
        now = self._clock.now()
        self._cluster.jobs[submission.job] = Job(
            submission.job, JobState.RUNNING, submitted_at=now, started_at=now, task_count=1
        )
        self.after_submit()
        return submission.job


class AppHarness:
    """An app, the service in it, and everything that a test may turn. `open` and `close` are its process."""

    def __init__(
        self,
        settings: Settings,
        clock: FakeClock,
        cluster: SmallCluster,
        ear: RecordingNotifier,
        writer: SmallWriter,
    ) -> None:
        self.settings, self.clock, self.cluster, self.ear, self.writer = settings, clock, cluster, ear, writer
        self._process = AsyncExitStack()

    async def open(self) -> None:
        opened = open_app(
            self.settings, clock=self.clock, notifiers=(self.ear,), opener=opener(self.cluster, self.writer)
        )
        async with AsyncExitStack() as stack:
            self.app: App = await stack.enter_async_context(opened)
            self.service = await stack.enter_async_context(Service(self.app))
            self._process = stack.pop_all()

    async def close(self) -> None:
        await self._process.aclose()

    async def watch(self, job: str = ROOT, resubmit: Submission | None = None) -> Watch:
        command = resubmit or submission()
        context = SubmitContext(command.workdir)
        return await start_watch(self.app, JobId(job), MARIN, by=ADA, resubmit=command, context=context)

    async def pass_s(self, seconds: float, *, step_s: float = 5.0) -> None:
        """Let time pass in small steps; after each of them everything due is done and told."""
        for _ in range(int(seconds / step_s)):
            self.clock.advance(step_s)
            await self.service.tick()
            await self.service.settled()

    async def now(self, watch: Watch) -> Watch:
        async with self.app.store.reading() as tx:
            return await tx.watches.get(watch.id)

    async def events(self, *kinds: type[Event]) -> list[Event]:
        async with self.app.store.reading() as tx:
            happened = [stored.event for stored in await tx.events.after(0)]
        return [event for event in happened if not kinds or isinstance(event, kinds)]


def opener(cluster: SmallCluster, writer: SmallWriter | None = None) -> Opener:
    """Opens the same small cluster under every name."""
    return lambda spec: OpenCluster(
        spec, reader=cluster, writer=writer or SmallWriter(cluster, FakeClock()), overview=cluster
    )


@asynccontextmanager
async def home(
    folder: Path,
    *,
    clock: FakeClock | None = None,
    cluster: SmallCluster | None = None,
    ear: RecordingNotifier | None = None,
    writer: SmallWriter | None = None,
    **settings: object,
) -> AsyncIterator[AppHarness]:
    """Open; opening it again on the same folder, with the same cluster, is a new process."""
    clock, ear = clock or FakeClock(), ear or RecordingNotifier()
    cluster = cluster or TimedCluster(clock)
    writer = writer or SmallWriter(cluster, clock)
    wanted = Settings(state_dir=folder, **settings)  # type: ignore[arg-type]
    place = AppHarness(wanted, clock, cluster, ear, writer)
    await place.open()
    try:
        yield place
    finally:
        await place.close()

"""A whole babysit watching a simulated cluster: real HTTP, real store, real rules, one clock for both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from babysitter.backends.batching import BatchingReader
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.connection.auth import Credentials
from babysitter.backends.iris.connection.connect import writer_over
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.connection.transport import Page, Verb
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submission.bundle import folder_state
from babysitter.backends.registry import OpenCluster, open_cluster
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.errors import Unreachable
from babysitter.model.events import (
    Event,
    IncidentEnded,
    IncidentOpened,
    JobFinished,
    PhaseChanged,
    RestartProposed,
)
from babysitter.model.ids import JobId, Person, ProposalId
from babysitter.model.proposal import Answer, Surface
from babysitter.model.submission import SubmitContext
from babysitter.model.watch import Watch
from babysitter.sim.iris.controller import Simulator
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.submitting.resubmit_command import submission_of
from babysitter.usecases.watching.manage_watches import start_watch, watch_status
from babysitter.wiring import open_app
from tests.support.app import RecordingNotifier
from tests.support.clock import NOON, FakeClock
from tests.support.fork_server import command_line
from tests.support.waiting import HANG_S

ADA = Person("U-ada")
HANGING_S = 0.05  # really, and only while the simulator hangs: no fake clock can shorten it


@dataclass
class SimulatedApp:
    """A watch on a simulated job, and what was told about it."""

    app: App
    service: Service
    sim: Simulator
    clock: FakeClock
    ear: RecordingNotifier
    watch: Watch

    async def pass_s(self, seconds: float, step_s: float = 5.0) -> None:
        for _ in range(int(seconds / step_s)):
            self.clock.advance(step_s)
            await self.service.tick()
            await self.service.settled()

    async def events(self, *kinds: type[Event]) -> list[Event]:
        async with self.app.store.reading() as tx:
            happened = [stored.event for stored in await tx.events.after(0, at_most=10_000)]
        return [event for event in happened if not kinds or isinstance(event, kinds)]

    async def phases(self) -> list[str]:
        """Those entered, in order; a suspicion that came to nothing leaves no trace."""
        entered: list[str] = []
        for change in await self.events(PhaseChanged):
            if entered[-1:] == ["suspect"] and change.after in ("steady", "finished"):
                entered.pop()  # explained away, or overtaken by the job's end
            if entered[-1:] != [change.after]:
                entered.append(change.after)
        return entered

    async def suspicions(self) -> list[str]:
        """Why the watch looked closer, each time."""
        return [event.because for event in await self.events(PhaseChanged) if event.after == "suspect"]

    async def causes(self) -> list[str]:
        """Of the incidents, in the order in which they were opened."""
        return [event.cause for event in await self.events(IncidentOpened)]

    async def endings(self) -> list[str]:
        return [event.status for event in await self.events(IncidentEnded)]

    async def proposals(self) -> list[RestartProposed]:
        return await self.events(RestartProposed)

    async def outcome(self) -> tuple[str, str] | None:
        """State and cause of the job's end, as told."""
        ended = await self.events(JobFinished)
        return (ended[-1].state, ended[-1].cause) if ended else None

    async def answer(self, yes: Answer = Answer.YES) -> str:
        """A person's answer to the newest proposal; what they read."""
        newest = (await self.proposals())[-1]
        return (await decide(self.app, ProposalId(newest.proposal), ADA, yes, Surface.TERMINAL)).sentence

    async def standing(self):
        return await watch_status(self.app, self.watch.id)


@asynccontextmanager
async def story(
    scenario: str,
    folder: Path,
    *,
    generation: str = "may",
    transport: str = "rpc",
    client_date: str = "2026-11-20",
    at: datetime = NOON,
    token: str = "",
    resubmit: str = "",
    workdir: Path | None = None,
    **settings: Any,
) -> AsyncIterator[SimulatedApp]:
    """Open everything and start watching the scenario's job.

    `client_date`: of the client that launches are accounted to. `token`: what the cluster wants to see.
    `resubmit`, `workdir`: the command that a person gave, and its folder.
    """
    clock, ear = FakeClock(at), RecordingNotifier()
    async with Simulator(scenario, clock.now, generation=generation, identity=token) as sim:
        command = command_line("simulated-iris", "--as", generation)
        spec = ClusterSpec(
            "marin",
            url=sim.url,
            transport=transport,
            iris_command=command,
            client_revision_date=client_date,
            token=token,
        )
        async with (
            open_app(
                Settings(state_dir=folder, **settings),
                clock=clock,
                notifiers=(ear,),
                opener=opener(clock, sim),
            ) as app,
            Service(app) as service,
        ):
            watch = await start_watch(
                app,
                JobId(sim.root_job),
                spec,
                by=ADA,
                resubmit=submission_of(resubmit) if resubmit else None,
                context=SubmitContext(str(workdir), folder_state(workdir)) if workdir else None,
            )
            yield SimulatedApp(app, service, sim, clock, ear, watch)


class PatientLine(HttpTransport):
    """Gives up on a simulator that hangs, soon, and on no other: a busy machine is slow, and answers."""

    def __init__(self, spec: ClusterSpec, sim: Simulator) -> None:
        super().__init__(
            DirectEndpoint(spec.url), place=spec.url, credentials=Credentials(spec.token), ask_limit_s=HANG_S
        )
        self._sim = sim

    async def ask(self, *given: Any, limit_s: float | None = None, **more: Any) -> object:  # noqa: ARG002
        self._sim.cluster  # noqa: B018  time passes, and with it the mood may change
        hangs = self._sim.mood == "hangs"
        return await super().ask(*given, limit_s=HANGING_S if hangs else HANG_S, **more)

    async def request_page(self, path: str, *, verb: Verb) -> Page:
        if self._sim.mood == "hangs":
            raise Unreachable("The simulator hangs.")
        return await super().request_page(path, verb=verb)


def opener(clock: FakeClock, sim: Simulator):
    """The real client, which asks once: its repeating pauses would be real ones too."""

    def opened(spec: ClusterSpec) -> OpenCluster:
        if spec.transport != "rpc":
            return open_cluster(spec, clock=clock)
        line = PatientLine(spec, sim)
        iris = (*spec.iris_command, "--controller-url", spec.url)
        reader = IrisReader(line, iris=iris, clock=clock)
        writer = writer_over(line, reader, spec, clock=clock)
        return OpenCluster(spec, reader=BatchingReader(reader, clock), writer=writer)

    return opened

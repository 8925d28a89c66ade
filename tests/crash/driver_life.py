"""One life of the service around a Ray driver that fails and whose restart a person approves."""

import asyncio
import os
import subprocess
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.ray.sessions import driver_runs
from babysitter.backends.ray.sessions.driver_runs import DriverRuns
from babysitter.backends.ray.sessions.session_choice import choose_session, read_choice
from babysitter.backends.ray.sessions.session_reader import SessionReader
from babysitter.backends.ray.sessions.session_writer import SessionWriter
from babysitter.backends.registry import OpenCluster
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.model.limits import Limits
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.model.submission import Submission, SubmissionOrigin, SubmitContext
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.answering.request_restart import propose
from babysitter.usecases.watching.manage_watches import all_watch_statuses, start_watch
from babysitter.wiring import open_app
from tests.crash.forked_life import run_life
from tests.crash.life import ADA, SharedClock
from tests.crash.points import Points
from tests.support.session_folder import session_in

RUN, NEXT = "kimi25_3node_train_20261120_110005", "kimi25_3node_train_20261120_110005-r1"
FAILS = """\
Traceback (most recent call last):
  File "train.py", line 7, in <module>
    ray.get(steps)
ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.
\tclass_name: TrainActor
\tactor_id: 1f2e
\tpid: 77
\tip: 10.0.0.2
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR \
Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file.
"""
STEP_S = 5.0
LIMITS = Limits(damping_s=10.0)  # a person waits for minutes, a test for steps
MAX_STEPS = 60
LOOK_PAUSE_S = 0.02
FAILS_AT_STEP = 4


@dataclass(frozen=True)
class DriverPlan:
    """What one life is to do, and where it ends (0 = it is not killed). `approves`: else only propose."""

    folder: Path
    approves: bool
    kill_at: int = 0
    label: str = ""


def entry(plan: DriverPlan, told: Connection) -> None:
    """Entry of the process."""
    run_life(plan, told, _live, watch=watch_processes)


def watch_processes(points: Points) -> None:
    """Have every signal to a group, start of a program and note about them pass by. For good."""

    def around(holder: Any, name: str, label: str) -> None:
        original = getattr(holder, name)

        def passing(*given: Any, **more: Any) -> Any:
            points.pass_by(f"before {label}")
            result = original(*given, **more)
            points.pass_by(f"after {label}")
            return result

        setattr(holder, name, passing)

    around(os, "killpg", "signal")
    around(subprocess, "Popen", "start")
    around(driver_runs, "_write", "note")


async def _live(plan: DriverPlan) -> None:
    clock = SharedClock(plan.folder / "clock")
    settings = Settings(state_dir=plan.folder / "state", approvers=((str(ADA),),), limits=LIMITS)
    opener = partial(_opened, folder=plan.folder, clock=clock)
    async with open_app(settings, clock=clock, opener=opener) as app, Service(app) as service:
        if not plan.approves:
            await _begin(app, plan.folder)
        for step in range(MAX_STEPS):
            if plan.approves:
                await _approve(app)
            elif step == FAILS_AT_STEP:
                with (plan.folder / f"{RUN}.log").open("a") as stream:
                    stream.write(FAILS)
            clock.advance(STEP_S)
            await service.tick()
            await service.settled()
            if await _is_over(app, plan):
                return


class PacedClock(SharedClock):
    """Gives processes of this machine a moment at each look: else 20 s pass before a signal has arrived."""

    async def sleep_until(self, at: datetime) -> None:
        await asyncio.sleep(LOOK_PAUSE_S)
        await super().sleep_until(at)


def _opened(spec: ClusterSpec, *, folder: Path, clock: SharedClock) -> OpenCluster:
    reader = SessionReader(read_choice(spec), clock, DriverRuns(folder / "runs"))
    return OpenCluster(spec, reader=reader, writer=SessionWriter(reader, PacedClock(folder / "clock")))


async def _begin(app: App, folder: Path) -> None:
    """Watch the run."""
    log = folder / f"{RUN}.log"
    choice = choose_session([session_in(folder).root], log, environ={}, uid=-1)
    spec = ClusterSpec("kimi-session", config=choice.paths, backend="ray-session")
    words = ("/bin/sh", "-c", f"echo ran >> {folder / 'ran.txt'}; sleep 600")
    again = Submission(words, SubmissionOrigin.RESUBMIT_FLAG, workdir=str(folder))
    await start_watch(app, RUN, spec, by=ADA, resubmit=again, context=SubmitContext(str(folder)))


async def _approve(app: App) -> None:
    """A person's answer; one that dies with the process is given again."""
    status = (await all_watch_statuses(app))[0]
    if status.proposals and status.proposals[-1].status is ProposalStatus.OPEN:
        await decide(app, status.proposals[-1].id, ADA, Answer.YES, Surface.TERMINAL)


async def _is_over(app: App, plan: DriverPlan) -> bool:
    """Whether a restart is offered, or the run that was started again has come up."""
    status = (await all_watch_statuses(app))[0]
    if plan.approves:
        return status.watch.root == NEXT and status.watch.phase is Phase.STEADY
    if not status.proposals and status.incidents:
        await propose(app, status.watch.id, why="It does not go on.", asked_by="an agent")
        return True
    return bool(status.proposals)

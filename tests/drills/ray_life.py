"""One life of the service around a job on a real Ray: a person approves, and it ends or is killed."""

import asyncio
import contextlib
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import structlog

from babysitter.backends.registry import ray_spec
from babysitter.config import Settings
from babysitter.engine.app import App
from babysitter.engine.service import Service
from babysitter.model.ids import Person
from babysitter.model.limits import Limits
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.model.submission import SubmitContext
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.watching.manage_watches import WatchStatus, all_watch_statuses, start_watch
from babysitter.wiring import open_app
from tests.crash.points import Points, install

ADA = Person("U0ADA")
TICK_S = 0.3
# A person waits for minutes, a drill for seconds.
LIMITS = Limits(pulse_s=1.0, suspicious_pulse_s=1.0, tree_interval_s=2.0, damping_s=1.0)
ENDED = (ProposalStatus.WITHDRAWN, ProposalStatus.DENIED, ProposalStatus.UNANSWERED)


@dataclass(frozen=True)
class RayPlan:
    """What one life is to do. `until`: proposed, verified (the new job is steady) or called-off."""

    state: Path
    url: str
    job: str
    until: str
    healed: Path | None = None  # made when the person approves
    kill_at: int = 0
    workdir: str = ""
    limit_s: float = 120.0
    approves: bool = True


@dataclass(frozen=True)
class RayEnding:
    """What the watch says at the end of a life."""

    root: str
    phase: str
    proposal: str = ""
    because: str = ""
    points: int = 0
    waited_s: float = 0.0
    is_over: bool = True


def live_on_ray(plan: RayPlan, told: Connection) -> None:
    """Entry of the process. Tells ("killed", label), and at its end ("ended", RayEnding)."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    points = Points(plan.kill_at, "", lambda label: told.send(("killed", label)))
    install(points)
    told.send(("ended", asyncio.run(_live(plan, points))))


async def _live(plan: RayPlan, points: Points) -> RayEnding:
    settings = Settings(state_dir=plan.state, limits=LIMITS, approvers=((str(ADA),),))
    began = time.monotonic()
    async with open_app(settings, notifiers=()) as app, Service(app) as service:
        if not await all_watch_statuses(app, with_stopped=True):
            spec, _ = ray_spec(plan.url, name="drill")
            context = await _context(plan)
            await start_watch(app, plan.job, spec, by=ADA, context=context)
        is_over = False
        while not is_over and time.monotonic() - began < plan.limit_s:
            await service.tick()
            await service.settled()
            status = (await all_watch_statuses(app, with_stopped=True))[0]
            is_over = _is_over(status, plan)
            if not is_over and plan.approves and plan.until != "proposed":
                await _approve(app, status, plan)
            await asyncio.sleep(TICK_S)
    proposal = status.proposals[-1] if status.proposals else None
    return RayEnding(
        status.watch.root,
        status.watch.memory.phase,
        proposal.status if proposal else "",
        proposal.withdrawn_because if proposal else " ".join(status.watch.submit_context.missing),
        len(points.labels),
        time.monotonic() - began,
        is_over,
    )


async def _context(plan: RayPlan) -> SubmitContext | None:
    from babysitter.usecases.submitting.resubmit_command import context_of

    if not plan.workdir:
        return None
    folder = Path(plan.workdir)
    return await context_of(folder, here=folder, state_folder=plan.state)


async def _approve(app: App, status: WatchStatus, plan: RayPlan) -> None:
    """The person's answer; one that dies with the process is given again."""
    if not status.proposals or status.proposals[-1].status is not ProposalStatus.OPEN:
        return
    if plan.healed is not None:
        plan.healed.touch()
    with contextlib.suppress(Exception):
        await decide(app, status.proposals[-1].id, ADA, Answer.YES, Surface.TERMINAL)


def _is_over(status: WatchStatus, plan: RayPlan) -> bool:
    if plan.until == "verified":
        return status.watch.root != plan.job and status.watch.memory.phase is Phase.STEADY
    if not status.proposals:
        return False
    return plan.until == "proposed" or status.proposals[-1].status in ENDED

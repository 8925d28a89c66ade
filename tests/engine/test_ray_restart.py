"""A crash loop on Ray, from the card to the new job: asked once, acted once, called off where facts moved."""

from contextlib import asynccontextmanager

import pytest

from babysitter.backends.registry import ray_spec
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.errors import BabysitError
from babysitter.messages.proposal_text import notes_of, submission_lines
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.store.codec import codec
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.answering.request_restart import propose
from babysitter.usecases.watching.manage_watches import start_watch, watch_status
from babysitter.wiring import open_app
from tests.support.app import ADA, RecordingNotifier
from tests.support.clock import NOON
from tests.support.cluster import HandClock
from tests.support.ray_dashboard import crash_looping, served

JOB, NEW = "loop-3", "loop-3-r1"


class Place:
    """A service that watches a recorded crash loop; its proposal."""

    def __init__(self, app, service, clock, dashboard, watch, offer):
        self.app, self.service, self.clock = app, service, clock
        self.dashboard, self.watch, self.offer = dashboard, watch, offer

    async def approve(self):
        await decide(self.app, self.offer.id, ADA, Answer.YES, Surface.TERMINAL)
        await self.pass_s(60)
        return await watch_status(self.app, self.watch.id)

    async def pass_s(self, seconds):
        for _ in range(int(seconds / 10)):
            self.clock.pass_s(10)
            await self.service.tick()
            await self.service.settled()


@asynccontextmanager
async def proposed(folder):
    clock = HandClock()
    async with served(crash_looping()) as dashboard:
        dashboard.jobs[JOB]["start_time"] = int(NOON.timestamp() * 1000)
        dashboard.modified = "Fri, 20 Nov 2026 12:00:00 GMT"
        settings = Settings(state_dir=folder)
        async with (
            open_app(settings, clock=clock, notifiers=(RecordingNotifier(),)) as app,
            Service(app) as service,
        ):
            spec, _ = ray_spec(dashboard.url)
            watch = await start_watch(app, JOB, spec, by=ADA)
            place = Place(app, service, clock, dashboard, watch, None)
            await place.pass_s(20)
            (place.offer,) = (await watch_status(app, watch.id)).proposals
            yield place


async def test_a_crash_loop_is_restarted_once_with_the_same_code(tmp_path):
    async with proposed(tmp_path) as place:
        lines = "\n".join(submission_lines(place.offer))
        assert "_ray_pkg_f0922406c4daae9d.zip" in lines
        assert "environment: MODE, WANDB_API_KEY" in lines
        assert "which CPUs, GPUs and memory" in dict(notes_of(place.offer))["Check before you approve"]
        assert "made-up" not in codec(type(place.offer)).encode(place.offer)
        status = await place.approve()
        assert status.watch.root == NEW
        (sent,) = place.dashboard.posted
        assert sent["runtime_env"]["env_vars"] == {"MODE": "x", "WANDB_API_KEY": "made-up"}
        assert sent["metadata"]["babysit_proposal"] == place.offer.id
        assert place.dashboard.jobs[JOB]["status"] == "STOPPED"
        assert place.dashboard.acted == [f"/api/jobs/{JOB}/stop", "/api/jobs/"]
        pages = [item.words.page for item in place.app.notifiers[-1].heard]
        assert pages[0] == f"{place.dashboard.url}/#/jobs/{JOB}"
        assert all(pages)


async def test_a_restart_is_called_off_when_the_head_was_restarted(tmp_path):
    async with proposed(tmp_path) as place:
        place.dashboard.session = "session_2"
        status = await place.approve()
        assert place.dashboard.acted == []
        withdrawn = status.proposals[0]
        assert withdrawn.status is ProposalStatus.WITHDRAWN
        assert "started again" in withdrawn.withdrawn_because


async def test_changed_variable_is_submitted_beside_the_recorded_ones(tmp_path):
    async with proposed(tmp_path) as place:
        await decide(place.app, place.offer.id, ADA, Answer.NO, Surface.TERMINAL)
        wanted = ("env.NCCL_DEBUG=INFO", "env.MODE=y")
        asked = await propose(place.app, place.watch.id, why="see more", asked_by="an agent", changes=wanted)
        place.offer = asked.proposal
        assert [(change.what, change.before) for change in asked.proposal.changes] == [
            ("env.NCCL_DEBUG", ""),
            ("env.MODE", "a value that is not kept"),
        ]
        await place.approve()
        (sent,) = place.dashboard.posted
        variables = {"MODE": "y", "NCCL_DEBUG": "INFO", "WANDB_API_KEY": "made-up"}
        assert sent["runtime_env"]["env_vars"] == variables
        with pytest.raises(BabysitError, match="memory"):
            await propose(place.app, place.watch.id, why="x", asked_by="an agent", changes=("memory=8GB",))

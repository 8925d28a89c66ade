"""The whole program against the simulated cluster: real HTTP, real store, a clock that the test moves."""

from contextlib import asynccontextmanager

import pytest

from babysitter.backends.open import spec_from_options
from babysitter.config import Settings
from babysitter.model.events import IncidentOpened, PhaseChanged, RestartProposed
from babysitter.model.ids import Person, ProposalId
from babysitter.model.proposal import Answer, Door
from babysitter.service.approvals import decide
from babysitter.service.run import Service
from babysitter.service.watching import standing_of, start_watching
from babysitter.service.wiring import open_hall
from babysitter.sim.server import NEIGHBOURS, ROOT, Simulator
from babysitter.surfaces.cli.demo import STAND_IN
from tests.support.clock import FakeClock
from tests.support.hall import Ear

ADA = Person("U-ada")


class Story:
    """A watch on a simulated job, and what was told about it."""

    def __init__(self, hall, service, sim, clock, ear, watch):
        self.hall, self.service, self.sim, self.clock, self.ear, self.watch = (
            hall,
            service,
            sim,
            clock,
            ear,
            watch,
        )

    async def pass_s(self, seconds, step_s=5.0):
        for _ in range(int(seconds / step_s)):
            self.clock.advance(step_s)
            await self.service.tick()
            await self.service.settled()

    async def events(self, kind):
        async with self.hall.store.reading() as records:
            return [
                each.event
                for each in await records.events.after(0, at_most=10_000)
                if isinstance(each.event, kind)
            ]

    async def standing(self):
        return await standing_of(self.hall, self.watch.id)


@asynccontextmanager
async def story(scenario, folder):
    clock, ear = FakeClock(), Ear()
    async with (
        Simulator(scenario, clock.now) as sim,
        open_hall(Settings(state_dir=folder), clock=clock, notifiers=(ear,)) as hall,
        Service(hall) as service,
    ):
        spec = spec_from_options(
            controller_url=sim.url, iris_command=f"{STAND_IN} --controller-url {sim.url}"
        )
        watch = await start_watching(hall, ROOT, spec, by=ADA)
        yield Story(hall, service, sim, clock, ear, watch)


@pytest.mark.parametrize("scenario", ["healthy", "log-flood", "plain-success"])
async def test_of_a_healthy_run_only_its_start_and_its_end_are_told(scenario, tmp_path):
    async with story(scenario, tmp_path) as told:
        await told.pass_s(300)
        assert told.ear.occasions == ["started", "finished"]
        assert [each.after for each in await told.events(PhaseChanged)][-1] == "finished"
        assert not await told.events(IncidentOpened)


async def test_a_zombie_is_confirmed_proposed_approved_restarted_and_ends_well(tmp_path):
    async with story("zombie", tmp_path) as told:
        await told.pass_s(300)
        proposals = await told.events(RestartProposed)
        assert [each.cause for each in await told.events(IncidentOpened)] == ["zombie-coordinator"]
        assert len(proposals) == 1
        assert told.sim.launched == []  # promise 1: nothing happens unapproved
        ruling = await decide(told.hall, ProposalId(proposals[0].proposal), ADA, Answer.YES, Door.TERMINAL)
        assert ruling.took_effect
        again = await decide(told.hall, ProposalId(proposals[0].proposal), ADA, Answer.YES, Door.SLACK)
        assert not again.took_effect
        assert "Already approved by U-ada" in again.sentence
        await told.pass_s(300)
        assert told.sim.launched == ["/ada/dedup-r1"]
        cluster = told.sim.cluster
        assert cluster.runs[ROOT].state == "killed"
        assert [cluster.runs[each].state for each in NEIGHBOURS] == ["running", "running"]
        standing = await told.standing()
        assert (standing.watch.root, standing.watch.phase) == ("/ada/dedup-r1", "finished")
        assert standing.incidents == ()


async def test_a_missing_module_is_escalated_and_never_restarted(tmp_path):
    async with story("import-error", tmp_path) as told:
        await told.pass_s(200)
        assert [each.cause for each in await told.events(IncidentOpened)] == ["missing-dependency"]
        assert not await told.events(RestartProposed)


async def test_a_job_that_waits_for_machines_is_told_once_and_is_no_incident(tmp_path):
    async with story("pending-capacity", tmp_path) as told:
        await told.pass_s(3600, step_s=30)
        assert told.ear.occasions == ["started", "waiting"]
        assert not await told.events(IncidentOpened)


async def test_promise_3_an_hour_of_failures_is_one_incident_and_no_proposal(tmp_path):
    async with story("zombie", tmp_path) as told:
        await told.pass_s(60)
        told.sim.mood = "ill"
        await told.pass_s(3600, step_s=10)
        assert [each.cause for each in await told.events(IncidentOpened)] == ["controller-unreachable"]
        assert not await told.events(RestartProposed)
        assert (await told.standing()).watch.memory.blind_since
        told.sim.mood = "well"
        await told.pass_s(60)
        assert not (await told.standing()).watch.memory.blind_since


async def test_a_steady_watch_costs_at_most_six_requests_and_four_kilobytes_a_minute(tmp_path):
    async with story("long-run", tmp_path) as told:
        await told.pass_s(180)
        told.sim.requests.clear()
        await told.pass_s(300)
        asked = [each for each in told.sim.requests if each[0] != "ProfileTask"]
        assert len(asked) <= 6 * 5
        assert sum(size for _, size in asked) <= 4_000 * 5
        assert asked

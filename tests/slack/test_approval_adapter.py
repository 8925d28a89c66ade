"""Presses in a simulated Slack answer real proposals of a real service."""

import pytest

from babysitter.errors import NotAllowed
from babysitter.model.advisor_spend import AdvisorLimits
from babysitter.model.events import DecisionRefused
from babysitter.model.ids import Person, ProposalId
from babysitter.model.message import ButtonKind
from babysitter.model.proposal import Answer, Surface
from babysitter.sim.slack import SlackServer
from babysitter.slack.approval_adapter import ApprovalAdapter
from babysitter.slack.click import Click
from tests.engine.advising.test_second_opinions import ASKED, failed, incident_of
from tests.slack.rig import connected, make_rig
from tests.support.app import home
from tests.support.sim_app import ADA, story
from tests.surfaces.manual_clock import ManualClock


async def an_offer(told) -> ProposalId:
    await told.pass_s(300)
    return (await told.standing()).proposals[-1].id


async def test_a_press_is_the_one_decision_and_a_second_hears_who_was_first(tmp_path):
    async with story("zombie", tmp_path) as told:
        offer, desk = await an_offer(told), ApprovalAdapter(told.app)
        assert (await desk.decide(offer, ADA, Answer.YES, Surface.SLACK)).took_effect
        second = await desk.decide(offer, ADA, Answer.NO, Surface.SLACK)
        assert not second.took_effect
        assert "Already approved by U-ada" in second.sentence
        await told.pass_s(60)
        assert told.sim.launched == ["/ada/dedup-r1"]


async def test_a_stranger_is_refused_recorded_and_nothing_follows(tmp_path):
    async with story("zombie", tmp_path) as told:
        offer = await an_offer(told)
        with pytest.raises(NotAllowed):
            await ApprovalAdapter(told.app).decide(offer, Person("U-bob"), Answer.YES, Surface.SLACK)
        assert [event.by for event in await told.events(DecisionRefused)] == ["U-bob"]
        await told.pass_s(60)
        assert told.sim.launched == []


async def test_more_evidence_is_what_the_incident_rests_on(tmp_path):
    async with story("zombie", tmp_path) as told:
        await an_offer(told)
        incident = (await told.standing()).incidents[0].id
        assert any("_shutdown" in line for line in await ApprovalAdapter(told.app).more_evidence(incident))


async def test_press_for_an_opinion_outlives_its_process(tmp_path):
    async with home(tmp_path, advisor=ASKED) as place:
        await failed(place)
        incident, _ = await incident_of(place)
        press = Click("U0BOB", "T0SIM", "T0SIM", "C0JOBS", "1.0", "", ButtonKind.ADVISE, incident.id, "p1")
        await ApprovalAdapter(place.app).keep(press)  # acknowledged; then the process dies
    async with SlackServer() as slack, home(tmp_path, clock=place.clock, cluster=place.cluster) as later:
        async with later.app.store.transaction() as tx:
            await tx.advisor.offer(AdvisorLimits(1, 1))
        desk = ApprovalAdapter(later.app)
        async with connected(make_rig(slack, ManualClock(), desk)) as rig:
            await rig.door.take_up()
            await rig.door.settled()
        async with later.app.store.reading() as tx:
            (wish,) = await tx.opinions.requested()
        assert (wish.incident, wish.person, await desk.kept()) == (incident.id, "U0BOB", ())

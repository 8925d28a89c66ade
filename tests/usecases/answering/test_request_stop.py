"""A stop that is asked for: what a person approves, what is stopped, and that nothing is submitted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from babysitter.backends.backend import Abilities
from babysitter.errors import NotAllowed, UserError
from babysitter.messages.proposal_text import whole_commands_of
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.message import ButtonKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, ProposalStatus, Surface
from babysitter.slack.blocks import _button
from babysitter.surfaces.cli.terminal.terminal_view import proposal_block
from babysitter.surfaces.views import ProposalView
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.answering.request_restart import propose
from babysitter.usecases.answering.request_stop import propose_stop, refuse_act
from babysitter.usecases.watching.manage_watches import start_watch
from tests.support.app import ADA, MARIN, AppHarness, home
from tests.support.build import COORDINATOR, ROOT
from tests.support.jobs import pipeline, tree
from tests.usecases.answering.test_request_restart import AGENT, WHY, offer_of, still, stuck


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


async def test_stop_is_approved_carried_out_and_submits_nothing(place: AppHarness):
    watch = await stuck(place)
    asked = await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT)
    assert whole_commands_of(asked.proposal) == (
        f"stop {ROOT}   # exactly this job",
        "# nothing is submitted",
    )
    assert ProposalView.of(asked.proposal).action == "stop"
    assert proposal_block(ProposalView.of(asked.proposal))
    again = await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT)
    assert (again.is_new, again.proposal.id) == (False, asked.proposal.id)
    with pytest.raises(NotAllowed, match="asks to stop"):
        await propose(place.app, watch.id, why=WHY, asked_by=AGENT)
    await place.pass_s(5)
    approve = next(button for button in place.ear.heard[-1].buttons if button.kind is ButtonKind.APPROVE)
    question = _button(approve)
    assert question["text"]["text"] == "Approve stop"
    assert "nothing is submitted" in question["confirm"]["text"]["text"]
    await still(place)
    assert (await offer_of(place, watch)).status is ProposalStatus.OPEN
    assert (place.writer.stopped, place.writer.submitted) == ([], [])
    await decide(place.app, asked.proposal.id, ADA, Answer.YES, Surface.TERMINAL)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([ROOT], [])
    now = await place.now(watch)
    assert (now.phase, now.outlook and now.outlook.job_state) == (Phase.FINISHED, JobState.KILLED)
    assert f"stopped {ROOT} as approved; nothing was submitted" in str(place.ear.heard)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"stop": False, "child": "", "preempt": "/a/b/0"}, "cannot be preempted"),
        ({"stop": False, "child": "/a/b/c"}, "can only be stopped"),
        ({"stop": True, "child": "", "changes": ["memory=5GB"]}, "carries no change"),
    ],
)
def test_act_that_does_not_exist_is_refused_by_name(asked, sentence):
    with pytest.raises(UserError, match=sentence):
        refuse_act(**{"changes": (), **asked})


async def test_only_a_child_that_can_be_spared_is_stopped(place: AppHarness, monkeypatch):
    watch = await stuck(place)
    with pytest.raises(NotAllowed, match="newest attempt"):
        await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT, child=COORDINATOR)
    for child, sentence in (("/bob/other", "not a child"), (f"{ROOT}/unknown", "does not know")):
        with pytest.raises(UserError, match=sentence):
            await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT, child=child)
    with pytest.raises(UserError, match="needs a reason"):
        await propose_stop(place.app, watch.id, why=" ", asked_by=AGENT)
    with monkeypatch.context() as patched:
        patched.setattr(type(place.cluster), "abilities", Abilities(submits=False))
        with pytest.raises(NotAllowed, match="cannot be stopped from here"):
            await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT)
    assert place.writer.stopped == []
    workers = next(job.id for job in place.cluster.jobs.values() if job.id not in (ROOT, COORDINATOR))
    asked = await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT, child=workers)
    await decide(place.app, asked.proposal.id, ADA, Answer.YES, Surface.TERMINAL)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([JobId(workers)], [])
    assert (await place.now(watch)).phase is not Phase.FINISHED


async def test_stale_coordinator_is_stopped_beside_the_newer_one(place: AppHarness):
    place.cluster.show(tree(*pipeline(0, 0), *pipeline(0, 1, since_s=60)))
    watch = await start_watch(place.app, ROOT, MARIN, by=ADA)
    await place.pass_s(120)
    newest = JobId(COORDINATOR.replace("-a0", "-a1"))
    with pytest.raises(NotAllowed, match="newest attempt"):
        await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT, child=newest)
    asked = await propose_stop(place.app, watch.id, why=WHY, asked_by=AGENT, child=COORDINATOR)
    await decide(place.app, asked.proposal.id, ADA, Answer.YES, Surface.TERMINAL)
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([COORDINATOR], [])

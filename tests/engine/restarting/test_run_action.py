"""What an action writes down: only under its lease, never of one that was ended; and the command by hand."""

from types import SimpleNamespace

import pytest

from babysitter.engine.restarting import run_action
from babysitter.errors import FactsChanged, StorageUnavailable, Unreachable
from babysitter.model.action import ActionStep, NotSubmitted, StepState
from babysitter.model.ids import ProposalId, ReplicaId, WatchId
from babysitter.model.proposal import Answer, Surface
from babysitter.store.store import open_store
from babysitter.usecases.answering.approvals import decide
from tests.engine.test_act import SUCCESSOR
from tests.engine.test_safety import approved
from tests.support.app import ADA, home
from tests.support.build import NOON, at, watch
from tests.support.offers import offered

PROPOSAL, REPLICA = ProposalId("p-1"), ReplicaId("r-1")


@pytest.fixture
async def store(tmp_path):
    opened = await open_store(tmp_path / "state")
    async with opened.transaction() as tx:
        await tx.leases.beat(REPLICA, until=at(600))
        await tx.leases.claim(["lead"], REPLICA, now=NOON)
        await tx.journal.begin(PROPOSAL, WatchId("w-1"), now=NOON)
    yield opened
    await opened.close()


async def journal_of(store, fence: int = 1):
    async with store.reading() as tx:
        action = await tx.journal.action(PROPOSAL)
    lease = SimpleNamespace(name="lead", fence=fence)
    clock = SimpleNamespace(now=lambda: NOON)
    app = SimpleNamespace(store=store, clock=clock, leadership=SimpleNamespace(lease=lease))
    return run_action._Journal(app, action)


async def test_journal_of_an_open_action_is_written(store):
    journal = await journal_of(store)
    await journal.intend(ActionStep.STOP, "/ada/dedup")
    assert (await journal.taken())[ActionStep.STOP].detail == "/ada/dedup"


async def test_journal_takes_no_step_of_an_ended_action(store):
    journal = await journal_of(store)
    async with store.transaction() as tx:
        await tx.journal.end(PROPOSAL, "called off", now=at(1))
    with pytest.raises(FactsChanged, match="was ended meanwhile"):
        await journal.intend(ActionStep.SUBMIT, SUCCESSOR)
    assert ActionStep.SUBMIT not in await journal.taken()
    await journal.done(ActionStep.STOP)  # what was done is written down all the same


async def test_journal_keeps_a_step_that_failed(store):
    journal = await journal_of(store)
    await journal.failed(ActionStep.STOP, "The cluster said no.")
    record = (await journal.taken())[ActionStep.STOP]
    assert (record.state, record.detail) == (StepState.FAILED, "The cluster said no.")


async def test_journal_under_an_older_lease_is_refused(store):
    journal = await journal_of(store, fence=0)
    with pytest.raises(FactsChanged, match="taken over"):
        await journal.intend(ActionStep.STOP)


@pytest.mark.parametrize(
    ("fault", "is_raised"),
    [(StorageUnavailable("The disk is full."), True), (Unreachable("Away."), False), (ValueError(), False)],
)
async def test_command_by_hand_is_left_out_where_it_cannot_be_written(fault, is_raised):
    async def writer(*_args: object):
        raise fault

    app = SimpleNamespace(clusters=SimpleNamespace(writer=writer))
    outcome = NotSubmitted("No room.", NOON, ActionStep.SUBMIT, at(60))
    writing = run_action._by_hand(approved(), outcome, watch(), app)
    if is_raised:
        with pytest.raises(StorageUnavailable):
            await writing
    else:
        assert await writing == ""


@pytest.mark.parametrize(
    "fault",
    [
        FactsChanged("Taken over."),
        StorageUnavailable("The disk is full."),
        Unreachable("Away."),
        ValueError("x"),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_fault_before_the_stop_is_raised_unless_blind(tmp_path, monkeypatch, fault):
    async def broken(*_: object) -> None:
        raise fault

    monkeypatch.setattr(run_action, "_run", broken)
    async with home(tmp_path) as place:
        watched, offer = await offered(place)
        await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)
        async with place.app.store.reading() as tx:
            action = await tx.journal.action(offer.id)
        resuming = run_action.resume_action(watched, action, place.app)
        if type(fault) is Unreachable:
            assert await resuming == place.clock.now() + run_action.BLIND_AGAIN
        else:
            with pytest.raises(type(fault)):
                await resuming

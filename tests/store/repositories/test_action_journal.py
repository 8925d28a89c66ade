"""Steps of an action: where each stands, and an event for each."""

from babysitter.model.action import ActionStep, StepState
from babysitter.model.events import StepTaken
from babysitter.model.ids import ProposalId, WatchId
from babysitter.store.repositories.event_log import events_of
from babysitter.store.store import Store
from tests.support.build import NOON, at

PROPOSAL, WATCH = ProposalId("p-1"), WatchId("w-1")


async def test_an_action_is_open_until_it_is_ended_once(store: Store):
    async with store.transaction() as tx:
        await tx.journal.begin(PROPOSAL, WATCH, now=NOON)
        await tx.journal.begin(PROPOSAL, WATCH, now=at(5))
        (action,) = await tx.journal.open_actions()
        assert action.begun_at == NOON
        assert await tx.journal.open_action_of(WATCH) == action
        assert await tx.journal.end(PROPOSAL, "submitted", now=at(9))
        assert not await tx.journal.end(PROPOSAL, "twice", now=at(10))
        assert await tx.journal.open_actions() == ()


async def test_a_step_stands_where_it_was_last_written(store: Store):
    async with store.transaction() as tx:
        await tx.journal.begin(PROPOSAL, WATCH, now=NOON)
        (action,) = await tx.journal.open_actions()
        await tx.journal.write(action, ActionStep.STOP, StepState.INTENDED, "/ada/dedup", now=at(1))
        await tx.journal.write(action, ActionStep.STOP, StepState.DONE, "asked", now=at(2))
        await tx.journal.write(action, ActionStep.TERMINAL, StepState.INTENDED, now=at(3))
        taken = await tx.journal.taken(PROPOSAL)
        happened = events_of(await tx.events.after(0))
    assert {step: record.state for step, record in taken.items()} == {
        ActionStep.STOP: StepState.DONE,
        ActionStep.TERMINAL: StepState.INTENDED,
    }
    steps = [
        (step_taken.step, step_taken.state) for step_taken in happened if isinstance(step_taken, StepTaken)
    ]
    assert steps == [
        ("stop-requested", "intended"),
        ("stop-requested", "done"),
        ("terminal-confirmed", "intended"),
    ]


async def test_what_a_failed_step_says_is_redacted(store: Store):
    token = "hf_" + "madeup" * 6
    async with store.transaction() as tx:
        await tx.journal.begin(PROPOSAL, WATCH, now=NOON)
        (action,) = await tx.journal.open_actions()
        await tx.journal.write(action, ActionStep.SUBMIT, StepState.FAILED, f"refused: {token}", now=at(1))
        await tx.journal.write(action, ActionStep.TERMINAL, StepState.DONE, "killed", now=at(1))
        taken = await tx.journal.taken(PROPOSAL)
    assert token not in taken[ActionStep.SUBMIT].detail
    assert taken[ActionStep.SUBMIT].detail.startswith("refused")
    assert taken[ActionStep.TERMINAL].detail == "killed"

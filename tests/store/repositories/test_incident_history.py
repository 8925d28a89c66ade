"""The memory of incidents: what is kept, what is found, how it ended, what people taught."""

from dataclasses import replace
from datetime import timedelta

import pytest

from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person
from babysitter.model.incident import IncidentKey, IncidentStatus
from babysitter.model.past_incident import Ending, Fingerprint, Origin, PastIncident
from babysitter.model.proposal import Answer, Decision, Surface
from babysitter.model.verdict import Change
from babysitter.policy.respond import offer_of
from babysitter.store.repositories.feedback import FeedbackLabel
from babysitter.store.repositories.incident_history import remedy_of
from babysitter.store.store import Store, Transaction
from tests.support.build import COORDINATOR, NOON, case, diagnosis, verdict, watch

PAST = PastIncident("i-1", NOON, Cause.UNKNOWN, Fingerprint("f-1", decisive=("disk full",)), job="/ada/dedup")
DISK = {"disk": 3.0, "full": 3.0}
MORE = Change("memory", "5GB", "10GB", "it used 5GB")


async def own(tx: Transaction, status: IncidentStatus, *, change: Change | None = MORE) -> None:
    """An incident of our own, with a restart that ada approved, as far as `status`."""
    found = diagnosis(Cause.HOST_OOM)
    incident = IncidentId("i-1")
    await tx.incidents.open_incident(
        incident, IncidentKey(watch().id, found.cause, COORDINATOR), found, now=NOON
    )
    offer = replace(offer_of(case(verdict(found)), incident, found), change=change)
    await tx.incidents.add_proposal(offer)
    await tx.incidents.decide_once(Decision(offer.id, Person("ada"), Answer.YES, Surface.TERMINAL, NOON))
    await tx.incidents.set_status(incident, status, now=NOON)
    await tx.history.put(PAST, DISK)


async def test_history_finds_what_was_committed(store: Store):
    async with store.transaction() as tx:
        await tx.history.put(PAST, DISK)
        assert await tx.history.search(DISK, at_most=5) == []  # it may yet be rolled back
    async with store.reading() as tx:
        assert [ranked.id for ranked in await tx.history.search(DISK, at_most=5)] == ["i-1"]
        assert await tx.history.search(DISK, at_most=5, leave_out=["i-1"]) == []
        assert await tx.history.get("i-1") == PAST
        assert await tx.history.get("i-2") is None


async def test_history_forgets_what_was_rolled_back(store: Store):
    async def break_off() -> None:
        async with store.transaction() as tx:
            await tx.history.put(PAST, DISK)
            await tx.history.search(DISK, at_most=5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await break_off()
    async with store.transaction() as tx:
        await tx.history.put(replace(PAST, id="i-2"), DISK)
    async with store.reading() as tx:
        assert [ranked.id for ranked in await tx.history.search(DISK, at_most=5)] == ["i-2"]


async def test_history_replaces_and_removes(store: Store):
    async with store.transaction() as tx:
        await tx.history.put(PAST, DISK)
    async with store.reading() as tx:
        await tx.history.search(DISK, at_most=5)
    async with store.transaction() as tx:
        await tx.history.put(PAST, {"memory": 3.0})
    async with store.reading() as tx:
        assert await tx.history.search(DISK, at_most=5) == []
        assert len(await tx.history.search({"memory": 1.0}, at_most=5)) == 1
    async with store.transaction() as tx:
        await tx.history.remove(["i-1", "i-9"])
    async with store.reading() as tx:
        assert await tx.history.search({"memory": 1.0}, at_most=5) == []


@pytest.mark.parametrize(
    ("status", "ending", "remedy", "person"),
    [
        (IncidentStatus.RESOLVED, Ending.FIXED, "--memory 10GB", "ada"),
        (IncidentStatus.SELF_RESOLVED, Ending.RECOVERED, "", ""),
        (IncidentStatus.FAILED, Ending.NOT_FIXED, "", ""),
        (IncidentStatus.ACTING, Ending.OPEN, "", ""),
    ],
)
async def test_history_knows_the_ending(store: Store, status, ending, remedy, person):
    async with store.transaction() as tx:
        await own(tx, status)
    async with store.reading() as tx:
        past = await tx.history.get("i-1")
    assert past is not None
    assert (past.ending, past.remedy, past.remedied_by) == (ending, remedy, person)
    assert past.cause is Cause.HOST_OOM  # as judged by now, not as it was written down


async def test_history_knows_what_people_taught(store: Store):
    label = FeedbackLabel(IncidentId("i-1"), Person("ada"), NOON, was_right=False, cause=Cause.DISK_FULL)
    async with store.transaction() as tx:
        await tx.history.put(PAST, DISK)
        await tx.feedback.put(label)
    async with store.transaction() as tx:
        past = await tx.history.get("i-1")
        assert past is not None
        assert (past.true_cause, past.taught_by) == (Cause.DISK_FULL, "ada")
        assert (past.known_cause, past.is_taught_here) == (Cause.DISK_FULL, True)
        assert await tx.feedback.of(label.incident) == (label,)
        assert await tx.feedback.remove(label.incident, label.person)
        assert not await tx.feedback.remove(label.incident, label.person)
        past = await tx.history.get("i-1")
    assert past is not None
    assert past.known_cause is Cause.UNKNOWN


async def test_history_lists_the_newest_first(store: Store):
    older = replace(PAST, id="i-0", at=NOON - timedelta(days=3), origin=Origin.IMPORTED)
    async with store.transaction() as tx:
        await tx.history.put(older, DISK)
        await tx.history.put(PAST, DISK)
    async with store.reading() as tx:
        assert [past_incident.id for past_incident in await tx.history.since()] == ["i-1", "i-0"]
        assert [past_incident.id for past_incident in await tx.history.since(NOON)] == ["i-1"]


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        (None, "a restart"),
        (MORE, "--memory 10GB"),
        (replace(MORE, what="flag", after="--preemptible"), "--preemptible"),
        (replace(MORE, what="env", after=""), "another env"),
    ],
)
def test_remedy_of_a_change(change: Change | None, remedy: str):
    assert remedy_of(*([change] if change else [])) == remedy


async def test_writing_transaction_does_not_fill_the_index(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("babysitter.store.repositories.incident_history.MAX_WHILE_WRITING", 2)
    async with store.transaction() as tx:
        for number in range(6):
            at = NOON + timedelta(minutes=number)
            await tx.history.put(replace(PAST, id=f"i-{number}", at=at), DISK)
    async with store.transaction() as tx:
        found = await tx.history.search(DISK, at_most=9)
    assert [ranked.id for ranked in found] == ["i-4", "i-5"], "the newest"
    await store.prepare_memory()
    async with store.transaction() as tx:
        assert len(await tx.history.search(DISK, at_most=9)) == 6

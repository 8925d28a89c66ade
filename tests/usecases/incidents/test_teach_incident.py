"""What people say of a diagnosis: it changes the next card, and is taken back by one command."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.engine.earlier_incidents import remember
from babysitter.engine.telling.enqueue import subject_of
from babysitter.errors import UserError
from babysitter.messages.compose import compose_message
from babysitter.model.events import FeedbackGiven, FeedbackWithdrawn
from babysitter.model.finding import Cause, Evidence
from babysitter.model.ids import IncidentId, JobId, Person, RuleId
from babysitter.model.incident import IncidentKey, IncidentStatus
from babysitter.model.job import JobState
from babysitter.model.message import MessageKind
from babysitter.model.past_incident import Origin
from babysitter.model.watch import Watch
from babysitter.usecases.incidents.explain import record_line
from babysitter.usecases.incidents.find_incidents import find_incidents, sentence_about
from babysitter.usecases.incidents.rule_precision import rule_ledger
from babysitter.usecases.incidents.share_incidents import export_incidents, import_incidents
from babysitter.usecases.incidents.teach_incident import take_back, teach
from tests.support.app import ADA, AppHarness, home
from tests.support.build import COORDINATOR, ROOT, diagnosis, verdict
from tests.support.jobs import job

FIRST, SECOND, OTHER = IncidentId("i-1"), IncidentId("i-2"), IncidentId("i-3")
LINE = "worker-{n}: read from store-{n}.internal failed: connection reset after {n} s"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


async def incident(place: AppHarness, name: IncidentId, line: str, *, days_ago: int = 0) -> Watch:
    """An incident of the place that quotes this line."""
    root = JobId(f"{ROOT}-{name}")
    place.cluster.jobs[root] = job(root, JobState.RUNNING)
    watch = await place.watch(root)
    found = diagnosis(Cause.NETWORK_TIMEOUT, evidence=(Evidence(line, "log"),), rules=("net.reset",))
    opened_at = place.clock.now() - timedelta(days=days_ago)
    key = IncidentKey(watch.id, found.cause, COORDINATOR)
    async with place.app.store.transaction() as tx:
        await tx.incidents.open_incident(name, key, found, now=opened_at)
        stored = await tx.incidents.incident(name)
        assert stored is not None
        await remember(tx, stored, watch, verdict(found), None)
    return watch


async def card(place: AppHarness, watch: Watch, name: IncidentId) -> dict[str, str]:
    async with place.app.store.reading() as tx:
        about = await subject_of(tx, watch, now=place.clock.now(), incident=name)
    return dict(compose_message(MessageKind.INCIDENT, about).notes)


async def test_teaching_changes_the_next_card(place: AppHarness):
    await incident(place, FIRST, LINE.format(n=3), days_ago=2)
    async with place.app.store.transaction() as tx:
        await tx.incidents.set_status(FIRST, IncidentStatus.SELF_RESOLVED, now=place.clock.now())
    await incident(place, OTHER, "ValueError: heads must divide the width of the model", days_ago=1)
    watch = await incident(place, SECOND, LINE.format(n=71))
    before = (await card(place, watch, SECOND))["Seen before"]
    assert before == f"Seen once on 18 Nov; 1 recovered by itself (i-1 {COORDINATOR})."
    told = await teach(place.app, FIRST, ADA, was_right=False, cause=Cause.STORAGE_ERROR)
    assert told.startswith("Kept: it was really storage-error.")
    assert "U-ada says it was really storage-error" in (await card(place, watch, SECOND))["Seen before"]
    assert "storage-error" in await sentence_about(place.app, SECOND)
    (given,) = await place.events(FeedbackGiven)
    assert (given.by, given.was_right, given.cause, given.rules) == (
        ADA,
        False,
        "storage-error",
        ("net.reset",),
    )
    await take_back(place.app, FIRST, ADA)
    assert (await card(place, watch, SECOND))["Seen before"] == before
    assert len(await place.events(FeedbackWithdrawn)) == 1
    with pytest.raises(UserError, match="has said nothing about i-1"):
        await take_back(place.app, FIRST, ADA)
    await teach(place.app, FIRST, ADA, was_right=True)
    with pytest.raises(UserError, match="U-bob has said nothing about i-1; U-ada did") as raised:
        await take_back(place.app, FIRST, Person("U-bob"))
    assert "with the last entry of the menu" in raised.value.next_step


async def test_teaching_shows_on_its_own_card(place: AppHarness):
    watch = await incident(place, FIRST, LINE.format(n=3))
    assert await card(place, watch, FIRST) == {}  # nothing earlier, nobody said anything
    await teach(place.app, FIRST, ADA, was_right=False, cause=Cause.NETWORK_TIMEOUT)
    assert (await card(place, watch, FIRST))["People say"] == "the cause is right (U-ada)"
    await teach(place.app, FIRST, ADA, was_right=False)
    assert (await card(place, watch, FIRST))["People say"] == "the cause is wrong (U-ada)"


async def test_teaching_an_unknown_incident(place: AppHarness):
    with pytest.raises(UserError, match="No incident has the id 'i-9'"):
        await teach(place.app, IncidentId("i-9"), ADA, was_right=True)


async def test_incidents_are_found_and_shared(place: AppHarness, tmp_path: Path):
    await incident(place, FIRST, LINE.format(n=3), days_ago=40)
    await incident(place, OTHER, "ValueError: heads must divide the width of the model", days_ago=1)
    await incident(place, SECOND, LINE.format(n=8))
    async with place.app.store.transaction() as tx:
        await tx.history.remove([FIRST])  # as of a time before there was a memory
    assert [recalled.past.id for recalled in await find_incidents(place.app)] == [SECOND, OTHER, FIRST]
    (nearest, *_) = await find_incidents(place.app, like=SECOND)
    assert (nearest.past.id, nearest.likeness) == (FIRST, 1.0)
    since = place.clock.now() - timedelta(days=7)
    assert [recalled.past.id for recalled in await find_incidents(place.app, since=since)] == [SECOND, OTHER]
    assert await find_incidents(place.app, cause=Cause.HOST_OOM) == []
    with pytest.raises(UserError, match="No incident has the id 'i-9'"):
        await find_incidents(place.app, like="i-9")
    file = tmp_path / "memory.jsonl"
    assert await export_incidents(place.app, file) == 3
    async with place.app.store.transaction() as tx:
        exported = await tx.history.of([FIRST, OTHER])
        await tx.history.remove([FIRST, OTHER])
    imported = await import_incidents(place.app, file)
    assert (imported.fresh, imported.known) == (2, 1)
    async with place.app.store.reading() as tx:
        found = await tx.history.of([FIRST, OTHER])
    assert {past_incident.origin for past_incident in found} == {Origin.IMPORTED}
    assert [past_incident.fingerprint for past_incident in found] == [
        past_incident.fingerprint for past_incident in exported
    ]
    assert replace(found[0], origin=Origin.OWN, ending=exported[0].ending) == exported[0]


async def test_a_rule_called_wrong_counts_as_a_hint(place: AppHarness):
    names = [IncidentId(f"i-{number}") for number in range(3)]
    for number, name in enumerate(names):
        await incident(place, name, LINE.format(n=number))
        await teach(place.app, name, ADA, was_right=False)
    rule = RuleId("net.reset")
    assert rule in await place.app.demotions.now()
    (record,) = await rule_ledger(place.app)
    assert (record.incidents, record.right, record.wrong) == (3, 0, 3)
    assert record_line(record).startswith("rule net.reset: behind 3 incidents, 0 right, 3 wrong; counts as")
    await take_back(place.app, names[0], ADA)
    assert await place.app.demotions.now() == {}

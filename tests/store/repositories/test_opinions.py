"""Second opinions as they are stored: one for each incident and watch, and who asked for one."""

from dataclasses import replace
from datetime import timedelta

from babysitter.model.advisor_spend import AdvisorDay, AdvisorLimits, AdvisorSpend
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import IncidentId, Person, WatchId
from babysitter.model.incident import IncidentKey, IncidentStatus
from babysitter.model.opinion import Combined, Opinion, OpinionRecord, OpinionRequest, Quote, Weighing
from babysitter.store.store import Store
from tests.support.build import COORDINATOR, NOON, diagnosis, watch

HOUR = timedelta(hours=1)
SAID = Opinion(
    Cause.DISK_FULL,
    0.9,
    "The disk \N{SNOWMAN} is full.",
    (Quote("L1", "No space\0left"),),
    ActionKind.ESCALATE,
)
RECORD = OpinionRecord(
    IncidentId("i-1"),
    NOON,
    "q-1",
    Combined(Weighing.SUSPECTED, Cause.DISK_FULL, ActionKind.ESCALATE, Cause.HOST_OOM, SAID),
    calls=2,
    tokens=1_200,
    cost_usd=0.25,
    transcript="[redacted]",
    day=AdvisorDay(AdvisorSpend(1, 2, 1_200, 0.25), AdvisorLimits(200, 2_000_000)),
)


async def test_newest_opinion_on_an_incident_is_kept(store: Store):
    unpriced = replace(RECORD, incident=IncidentId("i-2"), cost_usd=None)
    async with store.transaction() as tx:
        await tx.opinions.put(replace(RECORD, tokens=1))
        await tx.opinions.put(RECORD)
        await tx.opinions.put(unpriced)
    async with store.reading() as tx:
        assert await tx.opinions.of(IncidentId("i-1")) == RECORD
        assert await tx.opinions.with_fingerprint("q-1") == unpriced
        assert await tx.opinions.of(IncidentId("i-9")) is None
        assert await tx.opinions.with_fingerprint("q-9") is None


async def test_unasked_incidents_are_found(store: Store):
    async with store.transaction() as tx:
        for number, cause in enumerate((Cause.HOST_OOM, Cause.DISK_FULL, Cause.DATA_ERROR)):
            key = IncidentKey(watch().id, cause, COORDINATOR)
            await tx.incidents.open_incident(IncidentId(f"i-{number}"), key, diagnosis(cause), now=NOON)
        await tx.incidents.set_status(IncidentId("i-2"), IncidentStatus.SELF_RESOLVED, now=NOON)
        await tx.opinions.put(RECORD)
    async with store.reading() as tx:
        assert [incident.id for incident in await tx.opinions.unasked(NOON)] == ["i-0"]
        assert await tx.opinions.unasked(NOON + HOUR) == ()


async def test_request_for_an_opinion_is_stored_once(store: Store):
    request = OpinionRequest(IncidentId("i-1"), Person("ada"), NOON)
    async with store.transaction() as tx:
        assert await tx.opinions.request(request)
        assert not await tx.opinions.request(replace(request, person=Person("bob")))
        assert await tx.opinions.requested() == (request,)
        await tx.opinions.close_request(request.incident)
        await tx.opinions.close_request(request.incident)
        assert await tx.opinions.request_of(request.incident) is None


async def test_opinion_on_a_watch_outlives_the_next_question(store: Store):
    name, record = WatchId("w-1"), replace(RECORD, incident=None)
    async with store.transaction() as tx:
        await tx.opinions.mark_asked(name, NOON)
        assert await tx.opinions.of_watch(name) is None
        await tx.opinions.put_of_watch(name, record)
        await tx.opinions.mark_asked(name, NOON + HOUR)
    async with store.reading() as tx:
        assert await tx.opinions.of_watch(name) == record
        assert await tx.opinions.asked_since(NOON) == {name}
        assert await tx.opinions.asked_since(NOON + HOUR) == frozenset()

"""Small tables: who is told, clusters named on a command line, counts, and routine lines of a day."""

from dataclasses import replace

from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, MessageId
from babysitter.model.incident import IncidentKey
from babysitter.model.message import Message, MessageContent, MessageKind
from babysitter.store.repositories.counts import Counts
from babysitter.store.store import Store
from tests.support.build import COORDINATOR, NOON, diagnosis, watch

LINE = Message(MessageId("m-1"), "day", MessageKind.ROUTINE, MessageContent("Ended", "It ended."), NOON)


async def test_channels_and_clusters_are_replaced(store: Store):
    async with store.transaction() as tx:
        assert await tx.channels.all() == ()
        for words in (["the terminal"], ["Slack #jobs", "mail"]):
            await tx.channels.replace(words)
            await tx.clusters.put("marin", words[0])
    async with store.reading() as tx:
        assert await tx.channels.all() == ("Slack #jobs", "mail")
        assert await tx.clusters.all() == {"marin": "Slack #jobs"}


async def test_counts_of_everything(store: Store):
    found = watch()
    async with store.transaction() as tx:
        assert await tx.tally.count() == Counts({}, {}, 0, {}, 0, None)
        await tx.outbox.register(("slack",), now=NOON)
        await tx.watches.add(found)
        await tx.outbox.put(LINE)
        key = IncidentKey(found.id, Cause.HOST_OOM, COORDINATOR)
        await tx.incidents.open_incident(IncidentId("i-1"), key, diagnosis(Cause.HOST_OOM), now=NOON)
    async with store.reading() as tx:
        counted = await tx.tally.count()
    assert counted == Counts({"steady": 1}, {"host-oom": 1}, 0, {"slack": 1}, 0, counted.earliest_due_at)


async def test_routine_line_is_left_out_of_one_channel(store: Store):
    async with store.transaction() as tx:
        await tx.outbox.register(("slack", "webhook"), now=NOON)
        for message in (LINE, replace(LINE, id=MessageId("m-2"), occasion=MessageKind.INCIDENT)):
            await tx.outbox.put(message)
        assert await tx.routine.of("day") == (LINE,)
        await tx.routine.leave_out("slack", LINE.id)
        assert (await tx.tally.count()).untold == {"slack": 1, "webhook": 2}

"""Every kind of event that was ever written can be read."""

import json
from pathlib import Path

import pytest

from babysitter.model.events import EVENT_KINDS, SawAgain, StageChanged
from babysitter.model.ids import WatchId
from babysitter.store.repositories.event_log import decode, encode
from babysitter.store.store import Store
from tests.support.build import NOON

STORED = json.loads((Path(__file__).parent.parent / "stored_events.json").read_text())


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored["kind"])
def test_a_stored_event_is_read(stored):
    event = decode(stored["kind"], json.dumps(stored["body"]))
    assert event.kind == stored["kind"]
    again = json.loads(encode(event))
    assert {name: again[name] for name in stored["body"]} == stored["body"]


def test_there_is_a_stored_example_of_every_kind():
    assert {item["kind"] for item in STORED} == set(EVENT_KINDS)


async def test_events_are_read_in_order_by_cursor(store: Store):
    happened = [
        StageChanged(at=NOON, watch=WatchId(watch), stage=f"stage{number}")
        for number, watch in enumerate(("w-1", "w-2", "w-1"))
    ]
    async with store.transaction() as tx:
        await tx.events.append(*happened)
    async with store.reading() as tx:
        read = await tx.events.after(0)
        assert [stored.event for stored in read] == happened
        ours = await tx.events.after(read[0].number, watches=(WatchId("w-1"),))
        assert [our.event for our in ours] == [happened[2]]
        assert await tx.events.newest_number() == ours[0].number


async def test_numbers_are_seen_only_when_every_smaller_one_is(store: Store):
    """A reader that has seen number N never finds a smaller one later: nothing is missed by cursor."""
    async with store.transaction() as tx:
        await tx.events.append(SawAgain(at=NOON, source="logs", blind_s=1.0))
        async with store.reading() as reader:
            assert await reader.events.newest_number() == 0
    async with store.reading() as reader:
        assert await reader.events.newest_number() == 1

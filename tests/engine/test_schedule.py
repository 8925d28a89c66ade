"""The schedule: due is due, never twice at once, and what others write is noticed."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from babysitter.engine.schedule import COMPARE_EVERY, RETRY_AFTER, Schedule
from babysitter.errors import StorageUnavailable
from babysitter.model.ids import JobId, WatchId
from babysitter.store.store import Store, open_store
from tests.support import build
from tests.support.build import NOON, at


class Attendant:
    """Attends to watches for as long as the test lets it, and counts."""

    def __init__(self) -> None:
        self.attended: list[str] = []
        self.next_due: dict[str, datetime | None] = {}
        self.at_work: set[str] = set()
        self.most_at_work = 0
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.fault: Exception | None = None

    async def __call__(self, watch: WatchId) -> datetime | None:
        assert watch not in self.at_work
        self.at_work.add(watch)
        self.most_at_work = max(self.most_at_work, len(self.at_work))
        self.attended.append(watch)
        await self.go_on.wait()
        self.at_work.remove(watch)
        if self.fault is not None:
            raise self.fault
        return self.next_due.get(watch)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await open_store(tmp_path)
    yield opened
    await opened.close()


async def add(store: Store, name: str, due_s: float | None) -> None:
    due_at = at(due_s) if due_s is not None else None
    async with store.transaction() as tx:
        await tx.watches.add(build.watch(id=WatchId(name), root=JobId(f"/ada/{name}"), due_at=due_at))


async def tick(schedule: Schedule, seconds: float) -> None:
    await schedule.tick(at(seconds))
    await schedule.settled()


async def test_what_is_due_is_attended_in_order(store: Store):
    attend = Attendant()
    schedule = Schedule(store, attend)
    for name, due_s in (("w-c", 30), ("w-a", 10), ("w-b", 20), ("w-never", None)):
        await add(store, name, due_s)
    await tick(schedule, 5)
    assert attend.attended == []
    assert schedule.next_due_at == at(10)
    await tick(schedule, 25)
    assert attend.attended == ["w-a", "w-b"]
    await tick(schedule, 60)
    assert attend.attended == ["w-a", "w-b", "w-c"]


async def test_a_watch_is_due_again_when_its_check_says_so(store: Store):
    attend = Attendant()
    attend.next_due["w-a"] = at(40)
    schedule = Schedule(store, attend)
    await add(store, "w-a", 10)
    for seconds in (10, 20, 39, 40):
        await tick(schedule, seconds)
    assert attend.attended == ["w-a", "w-a"]


async def test_checks_of_one_watch_never_overlap(store: Store):
    attend = Attendant()
    attend.go_on.clear()
    schedule = Schedule(store, attend)
    await add(store, "w-a", 10)
    for seconds in (10, 20, 30):
        async with store.transaction() as tx:
            await tx.watches.wake(WatchId("w-a"), at=at(seconds))
        await schedule.tick(at(seconds))
        await asyncio.sleep(0)
    assert schedule.under_way == 1
    attend.go_on.set()
    await schedule.settled()
    await tick(schedule, 31)
    assert attend.attended == ["w-a", "w-a"]  # the wake that came while it was at work is kept


async def test_only_so_many_at_once(store: Store):
    attend = Attendant()
    schedule = Schedule(store, attend, at_once=3)
    for number in range(10):
        await add(store, f"w-{number}", 0)
    await tick(schedule, 0)
    assert len(attend.attended) == 10
    assert attend.most_at_work <= 3


async def test_a_watch_started_by_another_process_is_noticed_at_the_next_tick(store: Store, tmp_path: Path):
    attend = Attendant()
    schedule = Schedule(store, attend)
    await tick(schedule, 0)
    elsewhere = await open_store(tmp_path)
    await add(elsewhere, "w-a", 0)
    await tick(schedule, 1)
    assert attend.attended == ["w-a"]
    await elsewhere.close()


async def test_a_watch_stopped_by_another_process_is_left_alone(store: Store):
    attend = Attendant()
    schedule = Schedule(store, attend)
    await add(store, "w-a", 10)
    await tick(schedule, 0)
    async with store.transaction() as tx:
        watch = await tx.watches.get(WatchId("w-a"))
        await tx.watches.save(replace(watch, stopped_at=NOON, due_at=None))
        await tx.watches.announce(watch.id)
    await tick(schedule, 20)
    assert attend.attended == []
    assert schedule.next_due_at is None


async def test_what_no_announcement_told_is_found_by_comparing(store: Store):
    attend = Attendant()
    schedule = Schedule(store, attend)
    await tick(schedule, 0)
    await add(store, "w-a", 0)
    async with store.transaction() as tx:
        await tx.watches._connection.execute(text("DELETE FROM wakes"))
    await tick(schedule, 1)
    assert attend.attended == []
    await tick(schedule, COMPARE_EVERY.total_seconds())
    assert attend.attended == ["w-a"]


async def test_a_watch_whose_attention_broke_is_found_again(store: Store):
    attend = Attendant()
    attend.fault = OSError("the disk is full")
    schedule = Schedule(store, attend)
    await add(store, "w-a", 0)
    await tick(schedule, 0)
    attend.fault = None
    await tick(schedule, 1)
    await tick(schedule, COMPARE_EVERY.total_seconds() + 1)
    assert attend.attended == ["w-a", "w-a"]


async def test_clock_set_back_two_hours_stops_no_checks(store: Store):
    attend = Attendant()
    attend.next_due["w-a"] = at(40)
    schedule = Schedule(store, attend)
    async with store.transaction() as tx:
        await tx.watches.add(
            build.watch(id=WatchId("w-a"), root=JobId("/ada/w-a"), due_at=at(10), last_checked_at=at(0))
        )
    await tick(schedule, 10)
    attend.next_due["w-a"] = at(-7200 + 40)
    for seconds in (11, 12, 13):
        await tick(schedule, seconds - 7200)
    assert attend.attended == ["w-a", "w-a"], "once at once, and then by its own pause"
    await tick(schedule, -7200 + 40)
    assert len(attend.attended) == 3


async def test_clock_set_back_while_nobody_served(store: Store):
    async with store.transaction() as tx:
        for name, written_s in (("w-new", None), ("w-old", 7200)):
            last = at(written_s) if written_s is not None else None
            await tx.watches.add(
                build.watch(
                    id=WatchId(name),
                    root=JobId(f"/ada/{name}"),
                    created_at=at(7200),
                    due_at=at(7230),
                    last_checked_at=last,
                )
            )
    attend = Attendant()
    await tick(Schedule(store, attend), 0)
    assert sorted(attend.attended) == ["w-new", "w-old"]


async def test_due_watches_are_checked_though_the_database_cannot_be_read(store: Store):
    attend = Attendant()
    schedule = Schedule(store, attend)
    await add(store, "w-a", 30)
    await tick(schedule, 0)
    await add(store, "w-b", 30)

    class Broken:
        def reading(self) -> None:
            raise StorageUnavailable("the server closed the connection")

    schedule._store, whole = Broken(), schedule._store  # type: ignore[assignment]
    with pytest.raises(StorageUnavailable):
        await tick(schedule, 30)
    await schedule.settled()
    assert attend.attended == ["w-a"]
    schedule._store = whole
    await tick(schedule, 31)
    assert attend.attended == ["w-a", "w-b"], "what was announced meanwhile is not missed"


async def test_watch_whose_attention_broke_is_due_again_soon(store: Store):
    attend = Attendant()
    schedule = Schedule(store, attend)
    await add(store, "w-a", 0)
    attend.fault = OSError("the disk is full")
    await tick(schedule, 0)
    assert schedule.next_due_at == at(RETRY_AFTER.total_seconds())


async def test_an_idle_tick_asks_one_small_question(store: Store):
    schedule = Schedule(store, Attendant())
    await add(store, "w-a", 500)
    await tick(schedule, 0)
    asked: list[str] = []
    from sqlalchemy import event

    event.listen(store._database.readers, "before_cursor_execute", lambda *args: asked.append(args[2]))
    await tick(schedule, 1)
    assert [word for word in asked if word != "BEGIN"] == [
        "SELECT wakes.seq, wakes.watch \nFROM wakes \nWHERE wakes.seq > ?"
    ]

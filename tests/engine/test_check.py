"""One check, in a whole babysit: what is written, what is said, and what a crash leaves behind."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, select

from babysitter.engine.check import check, process_watch_safely
from babysitter.errors import FactsChanged, Unreachable
from babysitter.model.events import (
    CheckFailed,
    IncidentEnded,
    IncidentOpened,
    JobFinished,
    PhaseChanged,
    RestartProposed,
    SawAgain,
    WentBlind,
)
from babysitter.model.finding import Cause
from babysitter.model.ids import JobId
from babysitter.model.phase import Phase
from babysitter.model.submission import Submission
from babysitter.model.watch import Watch
from babysitter.store.schema import tables
from babysitter.store.store import Store
from tests.support import jobs
from tests.support.app import AppHarness, home
from tests.support.build import NOON, ROOT
from tests.support.jobs import CONTEXT, K, S, job, line, pipeline, report, tree
from tests.support.scenes import continue_from

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


def seconds(place: AppHarness) -> float:
    return (place.clock.now() - NOON).total_seconds()


async def steady(place: AppHarness, shards: int = 6, resubmit: Submission | None = None) -> Watch:
    return await continue_from(place, ("steady", shards, resubmit), lambda: _steady(place, shards, resubmit))


async def _steady(place: AppHarness, shards: int, resubmit: Submission | None) -> Watch:
    watch = await place.watch(resubmit=resubmit)
    for done in range(1, shards + 1):
        place.cluster.log.append(report(seconds(place), done, 100))
        await place.pass_s(30, step_s=10)
    assert (await place.now(watch)).phase is Phase.STEADY
    return watch


def turn_zombie(place: AppHarness) -> None:
    place.cluster.log.append(line(seconds(place), "Coordinator shutdown complete", f"{COORDINATOR}/0"))
    place.cluster.texts[f"{COORDINATOR}/0"] = jobs.OVER  # type: ignore[index]


async def zombie(place: AppHarness, resubmit: Submission | None = None) -> Watch:
    return await continue_from(place, ("zombie", resubmit), lambda: _zombie(place, resubmit))


async def _zombie(place: AppHarness, resubmit: Submission | None) -> Watch:
    watch = await steady(place, resubmit=resubmit)
    turn_zombie(place)
    await place.pass_s(400, step_s=10)
    assert (await place.now(watch)).phase is Phase.FAILING
    return watch


async def test_a_healthy_run_says_that_it_started_and_that_it_ended(place: AppHarness):
    watch = await steady(place)
    place.cluster.show(tree(*pipeline(state=S, workers=K), root=S))
    await place.pass_s(60)
    ended = await place.now(watch)
    assert (ended.phase, ended.due_at) == (Phase.FINISHED, None)
    assert place.ear.occasions == ["started", "finished"]
    assert len(await place.events(JobFinished)) == 1
    assert await place.events(IncidentOpened) == []


async def test_the_root_message_shows_the_live_state(place: AppHarness):
    await steady(place)
    await place.pass_s(60)  # the coordinator's own lines are read at every other look
    newest = place.ear.edited[-1]
    assert newest.id == place.ear.heard[0].id
    assert any("6/100" in text for text in newest.words.progress)


async def test_a_zombie_is_told_once_with_an_offer(place: AppHarness):
    watch = await zombie(place)
    await place.pass_s(600)
    (opened,) = await place.events(IncidentOpened)
    (offered,) = await place.events(RestartProposed)
    assert isinstance(opened, IncidentOpened)
    assert isinstance(offered, RestartProposed)
    assert (opened.cause, offered.job) == (Cause.ZOMBIE_COORDINATOR, ROOT)
    assert place.ear.occasions == ["started", "incident"]
    card = place.ear.heard[1]
    assert {button.target for button in card.buttons} == {offered.proposal, opened.incident}
    moves = [
        (phase_changed.before, phase_changed.after)
        for phase_changed in await place.events(PhaseChanged)
        if isinstance(phase_changed, PhaseChanged)
    ]
    assert moves[-2:] == [("steady", "suspect"), ("suspect", "failing")]
    async with place.app.store.reading() as tx:
        assert await tx.observations.of(watch.id)


async def test_a_recovery_withdraws_the_offer_and_its_buttons(place: AppHarness):
    await zombie(place)
    place.cluster.show(tree(*pipeline(state=K, workers=K), *pipeline(attempt=1, since_s=seconds(place))))
    for done in range(1, 20):
        place.cluster.log.append(
            report(seconds(place), done, 100, coordinator=f"{ROOT}/{CONTEXT}-p0-a1", execution="x-2")
        )
        await place.pass_s(30)
    (ended,) = await place.events(IncidentEnded)
    assert isinstance(ended, IncidentEnded)
    assert ended.status == "self-resolved"
    assert place.ear.occasions == ["started", "incident", "resolved"]
    card = [message for message in place.ear.edited if message.id == place.ear.heard[1].id][-1]
    assert not any(button.target.startswith("p-") for button in card.buttons)
    assert "nothing was done" in card.words.decided


async def test_promise_3_an_hour_without_sight_is_one_incident_and_no_offer(place: AppHarness):
    other = JobId("/ada/other")
    watch = await steady(place)
    place.cluster.jobs[other] = job(other)
    second = await place.watch(other)
    await place.pass_s(120)
    place.cluster.broken = Unreachable("The controller refused the connection.")
    await place.pass_s(3600, step_s=10)
    assert [item.memory.blind_since != {} for item in (await place.now(watch), await place.now(second))] == [
        True
    ] * 2
    assert await place.events(RestartProposed) == []
    (opened,) = await place.events(IncidentOpened)
    assert isinstance(opened, IncidentOpened)
    assert opened.cause == Cause.CONTROLLER_UNREACHABLE
    place.cluster.broken = None
    place.cluster.log.append(report(seconds(place), 50, 100))
    await place.pass_s(120)
    assert (await place.now(watch)).phase is Phase.STEADY
    assert len(await place.events(IncidentEnded)) == 1
    assert place.ear.occasions == ["started", "started", "blind", "resolved"]
    blind_card = place.ear.heard[2]
    assert place.ear.threads[blind_card.id] == ""  # a conversation of its own: it is about the cluster
    assert len(await place.events(WentBlind)) == len(await place.events(SawAgain)) == 2


async def test_promise_5_the_same_check_again_says_nothing_twice(place: AppHarness):
    """A crash after the commit, before the schedule knew: the check is made again."""
    watch = await zombie(place)
    before = len(await place.events()), len(place.ear.heard)
    for _ in range(3):
        await check(await place.now(watch), place.app)
    await place.service.tick()
    await place.service.settled()
    assert (len(await place.events()), len(place.ear.heard)) == before


async def test_promise_4_a_commit_that_ends_anywhere_leaves_nothing_half_done(place: AppHarness):
    """The process ends before the n-th statement of the commit that opens an incident, for every n."""
    watch = await steady(place)
    turn_zombie(place)
    while (await place.now(watch)).phase is not Phase.SUSPECT:
        await place.pass_s(10)
    place.clock.advance(25)
    while not await is_opening(place, watch):
        place.clock.advance(10)
    ready = await place.now(watch)
    before = await everything(place.app.store)
    statement = 0
    while True:
        statement += 1
        with ending_before(place.app.store, statement) as ended, contextlib.suppress(EndOfProcess):
            await check(ready, place.app)
        if not ended:
            break
        assert await everything(place.app.store) == before
    assert statement > 10
    assert len(await place.events(IncidentOpened)) == 1


async def is_opening(place: AppHarness, watch: Watch) -> bool:
    """Whether the check that is due now would open the incident; if so, nothing of it is kept."""
    with ending_before(place.app.store, 1, of="incidents") as ended, contextlib.suppress(EndOfProcess):
        await check(await place.now(watch), place.app)
    return bool(ended)


class EndOfProcess(BaseException):
    """Nothing catches it, like nothing catches a SIGKILL."""


class ending_before:  # noqa: N801  reads as a sentence
    """Ends the work before the n-th writing statement (of one table)."""

    def __init__(self, store: Store, number: int, *, of: str = "") -> None:
        self._engine = store._database.writers
        self._left = number
        self._of = of
        self._ended: list[str] = []

    def __enter__(self) -> list[str]:
        event.listen(self._engine, "before_cursor_execute", self._count)
        return self._ended

    def __exit__(self, *_: object) -> None:
        event.remove(self._engine, "before_cursor_execute", self._count)

    def _count(self, connection: object, cursor: object, statement: str, *_: object) -> None:  # noqa: ARG002
        writes = statement.startswith(("INSERT", "UPDATE", "DELETE"))
        if writes and self._of in statement.split("(")[0]:
            self._left -= 1
            if self._left == 0:
                self._ended.append(statement)
                raise EndOfProcess


async def everything(store: Store) -> list[list[tuple[object, ...]]]:
    """Every row of every table."""
    async with store._database.reading() as connection:
        return [
            [tuple(row) for row in await connection.execute(select(table).order_by(*table.primary_key))]
            for table in tables.metadata.sorted_tables
        ]


async def test_a_broken_check_marks_its_watch_and_others_go_on(place: AppHarness):
    watch = await steady(place)
    async with place.app.store.transaction() as tx:
        await tx.watches.save(replace(await tx.watches.get(watch.id), cluster="pigeons"))
    other = JobId("/ada/other")
    place.cluster.jobs[other] = job(other)
    second = await place.watch(other)
    usual = place.app.clusters._opener

    def refuse(spec):
        if spec.name == "pigeons":
            raise RuntimeError("a fault of ours")
        return usual(spec)

    place.app.clusters._opener = refuse
    await place.pass_s(120)
    broken = await place.now(watch)
    assert "RuntimeError" in broken.trouble
    assert broken.due_at is not None
    assert (await place.now(second)).trouble == ""
    assert (await place.now(second)).last_checked_at is not None
    assert len(await place.events(CheckFailed)) == 1


async def test_a_watch_written_by_somebody_else_meanwhile_is_not_overwritten(place: AppHarness):
    watch = await steady(place)
    read = await place.now(watch)
    async with place.app.store.transaction() as tx:
        await tx.watches.save(replace(read, restarts=7))
    before = await everything(place.app.store)
    with pytest.raises(FactsChanged, match="was changed"):
        await check(read, place.app)
    assert await everything(place.app.store) == before
    assert (await place.now(watch)).restarts == 7


async def test_a_process_that_was_overtaken_writes_nothing(place: AppHarness):
    watch = await steady(place)
    async with place.app.store.transaction() as tx:
        await tx.leases.leave(place.app.leadership.replica)
        await tx.leases.claim(("service",), place.app.leadership.replica, now=NOON)
    before = await everything(place.app.store)
    await process_watch_safely(watch.id, place.app)
    assert await everything(place.app.store) == before


async def test_promise_4_a_new_process_goes_on_where_the_old_one_was(place: AppHarness, tmp_path: Path):
    watch = await zombie(place)
    reached = await place.now(watch)
    await place.app.leadership.end()  # as if the process had ended here, with nothing said
    async with home(tmp_path, clock=place.clock, cluster=place.cluster, ear=place.ear) as successor:
        await successor.pass_s(120)
        resumed = await successor.now(watch)
        assert resumed.phase is Phase.FAILING
        assert resumed.memory.cursors != {}
        assert resumed.memory.phase_since_at == reached.memory.phase_since_at
        assert successor.ear.occasions == ["started", "incident"]


async def test_after_the_end_an_offer_is_still_looked_after(place: AppHarness):
    watch = await zombie(place)
    place.cluster.show(tree(*pipeline(state=K, workers=K), root=jobs.F))
    await place.pass_s(120)
    ended = await place.now(watch)
    assert ended.phase is Phase.FINISHED
    async with place.app.store.reading() as tx:
        standing = [
            proposal for proposal in (await tx.incidents.of(ended)).proposals if proposal.status == "open"
        ]
    assert (ended.due_at is not None) == bool(standing)

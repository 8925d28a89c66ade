"""Patience, a limit on concurrency, sharing: around eyes that count what they are asked."""

import asyncio
from datetime import timedelta

import pytest

from babysitter.backends.wrappers import CoalescingReader, LimitedReader, RetryingReader
from babysitter.errors import (
    NoSuchJob,
    NotAuthorised,
    Overloaded,
    SubmissionRefused,
    TooBusy,
    Unreachable,
)
from babysitter.model.ids import JobId
from babysitter.model.log import LogSource
from tests.support.clock import FakeClock
from tests.support.cluster import SmallCluster

JOB = JobId("/ada/dedup")


class Moody(SmallCluster):
    """Fails as told, one error after another, then works."""

    def __init__(self, *moods):
        super().__init__()
        self.moods = list(moods)

    def _ask(self, what):
        super()._ask(what)
        if self.moods:
            raise self.moods.pop(0)


class Slow(SmallCluster):
    """Answers when let; counts who is inside."""

    def __init__(self):
        super().__init__()
        self.gate = asyncio.Event()
        self.inside = 0
        self.most_inside = 0

    async def tasks(self, job):
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            await self.gate.wait()
            return await super().tasks(job)
        finally:
            self.inside -= 1


class SlowLogs(SmallCluster):
    """Answers a log request after 2 s of the clock."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    async def lines(self, source, **given):
        await self.clock.sleep_until(self.clock.now() + timedelta(seconds=2))
        return await super().lines(source, **given)


def patient(reader, pauses):
    async def sleep(seconds):
        pauses.append(seconds)

    return RetryingReader(reader, sleep=sleep)


async def turns():
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_may_help_is_asked_again_with_pauses():
    reader, pauses = Moody(Unreachable("no"), Unreachable("no")), []
    assert await patient(reader, pauses).find(JOB) is None
    assert len(reader.asked) == 3
    assert len(pauses) == 2
    assert all(0 <= pause <= 5 for pause in pauses)


async def test_patience_has_an_end_and_the_last_error_is_told():
    reader = Moody(*(Unreachable(f"no {number}") for number in range(9)))
    with pytest.raises(Unreachable, match="no 2"):
        await patient(reader, []).find(JOB)
    assert len(reader.asked) == 3


@pytest.mark.parametrize(
    "fault", [NotAuthorised("who?"), SubmissionRefused("no"), NoSuchJob("gone"), KeyError("bug")]
)
async def test_what_cannot_help_is_asked_once(fault):
    reader = Moody(fault)
    with pytest.raises(type(fault)):
        await patient(reader, []).find(JOB)
    assert len(reader.asked) == 1


async def test_a_service_that_asks_for_time_gets_it_or_is_left_alone():
    reader, pauses = Moody(Overloaded("busy", retry_after_s=3)), []
    await patient(reader, pauses).find(JOB)
    assert pauses == [3]
    reader = Moody(Overloaded("busy", retry_after_s=60))
    with pytest.raises(Overloaded):
        await patient(reader, []).find(JOB)
    assert len(reader.asked) == 1


async def test_so_many_at_once_and_no_more():
    reader = Slow()
    limited = LimitedReader(reader, at_once=2)
    looks = [asyncio.ensure_future(limited.tasks(JOB)) for _ in range(6)]
    await turns()
    assert reader.inside == 2
    reader.gate.set()
    await asyncio.gather(*looks)
    assert reader.most_inside == 2


async def test_waiting_for_a_turn_has_a_limit():
    reader = Slow()
    limited = LimitedReader(reader, at_once=1, place_limit_s=0.01)
    first = asyncio.ensure_future(limited.tasks(JOB))
    await turns()
    with pytest.raises(Overloaded, match="a turn"):
        await limited.find(JOB)
    reader.gate.set()
    await first
    assert await limited.find(JOB) is None  # the place was given back


async def test_a_place_is_given_back_after_a_failure():
    limited = LimitedReader(Moody(Unreachable("no")), at_once=1, place_limit_s=1)
    with pytest.raises(Unreachable):
        await limited.find(JOB)
    assert await limited.find(JOB) is None


async def test_the_same_question_is_asked_once_and_stays_fresh_for_a_moment():
    reader, clock = Slow(), FakeClock()
    shared = CoalescingReader(reader, fresh_for_s=2, clock=clock)
    looks = [asyncio.ensure_future(shared.tasks(JOB)) for _ in range(5)]
    await turns()
    reader.gate.set()
    await asyncio.gather(*looks)
    await shared.tasks(JOB)
    assert reader.asked == ["tasks"]
    await shared.tasks(JobId("/ada/other"))
    assert len(reader.asked) == 2
    clock.advance(2)
    await shared.tasks(JOB)
    assert len(reader.asked) == 3


async def test_different_questions_are_not_mixed_up():
    shared = CoalescingReader(SmallCluster(), clock=FakeClock())
    source = LogSource(JOB)
    for newest in (True, False):
        await shared.lines(source, after=None, at_most=5, newest=newest)
    assert shared._reader.asked == ["lines", "lines"]


async def test_whether_a_job_exists_is_always_asked_anew():
    reader = SmallCluster()
    shared = CoalescingReader(reader, clock=FakeClock())
    await shared.find(JOB)
    await shared.find(JOB)
    assert len(reader.asked) == 2


async def test_a_failure_is_shared_and_not_kept():
    reader = Moody(Unreachable("no"))
    shared = CoalescingReader(reader, clock=FakeClock())
    looks = await asyncio.gather(*(shared.states([JOB]) for _ in range(3)), return_exceptions=True)
    assert [type(look) for look in looks] == [Unreachable] * 3
    assert await shared.states([JOB]) == {}
    assert len(reader.asked) == 2


async def test_one_that_gives_up_does_not_take_the_answer_from_the_others():
    reader = Slow()
    shared = CoalescingReader(reader, clock=FakeClock())
    impatient, steadfast = (asyncio.ensure_future(shared.tasks(JOB)) for _ in range(2))
    await turns()
    impatient.cancel()
    await turns()
    reader.gate.set()
    assert await steadfast == ()
    assert len(reader.asked) == 1


async def test_lines_have_places_of_their_own():
    clock = FakeClock()
    limited = LimitedReader(SlowLogs(clock), at_once=1)
    reading = asyncio.create_task(limited.lines(LogSource(JOB), after=None, at_most=1))
    await turns()
    assert await limited.tasks(JOB) == ()  # a slow log holds up no state
    clock.advance(2)
    await reading


async def test_lines_are_not_asked_for_when_their_turn_is_late():
    clock = FakeClock()
    cluster = SlowLogs(clock)
    limited = LimitedReader(cluster, at_once=2, elapsed_s=lambda: clock.now().timestamp())

    async def read(may_wait_s=None):
        return await limited.lines(LogSource(JOB), after=None, at_most=1, may_wait_s=may_wait_s)

    for _ in range(20):  # until it knows that an answer takes 2 s
        reading = asyncio.create_task(read())
        await turns()
        clock.advance(2)
        await reading
    waiting = [asyncio.create_task(read(may_wait_s)) for may_wait_s in (0, 0, 1.1, 2.1, 2.1, None)]
    await turns()
    assert [task.done() for task in waiting] == [False, False, False, False, True, False]
    with pytest.raises(TooBusy, match="4 requests for logs are waiting already"):
        await waiting.pop(4)
    for _ in range(4):
        clock.advance(2)
        await turns()
    await asyncio.gather(*waiting)
    assert cluster.asked == ["lines"] * 25

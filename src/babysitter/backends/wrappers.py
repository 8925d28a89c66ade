"""Wrappers around any reader, one concern each: retries, a limit on concurrency, sharing.

Put together in one visible line (registry.py). Only reading is wrapped; writes are never repeated or shared.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Hashable, Mapping
from datetime import datetime, timedelta
from typing import Protocol, TypeVar, cast

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_random_exponential,
)

from babysitter.backends.backend import Abilities, ClusterInfo, ClusterReader
from babysitter.clock import Clock, SystemClock
from babysitter.errors import BabysitError, Overloaded, TooBusy
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import Job, JobState, JobTree, Task
from babysitter.model.log import Cursor, LogBatch, LogSource
from babysitter.model.submission import Submission
from babysitter.model.thread_dump import ThreadDump
from babysitter.waits import waiting_for

T = TypeVar("T")

MAX_ATTEMPTS = 3  # per question
MAX_PAUSE_S = 5.0
NEWEST_SHARE = 0.25  # of the newest answer in the usual duration of one
QUEUE_TIMEOUT_S = 60.0  # how long a question may wait for its turn
CACHE_TTL_S = 2.0


class CallWrapper(Protocol):
    """One way to make a look happen: now, again, later, or together with somebody else's."""

    async def __call__(self, look: Callable[[], Awaitable[T]], question: Hashable) -> T: ...


async def direct(look: Callable[[], Awaitable[T]], question: Hashable) -> T:  # noqa: ARG001
    """A look as it is."""
    return await look()


class ReaderWrapper:
    """Eyes whose every look goes through one function. `question` names the look and its arguments."""

    def __init__(self, reader: ClusterReader, through: CallWrapper) -> None:
        self._reader = reader
        self._through = through

    @property
    def abilities(self) -> Abilities:
        return self._reader.abilities

    async def about(self) -> ClusterInfo:
        return await self._through(self._reader.about, ("about",))

    async def tree(self, root: JobId, *, tasks_of: Collection[JobId] = (), max_age_s: float = 0.0) -> JobTree:
        question = ("tree", root, frozenset(tasks_of), max_age_s > 0)
        return await self._through(
            lambda: self._reader.tree(root, tasks_of=tasks_of, max_age_s=max_age_s), question
        )

    async def find(self, job: JobId) -> Job | None:
        return await self._through(lambda: self._reader.find(job), ("find", job))

    async def states(self, jobs: Collection[JobId]) -> Mapping[JobId, JobState]:
        return await self._through(lambda: self._reader.states(jobs), ("states", frozenset(jobs)))

    async def tasks(self, job: JobId) -> tuple[Task, ...]:
        return await self._through(lambda: self._reader.tasks(job), ("tasks", job))

    async def task(self, task: TaskId) -> Task | None:
        return await self._through(lambda: self._reader.task(task), ("task", task))

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,
    ) -> LogBatch:
        return await self._through(
            lambda: self._reader.lines(
                source, after=after, at_most=at_most, newest=newest, may_wait_s=may_wait_s
            ),
            ("lines", source, after, at_most, newest),
        )

    async def dump(self, task: TaskId) -> ThreadDump:
        return await self._through(lambda: self._reader.dump(task), ("dump", task))

    async def submission(self, job: JobId) -> Submission | None:
        return await self._through(lambda: self._reader.submission(job), ("submission", job))

    async def close(self) -> None:
        await self._reader.close()


class RetryingReader(ReaderWrapper):
    """Asks again where the error says that asking again may help: a few times, with growing pauses."""

    def __init__(
        self,
        reader: ClusterReader,
        *,
        looks_at_most: int = MAX_ATTEMPTS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._looks_at_most = looks_at_most
        self._sleep = sleep
        super().__init__(reader, self._again)

    async def _again(self, look: Callable[[], Awaitable[T]], question: Hashable) -> T:  # noqa: ARG002
        tries = AsyncRetrying(
            retry=retry_if_exception(_may_help),
            stop=stop_after_attempt(self._looks_at_most),
            wait=_pause_s,
            sleep=self._sleep,
            reraise=True,
        )

        async def ask() -> T:  # tenacity awaits what is a coroutine function, and nothing else
            return await look()

        with waiting_for("the cluster, which is asked again"):
            return await tries(ask)


class LimitedReader(ReaderWrapper):
    """At most so many looks at once, so that a burst of checks does not flood a controller.

    Logs have places of their own: a controller answers few log requests at a time, and states need not wait
    behind them.
    """

    def __init__(
        self,
        reader: ClusterReader,
        *,
        at_once: int = 4,
        place_limit_s: float = QUEUE_TIMEOUT_S,
        elapsed_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once = at_once
        self._places = asyncio.Semaphore(at_once)
        self._log_places = asyncio.Semaphore(at_once)
        self._place_limit_s = place_limit_s
        self._elapsed_s = elapsed_s
        self._logs_asked = 0  # those that are answered now, and those that wait
        self._log_answer_s = 0.0  # how long an answer takes: the newest counts most
        super().__init__(reader, self._in_turn)

    async def lines(
        self,
        source: LogSource,
        *,
        after: Cursor | None,
        at_most: int,
        newest: bool = False,
        may_wait_s: float | None = None,
    ) -> LogBatch:
        async def timed() -> LogBatch:
            began_s = self._elapsed_s()
            try:
                return await self._reader.lines(
                    source, after=after, at_most=at_most, newest=newest, may_wait_s=may_wait_s
                )
            finally:
                took_s = self._elapsed_s() - began_s
                self._log_answer_s += (took_s - self._log_answer_s) * NEWEST_SHARE

        wait_s = max(0, self._logs_asked + 1 - self._at_once) / self._at_once * self._log_answer_s
        if may_wait_s is not None and wait_s > may_wait_s:
            raise TooBusy(f"{self._logs_asked} requests for logs are waiting already.")
        self._logs_asked += 1
        try:
            return await self._in_place(timed, self._log_places)
        finally:
            self._logs_asked -= 1

    async def _in_turn(self, look: Callable[[], Awaitable[T]], question: Hashable) -> T:  # noqa: ARG002
        return await self._in_place(look, self._places)

    async def _in_place(self, look: Callable[[], Awaitable[T]], places: asyncio.Semaphore) -> T:
        try:
            async with asyncio.timeout(self._place_limit_s):
                await places.acquire()
        except TimeoutError as fault:
            raise Overloaded(
                f"Waited {self._place_limit_s:g} s for a turn to ask the cluster: its answers are too slow."
            ) from fault
        try:
            return await look()
        finally:
            places.release()


class CoalescingReader(ReaderWrapper):
    """The same question of several watches is asked once, and its answer is fresh for a moment.

    `find` is always asked anew: the saga uses it to learn whether a job exists before it starts one.
    """

    def __init__(
        self, reader: ClusterReader, *, fresh_for_s: float = CACHE_TTL_S, clock: Clock | None = None
    ) -> None:
        self._fresh_for = timedelta(seconds=fresh_for_s)
        self._clock = clock or SystemClock()
        self._under_way: dict[Hashable, asyncio.Task[object]] = {}
        self._answers: dict[Hashable, tuple[datetime, object]] = {}
        super().__init__(reader, self._together)

    async def find(self, job: JobId) -> Job | None:
        return await self._reader.find(job)

    async def _together(self, look: Callable[[], Awaitable[T]], question: Hashable) -> T:
        now = self._clock.now()
        self._drop_stale(now)
        if question in self._answers:
            return cast("T", self._answers[question][1])  # keyed by its question
        task = self._under_way.get(question)
        if task is None:
            task = asyncio.ensure_future(self._ask(look, question))
            self._under_way[question] = task
            task.add_done_callback(_notice)
        # Shielded: one watch that gives up does not take the answer from the others.
        return cast("T", await asyncio.shield(task))

    async def _ask(self, look: Callable[[], Awaitable[T]], question: Hashable) -> object:
        try:
            answer = await look()
        finally:
            del self._under_way[question]
        self._answers[question] = (self._clock.now(), answer)
        return answer

    def _drop_stale(self, now: datetime) -> None:
        stale = [hashable for hashable, (at, _) in self._answers.items() if now - at >= self._fresh_for]
        for hashable in stale:
            del self._answers[hashable]


def _notice(task: asyncio.Task[object]) -> None:
    """Take note of a failure that everybody who waited for it has given up on."""
    if not task.cancelled():
        task.exception()


def _may_help(fault: BaseException) -> bool:
    """Whether the error says that the same question may be answered next time."""
    if isinstance(fault, Overloaded) and (fault.retry_after_s or 0.0) > MAX_PAUSE_S:
        return False  # the service asked for more patience than a look has; the next check comes anyway
    return isinstance(fault, BabysitError) and fault.repeatable


def _pause_s(state: RetryCallState) -> float:
    fault = state.outcome.exception() if state.outcome else None
    if isinstance(fault, Overloaded) and fault.retry_after_s is not None:
        return fault.retry_after_s
    return wait_random_exponential(multiplier=0.2, max=MAX_PAUSE_S)(state)

"""The runner of a ladder over a place that does what a test says; its database is real."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from babysitter.engine.ladder import (
    LadderEnd,
    LadderProgress,
    LadderRunner,
    PreparedStep,
    SubmittedStep,
)
from babysitter.errors import FactsChanged, SubmissionRefused, Unreachable, UserError
from babysitter.launch.ladder_files.ladder_moves import Complete, Halt, RetryDecision
from babysitter.launch.ladder_files.ladder_steps import CheckKind, LadderStep, SuccessCheck
from babysitter.launch.submit_options import SubmitOptions
from babysitter.model.ladder_run import AttemptState, LadderRun, StepAttempt, StepOutcome, StepResult
from babysitter.store.store import Store, open_store
from tests.support.clock import NOON, FakeClock

DONE = (SuccessCheck(CheckKind.STATE, "succeeded"),)
SMOKE = LadderStep("smoke", SubmitOptions(("python", "smoke.py")), DONE)
CPU = LadderStep("cpu", SubmitOptions(("python", "cpu.py")), DONE, retries=1)
RUN = LadderRun("3f2a", "tiny", "tiny.yaml", NOON, steps=("smoke", "cpu"))
PASSED = StepResult(StepOutcome.PASSED, "It succeeded.")
FAILED = StepResult(StepOutcome.FAILED, "It failed.", cause="network-timeout", may_repeat=True)
HOPELESS = replace(FAILED, cause="config-error", may_repeat=False)
STUCK = StepResult(StepOutcome.NEEDS_PERSON, "It churns.", cause="worker-churn", is_left_running=True)


@dataclass
class FakePlace:
    """`results`: what becomes of the jobs, in order. `jobs`: those that exist."""

    results: list[StepResult | Exception] = field(default_factory=list)
    blocks: tuple[str, ...] = ()
    refuses: list[Exception] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    running: set[str] = field(default_factory=set)
    submissions: int = 0

    async def prepare(self, step: LadderStep, name: str) -> PreparedStep:
        return PreparedStep(f"/ada/{name}", " ".join(step.options.command), ("mind it",), self.blocks)

    async def exists(self, attempt: StepAttempt) -> bool:
        return attempt.job in self.jobs

    async def submit(self, step: LadderStep, prepared: PreparedStep) -> SubmittedStep:  # noqa: ARG002
        self.submissions += 1
        if self.refuses:
            raise self.refuses.pop(0)
        self.jobs.append(prepared.job)
        return SubmittedStep(prepared.job, f"w-{len(self.jobs)}")

    async def adopt(self, step: LadderStep, attempt: StepAttempt) -> SubmittedStep:  # noqa: ARG002
        return SubmittedStep(attempt.job, "w-adopted")

    async def is_running(self, attempt: StepAttempt) -> bool:
        return attempt.job in self.running

    async def result(self, step: LadderStep, attempt: StepAttempt) -> StepResult:  # noqa: ARG002
        found = self.results.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


@dataclass
class Climb:
    store: Store
    place: FakePlace
    steps: tuple[LadderStep, ...] = (SMOKE, CPU)
    told: list[str] = field(default_factory=list)

    async def __call__(self) -> LadderEnd:
        clock = FakeClock()
        runner = LadderRunner(RUN, self.steps, {"cluster": self.place}, self.store, clock, self._hear)
        return await runner.climb()

    async def attempts(self) -> tuple[StepAttempt, ...]:
        async with self.store.reading() as tx:
            return tuple(await tx.ladders.attempts(RUN.id))

    def _hear(self, progress: LadderProgress) -> None:
        self.told.append(progress.sentence)


@pytest.fixture
async def climb(tmp_path: Path) -> AsyncIterator[Climb]:
    store = await open_store(tmp_path)
    async with store.transaction() as tx:
        await tx.ladders.begin(RUN)
    yield Climb(store, FakePlace())
    await store.close()


async def test_ladder_passes_step_after_step(climb: Climb):
    climb.place.results = [PASSED, PASSED]
    assert await climb() == Complete()
    assert climb.place.jobs == ["/ada/tiny-smoke-3f2a-1", "/ada/tiny-cpu-3f2a-1"]
    assert climb.told == [
        "smoke: warning: mind it",
        "smoke: submitted /ada/tiny-smoke-3f2a-1",
        "smoke: passed. It succeeded.",
        "cpu: warning: mind it",
        "cpu: submitted /ada/tiny-cpu-3f2a-1",
        "cpu: passed. It succeeded.",
        "All steps have passed.",
    ]
    assert await climb() == Complete()
    assert climb.place.submissions == 2


async def test_ladder_blocked_step_is_not_submitted(climb: Climb):
    climb.place.blocks = ("name-taken: it exists.",)
    assert isinstance(await climb(), Halt)
    (attempt,) = await climb.attempts()
    assert (attempt.state, attempt.submitted_at, climb.place.submissions) == (AttemptState.ENDED, None, 0)
    assert attempt.result is not None
    assert attempt.result.outcome is StepOutcome.BLOCKED
    climb.place.blocks, climb.place.results = (), [PASSED, PASSED]
    assert await climb() == Complete()
    assert climb.place.jobs[0] == "/ada/tiny-smoke-3f2a-2"


async def test_ladder_refused_step_stops(climb: Climb):
    climb.place.refuses = [SubmissionRefused("No room.", next_step="Ask for less.")]
    end = await climb()
    assert isinstance(end, Halt)
    (attempt,) = await climb.attempts()
    assert attempt.result == StepResult(StepOutcome.REFUSED, "No room.", advice="Ask for less.")


async def test_ladder_retries_what_may_be_repeated_once(climb: Climb):
    climb.place.results = [PASSED, FAILED, FAILED]
    end = await climb()
    assert isinstance(end, Halt)
    assert end.decision is RetryDecision.NONE_LEFT
    assert [attempt.is_retry for attempt in await climb.attempts()] == [False, False, True]
    assert "Before: 12:00 UTC failed (network-timeout), the same cause as now" in climb.told[-2]
    assert climb.told[-1] == "cpu: the ladder stops here. No retry is left."


async def test_ladder_never_retries_blindly(climb: Climb):
    climb.place.results = [PASSED, HOPELESS]
    end = await climb()
    assert isinstance(end, Halt)
    assert (end.decision, climb.place.submissions) == (RetryDecision.SAME_AGAIN, 2)


async def test_ladder_lost_answer_is_looked_for(climb: Climb):
    climb.place.refuses = [Unreachable("No answer.")]
    with pytest.raises(Unreachable):
        await climb()
    climb.place.jobs, climb.place.results = ["/ada/tiny-smoke-3f2a-1"], [PASSED, PASSED]
    assert await climb() == Complete()
    assert climb.place.submissions == 2  # one without an answer, one of the second step
    assert [attempt.watch for attempt in await climb.attempts()] == ["w-adopted", "w-2"]


async def test_ladder_submission_that_never_arrived_is_made(climb: Climb):
    climb.place.refuses = [Unreachable("No answer.")]
    with pytest.raises(Unreachable):
        await climb()
    climb.place.results = [PASSED, PASSED]
    assert await climb() == Complete()
    assert climb.place.jobs == ["/ada/tiny-smoke-3f2a-1", "/ada/tiny-cpu-3f2a-1"]


async def test_ladder_job_left_running_is_watched_on(climb: Climb):
    climb.place.results = [STUCK]
    assert isinstance(await climb(), Halt)
    climb.place.running, climb.place.results = {"/ada/tiny-smoke-3f2a-1"}, [PASSED, PASSED]
    assert await climb() == Complete()
    first, again, _ = await climb.attempts()
    assert (again.job, again.watch, again.changes) == (first.job, "w-1", ("The same job, watched on.",))


async def test_ladder_changed_step_waits_for_the_old_job(climb: Climb):
    climb.place.results = [STUCK]
    await climb()
    climb.place.running = {"/ada/tiny-smoke-3f2a-1"}
    climb.steps = (SMOKE.with_variables({"WORKERS": "1"}), CPU)
    with pytest.raises(FactsChanged, match="still runs, and the step has changed"):
        await climb()
    climb.place.running, climb.place.results = set(), [PASSED, PASSED]
    assert await climb() == Complete()
    assert (await climb.attempts())[1].changes == ("Added: -e WORKERS 1",)


async def test_ladder_step_taken_out_while_it_runs(climb: Climb):
    climb.place.results = [Unreachable("No answer.")]
    with pytest.raises(Unreachable):
        await climb()
    climb.steps = (CPU,)
    with pytest.raises(UserError, match="the file lacks that step"):
        await climb()

"""Runs a ladder: each step is submitted, watched and judged before the next.

The runner follows the attempts in the database, not its own variables: what to do next is
launch/ladder_files/ladder_moves.py. An attempt with the computed name of its job is written down before the
job is submitted, and a process that finds it so looks for the job before it submits. Safe to run again at any
point.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

from babysitter.clock import Clock
from babysitter.errors import FactsChanged, SubmissionRefused, UserError
from babysitter.launch.ladder_files.ladder_moves import (
    Await,
    Begin,
    Complete,
    Halt,
    LadderMove,
    Resume,
    RetryDecision,
    StepGone,
    next_move,
)
from babysitter.launch.ladder_files.ladder_steps import LadderStep
from babysitter.messages.ladder_report import repeated
from babysitter.model.ladder_run import AttemptState, LadderRun, StepAttempt, StepOutcome, StepResult
from babysitter.redact import redact
from babysitter.store.store import Store


@dataclass(frozen=True, slots=True)
class PreparedStep:
    """A step ready to be submitted. `job`: its full id. `blocks`: why it must not be, a sentence each.

    `command`, `warnings`: redacted. `plan`: what the place needs to submit it.
    """

    job: str
    command: str
    warnings: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()
    plan: Any = None


@dataclass(frozen=True, slots=True)
class SubmittedStep:
    """The id of a job that was accepted, and of its watch, "" where there is none."""

    job: str
    watch: str = ""


class StepPlace(Protocol):
    """Where steps run: a cluster, or this machine. Every method raises ExternalError if it cannot see."""

    async def prepare(self, step: LadderStep, name: str) -> PreparedStep:
        """Plan and check the submission under this name. Changes nothing. Raises UserError."""

    async def exists(self, attempt: StepAttempt) -> bool:
        """Whether the job of an attempt that was written down has been submitted."""

    async def submit(self, step: LadderStep, prepared: PreparedStep) -> SubmittedStep:
        """Start the job and its watch. Raises SubmissionRefused."""

    async def adopt(self, step: LadderStep, attempt: StepAttempt) -> SubmittedStep:
        """Watch the job of an attempt, which exists. Idempotent."""

    async def is_running(self, attempt: StepAttempt) -> bool:
        """Whether the job of an attempt, or its restart, has not ended."""

    async def result(self, step: LadderStep, attempt: StepAttempt) -> StepResult:
        """Wait until the job has ended, needs a person, or is out of time; judge it."""


@dataclass(frozen=True, slots=True)
class LadderProgress:
    """A run and its attempts so far, oldest first. `sentence`: what has just happened."""

    run: LadderRun
    attempts: tuple[StepAttempt, ...]
    sentence: str = ""


LadderEnd: TypeAlias = Halt | Complete
OnProgress: TypeAlias = Callable[[LadderProgress], None]


@dataclass(frozen=True, slots=True)
class LadderRunner:
    """One run of a ladder. `places`: by the name that steps have for them."""

    run: LadderRun
    steps: Sequence[LadderStep]
    places: Mapping[str, StepPlace]
    store: Store
    clock: Clock
    on_progress: OnProgress

    async def climb(self) -> LadderEnd:
        """Run what is left of the ladder: to its end, or to the first step that does not pass.

        Raises UserError for a step that cannot be prepared, ExternalError where a place cannot be seen: then
        the same call goes on where it was.
        """
        attempts = await self._attempts()
        asked_after = attempts[-1].number if attempts else 0
        while True:
            move = next_move(self.steps, await self._attempts(), asked_after=asked_after)
            if isinstance(move, Complete):
                ended = replace(self.run, ended_at=self.clock.now())
                async with self.store.transaction() as tx:
                    await tx.ladders.save(ended)
                self.on_progress(LadderProgress(ended, await self._attempts(), "All steps have passed."))
                return move
            if isinstance(move, Halt):
                is_told = move.decision is not RetryDecision.NOT_FAILED
                because = f" {move.decision.value}." if is_told else ""
                await self._tell(f"{move.step.name}: the ladder stops here.{because}")
                return move
            await self._make(move)

    async def _make(self, move: LadderMove) -> None:
        match move:
            case Begin(step, earlier):
                if earlier is not None and await self._goes_on(step, earlier):
                    return
                await self._begin(step, earlier, is_retry=move.is_retry)
            case Resume(step, attempt):
                await self._resume(step, attempt)
            case Await(step, attempt):
                result = await self._place(step.place).result(step, attempt)
                await self._end(attempt, result)
            case StepGone(attempt):
                raise UserError(
                    f"{attempt.job} of the step {attempt.step} is under way, and the file lacks that step.",
                    next_step="Put the step back; when it has ended it may go.",
                )

    async def _goes_on(self, step: LadderStep, earlier: StepAttempt) -> bool:
        """Watch on, as a new attempt, a job that was left running or was restarted with approval.

        Raises FactsChanged for one of another command: two would write to the same place.
        """
        result = earlier.result
        was_submitted = earlier.submitted_at is not None and earlier.place in self.places
        if result is None or not was_submitted or not await self._place(earlier.place).is_running(earlier):
            return False
        if earlier.digest != step.digest:
            raise FactsChanged(
                f"{earlier.job} of the earlier attempt at {step.name} still runs, and the step has changed.",
                next_step=f"Stop {earlier.job} first, or wait for its end; then run the ladder again.",
            )
        now = self.clock.now()
        again = replace(
            earlier,
            number=await self._next_number(),
            state=AttemptState.SUBMITTED,
            begun_at=now,
            submitted_at=now,
            changes=("The same job, watched on.",),
            warnings=(),
            is_retry=False,
            ended_at=None,
            result=None,
        )
        async with self.store.transaction() as tx:
            await tx.ladders.add(self.run.id, again)
        await self._tell(f"{step.name}: {again.job} still runs; it is watched on.")
        return True

    async def _begin(self, step: LadderStep, earlier: StepAttempt | None, *, is_retry: bool) -> None:
        attempts = await self._attempts()
        own = sum(step_attempt.step == step.name for step_attempt in attempts)
        name = f"{self.run.ladder}-{step.name}-{self.run.id}-{own + 1}"
        prepared = await self._place(step.place).prepare(step, name)
        settings = tuple(redact(line) for line in step.settings)
        attempt = StepAttempt(
            number=await self._next_number(),
            step=step.name,
            digest=step.digest,
            job=prepared.job,
            place=step.place,
            command=prepared.command,
            begun_at=self.clock.now(),
            settings=settings,
            changes=_changes(earlier, settings),
            warnings=prepared.warnings,
            is_retry=is_retry,
        )
        if prepared.blocks:
            attempt = _blocked(attempt, prepared, self.clock)
        async with self.store.transaction() as tx:
            await tx.ladders.add(self.run.id, attempt)
        for warning in prepared.warnings:
            await self._tell(f"{step.name}: warning: {warning}")
        if attempt.result is not None:
            await self._tell(f"{step.name}: {attempt.result.sentence}")
            return
        await self._submit(step, attempt, prepared)

    async def _resume(self, step: LadderStep, attempt: StepAttempt) -> None:
        place = self._place(attempt.place)
        if await place.exists(attempt):
            await self._submitted(attempt, await place.adopt(step, attempt))
            return
        prepared = await place.prepare(step, attempt.job.rpartition("/")[2])
        attempt = replace(attempt, digest=step.digest, job=prepared.job, command=prepared.command)
        if prepared.blocks:
            attempt = _blocked(attempt, prepared, self.clock)
            assert attempt.result is not None, "it is blocked"
            await self._end(attempt, attempt.result)
            return
        async with self.store.transaction() as tx:
            await tx.ladders.change(self.run.id, attempt)
        await self._submit(step, attempt, prepared)

    async def _submit(self, step: LadderStep, attempt: StepAttempt, prepared: PreparedStep) -> None:
        try:
            submitted = await self._place(attempt.place).submit(step, prepared)
        except SubmissionRefused as refused:
            sentence = redact(refused.sentence)
            await self._end(
                attempt, StepResult(StepOutcome.REFUSED, sentence, advice=redact(refused.next_step))
            )
            return
        await self._submitted(attempt, submitted)

    async def _submitted(self, attempt: StepAttempt, submitted: SubmittedStep) -> None:
        running = replace(
            attempt,
            state=AttemptState.SUBMITTED,
            job=submitted.job,
            watch=submitted.watch,
            submitted_at=self.clock.now(),
        )
        async with self.store.transaction() as tx:
            await tx.ladders.change(self.run.id, running)
        await self._tell(f"{attempt.step}: submitted {running.job}")

    async def _end(self, attempt: StepAttempt, result: StepResult) -> None:
        ended = replace(attempt, state=AttemptState.ENDED, ended_at=self.clock.now(), result=result)
        async with self.store.transaction() as tx:
            await tx.ladders.change(self.run.id, ended)
        before = repeated(ended, (await self._attempts())[: attempt.number - 1])
        history = f" Before: {'; '.join(before)}." if before else ""
        await self._tell(f"{attempt.step}: {result.outcome.value}. {result.sentence}{history}")

    async def _tell(self, sentence: str) -> None:
        self.on_progress(LadderProgress(self.run, await self._attempts(), sentence))

    async def _attempts(self) -> tuple[StepAttempt, ...]:
        async with self.store.reading() as tx:
            return tuple(await tx.ladders.attempts(self.run.id))

    async def _next_number(self) -> int:
        attempts = await self._attempts()
        return attempts[-1].number + 1 if attempts else 1

    def _place(self, name: str) -> StepPlace:
        return self.places[name]


def _blocked(attempt: StepAttempt, prepared: PreparedStep, clock: Clock) -> StepAttempt:
    result = StepResult(
        StepOutcome.BLOCKED,
        f"Not submitted: {' '.join(prepared.blocks)}",
        advice="Correct what the checks found, then run the ladder again.",
    )
    return replace(attempt, state=AttemptState.ENDED, ended_at=clock.now(), result=result)


def _changes(earlier: StepAttempt | None, settings: Sequence[str]) -> tuple[str, ...]:
    """What differs from the settings of the earlier attempt."""
    if earlier is None:
        return ()
    added = [f"Added: {line}" for line in settings if line not in earlier.settings]
    removed = [f"Removed: {line}" for line in earlier.settings if line not in settings]
    return (*removed, *added) or ("The same again.",)

"""What to do next on a ladder, given its steps and every attempt so far. Pure.

    no attempt at the step            -> Begin
    intended                          -> Resume: look for the job by its name, then submit it
    submitted                         -> Await: wait for its end, judge it
    ended, passed                     -> the next step
    ended, not passed                 -> Begin again where a retry may help or a person asked anew, else Halt
    every step passed                 -> Complete

A step has passed if its newest attempt did, was of the same command and demands, and came after that of the
step before it. So a step that was changed in the file runs again, and all after it do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from babysitter.launch.ladder_files.ladder_steps import LadderStep
from babysitter.model.ladder_run import AttemptState, StepAttempt, StepOutcome


class RetryDecision(StrEnum):
    """Whether the ladder repeats a step by itself."""

    RETRY = "The step is tried again"
    NONE_LEFT = "No retry is left"
    NOT_FAILED = "Only a job that failed is tried again"
    SAME_AGAIN = "The same again would fail again"

    @property
    def retries(self) -> bool:
        return self is RetryDecision.RETRY


@dataclass(frozen=True, slots=True)
class Begin:
    """A new attempt. `earlier`: the newest one at this step, None = the first."""

    step: LadderStep
    earlier: StepAttempt | None = None
    is_retry: bool = False


@dataclass(frozen=True, slots=True)
class Resume:
    """It is not known whether this attempt's job was submitted."""

    step: LadderStep
    attempt: StepAttempt


@dataclass(frozen=True, slots=True)
class Await:
    step: LadderStep
    attempt: StepAttempt


@dataclass(frozen=True, slots=True)
class Halt:
    """The ladder ends here. `decision`: why the step is not tried again."""

    step: LadderStep
    attempt: StepAttempt
    decision: RetryDecision


@dataclass(frozen=True, slots=True)
class Complete:
    """Every step has passed."""


@dataclass(frozen=True, slots=True)
class StepGone:
    """An attempt is open whose step the file does not have any more."""

    attempt: StepAttempt


LadderMove: TypeAlias = Begin | Resume | Await | Halt | Complete | StepGone


def next_move(
    steps: Sequence[LadderStep], attempts: Sequence[StepAttempt], *, asked_after: int
) -> LadderMove:
    """The next thing to do.

    `asked_after`: number of the last attempt when a person called for the ladder, 0 = none: what had failed
    by then is begun anew. `attempts`: oldest first.
    """
    opened = next(
        (step_attempt for step_attempt in attempts if step_attempt.state is not AttemptState.ENDED), None
    )
    if opened is not None:
        return _go_on(steps, opened)
    passed_at = 0
    for step in steps:
        own = [step_attempt for step_attempt in attempts if step_attempt.step == step.name]
        newest = own[-1] if own else None
        if newest is not None and _counts(newest, step, passed_at):
            passed_at = newest.number
            continue
        return _attempted(step, own, asked_after=asked_after, passed_at=passed_at)
    return Complete()


def retry_decision(step: LadderStep, own: Sequence[StepAttempt]) -> RetryDecision:
    """Whether the newest of these attempts at a step is followed by another one without a person."""
    newest = own[-1]
    result = newest.result
    if result is None or result.outcome is not StepOutcome.FAILED:
        return RetryDecision.NOT_FAILED
    used = 0
    for step_attempt in reversed(own):
        if not step_attempt.is_retry:
            break
        used += 1
    if not result.may_repeat:
        return RetryDecision.SAME_AGAIN
    return RetryDecision.RETRY if used < step.retries else RetryDecision.NONE_LEFT


def _go_on(steps: Sequence[LadderStep], opened: StepAttempt) -> LadderMove:
    step = next((ladder_step for ladder_step in steps if ladder_step.name == opened.step), None)
    if step is None:
        return StepGone(opened)
    return Resume(step, opened) if opened.state is AttemptState.INTENDED else Await(step, opened)


def _counts(newest: StepAttempt, step: LadderStep, passed_at: int) -> bool:
    return newest.has_passed and newest.digest == step.digest and newest.number > passed_at


def _attempted(
    step: LadderStep, own: Sequence[StepAttempt], *, asked_after: int, passed_at: int
) -> LadderMove:
    """The step has not passed: its first attempt, another one, or the end."""
    if not own:
        return Begin(step)
    newest = own[-1]
    if newest.has_passed or newest.number < passed_at or newest.number <= asked_after:
        return Begin(step, newest)
    decision = retry_decision(step, own)
    if decision.retries:
        return Begin(step, newest, is_retry=True)
    return Halt(step, newest, decision)

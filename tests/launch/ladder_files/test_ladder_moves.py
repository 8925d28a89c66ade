"""What a ladder does next, for every state that its attempts can be in."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

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
from babysitter.launch.ladder_files.ladder_steps import CheckKind, LadderStep, SuccessCheck
from babysitter.launch.submit_options import SubmitOptions
from babysitter.model.ladder_run import AttemptState, StepAttempt, StepOutcome, StepResult

AT = datetime(2026, 11, 20, tzinfo=UTC)
DONE = (SuccessCheck(CheckKind.STATE, "succeeded"),)
SMOKE = LadderStep("smoke", SubmitOptions(("python", "smoke.py")), DONE)
CPU = LadderStep("cpu", SubmitOptions(("python", "cpu.py")), DONE, retries=1)
STEPS = (SMOKE, CPU)
OTHER_CPU = CPU.with_variables({"WORKERS": "1"})


def attempt(number: int, step: LadderStep, outcome: StepOutcome | None = None, **more: Any) -> StepAttempt:
    """One attempt; without an outcome it is submitted."""
    may_repeat = more.pop("may_repeat", True)
    made = StepAttempt(number, step.name, step.digest, f"/ada/{number}", "cluster", "x", AT, **more)
    if outcome is None:
        return made if more.get("state") else replace(made, state=AttemptState.SUBMITTED)
    result = StepResult(outcome, "", may_repeat=may_repeat)
    return replace(made, state=AttemptState.ENDED, result=result)


PASSED, FAILED = StepOutcome.PASSED, StepOutcome.FAILED
SMOKED = attempt(1, SMOKE, PASSED)
BROKEN = attempt(2, CPU, FAILED)
RETRIED = attempt(3, CPU, FAILED, is_retry=True)
INTENDED = attempt(2, CPU, state=AttemptState.INTENDED)
RUNNING = attempt(2, CPU)
TABLE: list[tuple[str, tuple[StepAttempt, ...], int, LadderMove]] = [
    ("nothing yet", (), 0, Begin(SMOKE)),
    ("first passed", (SMOKED,), 0, Begin(CPU)),
    ("intended", (SMOKED, INTENDED), 0, Resume(CPU, INTENDED)),
    ("intended, resumed", (SMOKED, INTENDED), 2, Resume(CPU, INTENDED)),
    ("submitted", (SMOKED, RUNNING), 2, Await(CPU, RUNNING)),
    ("failed, a retry left", (SMOKED, BROKEN), 0, Begin(CPU, BROKEN, is_retry=True)),
    ("failed twice", (SMOKED, BROKEN, RETRIED), 0, Halt(CPU, RETRIED, RetryDecision.NONE_LEFT)),
    ("failed, asked again", (SMOKED, BROKEN, RETRIED), 3, Begin(CPU, RETRIED)),
    ("all passed", (SMOKED, attempt(2, CPU, PASSED)), 0, Complete()),
    ("all passed, asked again", (SMOKED, attempt(2, CPU, PASSED)), 2, Complete()),
    ("passed after a failure", (SMOKED, BROKEN, attempt(3, CPU, PASSED)), 0, Complete()),
]


@pytest.mark.parametrize(
    ("attempts", "asked_after", "move"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_next_move(attempts: tuple[StepAttempt, ...], asked_after: int, move: LadderMove):
    assert next_move(STEPS, attempts, asked_after=asked_after) == move


@pytest.mark.parametrize(
    "outcome", [step_outcome for step_outcome in StepOutcome if step_outcome not in (PASSED, FAILED)]
)
def test_next_move_only_a_failed_job_is_retried(outcome: StepOutcome):
    ended = attempt(2, CPU, outcome)
    assert next_move(STEPS, (SMOKED, ended), asked_after=0) == Halt(CPU, ended, RetryDecision.NOT_FAILED)


def test_next_move_no_blind_retry():
    ended = attempt(2, CPU, FAILED, may_repeat=False)
    assert next_move(STEPS, (SMOKED, ended), asked_after=0) == Halt(CPU, ended, RetryDecision.SAME_AGAIN)


def test_next_move_retries_begin_anew_when_asked():
    asked = attempt(4, CPU, FAILED)
    attempts = (SMOKED, BROKEN, RETRIED, asked)
    assert next_move(STEPS, attempts, asked_after=3) == Begin(CPU, asked, is_retry=True)


def test_next_move_changed_step_runs_again():
    passed = attempt(2, CPU, PASSED)
    assert next_move((SMOKE, OTHER_CPU), (SMOKED, passed), asked_after=2) == Begin(OTHER_CPU, passed)


def test_next_move_what_follows_a_changed_step_runs_again():
    other = SMOKE.with_variables({"A": "1"})
    cpu = attempt(2, CPU, PASSED)
    again = attempt(3, other, PASSED)
    assert next_move((other, CPU), (SMOKED, cpu), asked_after=2) == Begin(other, SMOKED)
    assert next_move((other, CPU), (SMOKED, cpu, again), asked_after=2) == Begin(CPU, cpu)


def test_next_move_changed_while_it_runs_is_awaited():
    assert next_move((SMOKE, OTHER_CPU), (SMOKED, RUNNING), asked_after=2) == Await(OTHER_CPU, RUNNING)


def test_next_move_step_gone_while_it_runs():
    assert next_move((SMOKE,), (SMOKED, RUNNING), asked_after=2) == StepGone(RUNNING)


def test_step_with_variables_replaces_its_own():
    step = CPU.with_variables({"A": "1", "B": ""}).with_variables({"A": "2"})
    assert step.options.variables == (("A", "2"), ("B", ""))
    assert step.digest != CPU.digest
    assert CPU.with_variables({}) == CPU

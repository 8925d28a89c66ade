"""Success checks: passed, failed, or not checked, from what was found."""

from datetime import UTC, datetime, timedelta

import pytest

from babysitter.launch.ladder_files.ladder_checks import (
    FileFacts,
    Found,
    judge_check,
    judge_checks,
    metric_value,
    metric_word,
    result_of,
)
from babysitter.launch.ladder_files.ladder_steps import CheckKind, SuccessCheck
from babysitter.model.ladder_run import CheckStatus, StepOutcome, StepResult
from babysitter.preflight.facts import Fact, Known, NotKnown

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
STATE = SuccessCheck(CheckKind.STATE, "succeeded")
LINE = SuccessCheck(CheckKind.LINE, "pipeline ok", meaning="it never ended")
FILE = SuccessCheck(CheckKind.FILE, "/out/config.json", contains="model")
METRIC = SuccessCheck(CheckKind.METRIC, "eval/loss", at_most=11.0)
BETWEEN = SuccessCheck(CheckKind.METRIC, "accuracy", at_least=0.5, at_most=0.9)
STEPS = SuccessCheck(CheckKind.STEPS, at_least=100.0)
YOUNG = AT + timedelta(minutes=5)
PASSED, FAILED, NOT_CHECKED = CheckStatus
TABLE: list[tuple[SuccessCheck, Fact[Found], CheckStatus]] = [
    (STATE, Known("succeeded"), PASSED),
    (STATE, Known("killed"), FAILED),
    (LINE, Known(("a pipeline ok b",)), PASSED),
    (LINE, Known(("a pipeline OK b",)), FAILED),
    (LINE, Known(()), FAILED),
    (LINE, NotKnown("The log could not be read."), NOT_CHECKED),
    (FILE, Known(FileFacts("/out/config.json", True, YOUNG)), PASSED),
    (FILE, Known(FileFacts("/out/config.json", False, YOUNG)), FAILED),
    (FILE, Known(FileFacts("/out/config.json", True, AT - timedelta(seconds=61))), FAILED),
    (FILE, Known(FileFacts("/out/config.json", True, AT - timedelta(seconds=60))), PASSED),
    (FILE, Known(FileFacts("/out/config.json", True, None)), NOT_CHECKED),
    (FILE, Known(None), FAILED),
    (FILE, NotKnown("Objects need one more package."), NOT_CHECKED),
    (METRIC, Known(("eval/loss: 12", "eval/loss: 10.029")), PASSED),
    (METRIC, Known(("eval/loss: 10", "eval/loss: 11.1")), FAILED),
    (METRIC, Known(("eval/loss: nan",)), FAILED),
    (METRIC, Known(("eval/loss is computed",)), NOT_CHECKED),
    (METRIC, Known(()), NOT_CHECKED),
    (BETWEEN, Known(("accuracy=0.5",)), PASSED),
    (BETWEEN, Known(("accuracy=0.49",)), FAILED),
    (BETWEEN, Known(("accuracy=0.91",)), FAILED),
    (STEPS, Known(100), PASSED),
    (STEPS, Known(99), FAILED),
]


@pytest.mark.parametrize(("check", "found", "status"), TABLE)
def test_judge_check(check: SuccessCheck, found: Fact[Found], status: CheckStatus):
    result = judge_check(check, found, AT)
    assert result.status is status
    assert result.sentence.endswith((".", "ok b")) or ":" in result.sentence
    assert result.meaning == ("" if status is PASSED else check.meaning)


def test_judge_checks_without_evidence_are_not_checked():
    assert [check.status for check in judge_checks((STATE, LINE), {STATE: Known("succeeded")}, AT)] == [
        PASSED,
        NOT_CHECKED,
    ]


def test_judge_check_any_age_is_accepted_when_asked():
    check = SuccessCheck(CheckKind.FILE, "/out", is_fresh=False)
    assert judge_check(check, Known(FileFacts("/out", True, None)), AT).status is PASSED


@pytest.mark.parametrize(
    ("found", "outcome"),
    [
        ({STATE: Known("succeeded"), LINE: Known(("pipeline ok",))}, StepOutcome.PASSED),
        ({STATE: Known("failed"), LINE: Known(("pipeline ok",))}, StepOutcome.FAILED),
        ({STATE: Known("failed"), LINE: Known(())}, StepOutcome.FAILED),
        ({STATE: Known("succeeded"), LINE: Known(())}, StepOutcome.CHECK_FAILED),
        ({STATE: Known("succeeded"), LINE: NotKnown("x")}, StepOutcome.NOT_CHECKED),
    ],
)
def test_result_of_checks(found: dict[SuccessCheck, Fact[Found]], outcome: StepOutcome):
    ended = StepResult(StepOutcome.FAILED, "It ended.")
    result = result_of(ended, judge_checks((STATE, LINE), found, AT))
    assert result.outcome is outcome
    assert len(result.checks) == 2


def test_result_of_optional_check_lets_the_step_pass():
    optional = SuccessCheck(CheckKind.LINE, "x", is_required=False)
    checks = judge_checks((STATE, optional), {STATE: Known("succeeded"), optional: Known(())}, AT)
    assert result_of(StepResult(StepOutcome.FAILED, ""), checks).outcome is StepOutcome.PASSED


def test_result_of_job_that_was_to_fail_passes():
    wanted = SuccessCheck(CheckKind.STATE, "failed")
    checks = judge_checks((wanted,), {wanted: Known("failed")}, AT)
    assert result_of(StepResult(StepOutcome.FAILED, ""), checks).outcome is StepOutcome.PASSED


@pytest.mark.parametrize(
    ("name", "line", "value"),
    [
        ("eval/loss", "eval loss ~10.029", 10.029),
        ("eval loss", "I1120 x] eval/loss: 1.5e-3 bpb=2", 1.5e-3),
        ("eval_loss", "{'eval_loss': 3.4, 'step': 1}", 3.4),
        ("eval_loss", '{"eval_loss": "3.4"}', 3.4),
        ("loss", "step 3 loss=2.5, lr 0.1 loss 2.25", 2.25),
        ("loss", "eval_loss=2.5", None),
        ("loss", "losses: 3", None),
        ("tokens", "tokens = 1,234,567", 1234567.0),
        ("version", "version 1.2.3", None),
        ("loss", "loss -> -0.5", -0.5),
        ("loss", "loss is .5", 0.5),
        ("loss", "the loss of 3 machines", None),
    ],
)
def test_metric_value(name: str, line: str, value: float | None):
    assert metric_value(name, line) == value


def test_metric_word_is_part_of_every_line():
    assert (metric_word("eval/loss"), metric_word("eval bits_per_byte")) == ("eval", "eval")

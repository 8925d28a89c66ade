"""A ladder as a debugging log: statuses, next steps, and foreign text that stays in its place."""

from dataclasses import replace

from babysitter.messages.ladder_report import ladder_report, next_steps, repeated, step_words
from babysitter.model.ladder_run import (
    AttemptState,
    CheckStatus,
    LadderRun,
    StepAttempt,
    StepOutcome,
    StepResult,
    SuccessCheckResult,
)
from tests.support.clock import NOON

RUN = LadderRun("3f2a", "tiny", "tiny.yaml", NOON, about="Try it.", steps=("smoke", "cpu"))
INTENDED = StepAttempt(1, "smoke", "d", "/ada/tiny-smoke-3f2a-1", "cluster", "python `x`\n# y", NOON)
CHECK = SuccessCheckResult("a line contains 'x'", CheckStatus.FAILED, "None <b>does</b>.", "It is lost.")
RESULT = StepResult(
    StepOutcome.CHECK_FAILED,
    "It ended.",
    cause="config-error",
    explanation="| a path",
    advice="Correct it.",
    evidence=("KeyError: `x`",),
    checks=(
        CHECK,
        replace(CHECK, name="b", status=CheckStatus.NOT_CHECKED, is_required=False, meaning="No."),
    ),
)
ENDED = replace(INTENDED, state=AttemptState.ENDED, ended_at=NOON, submitted_at=NOON, result=RESULT)
PASSED = replace(ENDED, number=2, result=StepResult(StepOutcome.PASSED, "It ended."))


def test_ladder_report_of_a_stopped_run():
    report = ladder_report(RUN, (ENDED,))
    assert "not complete; began 2026-11-20 12:00 UTC\n\n- smoke: check-failed\n- cpu: not begun\n" in report
    assert "- Command: `python 'x' # y`" in report
    assert "- Evidence: `KeyError: 'x'`" in report
    assert "- Cause: config-error. \\| a path" in report
    assert "- [ ] a line contains 'x': failed: None &lt;b>does&lt;/b>." in report
    assert "- [ ] b (not required): not checked: " in report
    assert report.rstrip().endswith(
        "## Next\n\n- [ ] config-error: Correct it.\n- [ ] It is lost.\n- [ ] Then go on: babysit ladder run "
        "tiny.yaml (a change: -e KEY VALUE, --set NAME=VALUE, or in the file)"
    )


def test_ladder_report_under_way_and_empty():
    assert "Under way." in ladder_report(RUN, (INTENDED,))
    assert next_steps(RUN, ()) == next_steps(RUN, (INTENDED,)) == ("Go on: babysit ladder run tiny.yaml",)


def test_ladder_next_steps_after_a_pass():
    assert next_steps(RUN, (PASSED,)) == ("Go on with the next step: babysit ladder run tiny.yaml",)
    complete = replace(RUN, ended_at=NOON)
    assert next_steps(complete, (PASSED,)) == ("Every step has passed. Nothing is left to do.",)


def test_ladder_cause_that_came_back_is_said():
    again = replace(ENDED, number=2, result=replace(RESULT, is_left_running=True))
    steps = next_steps(RUN, (ENDED, again))
    assert "config-error has come back: the last change was not the cure." in steps
    assert any("was left running" in step for step in steps)
    assert repeated(again, (ENDED,)) == (
        "12:00 UTC check-failed (config-error), the same cause as now: /ada/tiny-smoke-3f2a-1",
    )
    assert repeated(PASSED, (ENDED,)) == ()


def test_ladder_step_words():
    assert step_words("smoke", (ENDED, PASSED)) == "passed (attempt 2)"
    assert (step_words("smoke", (INTENDED,)), step_words("cpu", ())) == ("under way", "not begun")


def test_ladder_report_takes_secrets_out():
    token = "hf_" + "madeupmadeupmadeupmadeupmadeupmade"
    report = ladder_report(RUN, (replace(ENDED, command=f"python x.py --token {token}"),))
    assert token not in report

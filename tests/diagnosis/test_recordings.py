"""Real clusters, judged on their own clock: every label holds, and no forbidden restart is ever offered."""

import asyncio
import json
from pathlib import Path

import pytest

from babysitter.backends.recording.format import TimeScale, read_recording
from babysitter.diagnosis.judge.phases.phases import may_move
from babysitter.errors import BadConfig
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.phase import Phase
from babysitter.workbench.replay import ReplayStep, as_json, replay
from tests.support.recordings import FIXTURES, Labelled, labelled, rules

LABELLED = labelled()


def judged(folder: Path, time_scale: float = 1.0) -> tuple[ReplayStep, ...]:
    return asyncio.run(replay(folder, rules(), time_scale=time_scale))


@pytest.mark.parametrize("recording", LABELLED, ids=str)
def test_a_recorded_job_is_judged_as_labelled(recording: Labelled):
    steps = judged(recording.folder, recording.time_scale)
    final = steps[-1]
    assert final.cause in recording.causes, final.summary
    assert final.action in recording.actions, final.summary
    assert not recording.must_see or {step.cause for step in steps} & set(recording.must_see)
    forbidden = [(step.sample, step.summary) for step in steps if step.action in recording.never]
    assert not forbidden


@pytest.mark.parametrize("recording", LABELLED, ids=str)
@pytest.mark.parametrize("time_scale", [1, 10, 100])
def test_a_replay_at_any_pace_makes_allowed_moves_and_restarts_only_on_proof(recording, time_scale):
    before = Phase.PENDING
    for step in judged(recording.folder, time_scale):
        if step.verdict is None:
            continue
        path = [*step.verdict.trail, step.phase]
        assert all(may_move(one, other) for one, other in zip([before, *path], path, strict=False))
        before = step.phase
        if step.action is ActionKind.RESTART:
            assert step.phase in (Phase.FAILING, Phase.FINISHED)
            assert not step.is_blind
            assert not step.verdict.two_coordinators


@pytest.mark.parametrize("era", ["iris-2026-04", "iris-2026-05"])
@pytest.mark.parametrize(
    ("scenario", "cause", "action"),
    [
        ("05a-pending-tpu", Cause.UNSCHEDULABLE, ActionKind.ESCALATE),
        ("17-unknown-job", Cause.UNKNOWN, ActionKind.ESCALATE),
        ("23-get-task-status", Cause.HEALTHY, ActionKind.IGNORE),
    ],
)
def test_unusual_recordings_get_a_sensible_verdict(era, scenario, cause, action):
    final = judged(FIXTURES / era / scenario)[-1]
    assert (final.cause, final.action) == (cause, action)


def test_a_job_killed_without_a_word_after_an_outage_was_lost_with_the_controller():
    final = judged(FIXTURES / "iris-2026-05/18-controller-restart")[-1]
    assert (final.cause, final.action) == (Cause.CONTROLLER_UNREACHABLE, ActionKind.RESTART)


def test_a_name_used_again_is_another_run():
    phases = [step.phase for step in judged(FIXTURES / "iris-2026-05/22-same-name-resubmit")]
    assert phases[-1] is Phase.FINISHED


def test_the_json_has_a_step_per_sample_and_the_last_one_as_final():
    steps = judged(FIXTURES / "iris-2026-05/12a-zombie-leaked-thread", 10)
    told = json.loads(json.dumps(as_json(steps)))
    assert told["final"] == told["steps"][-1]
    assert set(told["final"]) == {
        "sample",
        "t",
        "phase",
        "blind",
        "cause",
        "severity",
        "action",
        "summary",
        "evidence",
    }
    assert {step["severity"] for step in told["steps"]} <= {"benign", "degraded", "fatal"}


def test_while_nothing_is_seen_of_the_cluster_a_step_says_so():
    step = judged(FIXTURES / "iris-2026-04/15-controller-unreachable")[0]
    assert (step.cause, step.action, step.is_blind) == (
        Cause.CONTROLLER_UNREACHABLE,
        ActionKind.WAIT,
        True,
    )


def test_a_zombie_is_proven_by_two_dumps_far_enough_apart_on_the_judged_clock():
    folder = FIXTURES / "iris-2026-05/12a-zombie-leaked-thread"
    slow = [step.sample for step in judged(folder, 10) if step.cause is Cause.ZOMBIE_COORDINATOR]
    fast = [step.sample for step in judged(folder, 0.1) if step.cause is Cause.ZOMBIE_COORDINATOR]
    assert slow[0] == "s03"  # dumps of s01 and s03
    assert not fast  # all dumps within four seconds


def test_times_are_stretched_everywhere():
    stretch = TimeScale(started_ms=1_795_203_840_000, factor=10)  # 2026-11-20 19:44:00 UTC
    assert stretch.line("I20261120 19:44:30 zephyr.execution x") == "I20261120 19:49:00 zephyr.execution x"
    assert stretch.line("2026-11-20 19:44:01,500 INFO x y") == "2026-11-20 19:44:15,000 INFO x y"
    assert stretch.line("no time here 19:44:30") == "no time here 19:44:30"
    answer = {"startedAt": {"epochMs": "1795203841000"}, "count": "7"}
    assert stretch.answer(answer) == {"startedAt": {"epochMs": "1795203850000"}, "count": "7"}


def test_a_folder_that_is_no_recording_is_refused_with_the_next_step(tmp_path):
    with pytest.raises(BadConfig, match="no folder 'wire'"):
        read_recording(tmp_path)

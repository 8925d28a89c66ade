"""Jobs that fall silent: told when it is long, by the job's own measure; other lines are a sign of life."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import ActionKind, Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.learned_weights import VerdictWeights
from babysitter.model.verdict import SignalKind, Verdict
from babysitter.usecases.looking.classify_text import examine
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

HOUR_S = 3600


def told(spoken: list[tuple[float, str]], until_s: float) -> Verdict:
    """The verdict at `until_s` of a plain job that printed these lines, looked at every five minutes."""
    watch, verdict = made_watch(kind="auto"), None
    for now in range(300, int(until_s) + 1, 300):
        lines = [raw(at, text) for at, text in spoken if now - 300 < at <= now]
        verdict = judge(watch, look(now, tree(), *lines), rules())
        watch = replace(watch, memory=verdict.memory)
    assert verdict is not None
    return verdict


def every(step_s: float, until_s: float, text: str = "batch {n} is done") -> list[tuple[float, str]]:
    return [(n * step_s, text.format(n=n)) for n in range(1, int(until_s / step_s) + 1)]


@pytest.mark.parametrize(
    ("gap_s", "silent_h", "is_told"),
    [(60, 0.4, False), (60, 0.6, True), (1800, 2.2, False), (1800, 4.9, False), (1800, 5.2, True)],
)
def test_silence_of_a_job_that_counts_nothing(gap_s, silent_h, is_told):
    verdict = told(every(gap_s, 3 * HOUR_S, "a batch is done"), (3 + silent_h) * HOUR_S)
    assert (verdict.diagnosis is not None) is is_told


@pytest.mark.parametrize(
    ("gap_s", "silent_h", "is_told"),
    [(60, 0.4, False), (60, 0.6, True), (1800, 2.2, False), (1800, 4.9, False), (1800, 5.2, True)],
)
def test_people_are_told_of_a_silence_that_is_long_for_this_job(gap_s, silent_h, is_told):
    verdict = told(every(gap_s, 3 * HOUR_S), (3 + silent_h) * HOUR_S)
    if not is_told:
        assert verdict.diagnosis is None
        return
    diagnosis = verdict.diagnosis
    assert diagnosis is not None
    assert (diagnosis.cause, diagnosis.severity) == (Cause.STAGE_STUCK, Severity.DEGRADED)
    assert diagnosis.action is ActionKind.ESCALATE
    assert f"its longest silence before was {gap_s // 60} min" in diagnosis.explanation


@pytest.mark.parametrize(
    ("steps", "quiet_min", "is_suspected"), [(40, 9, False), (40, 11, True), (9, 11, False)]
)
def test_counts_that_were_read_at_once_have_a_pace_too(steps, quiet_min, is_suspected):
    lines = [raw(60, f"step {n} is done") for n in range(1, steps + 1)]
    watch = made_watch(kind="auto")
    first = judge(watch, look(70, tree(), *lines), rules())
    later = judge(replace(watch, memory=first.memory), look(60 + 60 * quiet_min, tree()), rules())
    assert (SignalKind.QUIET in {signal.kind for signal in later.signals}) is is_suspected


def test_a_job_that_speaks_again_is_well_again():
    spoken = [*every(60, 3 * HOUR_S), (5.5 * HOUR_S, "exported the model")]
    assert told(spoken, 5.4 * HOUR_S).diagnosis is not None
    assert told(spoken, 5.6 * HOUR_S).diagnosis is None


def test_steps_that_stop_are_stuck_though_the_run_never_told_how_many_there_are():
    steps = every(20, 2 * HOUR_S, "step: {n} loss: 2.31 lr: 3.0e-04")
    going = told(steps, 2 * HOUR_S)
    assert (going.diagnosis, going.outlook.summary) == (None, "train: 360")
    hung = told(steps, 3 * HOUR_S)
    assert hung.cause is Cause.STAGE_STUCK
    assert hung.diagnosis is not None
    assert "at 360 (" in hung.diagnosis.explanation
    assert [line.text[:20] for line in hung.diagnosis.evidence] == ["[train] 360 complete"]


@pytest.mark.parametrize(
    ("step", "well_h", "stuck_h"),
    [
        ("step: {n} loss: 2.31 lr: 3.0e-04", 4.8, 5.8),  # told no total: stuck when it is silent as well
        ("step: {n}/9000 loss: 2.31 lr: 3.0e-04", 4.0, 4.4),  # more steps should come
    ],
)
def test_a_run_that_prints_other_lines_after_its_steps_has_longer(step, well_h, stuck_h):
    steps = every(20, 2 * HOUR_S, step)
    exporting = [(2 * HOUR_S + n * 60, f"wrote part {n} of the export") for n in range(1, 180)]
    assert told([*steps, *exporting], well_h * HOUR_S).diagnosis is None
    assert told([*steps, *exporting], stuck_h * HOUR_S).cause is Cause.STAGE_STUCK


@pytest.mark.parametrize(
    ("lines", "quiet_s", "cause"),
    [
        # a piece of its work takes so long
        ("07:00:00 pass 3 over all pages\nthis epoch took 4000.5 s", 5500, Cause.HEALTHY),
        ("07:00:00 pass 3 over all pages\nthis epoch took 4000.5 s", 6500, Cause.STAGE_STUCK),
        ("timing/step 2400s reward 0.4\nwrote step_8", 3000, Cause.HEALTHY),
        ("07:00:00 nothing to do, sleeping 7200s until 9", 7000, Cause.HEALTHY),
        ("01:00:00 epoch 3\n03:10:00 epoch 4\n05:20:00 epoch 5\n07:30:00 epoch 6", 9000, Cause.HEALTHY),
        # short pieces, or none
        ("this epoch took 40.5 s", 3000, Cause.STAGE_STUCK),
        ("the step limit is 7200s", 3000, Cause.STAGE_STUCK),
        ("01:00:00 epoch 3\n01:01:00 epoch 4\n01:02:00 epoch 5\n01:03:00 epoch 6", 3000, Cause.STAGE_STUCK),
    ],
)
def test_silence_by_the_jobs_own_rhythm(lines: str, quiet_s: float, cause: Cause):
    facts = JobFacts(state=JobState.RUNNING, last_line_age_s=quiet_s)
    assert examine(lines, rules(), facts, weights=VerdictWeights()).diagnosis.cause is cause


def test_watch_knows_what_a_step_takes():
    spoken = [(60.0, "read 40 pages"), (600.0, "step 1 took 3h10m")]
    assert told(spoken, 4 * HOUR_S).diagnosis is None
    assert told([spoken[0], (600.0, "warmed up")], 4 * HOUR_S).diagnosis is not None

"""Counts that stand still while lines go on, for a text and for a watch."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import consider, judge
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.phase import Phase
from babysitter.usecases.looking.classify_text import examine
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

BEATS = (
    "2026-03-01 09:00:00 INFO step 700/9000 loss 2.31",
    "2026-03-01 09:00:12 INFO step 701/9000 loss 2.30",
    "2026-03-01 09:10:00 INFO heartbeat 4: all threads alive, current step 701",
    "2026-03-01 09:25:00 INFO heartbeat 5: all threads alive, current step 701",
    "2026-03-01 09:40:00 INFO heartbeat 6: all threads alive, current step 701",
)
POLLS = (
    "(Trainer pid=4) [2026-03-01 09:00:00] timer.py:24 - Timer actor_train start",
    *(
        f'(Engine pid=9) [2026-03-01 {hour:02}:00:05] INFO:  192.0.2.4:41 - "GET /metrics HTTP/1.1" 200 OK'
        for hour in (9, 10, 11, 12)
    ),
)
WAITS = (
    "2026-03-01 09:00:00 INFO loaded shard 3 of the model",
    "2026-03-01 09:00:00 INFO captured graph for 4 tokens",
    *(
        f"2026-03-01 09:{minute}:05 INFO waiting for 1 of 4 ranks to join"
        for minute in ("00", "10", "20", "35")
    ),
)
IDLE = (
    "2026-03-01 09:00:00 INFO speed 80.1 tok/s, running: 3 seqs, waiting: 12 seqs",
    *(
        f"2026-03-01 09:{minute}:10 INFO speed 0.0 tok/s, running: 0 seqs, waiting: 12 seqs"
        for minute in ("00", "10", "20", "35")
    ),
)
RUNNING = JobFacts(state=JobState.RUNNING)


def cause(*lines: str) -> Cause:
    return examine("\n".join(lines), rules(), RUNNING).diagnosis.cause


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (BEATS, Cause.COLLECTIVE_TIMEOUT),
        ([f"2026-03-01 09:{minute}:00 INFO 0/500 steps" for minute in ("00", "20", "45")], Cause.STAGE_STUCK),
        (POLLS, Cause.COLLECTIVE_TIMEOUT),
        (WAITS, Cause.COLLECTIVE_TIMEOUT),
        (IDLE, Cause.STAGE_STUCK),
    ],
    ids=["heartbeats", "never began", "polls", "waits", "idle"],
)
def test_work_that_stands_still_behind_talk_is_named(lines, expected):
    assert cause(*lines) is expected


@pytest.mark.parametrize(
    "lines",
    [
        WAITS[:4],
        (*WAITS, "2026-03-01 09:35:09 INFO captured graph for 2 tokens"),
        IDLE[:3],
        (*IDLE, "2026-03-01 09:35:20 INFO speed 71.0 tok/s, running: 3 seqs, waiting: 9 seqs"),
        BEATS[:3],
        (*BEATS, "2026-03-01 09:40:09 INFO step 702/9000 loss 2.30"),
        (
            *BEATS[:3],
            "2026-03-01 09:20:00 INFO eval batch 10 of 90",
            "2026-03-01 09:30:00 INFO eval batch 80 of 90",
            *BEATS[4:],
        ),
        [f"2026-03-01 {hour:02}:00:00 INFO resuming at step 500" for hour in range(3)],
        [f"2026-03-01 09:00:0{rank} INFO rank {rank}: step 40 loss 2.2" for rank in range(8)],
        [f"2026-03-01 09:{minute}:00 INFO phase=initializing step=0" for minute in (10, 30, 50)],
        [f"2026-03-01 {hour:02}:00:00 INFO step {hour} took 3590 s" for hour in range(3)]
        + [f"2026-03-01 02:{minute}:00 INFO alive in step 2" for minute in (10, 25, 40)],
        [f"heartbeat, current step 12, number {beat}" for beat in range(9)],
    ],
    ids=[
        "short wait",
        "wait that ended",
        "short rest",
        "rest that ended",
        "too short",
        "counts on",
        "evaluates",
        "resumes",
        "ranks",
        "starts",
        "slow steps",
        "no clock",
    ],
)
def test_counts_that_only_seem_to_stand_still(lines):
    assert cause(*lines) in (Cause.HEALTHY, Cause.SLOW_STARTUP)


@pytest.mark.parametrize(
    "lines",
    [
        POLLS[:3],
        ("[2026-03-01 09:00:00] INFO Application startup complete.", *POLLS[1:]),
        ("[2026-03-01 09:00:00] INFO saving checkpoint after step 40", *POLLS[1:]),
        (
            *POLLS,
            '(Engine pid=9) [2026-03-01 12:01:05] INFO: 192.0.2.4:41 - "POST /generate HTTP/1.1" 200 OK',
        ),
    ],
    ids=["too short", "idle server", "saves", "generates"],
)
def test_polls_of_a_server_that_does_not_hang(lines):
    assert cause(*lines) is not Cause.COLLECTIVE_TIMEOUT


def test_a_watch_sees_it_over_many_looks():
    watch = made_watch(Phase.STEADY)
    causes = []
    for now, text in ((0, "step 700/9000 loss 2.31"), (12, "step 701/9000 loss 2.30")):
        watch = replace(watch, memory=judge(watch, look(now, tree(), raw(now, text)), rules()).memory)
    for now in range(300, 2701, 300):
        verdict = judge(watch, look(now, tree(), raw(now, "alive, current step 701")), rules())
        causes.append(verdict.cause)
        watch = replace(watch, memory=verdict.memory)
    assert causes[0] is Cause.HEALTHY
    assert causes[-1] is Cause.COLLECTIVE_TIMEOUT
    assert verdict.action is ActionKind.ESCALATE


BARS = tuple(f"Grinding: 2 mills at work: 91%|#### | 8190/9000 sacks [{hour}:00:05]" for hour in (1, 2, 3))


def test_bars_that_stand_still_tell_the_time():
    assert cause(*BARS) is Cause.STAGE_STUCK
    assert cause(*BARS, "Grinding: 2 mills at work: 91%|#### | 8191/9000 sacks [3:01:05]") is Cause.HEALTHY


@pytest.mark.parametrize(("part_s", "is_slow"), [(2400, True), (60, False)])
def test_last_parts_of_a_watch(part_s: float, is_slow: bool):
    watch, found = made_watch(kind="auto"), set()
    for n in range(3):
        line = raw(60 + part_s * n, f"milled {297 + n}/300 sacks, {3 - n} in flight, 0 waiting")
        seen = consider(watch, look(120 + part_s * n, tree(), line), rules())
        watch = replace(watch, memory=seen.verdict.memory)
        found = {finding.cause for finding in seen.findings.all}
    assert (Cause.STRAGGLERS in found) is is_slow


def test_last_parts_of_a_watch_read_at_once():
    counts = ((90, 10), (96, 4), (98, 2))
    lines = [raw(60 + 5 * n, f"{done}/100 cells, {left} in flight") for n, (done, left) in enumerate(counts)]
    assert not consider(made_watch(kind="auto"), look(90, tree(), *lines), rules()).findings.all

"""A count that stands still while the clock of the lines runs, and what only looks like it."""

import pytest

from babysitter.diagnosis.judge.step_stall import frozen_finding, polled_finding
from babysitter.model.finding import Cause

BEATS = (
    "2026-03-01 09:00:00 INFO step 700/9000 loss 2.31",
    "2026-03-01 09:00:12 INFO step 701/9000 loss 2.30",
    "2026-03-01 09:10:00 INFO heartbeat 4: all threads alive, current step 701",
    "2026-03-01 09:25:00 INFO heartbeat 5: all threads alive, current step 701",
    "2026-03-01 09:40:00 INFO heartbeat 6: all threads alive, current step 701",
)


def test_heartbeats_that_repeat_a_step_for_long_are_a_hang() -> None:
    found = frozen_finding(BEATS, source="log", silent_s=600.0)
    assert found is not None
    assert found.cause is Cause.COLLECTIVE_TIMEOUT
    assert (found.position, found.last_position) == (1, 4)
    assert "Step 701" in found.explanation
    assert "50 minutes" in found.explanation


def test_midnight_is_no_step_back() -> None:
    lines = [f"{clock} INFO phase=training step=12 alive" for clock in ("23:50:00", "00:05:00", "00:30:00")]
    assert frozen_finding(lines) is not None


@pytest.mark.parametrize(
    "lines",
    [
        BEATS[:3],
        (*BEATS, "2026-03-01 09:40:09 INFO step 702/9000 loss 2.30"),
        (
            *BEATS[:3],
            "2026-03-01 09:20:00 INFO eval batch 10 of 90",
            "2026-03-01 09:30:00 INFO eval batch 80 of 90",
            *BEATS[4:],
        ),
        [f"2026-03-01 {hour:02}:00:00 INFO resuming at step 500" for hour in range(5)],
        [f"2026-03-01 09:00:0{rank} INFO rank {rank}: step 40 loss 2.2" for rank in range(8)],
        [f"2026-03-01 09:{minute}:00 INFO phase=initializing step=0" for minute in (10, 30, 50)],
        [f"2026-03-01 {hour:02}:00:00 INFO step {hour} took 3590 s" for hour in range(3)]
        + [f"2026-03-01 02:{minute}:00 INFO alive in step 2" for minute in (10, 25, 40)],
        [f"heartbeat, current step 12, number {beat}" for beat in range(9)],
    ],
    ids=["too short", "counts on", "evaluates", "resumes", "ranks", "starts", "slow steps", "no clock"],
)
def test_what_only_looks_like_it(lines: tuple[str, ...]) -> None:
    assert frozen_finding(lines) is None


POLLS = (
    "(Trainer pid=4) [2026-03-01 09:00:00] timer.py:24 - Timer actor_train start",
    *(
        f'(Engine pid=9) [2026-03-01 {hour:02}:00:05] INFO:  192.0.2.4:41 - "GET /metrics HTTP/1.1" 200 OK'
        for hour in (9, 10, 11, 12)
    ),
)


def test_a_step_behind_which_only_polls_go_on_is_a_hang() -> None:
    found = polled_finding((*POLLS, ""), source="log")
    assert found is not None
    assert found.cause is Cause.COLLECTIVE_TIMEOUT
    assert (found.position, found.last_position) == (0, 4)
    assert "180 minutes" in found.explanation


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
        [each.replace("2026-03-01 ", "").replace(":00:", " ") for each in POLLS],
    ],
    ids=["too short", "idle server", "saves", "generates", "no clock"],
)
def test_polls_of_a_server_that_is_no_hang(lines: tuple[str, ...]) -> None:
    assert polled_finding(lines) is None

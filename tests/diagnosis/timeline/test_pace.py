"""How long a job is silent at its work, by its counts and its own words."""

import pytest

from babysitter.diagnosis.timeline.pace import MAX_TOLD_S, SLACK, usual_silence_s
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.progress import CountedWork


def _usual_s(text: str, *gaps_s: float) -> float:
    """Without the slack."""
    return usual_silence_s(Memory(recent_lines=(LogLine(text),), work=CountedWork(gaps_s=gaps_s))) / SLACK


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("This epoch took 634.078703 s", 634.078703),
        ("Epoch 3 took 0:10:34", 634),
        ("Epoch 3/40 took 0:10:34", 634),
        ("epoch 3 time: 0:10:34", 634),
        ("Epoch 0: 6843.771 seconds", 6843.771),
        ("step time 12.3 s", 12.3),
        ("step_time=38.4s", 38.4),
        ("step duration: 2 min", 120),
        ("epoch 3 finished in 2h10m now", 7800),
        ("epoch 3 in 25 min", 1500),
        ("each round takes 40 s", 40),
        ("rollout 7 lasted 1h 5m 3", 3900),
        ("epoch elapsed: 1:00:00, remaining: 9:00:00", 3600),
        ("eta 9 h, step time 12 s", 12),
        ("timing/step 2225s", 2225),
        ("time per step: 31.5 s", 31.5),
        ("sleeping 600 s", 600),
        ("nothing to do, sleep for 2h", 7200),
        ("clustering, quiet until finished (last build 41 min)", 2460),
        ("nothing is printed meanwhile. Last run: 35 min 12 s", 2112),
        ("the merge usually takes about 2h", 7200),
        ("epoch 3 took 40 h", MAX_TOLD_S),
        (f"epoch 3 took {'9' * 15} days", MAX_TOLD_S),
    ],
)
def test_told_duration(text: str, seconds: float):
    assert _usual_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "starting epoch 17:22:33",
        "epoch 3 17:22:33",
        "epoch 3 time: 17:22:33",  # of the day
        "epoch time 09:22:33",
        "Batch 64 d=128 model",
        "batch: 1024 m",
        "batch 3: 1024.5 m",
        "step 3: 7200.5 s remaining",
        "will dump stacks when no step in 30 min",
        "Epoch 30, Time 36133.8s",  # of all epochs
        "epoch 3 5h remaining",
        "epoch 3 in 5h remaining",
        "epoch 3 in 5 h (estimated left)",
        "remaining epoch time: 5h",
        "ETA: epoch time 5h",
        "task 7 time 5h budget",
        "task_timeout: task time 5 h limit",
        "iteration 5 h=3",
        "iteration 5 in 2 h=3",
        "iteration 5 in 1 h 2 m=3",
        "task 3d_conv",
        "task in 3d_conv",
        "batch in 12 m/s",
        "step time 12 s/it",
        "task 5 days timeout set",
        "task 5 in 5 days timeout set",
        "sleeping 5 h timeout",
        "the step limit is 7200s",
        "weather model, time step 6h",
        f"epoch 3 took {'9' * 5000} s",
        f"epoch 3 took {'9' * 5000}:10:34",
        f"epoch {'9' * 5000} 12 s",
    ],
)
def test_number_that_is_no_duration(text: str):
    assert _usual_s(text) == 0


@pytest.mark.parametrize(
    ("text", "gaps_s", "seconds"),
    [
        ("epoch took 900 s", (10, 10, 11), 900),
        ("epoch took 1100 s", (10, 10, 11), 10),  # far above the pace of the counts
        ("epoch took 1100 s", (10,), 1100),  # no pace
        ("epoch took 1100 s", (0, 0), 1100),  # read at once
        ("epoch took 5 s", (10, 10, 11), 10),
        ("sleeping 7200 s", (10, 10, 11), 7200),
    ],
)
def test_told_duration_by_the_pace_of_the_counts(text: str, gaps_s: tuple[float, ...], seconds: float):
    assert _usual_s(text, *gaps_s) == pytest.approx(seconds)

"""Parts far slower than the others of their kind, where each line tells the time of one."""

import pytest

from babysitter.diagnosis.causes.part_times import find_slow_parts
from babysitter.diagnosis.timeline.entries import read_entries

TASKS = [
    f"finished task {number}.0 in stage 8 in {ms} ms" for number, ms in enumerate((4102, 3858, 4920, 3921))
]
STEPS = [f"[step {number}] step_time={seconds}s" for number, seconds in enumerate((38.4, 38.1, 38.2, 38.9))]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (
            [
                *TASKS,
                "finished task 47.0 in stage 8 in 219872 ms",
                "finished task 9.0 in stage 8 in 440310 ms",
            ],
            2,
        ),
        (
            [
                *STEPS,
                "[step 5] step_time=381.06s dt=332s",
                "[step 6] step_time=38.1s",
                "[step 9] step_time=18m43s",
            ],
            2,
        ),
        (
            [
                *TASKS,
                *(f"finished task 9.0 in stage 8 in {ms} ms" for ms in (420000, 540000, 900000, 1800000)),
            ],
            4,
        ),
        ([*TASKS, "finished task 47.0 in stage 8 in 219872 ms"], 0),  # one may be anything
        (["[step 0] step_time=400s", *STEPS, "[step 5] step_time=390s"], 0),  # the first one warms up
        ([*TASKS, "finished task 5.0 in stage 8 in 9 s", "finished task 6.0 in stage 8 in 9 s"], 0),
        (["wrote a in 1 s", "wrote b in 400 s", "wrote c in 500 s"], 0),  # too few to compare
        (STEPS, 0),
        ([], 0),
    ],
)
def test_find_slow_parts(lines: list[str], found: int):
    assert len(find_slow_parts(read_entries(lines))) == found

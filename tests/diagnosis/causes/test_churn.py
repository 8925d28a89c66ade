import pytest

from babysitter.diagnosis.causes.churn import find_churn
from babysitter.diagnosis.timeline.entries import read_entries

_SERIES = {
    "signals": [
        "2026-01-02 03:00:00 ERROR Worker w-1 pid:17 exited with signal 9",
        "2026-01-02 03:00:09 INFO page 4 done",
        "2026-01-02 03:02:00 ERROR Worker w-7 pid:31 exited with signal 9",
    ],
    "killed": [
        "2026-01-02 03:00:00 WARNING nanny: Worker process 188 was killed by unknown signal",
        "2026-01-02 03:01:00 WARNING nanny: Worker process 204 was killed by unknown signal",
    ],
    "health": [
        "2026-01-02 03:00:00 WARNING no answer from replica r-1, marking it unhealthy.",
        "2026-01-02 03:31:00 WARNING no answer from replica r-2, marking it unhealthy.",
    ],
    "codes, no times": [
        "executor 3 terminated: exit code 143",
        "shard 5 done",
        "shard 6 done",
        "executor 4 terminated: exit code 143",
    ],
}
_NO_SERIES = {
    "one event": [
        "2026-01-02 03:00:00 ERROR Worker w-1 exited with signal 9",
        "2026-01-02 03:00:02 ERROR Worker w-2 exited with signal 9",
    ],
    "one death": ["2026-01-02 03:00:00 ERROR Worker w-1 exited with signal 9"],
    "taken away": [
        "2026-01-02 03:00:00 worker w-1 preempted, exited with signal 15",
        "2026-01-02 03:09:00 worker w-2 preempted, exited with signal 15",
    ],
    "stopped": [
        "2026-01-02 03:00:00 scaling down: worker w-1 exited with signal 15",
        "2026-01-02 03:09:00 scaling down: worker w-2 exited with signal 15",
    ],
    "finished": [
        "2026-01-02 03:00:00 worker w-1 exited with exit code 0",
        "2026-01-02 03:09:00 worker w-2 exited with exit code 0",
    ],
    "said of others": [
        "2026-01-02 03:00:00 if a worker exited with signal 9, raise the limit",
        "2026-01-02 03:09:00 if a replica exited with signal 9, raise the limit",
    ],
}


@pytest.mark.parametrize("lines", _SERIES.values(), ids=_SERIES.keys())
def test_find_churn_of_different_members(lines: list[str]) -> None:
    deaths = find_churn(read_entries(lines))
    assert [entry.place for entry in deaths] == [0, len(lines) - 1]


@pytest.mark.parametrize("lines", _NO_SERIES.values(), ids=_NO_SERIES.keys())
def test_find_churn_needs_a_series(lines: list[str]) -> None:
    assert find_churn(read_entries(lines)) == ()

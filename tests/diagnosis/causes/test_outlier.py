import pytest

from babysitter.diagnosis.causes.churn import find_restarts
from babysitter.diagnosis.causes.outlier import find_outlier
from babysitter.diagnosis.timeline.entries import read_entries

_OUTLIERS = [
    "rank 7 step time 41.2 s, median of the other ranks 5.1 s",
    "map: 998/1000 done, 2 running for 3h (median 4 min)",
    "stage 3: partition 15 read 91.2 GB (median 0.9 GB)",
]
_NO_OUTLIERS = [
    "rank 7 step time 5.2 s, median of the other ranks 5.1 s",
    "rank 7 step time 41.2 s, median of the other ranks 5.1 GB",
    "task latency p99 41 s, median 2 s",
    "step 40 took 12 s",
    "rank 7 step time 41.2 s, median 0 s",
    "",
]
_RESTARTED = ["restart counter is at 71", "pod a restarted (restart count 14)", "train-0 CrashLoopBackOff 27"]
_NOT_RESTARTED = ["restart count 3", "restarts: 0", "restart in 60 s", "restarting: 30 s left", "restarts"]


@pytest.mark.parametrize("line", _OUTLIERS)
def test_find_outlier_compares_two_numbers(line: str) -> None:
    entries = read_entries([line, "work goes on"])
    assert find_outlier(entries) == entries[0]


@pytest.mark.parametrize("line", _NO_OUTLIERS)
def test_find_outlier_needs_a_ratio(line: str) -> None:
    assert find_outlier(read_entries([line])) is None


@pytest.mark.parametrize("line", _RESTARTED)
def test_find_restarts_reads_the_counter(line: str) -> None:
    entries = read_entries([line])
    assert find_restarts(entries) == entries[0]


@pytest.mark.parametrize("line", _NOT_RESTARTED)
def test_find_restarts_few_or_no_counter(line: str) -> None:
    assert find_restarts(read_entries([line])) is None

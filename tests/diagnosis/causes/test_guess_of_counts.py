import pytest

from babysitter.diagnosis.causes.guess_of_counts import guess_of_counts
from babysitter.diagnosis.timeline.counts.counters import read_counters
from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.model.finding import Evidence, Finding
from babysitter.model.job_facts import JobFacts

_DIED = "2026-01-02 03:0{0}:00 ERROR worker w-{0} exited with signal 9"
_BULK = [f"2026-01-02 03:0{minute}:00 merged {minute * 30} of 200 parts" for minute in range(1, 7)]
_REST = [f"2026-01-02 0{hour}:00:00 merged {180 + hour} of 200 parts" for hour in range(4, 7)]
_WORK = [f"2026-01-02 03:09:0{second} wrote shard {second} of 40" for second in range(4)]


def _guess(lines: list[str], age_s: float = 5.0) -> Finding | None:
    facts = JobFacts(last_line_age_s=age_s)
    entries = read_entries(lines)
    work = read_counters(entries).work
    return guess_of_counts(entries, facts, work, lambda place: Evidence(lines[place], "log"))


@pytest.mark.parametrize(
    ("cause", "lines"),
    [
        ("worker-churn", [_DIED.format(1), _DIED.format(4)]),
        ("worker-churn", [_DIED.format(1), _DIED.format(4), _DIED.format(7), *_WORK]),
        ("worker-churn", ["restart counter is at 71"]),
        ("stragglers", ["rank 7 step time 41.2 s, median of the others 5.1 s"]),
        ("stragglers", [*_BULK, *_REST]),
        (None, [*_BULK, _REST[0].replace("184", "200")]),  # all done
        (None, [_DIED.format(1), _DIED.format(4), *_WORK]),
        (None, ["restart counter is at 71", *_WORK]),
        (None, ["rank 7 step time 41.2 s, median of the others 5.1 s", *_WORK]),
        (None, _WORK),
        (None, []),
    ],
)
def test_guess_of_counts_unless_work_follows(cause: str | None, lines: list[str]) -> None:
    guess = _guess(lines)
    assert (guess.cause.value if guess else None) == cause


@pytest.mark.parametrize(("age_s", "cause"), [(5.0, None), (9000.0, "zombie-coordinator")])
def test_guess_of_counts_end_that_does_not_come(age_s: float, cause: str | None) -> None:
    guess = _guess([*_WORK, "pipeline completed"], age_s)
    assert (guess.cause.value if guess else None) == cause

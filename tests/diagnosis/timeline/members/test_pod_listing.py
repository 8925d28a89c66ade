"""Listings of pods in which the others are done."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.members.pod_listing import MAX_KEPT, find_left_over

HEADER = "NAME  READY  STATUS  RESTARTS  AGE"


def _row(name: str, state: str, age: str = "3h12m") -> str:
    ready = "1/1" if state == "Running" else "0/1"
    return f"{name}    {ready}    {state}    0    {age}"


def _names(*lines: str) -> tuple[str, ...]:
    found = find_left_over(None, read_entries(lines))
    return () if found is None else found.names


GANG = [_row(f"fit-7b-worker-{n}", "Completed") for n in range(3)]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ([HEADER, *GANG, _row("fit-7b-master-0", "Running")], ("fit-7b-master-0",)),
        ([_row("fit-7b-worker-9", "Running", "3h10m"), *GANG], ("fit-7b-worker-9",)),
        (
            [_row("etl-k2x9q", "Completed", "9h"), _row("etl-gang-head-0", "Running", "9h")],
            ("etl-gang-head-0",),
        ),
        ([*GANG, _row("fit-7b-ps-0", "Running"), "", "step 12 done"], ("fit-7b-ps-0",)),
    ],
    ids=["master", "rank", "own pod done", "lines behind"],
)
def test_what_is_left_over(lines, names):
    assert _names(*lines) == names


@pytest.mark.parametrize(
    "lines",
    [
        GANG,
        [*GANG, _row("fit-7b-worker-8", "Running"), _row("fit-7b-worker-9", "Running")],
        [*GANG, _row("fit-7b-worker-9", "Running", "12m")],
        [_row(f"a-worker-{n}", "Completed", "40s") for n in range(3)]
        + [_row("a-worker-3", "Running", "40s")],
        [*GANG, _row("other-worker-0", "Running")],
        [*[_row(f"sweep-trial-{n}", "Completed") for n in range(3)], _row("sweep-trial-3", "Running")],
        [*[_row(f"count-exec-{n}", "Completed") for n in range(3)], _row("count-driver", "Running")],
        [_row("shop-migrate-k2x9q", "Completed"), _row("shop-web-0", "Running")],
        [*GANG, _row("fit-7b-master-0", "Running"), "", *GANG, _row("fit-7b-master-0", "Completed")],
        [],
    ],
    ids=[
        "all done",
        "several run",
        "began later",
        "just begun",
        "another job",
        "trials",
        "executors given back",
        "a migration",
        "newest listing",
        "nothing",
    ],
)
def test_where_nothing_is_left_over(lines):
    assert _names(*lines) == ()


def test_a_listing_of_an_earlier_look_is_remembered():
    before = find_left_over(None, read_entries([*GANG, _row("fit-7b-master-0", "Running")]))
    assert find_left_over(before, read_entries(["heartbeat"], first_place=9)) == before


@pytest.mark.parametrize(("running", "done"), [(1, 20_000), (20_000, 1)])
def test_of_a_long_listing_the_first_rows_and_the_number_are_kept(running, done):
    if running == 1:
        rows = [_row(f"fit-7b-worker-{n}", "Completed") for n in range(done)]
        rows.append(_row("fit-7b-master-0", "Running"))
    else:
        rows = [_row("fit-k2x9q", "Completed")]
        rows += [_row(f"fit-gang-worker-{n}", "Running") for n in range(running)]
    found = find_left_over(None, read_entries(rows))
    assert (found.running, found.done) == (running, done)
    assert (len(found.names), len(found.rows)) == (min(running, MAX_KEPT), MAX_KEPT)

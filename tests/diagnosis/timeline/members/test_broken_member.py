"""A member that does something else than the others of its kind."""

import pytest

from babysitter.diagnosis.timeline.count_history import entries_of
from babysitter.diagnosis.timeline.members.broken_member import (
    MAX_LINES,
    BrokenMember,
    find_broken_member,
    fold_member_lines,
)
from babysitter.model.member_line import MemberLine
from tests.diagnosis.timeline.repetition.test_stopped_work import Printed, every
from tests.support.build import at
from tests.support.jobs import raw


def found(printed: Printed, now_s: float = 1800.0) -> BrokenMember | None:
    lines: tuple[MemberLine, ...] = ()
    for place, (seconds, text) in enumerate(sorted(printed)):  # look by look
        lines = fold_member_lines(lines, entries_of([raw(seconds, text)], place))
    return find_broken_member(lines, at(now_s).timestamp(), 300.0)


def working(done: str, until_s: float = 1800.0, members: str = "01234567") -> Printed:
    return [
        line
        for member in members
        for line in every(40, until_s, done.replace("{w}", member), 3.0 * int(member))
    ]


@pytest.mark.parametrize(
    ("done", "instead", "label"),
    [
        ("w{w} | task t-{n} done, {m} rows", "w5 | task t-{n} failed: ECC error; back to queue", "w5"),
        ("worker {w}: wrote part {m}", "worker 5: cannot open the mount", "worker 5"),
        ("host-3 gpu{w} done tile {n}", "host-3 gpu5 handed back after 0s: no context", "gpu 5"),
        ("part={w} batch committed offset={n}", "part=5 apply failed, will retry", "part 5"),
        ("[rank {w}] saved sample {n}", "[rank 5] the decoder gave nothing back", "rank 5"),
        ("partition={w} committed {n}", "partition=5 rewinding to the last commit", "partition 5"),
        ("worker-{w} stored output {n}", "worker-5 returned item {n} to queue", "worker 5"),
        ("worker-{w} stored output {n}", "worker-5 reconnecting to db, attempt {n}", "worker 5"),
        ("pod/ingest-{w} segment {n} appended", "pod/ingest-5 not appended: no inodes", "pod ingest-5"),
        ("[worker=box{w}b] stored {n}", "[worker=box5b] item {n} failed: no index", "worker box5b"),
    ],
)
def test_a_member_that_fails_beside_others(done: str, instead: str, label: str) -> None:
    printed = [*working(done, members="0123467"), *working(done, 900, "5"), *every(20, 1800, instead, 920)]
    broken = found(printed)
    assert broken is not None
    assert broken.label == label
    assert broken.others == 7
    assert found(printed, 1000) is None  # for 80 s


DONE = "w{w} | task t-{n} done, {m} rows"


@pytest.mark.parametrize(
    "beside",
    [
        working(DONE, members="5"),  # it works on
        working(DONE, 900, "5"),  # it is gone
        [*working(DONE, 900, "5"), *every(20, 960, "w5 | leaving the pool", 920)],  # it left
        [*working(DONE, 900, "5"), *every(40, 1800, "w5 | alive", 0)],  # a long task, and it lives as before
        [*working(DONE, members="5"), *every(20, 1800, "w5 | retrying the upload", 920)],
        every(20, 1800, "w5 | dispatching", 0),  # it never did what the others do
        *(
            [*working(DONE, 900, "5"), *every(20, 1800, f"w5 | {text}", 920)]
            for text in (
                "queue empty, no more tasks",
                "polled records=0 lag=0",
                "waiting at the barrier for the others",
                "evaluation episode {n}, return 14.2",
                "standing by as follower",
                "skipped task {n}, output exists",
                "task {n} done after retry, {m} rows",
                "large task {n} done, {m} rows",
                "shuffle buffer refilling, {n}%",
                "writing checkpoint shard {n}/140",
            )
        ),
    ],
    ids=[
        *("works", "gone", "left", "lives", "works beside", "another role"),
        *("no more", "nothing came", "waits", "evaluates", "stands by", "done before"),
        *("done after a retry", "done in other words", "refills", "saves"),
    ],
)
def test_a_member_that_is_not_broken(beside: Printed) -> None:
    assert found([*working(DONE, members="0123467"), *beside]) is None


def test_all_members_that_turn_to_something_else_are_not_broken() -> None:
    assert found([*working(DONE, 900), *working("w{w} | uploading piece {n}", 1800)]) is None


@pytest.mark.parametrize(
    "text",
    [
        *("step 120 done", "attempt 3 failed", "10.0.0.5:8080 answered", "p99 took 3 ms", "2026-03-04 done"),
        *(
            "sha256 matches",
            "int8 weights loaded",
            "tenant-7 is throttled",
            "user-42 asked",
            "layer-12 frozen",
        ),
    ],
)
def test_numbers_that_name_no_member(text: str) -> None:
    assert fold_member_lines((), entries_of([raw(0, text)], 0)) == ()


def test_what_is_remembered_is_bounded() -> None:
    lines = [raw(n, f"w{n} | done") for n in range(3 * MAX_LINES)]
    assert len(fold_member_lines((), entries_of(lines, 0))) == MAX_LINES

"""Lines that report members lost, and when several of them make a series."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.members.lost_members import (
    MAX_NOTES,
    SHUTDOWN_LINES,
    find_series,
    fold_lost_members,
    read_lost_member,
)


def _series(*lines: tuple[float, str], has_clock: bool = True) -> list[str]:
    """The names of the members of the series; the same however the log is split into looks."""
    entries = read_entries([text for _, text in lines], times_s=[at_s for at_s, _ in lines])
    notes = fold_lost_members((), entries)
    for split in range(len(lines)):
        assert fold_lost_members(fold_lost_members((), entries[:split]), entries[split:]) == notes
    return [note.name for note in find_series(notes, has_clock=has_clock)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Scheduler: executor lost: 7 (wave 2)", "7"),
        ("node 4f0c19 was marked dead by the head", "4f0c19"),
        ("pool member grid-slice-3 is unhealthy, taking it out", "grid-slice-3"),
        ("worker process 4411 was killed by signal 9", "4411"),
        ("replica r-19x: no heartbeat for 30 s", "r-19x"),
        ("Relaunching pod train-worker-4", "train-worker-4"),
        ("releasing 3 nodes (lost contact)", "3 nodes 0"),
        ("worker 3 exited with code 0", ""),
        ("worker 3 exited with code 1", "3"),
        ("worker 3 finished, 0 workers lost", ""),
        ("if worker 3 is lost, its shards go to others", ""),
        ("removed idle node 12, 1 node gone", ""),
        ("pod feeder-2 evicted: node ran out of memory", ""),
        ("worker 3 was preempted and is gone", ""),
        ("worker 3 failed to open part-7", ""),
        ("worker 3 restarted gracefully after max_requests", ""),
        ("caption: 'the node 7 was lost at sea'", ""),
        ("loss 2.31 on worker 3", ""),
        ("worker 0 lost", "0"),
        ("executor 0 was lost", "0"),
        ("executor lost: 0", "0"),
        ("0 lost, 4 workers up on host 3", ""),
        ("workers: 0 dead, host 3", ""),
        ("host 3: restarted: 0", ""),
        ("Lost executor 3 on 192.0.2.4: worker lost", "3"),
        ("worker process on node 7 crashed", "7"),
        ("executor 3 on host-4 lost", "3"),
        ("lost connection to worker 3", "3"),
        ("worker 3 died unexpectedly", "3"),
        ("blacklist failing host: n14", "n14"),
        ("worker 5 disappeared without a word", "5"),
        ("3 of 40 workers alive; 37 dead", "40 workers 0"),
        ("3 actors restored, none restarted", ""),
        ("Lost task 3.1 in stage 1.0 (TID 14, node-4, executor 2): refused", ""),
        ("found 12 dead links on host 3", ""),
        ("Instance 7: gone through 50% of data", ""),
        ("dataset host-2 lost packets 3", ""),
        ("pod-3: evicted 3 cache entries", ""),
        ("agent 12 died in level 3 at step 100", ""),
        ("trial 7 lost to baseline", ""),
        ("worker 3 loss 2.1 gone", ""),
        ("connection to host 3 restarted", ""),
        ("worker 2: container restarted 0 times", ""),
        ("", ""),
    ],
)
def test_the_member_that_a_line_reports_lost(line, name):
    assert read_lost_member(read_entries([line])[0]) == name


def test_a_member_that_speaks_of_itself_is_its_speaker():
    texts = [f"(raylet, ip=192.0.2.{n}) exiting: this node was marked dead" for n in (4, 9)]
    names = [read_lost_member(entry) for entry in read_entries(texts)]
    assert len({*names}) == 2
    assert all(names)


LOST = "executor lost: {} (wave 1)"


@pytest.mark.parametrize(
    "lines",
    [
        [(0, LOST.format(1)), (40, LOST.format(4)), (90, LOST.format(2))],
        [(0, LOST.format(1)), (400, LOST.format(4))],
        [
            (0, LOST.format(1)),
            (20, "step 4"),
            (60, LOST.format(4)),
            (61, LOST.format(5)),
            (90, LOST.format(6)),
        ],
        [(0, LOST.format(9)), (9000, LOST.format(1)), (9300, LOST.format(4))],
    ],
    ids=["three", "two, minutes apart", "some at once", "an old one before"],
)
def test_losses_at_different_times_are_a_series(lines):
    assert len(_series(*lines)) >= 2


@pytest.mark.parametrize(
    "lines",
    [
        [(0, LOST.format(1))],
        [(0, LOST.format(n)) for n in range(8)],
        [(n * 0.5, LOST.format(n)) for n in range(8)],
        [(0, LOST.format(1)), (60, LOST.format(2))],
        [(n * 300, LOST.format(1)) for n in range(5)],
        [(0, LOST.format(1)), (9000, LOST.format(2))],
        [(0, LOST.format(1)), (300, "node 7 was marked dead")],
        [(0, "shutting down"), *((n * 60, LOST.format(n)) for n in range(5))],
        [(n * 60, f"worker {n} exited with code 0") for n in range(5)],
        [(n * 60, f"removing idle node {n}: gone") for n in range(5)],
    ],
    ids=[
        "one",
        "one moment",
        "one burst",
        "two, close",
        "told again of one member",
        "far apart",
        "different words",
        "orderly end",
        "done",
        "idle",
    ],
)
def test_losses_that_are_no_series(lines):
    assert _series(*lines) == []


def test_without_a_clock_other_lines_part_the_losses():
    lost = [(0.0, LOST.format(n)) for n in (1, 2, 3)]
    parted = [item for loss in lost for item in (loss, (0.0, "fetched a page"))]
    assert _series(*lost, has_clock=False) == []
    assert _series(*parted, has_clock=False) == ["1", "2", "3"]
    assert _series(*parted) == []


@pytest.mark.parametrize(
    "line",
    [
        "validation run completed",
        "warmup job finished",
        "preprocessing pipeline completed",
        "shutting down old dashboard",
        "shutting down worker 3",
        "Job 3 finished: collect",
        "training epoch completed",
    ],
)
def test_an_end_that_is_not_of_the_job_changes_nothing(line):
    lines = [(n * 60, LOST.format(n)) for n in range(1, 6)]
    assert len(_series((0, line), *lines)) == 5
    assert len(_series(*lines, (400, line))) == 5


@pytest.mark.parametrize(
    "line",
    [
        "shutting down cluster",
        "Shutting down all executors",
        "received signal 15, shutting down",
        "tearing down the cluster",
        "training job finished",
        "job fit-7b completed",
        "all workers finished",
        "Training completed successfully",
    ],
)
def test_losses_around_the_end_of_the_job_count_for_nothing(line):
    lines = [(n * 60, LOST.format(n)) for n in range(1, 6)]
    assert _series((0, line), *lines) == []
    assert _series(*lines, (400, line)) == []


def test_losses_long_after_an_end_count_again():
    work = [(1.0, "fetched a page")] * SHUTDOWN_LINES
    lines = [(n * 60, LOST.format(n)) for n in range(1, 6)]
    assert len(_series(*lines, (400, "shutting down"), *work, *((at_s + 500, t) for at_s, t in lines))) == 5


def test_the_notes_are_bounded():
    lines = [(n * 60, LOST.format(n)) for n in range(1, 3 * MAX_NOTES)]
    assert len(_series(*lines)) == MAX_NOTES

"""Work that began, and behind it nothing but polls."""

import pytest

from babysitter.diagnosis.timeline.entries import read_entries
from babysitter.diagnosis.timeline.repetition.only_polls import fold_idle, fold_polls, fold_waits
from babysitter.model.log import LogLine

POLL = 'INFO: 192.0.2.3:5150 - "GET /metrics HTTP/1.1" 200 OK'
HOUR = 3600.0


def _found(*lines: tuple[float, str]):
    """The polls, if they went on for long enough."""
    entries = read_entries([text for _, text in lines], times_s=[at_s for at_s, _ in lines])
    said = [LogLine(text) for _, text in lines]
    polls = fold_polls(None, entries, said)
    for split in range(len(lines)):
        assert fold_polls(fold_polls(None, entries[:split], said), entries[split:], said[split:]) == polls
    is_long = polls is not None and polls.polls >= 3 and polls.polled_s >= 1.5 * HOUR
    return polls if is_long else None


@pytest.mark.parametrize(
    "work",
    [
        "timer train start",
        "entering train_step",
        "step: 12 loss 2.1",
        "starting epoch 3",
        "begin train_actor",
    ],
)
@pytest.mark.parametrize("poll", [POLL, "heartbeat sent to the controller", '"GET /healthz HTTP/1.1" 200'])
def test_polls_behind_work_are_found(work, poll):
    found = _found((0, "x"), (1, work), (HOUR, poll), (2 * HOUR, poll), (2.5 * HOUR, poll))
    assert found is not None
    assert found.began.text == work


def test_wait_at_a_barrier_beside_debug_lines():
    wait = "waiting under the global sync, current epoch is 0"
    texts = ["attempt 0 has entered the sync", wait, "DEBUG sent 3 bytes", wait, wait]
    entries = read_entries(texts, times_s=[0.0, 60.0, 600.0, 900.0, 1800.0])
    found = fold_waits(None, entries, [LogLine(text) for text in texts])
    assert found is not None
    assert (found.polls, found.began.text) == (3, texts[0])


@pytest.mark.parametrize(
    "lines",
    [
        [(0, "starting epoch 3"), (10, POLL), (20, POLL), (HOUR, POLL)],  # not long enough
        [(0, "starting epoch 3"), (HOUR, POLL), (2 * HOUR, POLL)],  # two polls
        [(0, "server is up"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],  # an idle server
        [(0, "training step 3 completed"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],
        [(0, "step 3 failed"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],
        [(0, POLL), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL)],
        [(0, "starting epoch 3"), (HOUR, POLL), (2 * HOUR, POLL), (3 * HOUR, POLL), (3 * HOUR, "step 4")],
        [],
    ],
)
def test_polls_that_mean_nothing(lines):
    assert _found(*lines) is None


def _run(fold, *lines: tuple[float, str]):
    """The lines of one kind at the end, the same however the log is cut into looks."""
    entries = read_entries([text for _, text in lines], times_s=[at_s for at_s, _ in lines])
    said = [LogLine(text) for _, text in lines]
    found = fold(None, entries, said)
    for split in range(len(lines)):
        assert fold(fold(None, entries[:split], said), entries[split:], said[split:]) == found
    return found if found is not None and found.polls else None


@pytest.mark.parametrize(
    "text",
    [
        "Waiting for 1 local process to start",
        "rank 0 waiting for ranks 3, 5",
        "still waiting on the barrier (2/4)",
        "waiting until all peers are connected",
        "waiting for rendezvous of 8 participants",
    ],
)
def test_waits_for_peers_behind_work(text):
    found = _run(fold_waits, (0, "captured graph of 4 tokens"), (600, text), (2000, text), (3000, text))
    assert found is not None
    assert (found.polls, found.polled_s) == (3, 3000)


@pytest.mark.parametrize(
    "text",
    [
        "waiting for new requests",
        "waiting for machines: 0 of 4 nodes are ready",
        "waiting for process 31 to exit",
        "waiting for child processes to finish",
        "rank 0 loaded shard 3",
        "the barrier was passed",
        "waiting for the download",
    ],
)
def test_other_lines_that_wait(text):
    assert (
        _run(fold_waits, (0, "captured graph of 4 tokens"), (600, text), (2000, text), (3000, text)) is None
    )


def test_waits_without_work_before_them():
    text = "waiting for ranks 3, 5"
    assert _run(fold_waits, (0, "error: rank 3 failed"), (600, text), (3000, text)) is None


def test_waits_that_ended():
    text = "waiting for ranks 3, 5"
    assert _run(fold_waits, (0, "loaded the model"), (9, text), (99, text), (999, "error: it broke")) is None


@pytest.mark.parametrize(
    "text",
    [
        "speed: 0.0 tok/s, Running: 0 reqs, Pending: 12 reqs",
        "queue depth=182 active workers: 0",
        "in-flight: 0, waiting: 7",
        "0 running, 9 queued",
        "#running-req: 0, #queue-req: 31",
        "Avg generation throughput: 0.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs",
        "gen throughput (token/s): 0.00, #running-req: 2",
    ],
)
def test_status_by_which_nothing_runs(text):
    found = _run(fold_idle, (0, "server is up"), (60, text), (900, text), (2400, text))
    assert found is not None
    assert found.polls == 3


@pytest.mark.parametrize(
    "text",
    [
        "Running: 2 reqs, Pending: 12 reqs",
        "Running: 0 reqs, Pending: 0 reqs",  # an idle server
        "throughput: 31.2 tok/s, Running: 0 reqs, Pending: 12 reqs",
        "jobs: 0 running, 9 pending",  # they wait for machines
        "0 running replicas, 9 pending",
        "active: 10, waiting: 7",
        "prompt throughput: 0.0 tokens/s, generation throughput: 9.1 tokens/s, Running: 1 reqs",
        "throughput: 0.0 tokens/s, Running: 0 reqs, Waiting: 0 reqs",
        "step 12 loss 2.1",
    ],
)
def test_status_of_work_or_of_rest(text):
    assert _run(fold_idle, (0, "server is up"), (60, text), (900, text), (2400, text)) is None

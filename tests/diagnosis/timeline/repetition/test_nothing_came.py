"""Lines by which a program has nothing to do."""

import pytest

from babysitter.diagnosis.timeline.repetition.nothing_came import says_nothing_came


@pytest.mark.parametrize(
    "message",
    [
        "polled records=0 total=4123 lag=0",
        "found 0 new files, sleeping 300 s",
        "found 0 files",
        "no new messages",
        "fetched 0, nothing to do",
        "Running: 0 reqs, Waiting: 0 reqs, KV cache usage: 0.0%",
        "#running-req: 0, #queue-req: 0, token usage: 0.00",
        "queue depth 12 of 12 consumed, backlog: 0",
        "the queue is empty",
        "0 pending",
        "received=0 lag=0",
        "queue empty",
        "0 messages received",
        "no records found in the topic",
    ],
)
def test_nothing_came(message: str) -> None:
    assert says_nothing_came(message)


@pytest.mark.parametrize(
    "message",
    [
        "polled records=0 total=4123 lag=512",  # it does not get what waits
        "Running: 41 reqs, Waiting: 0 reqs",
        "Running: 0 reqs, Waiting: 12 reqs",
        "0/500 tasks complete",
        "0 records processed",
        "received=0/40",
        "received 0.5 MB",
        "12 pending, 0 failed",
        "step 120 loss 0.0",
        "lag=0.7",
        "in-flight: 3, found 0 new files",
        "update 60 got 0 gradients",
        "step 60 received=0",
        "fetched 0 rows: permission denied",
        "no messages acknowledged by the broker",
        "found: 0 errors, 1200 rows written",
        "received 0 bytes for 30 s, retrying",
    ],
)
def test_something_came_or_waits(message: str) -> None:
    assert not says_nothing_came(message)

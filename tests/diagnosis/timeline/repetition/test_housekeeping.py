"""Lines of parts that only live beside the work."""

import pytest

from babysitter.diagnosis.timeline.repetition.housekeeping import is_housekeeping


@pytest.mark.parametrize(
    "message",
    [
        "gc 41 @88.1s 2%: 0.02+4.1+0.01 ms clock",
        "evicted 31 blocks (3 cold), resident 12 GiB",
        "lease on builder-4 renewed (17)",
        "host 2 util 0% mem 11% power 71 W",
        "tx 211.54 GiB rx 655.77 GiB conns 16",
        "closed 3 idle connections to node-56",
        "stats inflight=0 lag=4100 mem=311MiB",
        "pushed 412 gauges to the gateway",
        "node agent: 8 workers alive",
    ],
)
def test_parts_that_live(message: str) -> None:
    assert is_housekeeping(message)


@pytest.mark.parametrize(
    "message",
    [
        "step 400 loss 2.11 gpu mem 61 GiB",
        "shard 4/40 written, cache hit 91%",
        "reading the second corpus from disk",
        "indexed 300 documents, heap 3 GiB",
        "connected to the pool",
        "epoch 3 of 9",
    ],
)
def test_work(message: str) -> None:
    assert not is_housekeeping(message)

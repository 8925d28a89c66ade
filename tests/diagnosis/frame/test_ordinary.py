"""Lines of normal work, and lines that a program without work prints too."""

import pytest

from babysitter.diagnosis.frame.line import read_frame
from babysitter.diagnosis.frame.ordinary import is_ordinary


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-02 10:11:12 INFO wrote tile 7 of 900",
        "I20260102 10:11:12 71 app.loop Task completed for shard 7 in 12.2 seconds",
        "step 7: loss 2.31, 1.2 s per step",
        "saved checkpoint to /ckpt/7",
        "INFO:app.loop:fetched 54000 pages",
        "[rank3]: epoch 2 has begun",
        "Avg prompt throughput: 911.1 tokens/s, Running: 61 reqs",
        "(TrainActor pid=9) rollout of batch 7 took 3.1 s",
        '{"level":"info","msg":"merged part seven","ts":1767348672.5}',
        "train:  40%|####      | 14/35 [00:10<00:20,  1.1s/it, loss=2.1]",
    ],
)
def test_ordinary_line(line):
    assert is_ordinary(read_frame(line))


@pytest.mark.parametrize(
    "line",
    [
        "2026-01-02 10:11:12 WARNING wrote tile 7 of 900",
        "E0102 10:11:12.123456 1 ring.cc:7] wrote tile 7",
        "wrote tile 7, checksum mismatch",
        "shutting down the tile server",
        "Shutdown complete",
        "exiting with 3 open tiles",
        "waiting for 7 peers",
        "still working on stage two",
        "retrying tile 7",
        "second attempt at tile 7",
        "trying tile 7 again",
        "restarting the ring",
        "reloading the manifest",
        "reconnected to peer 7",
        "heartbeat of worker 7",
        "polling the queue",
        "health check passed for worker 7",
        'File "/app/train.py", line 12, in main',
        "Traceback (most recent call last):",
        "raise TileError(number)",
        "self.ring.join()",
        "  #3 0x7f in __libc_start_main",
        "    ^^^^^^^^^^^^^^^",
        "------------------------",
        "please set a larger pool",
        "you can raise the limit",
        "this might be the ring's doing",
        "Hint: use a smaller batch",
        "done",
        "7/900",
        "",
    ],
)
def test_not_ordinary_line(line):
    assert not is_ordinary(read_frame(line))

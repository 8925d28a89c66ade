"""Whose code the main thread of a dump waits in."""

import pytest

from babysitter.diagnosis.timeline.processes.own_wait import waits_in_its_own_code
from tests.support.jobs import dump

SOCKET = """Thread 8 (idle): "Thread-1"
    recv_into (socket.py:706)
    _bootstrap (threading.py:1030)
"""
POOL = """Thread 8 (idle): "ThreadPoolExecutor-0_0"
    _worker (concurrent/futures/thread.py:90)
    _bootstrap (threading.py:1030)
"""


@pytest.mark.parametrize(
    ("frames", "others", "is_own"),
    [
        (["<module> (train.py:84)"], "", True),
        (["step (train.py:40)", "main (train.py:80)", "<module> (train.py:84)"], "", True),
        (["save (pkg/io.py:4)", "<module> (pkg/train.py:84)", "_run_code (<frozen runpy>:88)"], "", True),
        (["wait (threading.py:355)", "wait (threading.py:655)", "<module> (train.py:84)"], "", True),
        (["get (queue.py:171)", "main (train.py:80)", "<module> (train.py:84)"], POOL, True),
        (
            ["result (concurrent/futures/_base.py:451)", "main (train.py:8)", "<module> (train.py:9)"],
            SOCKET,
            False,
        ),
        (["_try_wait (subprocess.py:2004)", "run (subprocess.py:550)", "<module> (train.py:9)"], "", False),
        (["recv_into (socket.py:706)", "main (train.py:8)", "<module> (train.py:9)"], "", False),
        (["backend_compile (jax/_src/compiler.py:9)", "<module> (train.py:9)"], "", False),
        (["train (/v/site-packages/pkg/a.py:9)", "<module> (/v/site-packages/pkg/b.py:9)"], "", False),
        (
            ["get (queue.py:171)", "next (torch/utils/data/dataloader.py:9)", "<module> (train.py:9)"],
            "",
            False,
        ),
        (["_shutdown (threading.py:1594)"], "", False),
        ([], "", False),
    ],
)
def test_own_wait_of_a_main_thread(frames, others, is_own):
    main = "\n".join(f"    {frame}" for frame in frames)
    text = f'Process 7: python train.py\nPython v3.12\n\nThread 7 (idle): "MainThread"\n{main}\n{others}'
    assert waits_in_its_own_code(dump(text, 0)) is is_own
    assert not waits_in_its_own_code(dump(text.replace("(idle)", "(active)", 1), 0))

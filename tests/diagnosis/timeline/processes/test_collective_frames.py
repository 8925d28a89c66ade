"""Calls in which a process waits for the others of its job."""

import pytest

from babysitter.diagnosis.timeline.processes.collective_frames import waiting_thread
from babysitter.model.thread_dump import StackFrame, Thread


@pytest.mark.parametrize(
    ("function", "file", "is_one"),
    [
        ("barrier", "torch/distributed/distributed_c10d.py", True),
        ("Rank.barrier", "drv_hang.py", True),
        ("_store_based_barrier", "torch/distributed/distributed_c10d.py", True),
        ("sync_global_devices", "jax/experimental/multihost_utils.py", True),
        ("broadcast", "ray/util/collective/collective.py", True),
        ("broadcast", "numpy/lib/stride_tricks.py", False),
        ("recv", "multiprocessing/connection.py", False),
        ("Barrier.wait", "threading.py", False),  # of the threads of one process
        ("gather", "asyncio/tasks.py", False),
    ],
)
def test_a_call_is_told_by_its_name_and_file(function, file, is_one):
    thread = Thread("MainThread", "active", (StackFrame("wait", "x.py", 1), StackFrame(function, file, 7)))
    assert waiting_thread([thread]) == ((thread, f"{function} ({file}:7)") if is_one else None)

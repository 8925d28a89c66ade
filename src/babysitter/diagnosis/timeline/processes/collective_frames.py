"""Frames of a thread dump in which a process waits for the other processes of its job.

The function's name tells, whatever the library: a barrier, a reduction, a gathering. Names that other code
uses too count only in a file of such a library.
"""

from collections.abc import Iterable

from babysitter.model.thread_dump import StackFrame, Thread

_CALLS = frozenset(
    {
        "barrier", "monitored_barrier", "store_based_barrier", "sync_global_devices", "wait_for_everyone",
        "wait_at_barrier", "all_reduce", "allreduce", "all_reduce_coalesced", "all_gather", "allgather",
        "all_gather_into_tensor", "all_gather_object", "all_gather_coalesced", "process_allgather",
        "reduce_scatter", "reduce_scatter_tensor", "all_to_all", "all_to_all_single", "alltoall",
        "broadcast_object_list", "gather_object", "scatter_object_list",
    }
)  # fmt: skip
_CALLS_OF_LIBRARIES = frozenset(
    {"broadcast", "reduce", "gather", "scatter", "send", "recv", "init_process_group"}
)
_LIBRARIES = ("distributed", "collective", "rendezvous")


def waiting_thread(threads: Iterable[Thread]) -> tuple[Thread, str] | None:
    """The first thread that stands in such a call, and the call as `function (file:line)`."""
    for thread in threads:
        for frame in thread.frames:
            if _is_collective(frame):
                return thread, f"{frame.function} ({frame.file}:{frame.line})"
    return None


def _is_collective(frame: StackFrame) -> bool:
    name = frame.function.rpartition(".")[2].lstrip("_")
    if name in _CALLS:
        return True
    return name in _CALLS_OF_LIBRARIES and any(library in frame.file for library in _LIBRARIES)

"""A thread dump -> what the process was doing. Function names decide; line numbers and files move.

Facts behind it (iris generations of April and May): a coordinator's pool threads idle in `_worker` most of
the time, and its loop thread outlives the pipeline, so neither proves anything. What proves an end is the
main thread in threading's `_shutdown` with nobody in a stage. A shard's own code runs in a child process of
the worker. From August on the main thread waits in the actor host whatever happens: then the answer is
`UNCLEAR`.
"""

from babysitter.diagnosis.timeline.processes.collective_frames import waiting_thread
from babysitter.diagnosis.timeline.processes.own_wait import waits_in_its_own_code
from babysitter.model.log import Role
from babysitter.model.thread_dump import (
    DumpSummary,
    Process,
    ProcessActivity,
    StackFrame,
    Thread,
    ThreadDump,
)

MAX_FRAMES_TOLD = 4
MAX_FRAMES = 400  # of a longer stack the end is missing

# Where the interpreter waits when the program is over.
_ENDS = frozenset(
    {
        ("_shutdown", "threading.py"),
        ("_exit_function", "multiprocessing/util.py"),
        ("_python_exit", "futures/thread.py"),
        ("_python_exit", "futures/process.py"),
    }
)
_MODULES = frozenset({"<module>", "_run_module_as_main", "_run_code"})

# Functions of the standard library and its neighbours in which a thread waits for somebody else.
_WAITS = frozenset(
    {
        "accept", "recv", "recv_into", "recvfrom", "recv_bytes", "readinto", "read", "readline", "select",
        "poll", "wait", "_wait_for_tstate_lock", "acquire", "__enter__", "get", "join", "connect",
        "create_connection", "getaddrinfo", "communicate", "flock", "lockf", "result", "send", "sendall",
        "do_handshake", "getresponse", "urlopen",
    }
)  # fmt: skip
# Frames of a runtime below which the program's own begin; a process that stands on its loop has no task.
_RUNTIMES = ("ray/_private/", "ray/util/tracing/")
_TASK_LOOP = ("main_loop", "ray/_private/worker.py")
_IDLE_POOL = frozenset({"_worker", "_poll_loop", "_heartbeat_loop", "_host_actor"})


def summarise_dump(dump: ThreadDump, role: Role) -> DumpSummary:
    """The meaning of a dump for a process that plays this role."""
    doing, thread = _coordinator(dump) if role is Role.COORDINATOR else _worker(dump)
    pid = dump.processes[0].pid if dump.processes else 0
    threads, collective = tuple(dump.threads()), ""
    if role not in (Role.COORDINATOR, Role.WORKER) and (found := waiting_thread(threads)) is not None:
        doing, (thread, collective) = ProcessActivity.BLOCKED, found
    if thread is None:
        return DumpSummary(dump.target, dump.taken_at, role, doing, pid=pid)
    return DumpSummary(
        dump.target,
        dump.taken_at,
        role,
        doing,
        _place(thread),
        _line(thread),
        is_idle=thread.state == "idle",
        is_all_idle=all(shown.state == "idle" for shown in threads),
        collective=collective,
        pid=pid,
        is_own_wait=waits_in_its_own_code(dump),
    )


def _coordinator(dump: ThreadDump) -> tuple[ProcessActivity, Thread | None]:
    own = _own_threads(dump)
    main = _main(own)
    if main is None:
        return ProcessActivity.UNCLEAR, None
    in_stage = next((thread for thread in own if thread.is_in("_wait_for_stage")), None)
    if in_stage is not None:
        return ProcessActivity.IN_STAGE, in_stage
    if main.is_in("wait_ready"):
        return ProcessActivity.WAITING_FOR_WORKERS, main
    if _is_in_shutdown(main):
        return ProcessActivity.SHUT_DOWN, main
    if main.is_in("_host_actor"):
        return ProcessActivity.UNCLEAR, main
    busy = [thread for thread in own if thread.name.startswith("actor-method") and not _is_idle(thread)]
    if busy:
        return ProcessActivity.IN_STAGE, busy[0]
    if main.is_in("result"):
        return ProcessActivity.UNCLEAR, main
    return (ProcessActivity.SHUT_DOWN if _is_in_exit_function(main) else ProcessActivity.STARTING), main


def _worker(dump: ThreadDump) -> tuple[ProcessActivity, Thread | None]:
    own = _own_threads(dump)
    main = _main(own)
    holder = next(
        (candidate for candidate in own if candidate.is_in("_execute_shard") or _is_task(candidate)), None
    )
    if holder is not None:
        at_work = next(
            (thread for child in _children(dump) if (thread := _main(child.threads)) is not None), holder
        )
        return (ProcessActivity.BLOCKED if _is_blocked(at_work) else ProcessActivity.WORKING), at_work
    if main is None:
        return ProcessActivity.UNCLEAR, None
    if _is_in_shutdown(main):
        return ProcessActivity.SHUT_DOWN, main
    if any(thread.is_in("_poll_loop") for thread in own) or _has_no_task(main):
        return ProcessActivity.IDLE, main
    return (ProcessActivity.BLOCKED if _is_blocked(main) else ProcessActivity.UNCLEAR), main


def _own_threads(dump: ThreadDump) -> tuple[Thread, ...]:
    return dump.processes[0].threads if dump.processes else ()


def _children(dump: ThreadDump) -> tuple[Process, ...]:
    return tuple(process for process in dump.processes[1:] if process.parent_pid is not None)


def _main(threads: tuple[Thread, ...]) -> Thread | None:
    return next((thread for thread in threads if thread.name == "MainThread"), None)


def _is_in_shutdown(main: Thread) -> bool:
    """Only the interpreter's own ends count; programs have functions of such names too."""
    return any((_name(frame), _file(frame)) in _ENDS for frame in main.frames)


def _is_in_exit_function(main: Thread) -> bool:
    """While a program runs, its main thread stands on a module.

    What waits without one was called by the interpreter at its exit: a function registered with atexit.
    """
    is_whole = 0 < len(main.frames) < MAX_FRAMES
    stands_on_module = any(_name(frame) in _MODULES for frame in main.frames)
    return is_whole and main.state == "idle" and not stands_on_module


def _is_task(thread: Thread) -> bool:
    return thread.name.startswith("zephyr-task-") and not _is_idle(thread)


def _has_no_task(main: Thread) -> bool:
    top = main.frames[0] if main.frames else None
    return top is not None and _name(top) == _TASK_LOOP[0] and top.file.endswith(_TASK_LOOP[1])


def _is_idle(thread: Thread) -> bool:
    return bool(thread.frames) and thread.frames[0].function.rpartition(".")[2] in _IDLE_POOL


def _is_blocked(thread: Thread) -> bool:
    """Whether it waits for somebody else: idle, with a waiting function on top."""
    tops = [frame.function.rpartition(".")[2] for frame in thread.frames[:2]]
    return thread.state == "idle" and any(name in _WAITS for name in tops)


def _name(frame: StackFrame) -> str:
    return frame.function.rpartition(".")[2]


def _file(frame: StackFrame) -> str:
    """Its file, of a package with the package: threading.py, multiprocessing/util.py."""
    parts = frame.file.split("/")
    return "/".join(parts[-2:]) if parts[-2:-1] in (["multiprocessing"], ["futures"]) else parts[-1]


def _line(thread: Thread) -> str:
    return (
        f"{thread.frames[0].function} ({thread.frames[0].file}:{thread.frames[0].line})"
        if thread.frames
        else ""
    )


def _place(thread: Thread) -> str:
    """Its innermost frame and the frames of the program below it."""
    shown = [frame for frame in thread.frames if "importlib" not in frame.file]
    own = [frame for frame in shown[1:] if not any(runtime in frame.file for runtime in _RUNTIMES)]
    return " < ".join(frame.function for frame in (*shown[:1], *own)[:MAX_FRAMES_TOLD])

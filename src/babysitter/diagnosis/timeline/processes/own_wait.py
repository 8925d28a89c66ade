"""Does the main thread of a dump wait in the program's own code, or at a lock that this code takes?

A call into C leaves no frame: a program that waits for a `threading.Lock` stands in a line of its own file.
Locks written in Python (conditions, queues, futures) add frames of the standard library above it. Below a
library's frame it is the library that waits, for a compiler or for a server, and that may take long.
"""

from babysitter.model.thread_dump import StackFrame, Thread, ThreadDump

MAIN = "MainThread"
_PROGRAM = "<module>"
# Files of the standard library in which a thread waits for other threads of its own process.
_LOCKS = ("threading.py", "queue.py", "concurrent/futures/_base.py", "concurrent/futures/thread.py")
_RUNNERS = ("runpy.py", "<frozen runpy>")
_FOREIGN = ("site-packages/", "dist-packages/", "/lib/python", "<frozen")
# Functions in which a thread waits for another process or machine: what waits for that thread is not stuck.
_FROM_OUTSIDE = frozenset(
    {
        "accept", "recv", "recv_into", "recvfrom", "recv_bytes", "readinto", "select", "poll", "connect",
        "create_connection", "getaddrinfo", "communicate", "_try_wait", "waitpid", "do_handshake",
        "getresponse", "urlopen",
    }
)  # fmt: skip


def waits_in_its_own_code(dump: ThreadDump) -> bool:
    """Return True if the main thread of the process asked for is idle in such a place."""
    threads = dump.processes[0].threads if dump.processes else ()
    main = next((thread for thread in threads if thread.name == MAIN), None)
    if main is None or main.state != "idle":
        return False
    program = next((frame for frame in reversed(main.frames) if _is_program(frame)), None)
    if program is None:
        return False
    above = 0
    while above < len(main.frames) and main.frames[above].file.endswith(_LOCKS):
        above += 1
    if above == len(main.frames) or not _is_of(main.frames[above], program):
        return False
    return above == 0 or not any(_waits_for_outside(thread) for thread in dump.threads())


def _is_program(frame: StackFrame) -> bool:
    return frame.function == _PROGRAM and not frame.file.endswith(_RUNNERS)


def _is_of(frame: StackFrame, program: StackFrame) -> bool:
    """Whether a frame is in the program's file, or in the package that the program belongs to."""
    if any(mark in frame.file for mark in _FOREIGN):
        return False
    if frame.file == program.file:
        return True
    package = program.file.rpartition("/")[0]
    return bool(package) and frame.file.startswith(f"{package}/")


def _waits_for_outside(thread: Thread) -> bool:
    return any(frame.function.rpartition(".")[2] in _FROM_OUTSIDE for frame in thread.frames[:2])

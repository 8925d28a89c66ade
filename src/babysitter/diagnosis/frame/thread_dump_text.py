"""Thread dumps as text -> ThreadDump: py-spy's and faulthandler's layouts, frames innermost first in both."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from babysitter.model.ids import TaskId
from babysitter.model.thread_dump import Process, StackFrame, Thread, ThreadDump

MAX_THREADS = 2000  # of one dump; a real one has tens
MAX_LINE = 4000
MAIN = "MainThread"
MAX_FRAMES = 400  # of one thread

_PROCESS = re.compile(r"\s*Process (?P<pid>\d+): ?(?P<command>.*)")
_PARENT = re.compile(r"\s*Parent Process (?P<pid>\d+)")
_THREAD = re.compile(
    r"\s*(?:Current )?[Tt]hread (?P<id>\S+)(?: \((?P<note>[^)]*)\))?(?::? ?\"(?P<name>[^\"]*)\")?"
    r"(?: \((?P<more>[^)]*)\))?"
)
_FRAME = re.compile(r"\s+(?P<function>[^\s(][^(\n]*?) \((?P<file>[^()]*?)(?::(?P<line>\d+))?\)\s*$")
_FAULT_FRAME = re.compile(r"\s*File \"(?P<file>[^\"]+)\", line (?P<line>\d+),? in (?P<function>.+?)\s*$")


_STARTED = ("_bootstrap", "_bootstrap_inner", "thread_main")
_ROOTS = ("<module>", "_run_module_as_main", "_run_code")
_NO_TASK = TaskId("")
_NO_TIME = datetime.fromtimestamp(0, UTC)


def read_dump(text: str, target: TaskId = _NO_TASK, taken_at: datetime = _NO_TIME) -> ThreadDump:
    """What every thread of every process was doing. Text that is no dump gives a dump without threads."""
    processes: list[Process] = []
    threads: list[Thread] = []
    frames: list[StackFrame] = []
    pid, command, parent = 0, "", None
    name, state = "", ""
    is_in_thread = False

    def end_thread() -> None:
        if is_in_thread and len(threads) < MAX_THREADS:
            threads.append(Thread(name, state, tuple(frames)))

    def end_process() -> None:
        if threads or pid:
            processes.append(Process(pid, command, _with_main(threads), parent))

    for line in text.splitlines():
        if len(line) > MAX_LINE:
            continue
        if found := _PROCESS.match(line):
            end_thread()
            end_process()
            threads, frames, is_in_thread = [], [], False
            pid, command, parent = int(found["pid"]), found["command"].strip(), None
        elif found := _PARENT.match(line):
            parent = int(found["pid"])
        elif found := _THREAD.match(line):
            end_thread()
            frames, is_in_thread = [], True
            name, state = _name_and_state(found)
        elif (
            is_in_thread
            and len(frames) < MAX_FRAMES
            and (found := _FAULT_FRAME.match(line) or _FRAME.match(line))
        ):
            frames.append(StackFrame(found["function"], found["file"], int(found["line"] or 0)))
    end_thread()
    end_process()
    return ThreadDump(target, taken_at, tuple(processes), text)


def _with_main(threads: list[Thread]) -> tuple[Thread, ...]:
    """faulthandler gives no names: the only thread that no other one started is the main one."""
    if any(thread.name == MAIN for thread in threads):
        return tuple(threads)
    own = [
        thread
        for thread in threads
        if not thread.name and thread.frames and thread.frames[-1].function not in _STARTED
    ]
    roots = [thread for thread in own if thread.frames[-1].function in _ROOTS] or own
    if len(roots) != 1:
        return tuple(threads)
    return tuple(replace(thread, name=MAIN) if thread is roots[0] else thread for thread in threads)


def _name_and_state(found: re.Match[str]) -> tuple[str, str]:
    """py-spy names the thread in quotes; others put the name where the number stands, or in parentheses."""
    note = found["note"] or found["more"] or ""
    is_state = note.split("+")[0] in ("idle", "active", "active+gil", "")
    name = found["name"] or ("" if found["id"].startswith("0x") or found["id"].isdigit() else found["id"])
    if not name and not is_state and "most recent" not in note:
        name = note
    return name.strip(':"'), note if is_state else ""

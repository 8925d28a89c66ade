"""A thread dump: what every thread of a process was doing at one moment."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from babysitter.model.ids import TaskId
from babysitter.model.log import Role


@dataclass(frozen=True, slots=True)
class StackFrame:
    function: str  # qualified
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Thread:
    name: str
    state: str  # idle, active, active+gil
    frames: tuple[StackFrame, ...]  # innermost first

    def is_in(self, function: str) -> bool:
        """Whether any frame's function, without its class, is `function`."""
        return any(frame.function.rpartition(".")[2] == function for frame in self.frames)


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    command: str
    threads: tuple[Thread, ...]
    parent_pid: int | None = None  # None = the process asked for, a number = one of its children


@dataclass(frozen=True, slots=True)
class ThreadDump:
    """The process of a task and its children (a shard's work runs in a child)."""

    target: TaskId
    taken_at: datetime
    processes: tuple[Process, ...]
    text: str = ""

    def threads(self) -> Iterator[Thread]:
        """Every thread of every process."""
        for process in self.processes:
            yield from process.threads


class ProcessActivity(StrEnum):
    """What a process was doing, as far as its dump tells."""

    STARTING = "starting"
    WAITING_FOR_WORKERS = "waiting-for-workers"
    IN_STAGE = "in-stage"
    SHUT_DOWN = "shut-down"  # the main thread waits for left-over threads; the program itself is over
    IDLE = "idle"  # a worker without a shard
    WORKING = "working"  # a shard's own code runs
    BLOCKED = "blocked"  # a shard's own code waits in accept, recv, a lock, ...
    UNCLEAR = "unclear"  # this generation's dumps cannot tell, or it was no dump


@dataclass(frozen=True, slots=True)
class DumpSummary:
    """What is kept of a dump: its meaning, and the place where the deciding thread stood."""

    target: TaskId
    taken_at: datetime
    role: Role
    doing: ProcessActivity
    place: str = ""  # innermost frames, outermost last: "accept < fetch_page < run_stage"
    line: str = ""  # the innermost of them with its file and line
    is_idle: bool = False  # that thread was off the processor
    is_all_idle: bool = False  # so was every thread of the process and its children
    collective: str = ""  # the call in which it waits for the other processes: "barrier (train.py:66)"
    pid: int = 0  # of the process asked for; 0 = the dump does not say
    is_own_wait: bool = False  # the main thread stands in the program's own file, or at a lock taken there

"""Thread dumps for a reader: each distinct stack once, with the threads that stand in it."""

from collections.abc import Iterator, Sequence

from babysitter.model.thread_dump import Thread, ThreadDump

MAX_FRAMES = 14  # of one stack: the innermost ones and the outermost two
MAX_STACKS = 12  # of one dump
MAX_NAMES = 4
MAIN = "MainThread"


def condense(dumps: Sequence[ThreadDump]) -> Iterator[str]:
    """Return lines: for each dump its process, then its distinct stacks, the main thread's first."""
    for number, dump in enumerate(dumps, start=1):
        yield f"dump {number}" + (f" of {dump.target}" if dump.target else "")
        for process in dump.processes:
            if process.command:
                yield f"process: {process.command}"
        yield from _stacks(tuple(dump.threads()))


def _stacks(threads: Sequence[Thread]) -> Iterator[str]:
    groups: dict[tuple[object, ...], list[Thread]] = {}
    for thread in sorted(threads, key=lambda candidate: candidate.name != MAIN):
        key = (thread.state, *((frame.function, frame.file) for frame in thread.frames))
        groups.setdefault(key, []).append(thread)
    for count, members in enumerate(groups.values()):
        if count == MAX_STACKS:
            yield f"{len(groups) - MAX_STACKS} further stacks left out"
            return
        yield _heading(members)
        yield from _frames(members[0])


def _heading(members: Sequence[Thread]) -> str:
    names = ", ".join(dict.fromkeys(member.name or "unnamed" for member in members[:MAX_NAMES]))
    how_many = "1 thread" if len(members) == 1 else f"{len(members)} threads"
    state = f", {members[0].state}" if members[0].state else ""
    return f"{how_many}{state}: {names}" + (", ..." if len(members) > MAX_NAMES else "")


def _frames(thread: Thread) -> Iterator[str]:
    frames = thread.frames
    shown = frames if len(frames) <= MAX_FRAMES else frames[: MAX_FRAMES - 2]
    for frame in shown:
        yield f"    {frame.function} ({frame.file}:{frame.line})"
    if len(shown) < len(frames):
        yield f"    ... {len(frames) - MAX_FRAMES} frames ..."
        for frame in frames[-2:]:
            yield f"    {frame.function} ({frame.file}:{frame.line})"

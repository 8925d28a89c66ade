"""What the system says about the processes of this machine, one question a function. Nothing here raises."""

import os
from collections.abc import Iterator
from pathlib import Path

PROCESSES = Path("/proc")
GONE = -1  # the owner of a process that has ended


def pids() -> list[int]:
    """All processes; none on a system without /proc."""
    return [int(path.name) for path in PROCESSES.glob("[0-9]*")]


def group_and_start(pid: int) -> tuple[int, str]:
    """Process group and start time; (0, "") for a process that is gone, or only waited for."""
    fields = _fields(pid)
    return (0, "") if not fields or fields[0] in "ZX" else (int(fields[2]), fields[19])


def members_of(group: int) -> dict[int, str]:
    """The start time of each process of the group, by its id."""
    found = {pid: group_and_start(pid) for pid in pids()}
    return {pid: started for pid, (of, started) in found.items() if of == group}


def memory_of_group(group: int) -> int:
    """Resident memory of all processes of the group, bytes; 0 where the system does not tell."""
    return sum(map(_memory, members_of(group)))


def with_ancestors(pid: int) -> Iterator[int]:
    """The process and those that it was started from, without the first one of the machine."""
    while pid > 1:
        yield pid
        fields = _fields(pid)
        pid = int(fields[1]) if fields else 0


def owner(pid: int) -> int:
    """The number of the user it runs as; GONE for one that has ended."""
    try:
        return (PROCESSES / str(pid)).stat().st_uid
    except OSError:
        return GONE


def program(pid: int) -> str:
    """The name of the program that the process runs: its first word; "" for one that is gone."""
    try:
        words = (PROCESSES / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return os.path.basename(words[0]).decode(errors="replace")  # a name may be any bytes


def open_files(pid: int) -> Iterator[Path]:
    """Links to the files that the process holds open; none where it may not be asked."""
    try:
        yield from (PROCESSES / str(pid) / "fd").iterdir()
    except OSError:
        return


def _memory(pid: int) -> int:
    try:
        pages = int((PROCESSES / str(pid) / "statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0  # it ended meanwhile
    return pages * os.sysconf("SC_PAGE_SIZE")


def _fields(pid: int) -> list[str]:
    """State, parent, group, ...: what stands behind the name, which is any bytes in parentheses."""
    try:
        stat = (PROCESSES / str(pid) / "stat").read_bytes()
    except OSError:
        return []
    return stat.rpartition(b")")[2].decode("ascii").split()

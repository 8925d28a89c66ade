"""The driver of a session as a process of this machine, where it is ours to end.

A process id alone proves little: the folder may be of another machine, and ids are given again. The driver
holds the log file that is named after it open, in this very folder.
"""

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babysitter.backends.boot_id import boot_id
from babysitter.backends.ray.session_folder import SessionLogs

PROCESSES = Path("/proc")
_CORE_DRIVER = re.compile(r"python-core-driver-[0-9a-f]+_(?P<pid>\d+)\.log$")
_OF_THE_CLUSTER = (b"raylet", b"gcs_server")
GONE = -1  # the owner of a process that has ended


@dataclass(frozen=True, slots=True)
class LocalDriver:
    """One driver with its process group, as they were when it was found.

    `started`: when its process began, in the system's own unit. `boot`: the start of the machine since which
    process ids and times count. `log`: the file that is named after it. `members`: id and start of every
    process of the group.
    """

    pid: int
    group: int
    started: str
    boot: str = ""
    log: str = ""
    members: tuple[tuple[int, str], ...] = ()

    @property
    def is_alive(self) -> bool:
        return self.boot == boot_id() and _status(self.pid) == (self.group, self.started)

    def group_is_alive(self) -> bool:
        """Whether a process lives that was in the group when it was found.

        While one of them is in it, the system gives the group's id to nobody else.
        """
        return self.boot == boot_id() and any(
            _status(pid) == (self.group, started) for pid, started in self.members
        )

    def signal(self, number: signal.Signals) -> None:
        """Send to exactly this group, if it is still the one that was found, and not ours."""
        if self.group_is_alive() and self.group not in _never_ended():
            try:
                os.killpg(self.group, number)
            except (ProcessLookupError, PermissionError):
                return


def find_local_driver(logs: SessionLogs) -> LocalDriver | str:
    """The running driver, or why it is not ours to end, as half a sentence."""
    found = [(pid, path) for folder in logs.folders for pid, path in _drivers_of(folder)]
    alive = [(pid, path) for pid, path in found if _holds_open(pid, path)]
    if len(alive) > 1:
        pids = ", ".join(map(str, sorted(pid for pid, _ in alive)))
        return f"several drivers of this session run here ({pids})"
    group, started = _status(alive[0][0]) if alive else (0, "")
    if not group:
        return "its driver does not run on this machine, or not as this user"
    if group in _never_ended():
        return "babysit was started in the process group of its driver, and would end with it"
    members = {pid: since for pid in _pids() for of, since in (_status(pid),) if of == group}
    if {_owner(each) for each in members} - {os.getuid(), GONE}:
        return "other users have processes in the process group of its driver"
    if any(word in _command(each) for each in members for word in _OF_THE_CLUSTER):
        return "Ray itself runs in the process group of its driver, and would end with it"
    pid, path = alive[0]
    return LocalDriver(pid, group, started, boot_id(), str(path), tuple(members.items()))


def _drivers_of(folder: Path) -> Iterator[tuple[int, Path]]:
    try:
        names = [each.name for each in folder.iterdir()]
    except OSError:
        return
    for name in names:
        if found := _CORE_DRIVER.match(name):
            yield int(found["pid"]), folder / name


def _holds_open(pid: int, path: Path) -> bool:
    try:
        wanted = path.stat()
        for each in (PROCESSES / str(pid) / "fd").iterdir():
            try:
                found = each.stat()
            except OSError:
                continue
            if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
                return _owner(pid) == os.getuid()
    except OSError:
        return False
    return False


def _never_ended() -> frozenset[int]:
    return frozenset((0, 1, *_groups_above_us()))


def _groups_above_us() -> Iterator[int]:
    """Process groups of this process and of those that it was started from."""
    pid = os.getpid()
    while pid > 1:
        yield _status(pid)[0]
        try:
            pid = int(_fields(pid)[1])
        except (OSError, ValueError, IndexError):
            return


def _pids() -> list[int]:
    return [int(each.name) for each in PROCESSES.glob("[0-9]*")]


def _status(pid: int) -> tuple[int, str]:
    """Process group and start time; (0, "") for a process that is gone, or only waited for."""
    try:
        fields = _fields(pid)
    except OSError:
        return 0, ""
    return (0, "") if fields[0] in "ZX" else (int(fields[2]), fields[19])


def _fields(pid: int) -> list[str]:
    """State, parent, group, ...: what stands behind the name, which is any bytes in parentheses."""
    return (PROCESSES / str(pid) / "stat").read_bytes().rpartition(b")")[2].decode("ascii").split()


def _owner(pid: int) -> int:
    try:
        return (PROCESSES / str(pid)).stat().st_uid
    except OSError:
        return GONE


def _command(pid: int) -> bytes:
    """The program that the process runs: its first word."""
    try:
        return os.path.basename((PROCESSES / str(pid) / "cmdline").read_bytes().split(b"\0")[0])
    except OSError:
        return b""

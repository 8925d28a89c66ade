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

from babysitter.backends.ray.session_folder import SessionLogs

PROCESSES = Path("/proc")
_CORE_DRIVER = re.compile(r"python-core-driver-[0-9a-f]+_(?P<pid>\d+)\.log$")
_OF_THE_CLUSTER = (b"raylet", b"gcs_server")


@dataclass(frozen=True, slots=True)
class LocalDriver:
    """`started`: when its process began, in the system's own unit: with the id it names one process."""

    pid: int
    group: int
    started: str

    @property
    def is_alive(self) -> bool:
        return _status(self.pid)[:2] == (self.group, self.started)

    def group_is_alive(self) -> bool:
        """Whether any process of the group lives that is not only waited for."""
        return any(_status(pid)[0] == self.group for pid in _pids())

    def signal(self, number: signal.Signals) -> None:
        """Send to exactly this group, if it is still the one that was found."""
        if self.is_alive or self._has_members_as_old():
            try:
                os.killpg(self.group, number)
            except (ProcessLookupError, PermissionError):
                return

    def _has_members_as_old(self) -> bool:
        """Whether processes of the group are left that began with its driver: the id was not given again."""
        begun = int(self.started or 0)
        members = (started for group, started in map(_status, _pids()) if group == self.group)
        return any(int(started or 0) <= begun for started in members)


def find_local_driver(logs: SessionLogs) -> LocalDriver | str:
    """The running driver, or why it is not ours to end, as half a sentence."""
    found = [(pid, path) for folder in logs.folders for pid, path in _drivers_of(folder)]
    alive = [pid for pid, path in found if _holds_open(pid, path)]
    if not alive:
        return "its driver does not run on this machine, or not as this user"
    if len(alive) > 1:
        return f"several drivers of this session run here ({', '.join(map(str, sorted(alive)))})"
    pid = alive[0]
    group, started = _status(pid)
    driver = LocalDriver(pid, group, started)
    if group in (0, 1, *_groups_above_us()):
        return "babysit was started in the process group of its driver, and would end with it"
    members = [each for each in _pids() if _status(each)[0] == group]
    if any(_owner(each) != os.getuid() for each in members):
        return "other users have processes in the process group of its driver"
    if any(word in _command(each) for each in members for word in _OF_THE_CLUSTER):
        return "Ray itself runs in the process group of its driver, and would end with it"
    return driver


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


def _groups_above_us() -> Iterator[int]:
    """Process groups of this process and of those that it was started from."""
    pid = os.getpid()
    while pid > 1:
        yield _status(pid)[0]
        try:
            pid = int((PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return


def _pids() -> list[int]:
    return [int(each.name) for each in PROCESSES.glob("[0-9]*")]


def _status(pid: int) -> tuple[int, str]:
    """Process group and start time; (0, "") for a process that is gone, or only waited for."""
    try:
        # The name, in parentheses, may hold spaces; behind it: state, parent, group, ...
        fields = (PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, ""
    return (0, "") if fields[0] in "ZX" else (int(fields[2]), fields[19])


def _owner(pid: int) -> int:
    try:
        return (PROCESSES / str(pid)).stat().st_uid
    except OSError:
        return -1


def _command(pid: int) -> bytes:
    """The program that the process runs: its first word."""
    try:
        return os.path.basename((PROCESSES / str(pid) / "cmdline").read_bytes().split(b"\0")[0])
    except OSError:
        return b""

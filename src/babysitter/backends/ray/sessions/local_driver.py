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
from babysitter.backends.process_table import (
    GONE,
    group_and_start,
    members_of,
    open_files,
    owner,
    program,
    with_ancestors,
)
from babysitter.backends.ray.sessions.session_folder import SessionLogs

_CORE_DRIVER = re.compile(r"python-core-driver-[0-9a-f]+_(?P<pid>\d+)\.log$")
_OF_THE_CLUSTER = ("raylet", "gcs_server")
_OF_A_PIPE = ("tee",)  # `train.py | tee LOG`: it belongs to the run


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
        return self.boot == boot_id() and group_and_start(self.pid) == (self.group, self.started)

    def group_is_alive(self) -> bool:
        """Whether a process lives that was in the group when it was found.

        While one of them is in it, the system gives the group's id to nobody else.
        """
        return self.boot == boot_id() and any(
            group_and_start(pid) == (self.group, started) for pid, started in self.members
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
    group, started = group_and_start(alive[0][0]) if alive else (0, "")
    if not group:
        return "its driver does not run on this machine, or not as this user"
    if group in _never_ended():
        return "babysit was started in the process group of its driver, and would end with it"
    members = members_of(group)
    if {owner(member) for member in members} - {os.getuid(), GONE}:
        return "other users have processes in the process group of its driver"
    if any(program(member) in _OF_THE_CLUSTER for member in members):
        return "Ray itself runs in the process group of its driver, and would end with it"
    pid, path = alive[0]
    if others := [member for member in members if member != pid and _is_driver(member)]:
        pids = ", ".join(map(str, sorted(others)))
        return (
            f"the driver of another run is in the process group of its driver ({pids}), and would end with it"
        )
    return LocalDriver(pid, group, started, boot_id(), str(path), tuple(members.items()))


def others_in_group(driver: LocalDriver) -> tuple[str, ...]:
    """Programs that end with the driver, and neither started it nor were started by it."""
    above = frozenset(with_ancestors(driver.pid))
    others = [
        (pid, name)
        for pid in sorted(members_of(driver.group))
        if pid not in above and driver.pid not in with_ancestors(pid)
        if (name := program(pid)) and name not in _OF_A_PIPE
    ]
    return tuple(f"`{name}` (pid {pid})" for pid, name in others)


def _drivers_of(folder: Path) -> Iterator[tuple[int, Path]]:
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return
    for name in names:
        if found := _CORE_DRIVER.match(name):
            yield int(found["pid"]), folder / name


def _holds_open(pid: int, path: Path) -> bool:
    try:
        wanted = path.stat()
    except OSError:
        return False
    for file in open_files(pid):
        try:
            found = file.stat()
        except OSError:
            continue
        if (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
            return owner(pid) == os.getuid()
    return False


def _is_driver(pid: int) -> bool:
    """Whether it is a driver of any session; a child may hold the log of its parent open."""
    for file in open_files(pid):
        try:
            found = _CORE_DRIVER.match(file.readlink().name)
        except OSError:
            continue
        if found and int(found["pid"]) == pid:
            return True
    return False


def _never_ended() -> frozenset[int]:
    """Process groups of this process and of those that it was started from, beside the system's."""
    return frozenset((0, 1, *(group_and_start(pid)[0] for pid in with_ancestors(os.getpid()))))

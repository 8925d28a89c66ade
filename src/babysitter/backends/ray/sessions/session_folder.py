"""The log folder of a Ray session: its files, whose they are, and a bounded part of each.

A run that nobody submitted is known by these files only. Nothing is written, and a file of any size costs its
beginning and its end.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from babysitter.backends.ray.log_files.log_text import PRESTARTED_JOB, worker_file
from babysitter.errors import UserError

MAX_BYTES = 900_000  # of all files together in one reading
HEAD_BYTES = 8_000  # of a file that is read in part: its class, its first lines
MIN_TAIL_BYTES = 2_000
MIRRORED = "mirrored.json"  # in a folder of copies: name -> from where on there is no hole
MAX_FILES = 100  # the most recently written
DEAD_AFTER_S = 300.0  # raylet.out is written every minute; five of them are not missed by chance (guess)

ASK_OWNER = "Run babysit as the user who started Ray, or ask that user for the right to read it."
NAME_IT = "Name session_latest in Ray's temp folder: $RAY_TEMP_DIR of the recipe, else /tmp/ray."

_SYSTEM = re.compile(r"(?P<kind>raylet|gcs_server|monitor)(?:\.\d+)?\.(?:out|err|log)$")
_DRIVER = re.compile(r"job-driver-.+\.log$")
_CORE_DRIVER = re.compile(r"python-core-driver-[0-9a-f]+_(?P<pid>\d+)\.log$")
_ACTOR = re.compile(rb"^:actor_name:(?P<name>\S+)", re.MULTILINE)
_JOB_AGENT = "01000000"  # the files of Ray's own job agent
_ADDRESS = re.compile(rb"(?:node_manager|raylet) address: (?P<ip>\d+\.\d+\.\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class SessionFile:
    """One log file. `speaker`: the class of the actor, or driver, raylet, gcs_server, monitor, worker."""

    path: Path
    speaker: str
    node: str  # address of its machine; "" = not known
    size: int
    written_at: datetime
    pid: int | None = None
    stream: str = ""
    readable_from: int = 0  # between its beginning and this, nothing is there to be read

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def is_system(self) -> bool:
        """Whether it is written by Ray's own processes."""
        return self.speaker in ("raylet", "gcs_server", "monitor")

    @property
    def is_driver(self) -> bool:
        return self.speaker == "driver"

    @property
    def place(self) -> str:
        """Where a line of it was found: node and file."""
        return f"{self.node} {self.name}".strip()

    @property
    def prefix(self) -> str:
        """Stands before each of its lines, as Ray itself forwards them; "" for the driver."""
        if self.is_driver:
            return ""
        parts = [f"pid={self.pid}"] if self.pid is not None else []
        parts += [f"ip={self.node}"] if self.node else []
        who = (
            " ".join([self.speaker, ", ".join(parts)])
            if self.pid is not None
            else ", ".join([self.speaker, *parts])
        )
        return f"({who}) "


@dataclass(frozen=True, slots=True)
class SessionLogs:
    """What the folders of one run hold, as of one look."""

    folders: tuple[Path, ...]
    files: tuple[SessionFile, ...]
    driver_pid: int | None = None

    @property
    def written_at(self) -> datetime | None:
        """When any process of the session last wrote."""
        return max((file.written_at for file in self.files), default=None)

    @property
    def driver(self) -> SessionFile | None:
        return max((file for file in self.files if file.is_driver), key=_age_key, default=None)

    def is_dead(self, now: datetime) -> bool:
        """Whether no file was written for longer than a living session ever takes."""
        return self.written_at is None or (now - self.written_at).total_seconds() > DEAD_AFTER_S


def logs_folder(path: Path) -> Path:
    """The folder with the log files: of a session, of its temp folder, or itself.

    Raises UserError for anything else, for a folder that is missing, and for one that may not be read.
    """
    path = path.expanduser()
    try:
        if not path.exists():
            raise UserError(
                f"The session folder {path} does not exist.",
                next_step=NAME_IT,
            )
        for candidate in (path / "session_latest" / "logs", path / "logs", path):
            if candidate.is_dir() and any(_is_known(file.name) for file in candidate.iterdir()):
                return candidate.resolve()
    except PermissionError as fault:
        raise UserError(
            f"The session folder {path} may not be read: permission denied for {fault.filename}.",
            next_step=ASK_OWNER,
        ) from fault
    except OSError as fault:
        raise UserError(
            f"The session folder {path} cannot be read: {fault.strerror}.",
            next_step="Check the path and the disk that it is on.",
        ) from fault
    raise UserError(
        f"{path} is not a session folder of Ray: it has no raylet.out, gcs_server.out or worker-*.err.",
        next_step=NAME_IT,
    )


def list_session(folders: Sequence[Path], driver_logs: Sequence[Path] = ()) -> SessionLogs:
    """The files of these log folders, one folder for each node, and the driver's own logs.

    Raises UserError for a folder or a log that cannot be read.
    """
    found: list[SessionFile] = []
    pids: list[int] = []
    for folder in folders:
        try:
            names = sorted(file.name for file in folder.iterdir())
        except OSError as fault:
            raise UserError(
                f"The session folder {folder} cannot be read: {fault.strerror}.",
                next_step="Check that the machine and the disk with it are there.",
            ) from fault
        node, holes = _node_of(folder), _holes_of(folder)
        described = (_described(folder / name, node) for name in names)
        found += [
            replace(file, readable_from=holes.get(file.name, 0)) for file in described if file is not None
        ]
        pids += [int(each["pid"]) for name in names if (each := _CORE_DRIVER.match(name))]
    for path in driver_logs:
        try:
            found.append(_file(path, "driver", ""))
        except OSError as fault:
            raise UserError(
                f"The driver's log {path} cannot be read: {fault.strerror}.", next_step="Check the path."
            ) from fault
    files = sorted(found, key=_age_key)[-MAX_FILES:]
    _refuse_hidden([file.path for file in files if file.path.exists() and not os.access(file.path, os.R_OK)])
    return SessionLogs(tuple(folders), tuple(files), pids[-1] if pids else None)


def _refuse_hidden(paths: Sequence[Path]) -> None:
    """Raises UserError where there are such files: a run of which nothing is read looks well."""
    if paths:
        count = f"{len(paths)} files in {paths[0].parent}" if len(paths) > 1 else str(paths[0])
        raise UserError(f"No right to read {count}.", next_step=ASK_OWNER)


def with_classes(logs: SessionLogs) -> SessionLogs:
    """The same with the class of each worker, which stands in the beginning of one of its two files."""
    classes: dict[tuple[str, int | None], str] = {}
    for file in logs.files:
        if file.speaker == "worker" and (found := _ACTOR.findall(read_part(file, 0, HEAD_BYTES))):
            classes[file.node, file.pid] = found[-1].decode(errors="replace")
    files = (
        replace(file, speaker=classes.get((file.node, file.pid), file.speaker))
        if file.speaker == "worker"
        else file
        for file in logs.files
    )
    return replace(logs, files=tuple(files))


def read_part(file: SessionFile, begin: int, at_most: int) -> bytes:
    """Some bytes of a file; none where it is gone or may not be read."""
    try:
        with file.path.open("rb") as opened:
            opened.seek(begin)
            return opened.read(at_most)
    except OSError:
        return b""


def read_ends(file: SessionFile, at_most: int) -> tuple[bytes, bytes]:
    """The beginning and the end of a file; the end is empty where the whole file fits."""
    if file.size <= at_most:
        return read_part(file, 0, at_most), b""
    head = min(HEAD_BYTES, at_most // 4)
    return read_part(file, 0, head), read_part(file, file.size - (at_most - head), at_most - head)


def shares(files: Iterable[SessionFile], at_most: int = MAX_BYTES) -> dict[Path, int]:
    """How many bytes of each file are read: small files whole, what is left in equal parts."""
    left, shared = at_most, {}
    by_size = sorted(files, key=lambda file: file.size)
    for place, file in enumerate(by_size):
        share = max(left // (len(by_size) - place), MIN_TAIL_BYTES)
        shared[file.path] = min(file.size, share)
        left -= shared[file.path]
    return shared


def _is_known(name: str) -> bool:
    return bool(_SYSTEM.match(name) or worker_file(name) or _DRIVER.match(name))


def _described(path: Path, node: str) -> SessionFile | None:
    """A log file that is read; None for others."""
    worker = worker_file(path.name)
    system = _SYSTEM.match(path.name)
    try:
        if worker is not None and worker.job_hex != _JOB_AGENT:
            file = _file(path, "worker", node, worker.pid, worker.stream)
            is_idle = worker.job_hex == PRESTARTED_JOB and file.size < 200
            return None if is_idle or not file.size else file
        if system is not None:
            return _file(path, system["kind"], node)
        if _DRIVER.match(path.name):
            return _file(path, "driver", node)
    except OSError:  # removed meanwhile, or a dead link
        return None
    return None


def _file(path: Path, speaker: str, node: str, pid: int | None = None, stream: str = "") -> SessionFile:
    stat = path.stat()
    if not path.is_file():
        raise IsADirectoryError(21, "it is not a file", str(path))
    written_at = datetime.fromtimestamp(stat.st_mtime, UTC)
    return SessionFile(path, speaker, node, stat.st_size, written_at, pid, stream)


def _node_of(folder: Path) -> str:
    """The address of the folder's machine, as Ray wrote it down; "" where it did not."""
    try:
        told = json.loads((folder.parent / "node_ip_address.json").read_text())
        if isinstance(told, dict) and isinstance(told.get("node_ip_address"), str):
            return str(told["node_ip_address"])
    except (OSError, ValueError):
        pass
    try:
        with (folder / "raylet.out").open("rb") as opened:
            found = _ADDRESS.search(opened.read(64_000))
    except OSError:
        return ""
    return found["ip"].decode() if found else ""


def _holes_of(folder: Path) -> Mapping[str, int]:
    try:
        found = json.loads((folder / MIRRORED).read_text())
    except (OSError, ValueError):
        return {}
    return {str(name): begin for name, begin in found.items()} if isinstance(found, dict) else {}


def _age_key(file: SessionFile) -> tuple[datetime, str]:
    return file.written_at, file.name

"""A small file beside the database in which the running service says how it is doing.

`status` reads it when the database cannot be written, and so cannot hold a sign of life. Its space is taken
at the start and overwritten in place, so that a full disk does not silence it. It is for people: nothing is
decided by it, except that a message of the end is not repeated at every start.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babysitter.engine.service_lock import is_served

if TYPE_CHECKING:
    from babysitter.engine.app import App

FILE_NAME = "service.status"
SIZE_BYTES = 4096
WRITE_INTERVAL_S = 2.0
MAX_WORDS_CHARS = 400  # of one trouble
SILENT_AFTER = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """A heartbeat. `troubles`: part of the service -> its fault."""

    process: int
    at: datetime
    troubles: Mapping[str, str] = field(default_factory=dict)
    end_told_at: datetime | None = None  # when the newest message of an end was sent


class StatusFile:
    """Writes the file; whatever the disk does, nothing is raised."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        before = _read(self._path)
        self._end_told_at = before.end_told_at if before else None
        self._is_broken = False

    @property
    def end_told_at(self) -> datetime | None:
        """When this service, or an earlier one of this folder, last said that it ends."""
        return self._end_told_at

    def write(self, troubles: Mapping[str, str], *, now: datetime) -> None:
        """Renew the heartbeat, with the faults by part."""
        shown = {part: words[:MAX_WORDS_CHARS] for part, words in troubles.items()}
        self._put(ServiceStatus(os.getpid(), now, shown, self._end_told_at))

    def note_end_told(self, *, now: datetime) -> None:
        """Store that the end was reported."""
        self._end_told_at = now
        self._put(ServiceStatus(os.getpid(), now, {}, now))

    def _put(self, status: ServiceStatus) -> None:
        text = _encode(status)
        while len(text) > SIZE_BYTES:
            shorter = dict(list(status.troubles.items())[:-1])
            status = replace(status, troubles=shorter)
            text = _encode(status)
        try:
            # On a database server there may be no state folder yet.
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(descriptor, text.ljust(SIZE_BYTES), 0)
            finally:
                os.close(descriptor)
        except OSError as fault:
            if not self._is_broken:
                _log().warning("status_file_not_written", because=fault.strerror)
            self._is_broken = True
        else:
            self._is_broken = False


def read_status(folder: Path) -> ServiceStatus | None:
    """The newest heartbeat of a service of this folder that may still run; None without one."""
    return _read(folder / FILE_NAME)


def sign_of_life(folder: Path, *, now: datetime) -> str:
    """A sentence about a service of this folder that ran a moment ago; "" when there is none."""
    status = read_status(folder)
    if status is None or abs(now - status.at) >= SILENT_AFTER:
        return ""
    return f"The service here (process {status.process}) runs and keeps trying since its database failed."


async def service_troubles(app: "App") -> dict[str, str]:
    """What is wrong with the running service, by part; empty when nothing is, or none runs.

    Raises StorageUnavailable when the database cannot be read.
    """
    from babysitter.engine.leadership import troubles_of  # this module is read by commands that open no store

    now = app.wall_clock.now()
    is_lock_shared = app.settings.database_url is not None
    local = local_troubles(app.state_folder, now=now, is_lock_shared=is_lock_shared)
    return await troubles_of(app.store, now=now) if local is None else local


def local_troubles(folder: Path, *, now: datetime, is_lock_shared: bool) -> dict[str, str] | None:
    """What the service of this folder says is wrong, or that it says nothing; None when none runs here.

    `is_lock_shared`: several hosts share a database server, so no lock on the folder tells who serves.
    """
    status = read_status(folder)
    is_fresh = status is not None and abs(now - status.at) < SILENT_AFTER
    if status is None or not (is_fresh if is_lock_shared else is_served(folder)):
        return None
    if is_fresh:
        return dict(status.troubles)
    words = (
        f"has given no sign of life since {status.at:%H:%M:%S} UTC: process {status.process} is stopped, "
        "hangs, or the machine slept. `babysit serve --stop` ends it."
    )
    return {"service": words}


def _encode(status: ServiceStatus) -> bytes:
    told_at = status.end_told_at
    return json.dumps(
        {
            "process": status.process,
            "at": status.at.isoformat(),
            "troubles": dict(status.troubles),
            "end_told_at": told_at.isoformat() if told_at else None,
        }
    ).encode()


def _read(path: Path) -> ServiceStatus | None:
    try:
        values = json.loads(path.read_bytes()[:SIZE_BYTES])
        told_at = values["end_told_at"]
        return ServiceStatus(
            process=int(values["process"]),
            at=datetime.fromisoformat(values["at"]),
            troubles={str(part): str(words) for part, words in values["troubles"].items()},
            end_told_at=datetime.fromisoformat(told_at) if told_at else None,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # there is none, or it is torn: the next one comes within seconds


def _log() -> Any:
    import structlog  # only a service that cannot write needs it

    return structlog.get_logger()

"""Runs that babysit started as processes of this machine, and drivers that it ended, by the run's id.

What is written down here before it happens is found again by the next process: a run is started once, and a
driver that was ended counts as stopped as soon as its process is gone.
"""

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babysitter.backends.boot_id import boot_id
from babysitter.backends.detached_process import DetachedProcess
from babysitter.backends.ray.sessions.local_driver import LocalDriver
from babysitter.model.ids import JobId
from babysitter.private_files import make_private_folder, write_private

_ODD = re.compile(r"[^\w.-]")


class DriverRun:
    """A run that was started here. `proposal`: what it was started for."""

    def __init__(self, folder: Path, proposal: str, started_at: datetime) -> None:
        self.process = DetachedProcess(folder)
        self.log = folder / "log"
        self.proposal = proposal
        self.started_at = started_at


class DriverRuns:
    """`folder`: of one session; made when something is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, job: JobId) -> DriverRun | None:
        """The run of this id; None where none was started, though its start may have been written down."""
        folder = self._of(job)
        told = _read(folder / "run.json")
        if told is None or not DetachedProcess(folder).was_started:
            return None
        return DriverRun(folder, str(told["proposal"]), datetime.fromisoformat(str(told["at"])))

    def start(
        self,
        job: JobId,
        command: Sequence[str],
        *,
        cwd: Path,
        variables: Mapping[str, str],
        proposal: str,
        now: datetime,
    ) -> None:
        """Start it in a process group of its own, unless it was started before. Idempotent."""
        folder = self._of(job)
        make_private_folder(folder)
        if self.of(job) is None:
            told = {"proposal": proposal, "at": now.astimezone(UTC).isoformat(), "command": list(command)}
            _write(folder / "run.json", told)
        DetachedProcess(folder).start(command, cwd=cwd, env={**os.environ, **variables})

    def note_stop(self, job: JobId, driver: LocalDriver) -> None:
        """Write down which process is about to be ended as this run."""
        folder = self._of(job)
        make_private_folder(folder)
        _write(folder / "stopped.json", asdict(driver))

    def stopped(self, job: JobId, folders: Collection[Path]) -> LocalDriver | None:
        """The process that was ended as this run, or is about to be; None where nothing is known of it here.

        `folders`: with the logs of the run. A later run may have the same name, and a session of its own.
        After a start of the machine, and on another one, only the files say how the run stands.
        """
        told = _read(self._of(job) / "stopped.json")
        if told is None or told.get("boot") != boot_id():
            return None
        if Path(str(told.get("log", ""))).parent not in folders:
            return None
        members = tuple((pid, started) for pid, started in told.pop("members"))
        return LocalDriver(**told, members=members)

    def _of(self, job: JobId) -> Path:
        return self._folder / _ODD.sub("_", job)


def _write(path: Path, told: Mapping[str, object]) -> None:
    fresh = path.with_suffix(f".{os.getpid()}")
    write_private(fresh, json.dumps(told))
    fresh.replace(path)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None

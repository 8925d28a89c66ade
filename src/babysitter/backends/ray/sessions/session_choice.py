"""Which session folder and which log belong to a run, from what a person names and what the recipe says."""

import fnmatch
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.ray.sessions.remote_folder import RemoteFolder, refuse_odd_host, remote_folder
from babysitter.backends.ray.sessions.session_folder import logs_folder
from babysitter.errors import UserError
from babysitter.shipped import shipped

_LOG_NAME = re.compile(r"(?P<recipe>.+?)_(?P<start>20\d{6}_\d{6})$")
_SESSION = re.compile(r"session_(?P<start>20\d\d-\d\d-\d\d_\d\d-\d\d-\d\d)_\d+_\d+$")
_RAY_START = re.compile(r"_ray_\w+_20\d{6}_\d{6}$")  # what `ray start` of a recipe printed
SLACK = timedelta(minutes=30)  # a recipe may begin its log and start Ray afterwards


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """Absolute folders with log files, the driver's logs, and how the run is called.

    `remotes`: folders of other machines, which are copied in parts.
    """

    folders: tuple[Path, ...]
    driver_logs: tuple[Path, ...]
    run: str
    recipe: str
    started_at: datetime | None  # by the names, in the time of the machine
    remotes: tuple[RemoteFolder, ...] = ()

    def newest_folders(self) -> tuple[Path, ...]:
        """The folders, each of the newest session that lies beside it: Ray may have been started again."""
        return tuple(map(_newest_session, self.folders))

    @property
    def paths(self) -> str:
        """All of them as one text, which `read_paths` reads."""
        return os.pathsep.join(map(str, (*self.folders, *self.remotes, *self.driver_logs)))


def choose_session(
    folders: Sequence[Path], log: Path | None, *, environ: Mapping[str, str], uid: int
) -> SessionChoice:
    """The run that is meant. Raises UserError where there is none, or the two belong to different runs."""
    driver_log = _driver_log(log) if log is not None else None
    stem = driver_log.stem if driver_log is not None else ""
    remotes = tuple(other for folder in folders if (other := remote_folder(str(folder))) is not None)
    given = [folder for folder in folders if remote_folder(str(folder)) is None]
    for path in given:
        refuse_odd_host(str(path))
    if folders and not given:
        raise UserError(
            f"{remotes[0].shown} is of another machine, and the run's first folder is of the head node.",
            next_step="Run babysit on the head node, and name its folder first.",
        )
    given = given or [_temp_folder(stem, environ, uid)]
    found = tuple(logs_folder(path) for path in given)
    if any(os.pathsep in str(place) for place in (*found, *remotes, *((driver_log,) if driver_log else ()))):
        raise UserError(
            f"A path with '{os.pathsep}' in it cannot be watched.",
            next_step="Name it through a link.",
        )
    session = found[0].parent.name if found[0].name == "logs" else found[0].name
    named = _LOG_NAME.fullmatch(stem)
    started_at = _time(named["start"], "%Y%m%d_%H%M%S") if named else None
    session_name = _SESSION.fullmatch(session)
    ray_at = _time(session_name["start"], "%Y-%m-%d_%H-%M-%S") if session_name else None
    if started_at is not None and ray_at is not None and ray_at > started_at + SLACK:
        raise UserError(
            f"{stem}.log began at {started_at:%Y-%m-%d %H:%M}, {session} only at {ray_at:%Y-%m-%d %H:%M}: "
            "they belong to different runs.",
            next_step="Name the session folder of that run with --ray-session, or its log with --log.",
        )
    logs = (driver_log,) if driver_log is not None else ()
    recipe = named["recipe"] if named else (stem or "session")
    return SessionChoice(found, logs, stem or session, recipe, started_at or ray_at, remotes)


def _newest_session(logs: Path) -> Path:
    latest = logs.parent.parent / "session_latest" / "logs"
    return latest.resolve() if _SESSION.fullmatch(logs.parent.name) and latest.is_dir() else logs


def read_paths(text: str) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Folders, those of other machines too, and logs of `SessionChoice.paths`."""
    paths = [Path(part) for part in text.split(os.pathsep) if part]
    logs = tuple(path for path in paths if path.suffix == ".log" and not path.is_dir())
    return tuple(path for path in paths if path not in logs), logs


def read_choice(spec: ClusterSpec) -> SessionChoice:
    """The run of a cluster that is a session folder. Raises UserError for a folder that is none."""
    folders, logs = read_paths(spec.config)
    return choose_session(folders, logs[0] if logs else None, environ={}, uid=-1)


def _driver_log(path: Path) -> Path:
    """The log, or the newest of its folder."""
    path = path.expanduser()
    try:
        if path.is_dir():
            logs = [file for file in path.glob("*.log") if not _RAY_START.search(file.stem)]
            if not logs:
                raise UserError(
                    f"There is no log in {path}.",
                    next_step="Name the driver's log, as the recipe's tee wrote it.",
                )
            path = max(logs, key=lambda candidate: candidate.stat().st_mtime)
        with path.open("rb"):
            return path.resolve()
    except OSError as fault:
        raise UserError(
            f"The driver's log {path} cannot be read: {fault.strerror}.",
            next_step="Check the path, and the right to read it.",
        ) from fault


def _temp_folder(stem: str, environ: Mapping[str, str], uid: int) -> Path:
    """Ray's temp folder: RAY_TEMP_DIR first, then by recipe."""
    if told := environ.get("RAY_TEMP_DIR"):
        return Path(told)
    fitting = [
        Path(row["folder"].replace("{uid}", str(uid)))
        for row in _temp_rows()
        if fnmatch.fnmatch(stem or "any", row["log"])
    ]
    found = next((path for path in fitting if (path / "session_latest").exists()), None)
    if found is None:
        raise UserError(
            f"No session of Ray was found in {', '.join(map(str, dict.fromkeys(fitting)))}.",
            next_step="Set RAY_TEMP_DIR as the recipe does, or name the folder with --ray-session DIR.",
        )
    return found


def _temp_rows() -> Sequence[Mapping[str, Any]]:
    import yaml

    rows: list[Mapping[str, Any]] = []
    for path in sorted((shipped() / "startup").glob("*.yaml")):
        rows += yaml.safe_load(path.read_text(encoding="utf-8")).get("temp_folders", ())
    return rows


def _time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form).astimezone()
    except ValueError:
        return None

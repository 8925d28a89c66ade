"""All files of a session folder as one log, for a judgement without a cluster."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from babysitter.backends.log_folder import FolderLine, LogFolder
from babysitter.backends.ray.sessions.session_folder import (
    MAX_BYTES,
    SessionLogs,
    list_session,
    logs_folder,
    read_ends,
    shares,
    with_classes,
)
from babysitter.backends.ray.sessions.session_lines import PlacedLine, in_order, lines_of_part
from babysitter.errors import UserError


def read_session(folders: Sequence[Path], driver_logs: Sequence[Path] = ()) -> LogFolder:
    """The newest lines of every file, by time. Less than 1 MB is read, however large the files are.

    Raises UserError for a folder that is missing, may not be read or is not of a session.
    """
    logs = with_classes(list_session([logs_folder(folder) for folder in folders], driver_logs))
    lines, size = read_all(logs)
    if not any(line.text.strip() for line in lines):
        raise UserError(
            f"The session in {folders[0]} has printed nothing, so nothing can be said about the run.",
            next_step="Name the driver's log beside the folder: running_logs/FILE.",
        )
    placed = tuple(FolderLine(line.text, line.file.place, line.number) for line in lines)
    return LogFolder(_name(logs), placed, quiet_s(logs, datetime.now(UTC)), size, _summary(logs, size))


def read_all(logs: SessionLogs, at_most: int = MAX_BYTES) -> tuple[list[PlacedLine], int]:
    """The lines of all files in order, and how many bytes were read."""
    lines: list[PlacedLine] = []
    size = 0
    shared = shares(logs.files, at_most)
    for file in logs.files:
        head, tail = read_ends(file, shared[file.path])
        size += len(head) + len(tail)
        lines += lines_of_part(file, head, first_number=1, is_end=not tail)
        lines += lines_of_part(file, tail, first_number=None, is_end=True, is_cut=True) if tail else []
    return in_order(lines, logs.files), size


def quiet_s(logs: SessionLogs, now: datetime) -> float:
    """How long the run's own processes printed nothing, until now or the session's last write."""
    own = [file.written_at for file in logs.files if not file.is_system]
    last = logs.written_at
    if not own or last is None:
        return 0.0
    until = last if logs.is_dead(now) else now
    return max(0.0, (until - max(own)).total_seconds())


def _name(logs: SessionLogs) -> str:
    folder = logs.folders[0]
    return folder.parent.name if folder.name == "logs" else folder.name


def _summary(logs: SessionLogs, size: int) -> str:
    workers = {(file.node, file.pid) for file in logs.files if file.pid is not None}
    nodes = sorted({file.node for file in logs.files if file.node})
    where = f" on {', '.join(nodes)}" if nodes else ""
    written = f"; last written {logs.written_at:%Y-%m-%d %H:%M:%S} UTC" if logs.written_at else ""
    return f"{len(logs.files)} files of {len(workers)} workers{where}, {size / 1000:.0f} kB read{written}"

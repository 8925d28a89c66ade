"""How a run stands by its files alone: it runs, or why it counts as ended."""

import re
from dataclasses import dataclass
from datetime import datetime

from babysitter.backends.ray.sessions.session_choice import SessionChoice
from babysitter.backends.ray.sessions.session_folder import SessionFile, SessionLogs, list_session, read_part
from babysitter.errors import UserError
from babysitter.model.job import JobState

END_BYTES = 32_000  # of a file in which the end of the driver is looked for
_DISCONNECTED = re.compile(r"Driver \(pid=(?P<pid>\d+)\) is disconnected")
_COMPLETED = re.compile(r"Training completed: \d+ steps")


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the run stands by its files. `error`: why it counts as ended."""

    state: JobState
    error: str = ""


def run_end(logs: SessionLogs, now: datetime) -> RunEnd:
    """Whether the run continues, by the driver's last lines and the session's last write."""
    driver = logs.driver
    last_words = _end_of(driver) if driver is not None else ""
    is_disconnected = logs.driver_pid is not None and any(
        int(found["pid"]) == logs.driver_pid
        for file in logs.files
        if file.speaker == "raylet"
        for found in _DISCONNECTED.finditer(_end_of(file))
    )
    is_dead = logs.is_dead(now)
    if not is_disconnected and not is_dead:
        return RunEnd(JobState.RUNNING)
    if _COMPLETED.search(last_words) and "Traceback (most recent" not in last_words:
        return RunEnd(JobState.SUCCEEDED)
    if is_disconnected:
        return RunEnd(
            JobState.FAILED, f"The driver (pid {logs.driver_pid}) has ended before its training was complete."
        )
    written = f"since {logs.written_at:%Y-%m-%d %H:%M:%S} UTC" if logs.written_at else "at all"
    return RunEnd(
        JobState.FAILED, f"Nothing was written in the session folder {written}, not even by Ray itself."
    )


def refuse_ended(choice: SessionChoice, now: datetime) -> None:
    """Raise UserError for a run that has ended: there is nothing to watch."""
    end = run_end(list_session(choice.folders, choice.driver_logs), now)
    if end.state.is_terminal:
        paths = " ".join(map(str, (*choice.folders, *choice.driver_logs)))
        raise UserError(
            f"The run {choice.run} has ended: {end.error or 'its training is complete.'}",
            next_step=f"`babysit classify {paths}` says what ended it.",
        )


def _end_of(file: SessionFile) -> str:
    return read_part(file, max(0, file.size - END_BYTES), END_BYTES).decode(errors="replace")

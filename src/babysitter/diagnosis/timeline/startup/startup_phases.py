"""Lines of a start -> its phases: which has begun where, how far it is, which is over.

Phases overlap: the dataset loads in the background, trainers and engines start at once. The phase that the
run is in is the last one that has begun and is not over.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from babysitter.diagnosis.frame.line import strip_headers
from babysitter.diagnosis.timeline.pipelines.zephyr_lines import line_at
from babysitter.diagnosis.timeline.startup.startup_table import PhaseRow, StartupTable, shipped_startups
from babysitter.model.ids import TaskId
from babysitter.model.job import JobTree
from babysitter.model.log import LogLine
from babysitter.model.run_profile import RunProfile, StartupPhase
from babysitter.model.startup import StartupNote, StartupState, UsualDuration

MAX_NOTES = 64
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_SPEAKER = re.compile(r"\((?P<name>[\w.:]+?)(?:\([^()]*\))? pid=(?P<pid>\d+)(?:, ip=(?P<ip>[\w.:]+))?\)")
_PERCENT = re.compile(r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?%")
_DRIVER = re.compile(r"\d+")


def read_startup_lines(state: StartupState, lines: Sequence[LogLine], tree: JobTree | None) -> StartupState:
    """The state with these lines, which follow those read before; unchanged for a program without a table."""
    if not lines:
        return state
    block = "\n".join(line.text for line in lines)
    table = table_of(state) or next(
        (startup for startup in shipped_startups() if any(mark in block for mark in startup.recognised_by)),
        None,
    )
    if table is None:
        return state
    state = replace(state, program=table.program)
    present = [literal for literal in table.literals if literal in block]
    if not present:
        return state
    if has_got_through(state, table):  # the loop says the same again and again: its newest line is enough
        present = [mark.literal for mark in table.phases[-1].marks]
        lines = [line for line in lines if any(literal in line.text for literal in present)][-1:]
    machines = {task.id: task.worker for task in (tree.root.tasks or ()) if task.worker} if tree else {}
    for line in lines:
        if any(literal in line.text for literal in present):
            state = _with_line(state, table, line, machines)
    return state


def table_of(state: StartupState) -> StartupTable | None:
    return next((startup for startup in shipped_startups() if startup.program == state.program), None)


def has_got_through(state: StartupState, table: StartupTable) -> bool:
    """Whether the last phase, which has no end, has begun."""
    return any(note.phase == len(table.phases) - 1 for note in state.notes)


def _with_line(
    state: StartupState, table: StartupTable, line: LogLine, machines: Mapping[TaskId, str]
) -> StartupState:
    at = line_at(line)
    if at is None:
        return state
    plain = _ESCAPES.sub("", line.text)
    message = strip_headers(plain)
    speaker, process, node = _speaker(plain, line.task, machines)
    for number, phase in enumerate(table.phases):
        if any(mark.is_in(message) for mark in phase.ends):
            state = _ended(state, number, at)
        elif any(mark.is_in(message) for mark in phase.ends_each):
            state = _noted(state, StartupNote(number, -1, speaker, process, node, at, at))
            state = _ended_by(state, number, process, at)
        elif any(mark.is_in(message) for mark in phase.begins):
            found = _PERCENT.search(message) if phase.usual_s is None else None
            percent = float(found["percent"]) if found else None
            state = _begun_again(state, number, at) if not process else state
            state = _noted(state, StartupNote(number, -1, speaker, process, node, at, at, percent))
        state = _with_step(state, phase, message, StartupNote(number, -1, speaker, process, node, at, at))
    return state


def _with_step(state: StartupState, phase: PhaseRow, message: str, note: StartupNote) -> StartupState:
    for place, step in enumerate(phase.steps):
        if not any(mark.is_in(message) for mark in step.begins):
            continue
        found = _PERCENT.search(message)
        percent = float(found["percent"]) if found and not step.follows_full else None
        state = _noted(state, replace(note, step=place, percent=percent))
        after = phase.steps[place + 1] if place + 1 < len(phase.steps) else None
        if percent is not None and percent >= 100 and after is not None and after.follows_full:
            state = _noted(state, replace(note, step=place + 1))
    return state


def _noted(state: StartupState, note: StartupNote) -> StartupState:
    """The state with a note, put together with what the same process said of the same part before."""
    kept = list(state.notes)
    for place, startup_note in enumerate(kept):
        if (startup_note.phase, startup_note.step, startup_note.process) == (
            note.phase,
            note.step,
            note.process,
        ):
            is_new = note.percent is None or note.percent != startup_note.percent
            kept[place] = replace(
                startup_note,
                last_at=max(startup_note.last_at, note.last_at) if is_new else startup_note.last_at,
                percent=note.percent if note.percent is not None else startup_note.percent,
                node=note.node or startup_note.node,
            )
            return replace(state, notes=tuple(kept))
    return replace(state, notes=(*kept, note)[-MAX_NOTES:])


def _begun_again(state: StartupState, number: int, at: datetime) -> StartupState:
    """A phase that was over goes on with another line, such as the vocabulary behind the dataset."""
    return replace(state, ended=tuple(end for end in state.ended if end[0] != number or end[1] > at))


def _ended(state: StartupState, number: int, at: datetime) -> StartupState:
    kept = tuple(end for end in state.ended if end[0] != number)
    return replace(state, ended=(*kept, (number, at)))


def _ended_by(state: StartupState, number: int, process: str, at: datetime) -> StartupState:
    notes = tuple(
        replace(note, ended_at=at) if note.phase == number and note.process == process else note
        for note in state.notes
    )
    return replace(state, notes=notes)


def _speaker(text: str, task: TaskId, machines: Mapping[TaskId, str]) -> tuple[str, str, str]:
    """Class, process and node of a line's speaker; the class is "" for the driver."""
    found = _SPEAKER.match(text.lstrip())
    if found is not None:
        node = found["ip"] or ""
        return found["name"].rpartition(":")[2], f"pid {found['pid']}", node
    name = task.rpartition("/")[2]
    if not name or _DRIVER.fullmatch(name):
        return "", "", machines.get(task, "")
    return name.rpartition("-")[0] or name, name, machines.get(task, "")


def usual_of(profiles: Sequence[RunProfile]) -> tuple[UsualDuration, ...]:
    """How long each phase took in earlier good runs."""
    seconds: dict[str, list[float]] = {}
    for profile in profiles:
        for startup_phase in profile.startup:
            seconds.setdefault(startup_phase.phase, []).append(startup_phase.seconds)
    return tuple(UsualDuration(phase, min(times), max(times), len(times)) for phase, times in seconds.items())


def durations_of(state: StartupState) -> tuple[StartupPhase, ...]:
    """How long each phase took, once the start is over; nothing before."""
    table = table_of(state)
    if table is None or not has_got_through(state, table):
        return ()
    last = len(table.phases) - 1
    through_at = min(note.first_at for note in state.notes if note.phase == last)
    found = []
    for number, phase in enumerate(table.phases[:-1]):
        began = [note.first_at for note in state.notes if note.phase == number]
        if not began:
            continue
        ends = [at for which, at in state.ended if which == number]
        ends += [note.ended_at for note in state.notes if note.phase == number and note.ended_at]
        end = min(max(ends, default=through_at), through_at)
        found.append(StartupPhase(phase.name, max(0.0, (end - min(began)).total_seconds())))
    return tuple(found)

"""Where a start stands now: its phase, how far it is, its usual time, whether silence is normal."""

from collections.abc import Sequence
from datetime import datetime

from babysitter.diagnosis.timeline.startup.startup_phases import has_got_through, table_of
from babysitter.diagnosis.timeline.startup.startup_table import PhaseRow, StartupStep, StartupTable
from babysitter.model.startup import StartupNote, StartupStanding, StartupState, UsualDuration

LEARNED_FACTOR = 2.0  # so many times the longest of earlier good runs is still normal (guess)


def standing_of(state: StartupState, now: datetime, *, has_ended: bool = False) -> StartupStanding | None:
    """The standing at this moment; None for a program without a table. `has_ended`: the run is over."""
    table = table_of(state)
    if table is None or not (state.notes or state.ended):
        return None
    number = _phase_under_way(state, table)
    phase = table.phases[number]
    notes = [note for note in state.notes if note.phase == number]
    shown = _slowest(notes)
    step = phase.steps[shown.step] if shown is not None and shown.step >= 0 else None
    since = min((note.first_at for note in notes), default=_last_end(state))
    waiting = [note for note in notes if note.ended_at is None] or notes
    last = shown.last_at if shown is not None else max((note.last_at for note in waiting), default=since)
    quiet_s = max(0.0, (now - last).total_seconds()) if last is not None and not has_ended else 0.0
    learned = next(
        (usual_duration for usual_duration in state.usual if usual_duration.phase == phase.name), None
    )
    limit_s = _quiet_limit_s(phase, step, learned)
    what = _what(phase, step, shown, notes)
    words = [f"phase {number + 1} of {len(table.phases)}, {what}"]
    if step is not None and step.follows_full and limit_s is not None and not has_ended:
        words.append(_quiet_words(quiet_s, limit_s))
    words += _usual_words(phase, learned)
    node = shown.node if shown is not None else ""
    if since is not None and not has_ended and phase.usual_s is not None:
        words.append(f"here for {_span(max(0.0, (now - since).total_seconds()))}")
    sentence = ", ".join(words) + (f" on {node}" if node else "")
    return StartupStanding(
        number + 1,
        len(table.phases),
        phase.name,
        sentence,
        quiet_s,
        limit_s,
        (step.advice if step is not None else "") or phase.advice,
        node,
        shown.process if shown is not None else "",
        since,
    )


def _phase_under_way(state: StartupState, table: StartupTable) -> int:
    """The last phase that has begun and is not over; between two phases the next one."""
    last = len(table.phases) - 1
    if has_got_through(state, table):
        return last
    begun = {note.phase for note in state.notes}
    over = {number for number, _ in state.ended}
    open_phases = sorted(number for number in begun - over if not _is_over(state, number))
    waiting = [number for number in open_phases if not _is_ready(state, number)]
    if waiting or open_phases:
        return (waiting or open_phases)[-1]
    return min(max(begun | over) + 1, last)


def _is_over(state: StartupState, number: int) -> bool:
    """Whether every process is ready, of a phase that the driver does not speak of."""
    notes = [note for note in state.notes if note.phase == number]
    return not any(note.process == "" for note in notes) and all(note.ended_at for note in notes)


def _is_ready(state: StartupState, number: int) -> bool:
    own = [note for note in state.notes if note.phase == number and note.process]
    return bool(own) and all(note.ended_at for note in own)


def _slowest(notes: Sequence[StartupNote]) -> StartupNote | None:
    """Of the newest step of each process that is not ready, the one that is least far."""
    newest: dict[str, StartupNote] = {}
    for note in notes:
        if note.process and note.ended_at is None and note.step >= newest.get(note.process, note).step:
            newest[note.process] = note
    return min(newest.values(), key=lambda note: (note.step, note.percent or 0.0, note.last_at), default=None)


def _last_end(state: StartupState) -> datetime | None:
    return max((at for _, at in state.ended), default=None)


def _what(
    phase: PhaseRow, step: StartupStep | None, shown: StartupNote | None, notes: Sequence[StartupNote]
) -> str:
    if shown is None or step is None:
        percent = next((note.percent for note in notes if note.percent is not None), None)
        return phase.name if percent is None else f"{phase.name}, {percent:g} %"
    parts = [f"{shown.speaker} {step.name}".strip()]
    if shown.percent is not None:
        parts.append(f"{shown.percent:g} %")
    others = len({note.process for note in notes if note.process and note.ended_at is None})
    if others > 1:
        parts.append(f"the slowest of {others}")
    return ", ".join(parts)


def _quiet_limit_s(phase: PhaseRow, step: StartupStep | None, learned: UsualDuration | None) -> float | None:
    """How long a silence is normal; longer where earlier good runs took longer for the phase."""
    own = step.quiet_s if step is not None and step.quiet_s is not None else phase.quiet_s
    if own is None or step is not None or learned is None:
        return own
    return max(own, LEARNED_FACTOR * learned.most_s)


def _quiet_words(quiet_s: float, limit_s: float) -> str:
    if quiet_s > limit_s:
        return f"quiet for {_span(quiet_s)}, which is more than the normal {_span(limit_s)}"
    return f"quiet for {_span(quiet_s)}, which is normal up to {_span(limit_s)}"


def _usual_words(phase: PhaseRow, learned: UsualDuration | None) -> list[str]:
    if learned is not None:
        runs = "the last good run" if learned.runs == 1 else f"{learned.runs} good runs"
        return [f"{_range(learned.least_s, learned.most_s)} in {runs}"]
    if phase.usual_s is None:
        return []
    least_s, most_s = phase.usual_s
    return [f"usually {'seconds' if most_s <= 60 else _range(least_s, most_s)}"]


def _range(least_s: float, most_s: float) -> str:
    if _span(least_s) == _span(most_s):
        return _span(most_s)
    if least_s >= 60:
        return f"{least_s / 60:.0f} to {most_s / 60:.0f} min"
    return f"{_span(least_s)} to {_span(most_s)}"


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"

"""What a job's lines have counted up to now, folded into its memory from look to look."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from babysitter.diagnosis.timeline.counts.counters import Counters, read_counters
from babysitter.diagnosis.timeline.counts.still import StoppedCount, find_stopped_count
from babysitter.diagnosis.timeline.counts.told import find_told_quiet
from babysitter.diagnosis.timeline.counts.worthless import fold_values
from babysitter.diagnosis.timeline.entries import Entry, read_entries
from babysitter.diagnosis.timeline.measures.loss import fold_losses
from babysitter.diagnosis.timeline.measures.non_finite import fold_measures
from babysitter.diagnosis.timeline.members.broken_member import fold_member_lines
from babysitter.diagnosis.timeline.members.failing_item import fold_items
from babysitter.diagnosis.timeline.members.lost_members import fold_lost_members
from babysitter.diagnosis.timeline.members.pod_listing import find_left_over
from babysitter.diagnosis.timeline.repetition.nothing_new import fold_texts
from babysitter.diagnosis.timeline.repetition.only_polls import fold_idle, fold_polls, fold_waits
from babysitter.model.ids import TaskId
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory
from babysitter.model.progress import StillCount

MAX_CHARACTERS = 300
MAX_NEWEST = 1500  # lines that are all read
MAX_SAMPLED = 1000  # of those before

# Completions without a count that rises.
_DONE = re.compile(
    r"\bTask for shard \d+ completed in\b"
    r"|\] \d+/\d+ tasks completed\b"
    r"|\b(?P<n>[1-9]\d*)(?: of |/)(?P=n) (?:tasks|pods|workers|replicas|nodes|hosts|ranks)(?: are)? "
    r"(?:running|ready|healthy|up|alive|registered|joined)\b"
)
_STEP = re.compile(r"(?i)(?<![a-z])(?:steps?|iter(?:ation)?s?)(?![a-z])")


def entries_of(
    lines: Sequence[LogLine], first_position: int, *, places: Sequence[int] | None = None
) -> list[Entry]:
    """Return lines of the log service as entries. `places`: of each line, when others stood between them."""
    return read_entries(
        [line.text for line in lines],
        first_place=first_position,
        places=places,
        times_s=[line.at_ms / 1000 if line.at_ms else None for line in lines],
        speakers=[line.task for line in lines],
    )


def with_counts(
    memory: Memory, lines: Sequence[LogLine], first_position: int, *, is_text: bool = False
) -> Memory:
    """Return the memory with what these new lines count. `first_position`: of the first of them.

    `is_text`: they are all that there is; what repeats in them is looked for at once (causes/guess.py).
    """
    if not lines:
        return memory
    entries, lines = _sampled(lines, first_position)
    counters = read_counters(entries, memory.work)
    place = _last_advance(entries, counters)
    if place is not None:
        memory = replace(memory, advanced_position=max(place, memory.advanced_position or 0))
    stopped = find_stopped_count(counters)
    return replace(
        memory,
        work=counters.work,
        still_count=None if stopped is None else _still_count(stopped, entries, lines),
        texts=memory.texts if is_text else fold_texts(memory.texts, entries),
        values=fold_values(memory.values, entries),
        member_lines=memory.member_lines if is_text else fold_member_lines(memory.member_lines, entries),
        told_quiet=find_told_quiet(memory.told_quiet, entries, counters),
        measures=fold_measures(memory.measures, entries),
        loss_courses=fold_losses(memory.loss_courses, entries),
        failed_items=fold_items(memory.failed_items, entries),
        left_over=find_left_over(memory.left_over, entries),
        lost_members=fold_lost_members(memory.lost_members, entries),
        only_polls=fold_polls(memory.only_polls, entries, lines),
        only_waits=fold_waits(memory.only_waits, entries, lines),
        only_idle=fold_idle(memory.only_idle, entries, lines),
    )


def _sampled(lines: Sequence[LogLine], first_position: int) -> tuple[list[Entry], Sequence[LogLine]]:
    """The newest lines, and of a long log as many of those before as the course of its counts needs."""
    older = max(0, len(lines) - MAX_NEWEST)
    if older <= MAX_SAMPLED:
        return entries_of(lines, first_position), lines
    step = -(-older // MAX_SAMPLED)
    places = [*range(0, older, step), *range(older, len(lines))]
    chosen = [lines[place] for place in places]
    entries = entries_of(chosen, first_position, places=places)
    return entries, chosen


def _last_advance(entries: Sequence[Entry], counters: Counters) -> int | None:
    """The newest of the new lines that proves that work was done, whatever program printed it."""
    risen = counters.rises[-1].place if counters.rises else None
    for entry in reversed(entries):
        if risen is not None and entry.place <= risen:
            return risen
        if _DONE.search(entry.text):
            return entry.place
    return None


def _still_count(stopped: StoppedCount, entries: Sequence[Entry], lines: Sequence[LogLine]) -> StillCount:
    since = stopped.since
    places = (entry.place for entry in entries)
    last = next(
        (line for place, line in zip(places, lines, strict=True) if place == stopped.last_place), None
    )
    task = stopped.speaker.partition(" ")[0]
    return StillCount(
        value=stopped.value,
        total=stopped.total,
        reports=since.reports,
        still_s=stopped.still_s,
        last_at=datetime.fromtimestamp(stopped.last_at_s, UTC),
        first=LogLine(since.text, task=TaskId(task if task.startswith("/") else "")),
        first_position=since.place,
        last=_cut(last) if last is not None else None,
        last_position=stopped.last_place,
        is_training_step=stopped.value > 0 and bool(_STEP.search(stopped.wording)),
    )


def _cut(line: LogLine) -> LogLine:
    return line._replace(text=line.text[:MAX_CHARACTERS])

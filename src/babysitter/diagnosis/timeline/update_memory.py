"""Folds an observation into the memory: `update_memory`. Measures, and judges nothing.

What was not seen leaves what is remembered as it was; only its age grows.
"""

from dataclasses import replace
from datetime import datetime

from babysitter.diagnosis.timeline.measures.checkpoints import with_checkpoint
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import role_of
from babysitter.diagnosis.timeline.processes.process_activity import summarise_dump
from babysitter.diagnosis.timeline.progress_memory import with_ends, with_lines, with_status
from babysitter.diagnosis.timeline.tree_memory import with_tree
from babysitter.model.ids import job_of
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.seen import Gone, Seen, Source, Unseen
from babysitter.model.thread_dump import DumpSummary

MAX_DUMPS = 96  # five looks at 17 processes: two of them are far enough apart to prove something


def update_memory(memory: Memory, observation: Observation) -> Memory:
    """The memory with what this observation brought. Repeating an observation changes next to nothing."""
    memory = _this_run(memory, observation)
    tree, lines = observation.seen_tree, observation.seen_lines
    if tree is not None:
        is_text = observation.excerpt is not None
        memory = with_tree(memory, tree, lines, observation.taken_at, is_text=is_text)
    if isinstance(observation.lines, Seen):
        memory = with_lines(memory, observation, lines)
        memory = with_checkpoint(memory, observation)
    if tree is not None:
        memory = with_ends(with_status(memory, tree, observation.taken_at), tree)
    memory = _with_dumps(memory, observation)
    return _with_sight(memory, observation)


def _this_run(memory: Memory, observation: Observation) -> Memory:
    """The memory, or an empty one when another run goes by the same name now."""
    tree = observation.seen_tree
    before, now = memory.root_submitted_at, tree.root.submitted_at if tree else None
    if before is None or now is None or before == now:
        return memory
    return Memory(generation=memory.generation, looked_at=memory.looked_at, blind_since=memory.blind_since)


def _with_sight(memory: Memory, observation: Observation) -> Memory:
    """When we looked, for how long in this phase we saw something, and since when we do not."""
    now = observation.taken_at
    spots = [unseen for unseen in (observation.tree, observation.lines) if isinstance(unseen, Unseen)]
    blind = {spot.source: memory.blind_since.get(spot.source, spot.since) for spot in spots}
    was_blind = bool(set(memory.blind_since) & {Source.CONTROLLER, Source.TUNNEL}) or bool(memory.gone_since)
    is_seen = observation.seen_tree is not None
    gained_s = 0.0
    if is_seen and memory.seen_at is not None and not was_blind:
        gained_s = max(0.0, (now - memory.seen_at).total_seconds())
    if observation.is_reread and not observation.seen_lines and memory.first_line_at and is_seen:
        was_blind = True  # the log service has lost what it had: the control plane went away and came back
    return replace(
        memory,
        looked_at=now,
        seen_at=now if is_seen else memory.seen_at,
        clear_at=memory.clear_at if spots else now,
        gone_since=_gone_since(memory, observation),
        seen_in_phase_s=memory.seen_in_phase_s + gained_s,
        blind_since=blind,
        blind_until_at=now if was_blind and is_seen else memory.blind_until_at,
        log_read_at=observation.lines.at if isinstance(observation.lines, Seen) else memory.log_read_at,
        cursors={**memory.cursors, **observation.cursors},
        generation=observation.generation or memory.generation,
        phase_since_at=memory.phase_since_at or now,
        checks_in_phase=memory.checks_in_phase + 1,
    )


def _gone_since(memory: Memory, observation: Observation) -> datetime | None:
    """Since when the cluster does not know the job; what cannot be seen changes nothing about that."""
    if isinstance(observation.tree, Gone):
        return memory.gone_since or observation.tree.at
    return None if observation.seen_tree is not None else memory.gone_since


def _with_dumps(memory: Memory, observation: Observation) -> Memory:
    notes: list[DumpSummary] = list(memory.dumps)
    for task, sight in observation.dumps.items():
        if not isinstance(sight, Seen):
            continue
        role = memory.roles.get(task) or role_of(job_of(task), observation.root)
        note = summarise_dump(sight.value, role)
        if not any(
            dump_summary.target == note.target and dump_summary.taken_at >= note.taken_at
            for dump_summary in notes
        ):
            notes.append(note)
    return replace(memory, dumps=tuple(notes[-MAX_DUMPS:]))

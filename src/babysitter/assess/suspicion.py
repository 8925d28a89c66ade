"""Zombie, stuck, stragglers, churn, silence: the evidence for and against each, with the numbers compared.

Each function gives a Suspicion whether or not anything is wrong: its reasons are what `explain` and
`explain --why-not` print. PROVEN needs proof from the job itself, seen through working access.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from babysitter.assess.scene import Scene
from babysitter.model.dump import Doing, DumpNote
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.ids import TaskId, job_of
from babysitter.model.log import Role
from babysitter.model.observation import Want
from babysitter.model.progress import StagePace
from babysitter.model.verdict import Diagnosis, Reason, SignalKind
from babysitter.read.stages import frozen_s, stuck_after_s


class Level(IntEnum):
    NONE = 0
    POSSIBLE = 1  # worth a closer look
    LIKELY = 2  # told to people, nothing is done about it
    PROVEN = 3


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One thing that might be wrong, how sure we are, and why (or why not)."""

    kind: SignalKind
    level: Level
    reasons: tuple[Reason, ...]
    explanation: str = ""
    diagnosis: Diagnosis | None = None  # from LIKELY on
    evidence: tuple[Evidence, ...] = ()
    wants: frozenset[Want] = frozenset()


def suspicions(scene: Scene) -> tuple[Suspicion, ...]:
    """All of them, the one that explains the others first."""
    return tuple(weigh(scene) for weigh in ALL)


def zombie(scene: Scene) -> Suspicion:
    """A coordinator whose pipeline is over and whose process stays: two dumps of an ended main thread."""
    crew, memory, limits = scene.crew, scene.memory, scene.limits
    if crew is None or not scene.runs:
        return _none(SignalKind.ZOMBIE_LIKE, "zombie.coordinator-running", "no coordinator runs")
    notes = _notes_of(scene, TaskId(f"{crew.coordinator.id}/0"))
    ended = _newest_run(notes, Doing.SHUT_DOWN)
    apart_s = (ended[-1].taken_at - ended[0].taken_at).total_seconds() if ended else 0.0
    is_twice = apart_s >= limits.zombie_dumps_apart_s
    said_s = scene.age_s(memory.shutdown_at)
    has_said = memory.shutdown_at is not None and said_s >= limits.zombie_dumps_apart_s
    workers_over = crew.workers is not None and crew.workers.state.is_terminal
    silent_s = _silence_s(scene)
    is_silent = silent_s > limits.zombie_silence_s
    can_tell = not notes or notes[-1].doing is not Doing.UNCLEAR
    reasons = (
        Reason("zombie.coordinator-running", True, f"{crew.coordinator.id} counts as running"),
        Reason("zombie.main-thread-in-shutdown", bool(ended), _told(notes)),
        Reason(
            "zombie.two-dumps-agree",
            is_twice,
            f"{len(ended)} dumps in a row show an ended main thread, {apart_s:.0f} s apart "
            f"(needed: 2 and {limits.zombie_dumps_apart_s:.0f} s)",
        ),
        Reason("zombie.dumps-can-tell", can_tell, "dumps of this generation show where the main thread is"),
        Reason("zombie.shutdown-said", has_said, _since_text("its log said that the pipeline is over", has_said, said_s)),
        Reason("zombie.workers-ended", workers_over, "its workers have ended" if workers_over else "its workers have not ended"),
        Reason(
            "zombie.silent",
            is_silent,
            f"no progress report for {silent_s:.0f} s (more than {limits.zombie_silence_s:.0f} s is unusual)",
        ),
    )  # fmt: skip
    wants = frozenset({Want.COORDINATOR_DUMP, Want.TASKS})
    if is_twice:
        evidence = _dump_evidence(ended[0], ended[-1])
        return Suspicion(
            SignalKind.ZOMBIE_LIKE, Level.PROVEN, reasons, "two thread dumps agree", _zombie(evidence, 0.95), evidence, wants
        )  # fmt: skip
    if has_said and not can_tell and said_s >= limits.stuck_floor_s:
        by_time = _zombie((), 0.6, by_time_s=said_s)
        return Suspicion(SignalKind.ZOMBIE_LIKE, Level.PROVEN, reasons, "long over", by_time, wants=wants)
    in_stage = bool(notes) and notes[-1].doing in (Doing.IN_STAGE, Doing.WAITING_FOR_WORKERS)
    is_fresh = bool(notes) and scene.age_s(notes[-1].taken_at) < limits.zombie_silence_s
    if ended or ((has_said or workers_over or is_silent) and not (in_stage and is_fresh)):
        text = "the coordinator may have outlived its pipeline"
        return Suspicion(SignalKind.ZOMBIE_LIKE, Level.POSSIBLE, reasons, text, wants=wants)
    return Suspicion(SignalKind.ZOMBIE_LIKE, Level.NONE, reasons)


def _zombie(evidence: tuple[Evidence, ...], confidence: float, by_time_s: float = 0.0) -> Diagnosis:
    how = (
        f"It said so {by_time_s:.0f} s ago and still runs."
        if by_time_s
        else "Its main thread only waits for left-over threads, in two dumps."
    )
    return Diagnosis(
        cause=Cause.ZOMBIE_COORDINATOR,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE if by_time_s else ActionKind.RESTART,
        explanation=f"The coordinator's pipeline is over but its process stays, so the job never ends. {how}",
        confidence=confidence,
        evidence=evidence,
        retry=Retry.HELPS,
        look_at=("coordinator-dump", "coordinator-logs"),
    )  # fmt: skip


def stuck(scene: Scene) -> Suspicion:
    """A stage that completes nothing for far longer than it ever took, although its reports are seen."""
    stage, limits = scene.stage, scene.limits
    if stage is None or not scene.runs or not stage.is_under_way:
        return _none(SignalKind.STUCK, "stuck.stage-under-way", "no stage is under way")
    quiet_s, silent_s = _quiet_s(scene, stage), _silence_s(scene)
    after_s = stuck_after_s(stage, scene.memory.stages, limits)
    is_over = quiet_s > after_s
    has_work = (stage.in_flight or 0) > 0 or stage.in_flight is None
    blocked, working = _holders(scene)
    reasons = (
        Reason("stuck.log-seen", scene.sees_lines, "the log was read at this look"),
        Reason(
            "stuck.nothing-completed",
            is_over,
            f"{stage.label}: nothing completed for {quiet_s:.0f} s (stuck from {after_s:.0f} s on), "
            f"{stage.done} of {stage.total} done",
        ),
        Reason("stuck.work-in-flight", has_work, f"{stage.in_flight} in flight, {stage.queued} queued"),
        Reason("stuck.worker-blocked", bool(blocked), _holders_told("blocked in", blocked)),
        Reason("stuck.worker-at-work", bool(working), _holders_told("at work in", working)),
    )
    wants = frozenset({Want.WORKER_DUMPS, Want.COORDINATOR_DUMP, Want.TASKS})
    if not is_over or not scene.sees_lines:
        return Suspicion(SignalKind.STUCK, Level.NONE, reasons)
    if working and not blocked and quiet_s <= after_s * limits.first_shard_factor:
        # The shard's own code is at work: slow, as far as anybody can tell.
        return Suspicion(SignalKind.STUCK, Level.POSSIBLE, reasons, "a worker is still at work", wants=wants)
    evidence = (
        *_stage_evidence(stage, quiet_s, scene),
        *[e for note in blocked for e in _dump_evidence(note)],
    )
    two_dumps = len(blocked) >= 2
    action = ActionKind.RESTART if two_dumps else ActionKind.ESCALATE
    where = f" Its worker is blocked in {blocked[-1].place}, in two dumps." if two_dumps else ""
    diagnosis = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=action,
        explanation=f"Stage {stage.label} has completed nothing for {quiet_s / 60:.0f} min at {stage.done} of "
        f"{stage.total} (its own pace makes {after_s / 60:.0f} min the limit).{where}",
        confidence=0.9 if two_dumps else 0.75,
        evidence=evidence,
        retry=Retry.HELPS if two_dumps else Retry.UNKNOWN,
        look_at=("worker-dumps", "worker-logs"),
    )
    text = (
        f"nothing completed for {quiet_s:.0f} s"
        if silent_s < limits.zombie_silence_s
        else "no reports at all"
    )
    return Suspicion(SignalKind.STUCK, Level.PROVEN, reasons, text, diagnosis, evidence, wants)


def stragglers(scene: Scene) -> Suspicion:
    """A stage held up by its last few shards: nothing queued, few in flight, most workers without work."""
    stage, limits = scene.stage, scene.limits
    if stage is None or not scene.runs or not stage.is_under_way or not scene.needs_crew:
        return _none(SignalKind.STRAGGLING, "stragglers.stage-under-way", "no stage is under way")
    in_flight, workers = stage.in_flight or 0, stage.workers or 0
    most = max(1, round(stage.total * limits.straggler_most_share))
    idle = max(0, (stage.alive or 0) - in_flight) + (stage.gone or 0)
    quiet_s = _quiet_s(scene, stage)
    is_drained = stage.queued == 0
    is_few = 0 < in_flight <= most and stage.done > 0
    is_idle = workers > 1 and idle * 2 >= workers
    is_old = quiet_s >= limits.straggler_least_age_s
    _, working = _holders(scene)
    reasons = (
        Reason("stragglers.nothing-queued", is_drained, f"{stage.queued} queued"),
        Reason("stragglers.few-in-flight", is_few, f"{in_flight} in flight (at most {most} count as few)"),
        Reason("stragglers.workers-idle", is_idle, f"{idle} of {workers} workers are without work"),
        Reason(
            "stragglers.old-enough",
            is_old,
            f"nothing completed for {quiet_s:.0f} s (told from {limits.straggler_least_age_s:.0f} s on)",
        ),
        Reason("stragglers.worker-at-work", bool(working), _holders_told("at work in", working)),
    )
    if not (is_drained and is_few and is_idle and is_old and scene.sees_lines):
        return Suspicion(SignalKind.STRAGGLING, Level.NONE, reasons)
    evidence = (
        *_stage_evidence(stage, quiet_s, scene),
        *[e for note in working for e in _dump_evidence(note)],
    )
    seen_at = f" The shard's code is at work ({working[-1].place})." if working else ""
    diagnosis = Diagnosis(
        cause=Cause.STRAGGLERS,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT,
        explanation=f"Stage {stage.label} waits for its last {in_flight} of {stage.total} shards for "
        f"{quiet_s / 60:.0f} min; {idle} of {workers} workers have nothing to do.{seen_at}",
        confidence=0.8,
        evidence=evidence,
        retry=Retry.ITSELF,
        look_at=("worker-dumps",),
    )
    wants = frozenset({Want.WORKER_DUMPS, Want.TASKS})
    return Suspicion(
        SignalKind.STRAGGLING, Level.LIKELY, reasons, diagnosis.explanation, diagnosis, evidence, wants
    )


def churn(scene: Scene) -> Suspicion:
    """Workers that die or are taken away again and again."""
    crew, limits = scene.crew, scene.limits
    if crew is None or crew.workers is None or not scene.runs:
        return _none(SignalKind.CHURN, "churn.workers-running", "no workers run")
    counts = [each for each in scene.memory.losses if each.job == crew.workers.id]
    before = [each.total for each in counts if scene.age_s(each.at) > limits.churn_window_s]
    start = before[-1] if before else min((each.total for each in counts), default=0)
    lost = max((each.total for each in counts), default=0) - start
    most = max(limits.churn_least_count, crew.workers.task_count)
    last_at = counts[-1].at if counts else None
    advanced_at = scene.memory.advanced_at
    goes_on = advanced_at is not None and last_at is not None and advanced_at > last_at
    reasons = (
        Reason(
            "churn.workers-lost",
            lost >= most,
            f"{lost} workers lost in {limits.churn_window_s / 60:.0f} min (told from {most} on)",
        ),
        Reason("churn.goes-on", goes_on, "shards complete in spite of it" if goes_on else "nothing completed since the last loss"),
    )  # fmt: skip
    if lost < most:
        return Suspicion(SignalKind.CHURN, Level.NONE, reasons)
    evidence = (
        Evidence(
            f"{lost} workers lost in {limits.churn_window_s / 60:.0f} min",
            f"job {crew.workers.id}",
            at=last_at,
        ),
    )
    diagnosis = Diagnosis(
        cause=Cause.WORKER_CHURN,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT if goes_on else ActionKind.ESCALATE,
        explanation=f"{lost} workers were lost within {limits.churn_window_s / 60:.0f} min; "
        + ("shards still complete." if goes_on else "nothing has completed since the last loss."),
        confidence=0.7,
        evidence=evidence,
        retry=Retry.ITSELF,
        look_at=("worker-logs", "machine"),
    )  # fmt: skip
    level = Level.LIKELY if goes_on else Level.PROVEN
    return Suspicion(SignalKind.CHURN, level, reasons, diagnosis.explanation, diagnosis, evidence)


def silence(scene: Scene) -> Suspicion:
    """A running job that prints nothing for far longer than it ever did. Proves nothing by itself."""
    memory, limits = scene.memory, scene.limits
    if not scene.runs or not scene.sees_lines or memory.last_line_at is None or scene.needs_crew:
        return _none(
            SignalKind.QUIET, "quiet.log-of-a-running-job-seen", "not a running job whose log was read"
        )
    quiet_s = scene.age_s(memory.last_line_at)
    most_s = max(limits.quiet_floor_s, limits.quiet_gap_factor * memory.line_gap_s)
    reason = Reason(
        "quiet.too-long",
        quiet_s > most_s,
        f"the last line is {quiet_s:.0f} s old (unusual from {most_s:.0f} s on)",
    )
    if quiet_s <= most_s:
        return Suspicion(SignalKind.QUIET, Level.NONE, (reason,))
    return Suspicion(SignalKind.QUIET, Level.POSSIBLE, (reason,), reason.text)


ALL: tuple[Callable[[Scene], Suspicion], ...] = (zombie, stuck, stragglers, churn, silence)


# --- shared


def _none(kind: SignalKind, name: str, why_not: str) -> Suspicion:
    return Suspicion(kind, Level.NONE, (Reason(name, False, why_not),))


def _notes_of(scene: Scene, task: TaskId) -> tuple[DumpNote, ...]:
    return tuple(note for note in scene.memory.dumps if note.target == task)


def _newest_run(notes: tuple[DumpNote, ...], doing: Doing) -> tuple[DumpNote, ...]:
    """The last notes, as long as they all say `doing`: one that says something else ends the run."""
    run: list[DumpNote] = []
    for note in reversed(notes):
        if note.doing is not doing:
            break
        run.append(note)
    return tuple(reversed(run))


def _holders(scene: Scene) -> tuple[tuple[DumpNote, ...], tuple[DumpNote, ...]]:
    """(notes of a worker blocked in one place in two dumps, notes of workers at work), since the last completion."""
    workers = scene.crew.workers if scene.crew else None
    since = scene.stage.last_done_at or scene.stage.started_at if scene.stage else None
    blocked: tuple[DumpNote, ...] = ()
    working: list[DumpNote] = []
    for task in dict.fromkeys(note.target for note in scene.memory.dumps if note.role is Role.WORKER):
        if workers is None or job_of(task) != workers.id:
            continue
        notes = tuple(n for n in _notes_of(scene, task) if since is None or n.taken_at >= since)
        run = _newest_run(notes, Doing.BLOCKED)
        same = tuple(note for note in run if note.place == run[-1].place)
        if (
            len(same) >= 2
            and (same[-1].taken_at - same[0].taken_at).total_seconds() >= scene.limits.blocked_dumps_apart_s
        ):
            blocked = (same[0], same[-1])
        if notes and notes[-1].doing is Doing.WORKING:
            working.append(notes[-1])
    return blocked, tuple(working)


def _quiet_s(scene: Scene, stage: StagePace) -> float:
    """How long nothing completed, as the stage's reports show it. A coordinator that does not even report
    any more is no proof until it has been silent for long: results are collected without a word."""
    silent_s = scene.age_s(stage.reported_at)
    if scene.sees_lines and silent_s > scene.limits.first_shard_floor_s:
        return frozen_s(stage) + silent_s
    return frozen_s(stage)


def _silence_s(scene: Scene) -> float:
    """Seconds since the newest report of a coordinator that is in a stage; 0 when the log cannot be seen."""
    stage = scene.stage
    if stage is None or stage.reported_at is None or not scene.sees_lines or not stage.is_under_way:
        return 0.0
    return scene.age_s(stage.reported_at)


def _stage_evidence(stage: StagePace, quiet_s: float, scene: Scene) -> tuple[Evidence, ...]:
    counts = (
        f"{stage.in_flight} in-flight, {stage.queued} queued, {stage.alive}/{stage.workers} workers alive"
    )
    text = f"[{stage.label}] {stage.done}/{stage.total} complete, {counts}; unchanged for {quiet_s:.0f} s"
    return (Evidence(text, f"{stage.owner}/0", at=stage.reported_at, role=Role.COORDINATOR),)


def _dump_evidence(*notes: DumpNote) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(f"{note.doing}: {note.place}", f"dump of {note.target}", at=note.taken_at, role=note.role)
        for note in notes
    )


def _told(notes: tuple[DumpNote, ...]) -> str:
    if not notes:
        return "no thread dump of the coordinator was taken yet"
    return f"the newest of {len(notes)} dumps says {notes[-1].doing} ({notes[-1].place or 'nothing'})"


def _holders_told(what: str, notes: tuple[DumpNote, ...]) -> str:
    if not notes:
        return f"no worker was seen {what.split()[0]}{' in two dumps' if what.startswith('blocked') else ''}"
    return f"{notes[-1].target} is {what} {notes[-1].place}"


def _since_text(what: str, holds: bool, since_s: float) -> str:
    return f"{what}, {since_s:.0f} s ago" if holds else f"not so: {what}"

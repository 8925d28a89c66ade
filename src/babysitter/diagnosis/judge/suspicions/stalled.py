"""A stage in which nothing completes: stuck for good, or held up by its last few shards?

The coordinator cannot tell the two apart: its reports and its dumps look the same. Time against the stage's
own pace can, and so can dumps of the workers that hold the shards.
"""

from dataclasses import dataclass, replace

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import (
    Certainty,
    Suspicion,
    apart_s,
    evidence_of,
    newest_idle_run,
    newest_run,
    none_of,
    notes_of,
)
from babysitter.diagnosis.timeline.pipelines.stage_pace import (
    eta_s,
    since_last_completion_s,
    stuck_after_s,
)
from babysitter.model.finding import ActionKind, Cause, Evidence, Findings, Retry, Severity
from babysitter.model.ids import job_of
from babysitter.model.limits import Limits
from babysitter.model.log import Role
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation, Want
from babysitter.model.progress import Motion, StagePace
from babysitter.model.thread_dump import DumpSummary, ProcessActivity
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

OLD_REPORT_S = 60.0  # guess: a coordinator reports every 5 s
_WANTS = frozenset({Want.WORKER_DUMPS, Want.COORDINATOR_DUMP, Want.TASKS})


@dataclass(frozen=True, slots=True)
class ShardHolders:
    """What dumps say of the workers that hold shards, since the last completion."""

    blocked: tuple[DumpSummary, ...] = ()  # one worker in one place, in two dumps far enough apart
    working: tuple[DumpSummary, ...] = ()


def stuck(snapshot: Snapshot) -> Suspicion:
    """Nothing completed for far longer than it ever took, although the stage's reports are seen.

    Of several executions at once each is judged by itself. While another one works nothing is restarted.
    """
    if not snapshot.runs:
        return none_of(SignalKind.STUCK, "stuck.running", f"{snapshot.attempt.id} does not run")
    if not snapshot.open_stages:
        return _never_began(snapshot)
    judged = [_judged(snapshot, stage) for stage in snapshot.open_stages]
    worst = max(judged, key=lambda suspicion: suspicion.level)
    works = any(
        suspicion.level is Certainty.NONE and stage.is_under_way
        for suspicion, stage in zip(judged, snapshot.open_stages, strict=True)
    )
    return _beside_work(worst) if works and worst.diagnosis is not None else worst


def _beside_work(suspicion: Suspicion) -> Suspicion:
    found = suspicion.diagnosis
    assert found is not None
    held_back = replace(
        found,
        action=ActionKind.ESCALATE if found.action.restarts else found.action,
        explanation=f"{found.explanation} Another pipeline of the same coordinator is at work.",
    )
    return replace(suspicion, diagnosis=held_back)


def _judged(snapshot: Snapshot, stage: StagePace) -> Suspicion:
    """Whether one stage is stuck."""
    limits = snapshot.limits
    if not stage.is_under_way:
        return none_of(SignalKind.STUCK, "stuck.stage-under-way", f"{stage.label} is done")
    quiet_s, after_s = quiet_for_s(snapshot, stage), stuck_after_s(stage, snapshot.memory.stages, limits)
    is_over = quiet_s > after_s
    holders = _holders(snapshot, stage)
    reasons = (
        Reason("stuck.log-seen", snapshot.sees_lines, "the log was read at this look"),
        Reason(
            "stuck.nothing-completed",
            is_over,
            f"{stage.label}: nothing completed for {quiet_s:.0f} s{_as_of(snapshot, stage, quiet_s)} "
            f"(stuck from {after_s:.0f} s on), {stage.reached} done",
        ),
        _blocked_reason("stuck", holders),
        _working_reason("stuck", holders),
    )
    if not is_over or not snapshot.sees_lines:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    if holders.working and not holders.blocked and quiet_s <= after_s * limits.first_shard_factor:
        slow = _slow(stage, holders, quiet_s, after_s)
        text = "nothing completes, but a shard's code is at work"
        return Suspicion(SignalKind.STUCK, Certainty.LIKELY, reasons, text, slow, slow.evidence, _WANTS)
    diagnosis = _stuck(snapshot, stage, holders, quiet_s, after_s)
    text = f"nothing completed for {quiet_s:.0f} s"
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, text, diagnosis, diagnosis.evidence, _WANTS)


def _as_of(snapshot: Snapshot, stage: StagePace, quiet_s: float) -> str:
    """When that was so, where the newest report is old: silence since then is judged apart."""
    since_s = snapshot.age_s(stage.reported_at)
    is_counted = quiet_s > since_last_completion_s(stage)
    return "" if is_counted or since_s < OLD_REPORT_S else f" at its newest report, {since_s:.0f} s ago"


def motion_of(memory: Memory, observation: Observation, limits: Limits) -> Motion | None:
    """What the stage under way does, by the suspicions; None where there is no stage."""
    tree = observation.seen_tree
    if tree is None:
        return None
    snapshot = Snapshot(tree, observation, Findings(), memory, limits)
    stage = snapshot.stage
    if stage is None or not stage.is_under_way:
        return None
    if stuck(snapshot).level > Certainty.NONE:
        return Motion.STUCK
    if stragglers(snapshot).level > Certainty.NONE:
        return Motion.STRAGGLING
    if stage.done == 0:
        earlier = [
            stage_pace
            for stage_pace in memory.stages
            if stage_pace.owner == stage.owner and stage_pace is not stage
        ]
        return Motion.UNKNOWN if earlier else Motion.NOT_STARTED
    return Motion.ADVANCING if stage.gaps_s or stage.first_done_at != stage.started_at else Motion.UNKNOWN


def _never_began(snapshot: Snapshot) -> Suspicion:
    """A coordinator that runs for long and never began a stage, nor said that it was done."""
    limits = snapshot.limits
    has_begun = any(stage.owner == snapshot.attempt.id for stage in snapshot.memory.stages)
    runs_s = snapshot.age_s(snapshot.attempt.started_at)
    is_over = snapshot.needs_crew and not has_begun and runs_s > limits.first_shard_floor_s
    is_open = (
        is_over
        and snapshot.pipeline is not None
        and snapshot.memory.shutdown_at is None
        and snapshot.sees_lines
    )
    reasons = (
        Reason("stuck.stage-under-way", False, "no stage is under way"),
        Reason(
            "stuck.never-began",
            is_open,
            f"{snapshot.attempt.id} runs for {runs_s:.0f} s without a stage "
            f"(stuck from {limits.first_shard_floor_s:.0f} s on)",
        ),
    )
    if not is_open:
        return Suspicion(SignalKind.STUCK, Certainty.NONE, reasons)
    evidence = (Evidence(f"no progress report in {runs_s:.0f} s", f"job {snapshot.attempt.id}"),)
    diagnosis = Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.ESCALATE,
        explanation=f"The coordinator runs for {runs_s / 60:.0f} min and has not begun a stage.",
        confidence=0.6,
        evidence=evidence,
        look_at=("coordinator-dump", "coordinator-logs"),
    )
    text = diagnosis.explanation
    return Suspicion(SignalKind.STUCK, Certainty.PROVEN, reasons, text, diagnosis, evidence, _WANTS)


def _stuck(
    snapshot: Snapshot, stage: StagePace, holders: ShardHolders, quiet_s: float, after_s: float
) -> Diagnosis:
    """A restart needs two dumps of a worker that hangs in one place; time alone calls a person."""
    is_blocked = bool(holders.blocked)
    has_nobody = snapshot.needs_crew and stage.alive == 0
    where = ""
    if is_blocked:
        where = f" Its worker hangs in {holders.blocked[-1].place}, in two dumps."
    elif has_nobody:
        where = " No worker is alive."
    return Diagnosis(
        cause=Cause.WORKER_CHURN if has_nobody and not is_blocked else Cause.STAGE_STUCK,
        severity=Severity.FATAL,
        action=ActionKind.RESTART if is_blocked else ActionKind.ESCALATE,
        explanation=f"Stage {stage.label} has completed nothing for {quiet_s / 60:.0f} min at "
        f"{stage.reached} (its own pace makes {after_s / 60:.0f} min the limit).{where}",
        confidence=0.9 if is_blocked else 0.75,
        evidence=(*_reports(stage, quiet_s), *evidence_of(*holders.blocked)),
        retry=Retry.HELPS if is_blocked else Retry.UNKNOWN,
        look_at=("worker-dumps", "worker-logs"),
    )


def _slow(stage: StagePace, holders: ShardHolders, quiet_s: float, after_s: float) -> Diagnosis:
    """Over the limit, but the code of a shard is at work: slow, as far as anybody can tell."""
    return Diagnosis(
        cause=Cause.STRAGGLERS,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT,
        explanation=f"Stage {stage.label} has completed nothing for {quiet_s / 60:.0f} min (by its own pace "
        f"{after_s / 60:.0f} is much), but a shard's code is at work in {holders.working[-1].place}.",
        confidence=0.6,
        evidence=(*_reports(stage, quiet_s), *evidence_of(*holders.working)),
        retry=Retry.ITSELF,
        look_at=("worker-dumps",),
    )


def stragglers(snapshot: Snapshot) -> Suspicion:
    """Nothing queued, few in flight, most workers without work, and that for a while."""
    stage, limits = snapshot.stage, snapshot.limits
    if stage is None or not snapshot.runs or not stage.is_under_way or not snapshot.needs_crew:
        return none_of(SignalKind.STRAGGLING, "stragglers.stage-under-way", "no stage is under way")
    in_flight, workers = stage.in_flight or 0, stage.workers or 0
    most = max(1, round(stage.total * limits.straggler_most_share))
    # Workers that left for want of work count as gone in the reports, whatever they are called there.
    idle = max(0, (stage.alive or 0) - in_flight) + (stage.gone or 0)
    quiet_s = quiet_for_s(snapshot, stage)
    holders = _holders(snapshot, stage)
    needed = (
        Reason("stragglers.log-seen", snapshot.sees_lines, "the log was read at this look"),
        Reason("stragglers.nothing-queued", stage.queued == 0, f"{stage.queued} queued"),
        Reason(
            "stragglers.few-in-flight",
            0 < in_flight <= most and stage.done > 0,
            f"{in_flight} in flight (at most {most} count as few)",
        ),
        Reason(
            "stragglers.workers-idle",
            workers > 1 and idle * 2 >= workers,
            f"{idle} of {workers} workers are without work",
        ),
        _lasting(snapshot, stage, quiet_s),
    )
    reasons = (*needed, _working_reason("stragglers", holders))
    if not all(reason.holds for reason in needed):
        return Suspicion(SignalKind.STRAGGLING, Certainty.NONE, reasons)
    at = f" A shard's code is at work ({holders.working[-1].place})." if holders.working else ""
    diagnosis = Diagnosis(
        cause=Cause.STRAGGLERS,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT,
        explanation=f"Stage {stage.label} waits for its last {in_flight} of {stage.total} shards for "
        f"{quiet_s / 60:.0f} min; {idle} of {workers} workers have nothing to do.{at}",
        evidence=(*_reports(stage, quiet_s), *evidence_of(*holders.working)),
        retry=Retry.ITSELF,
        look_at=("worker-dumps",),
    )
    wants = frozenset({Want.WORKER_DUMPS, Want.TASKS})
    text = diagnosis.explanation
    return Suspicion(
        SignalKind.STRAGGLING, Certainty.LIKELY, reasons, text, diagnosis, diagnosis.evidence, wants
    )


def _lasting(snapshot: Snapshot, stage: StagePace, quiet_s: float) -> Reason:
    """Whether the last shards are more than a moment: by their age, else by their pace.

    A text that shows one report has neither.
    """
    limits = snapshot.limits
    left_s = eta_s(stage)
    is_old = quiet_s >= limits.straggler_least_age_s
    is_slow = left_s is not None and left_s > limits.straggler_least_left_s
    is_unknown = snapshot.is_last_look and not stage.gaps_s and not since_last_completion_s(stage)
    told = f"nothing completed for {quiet_s:.0f} s (told from {limits.straggler_least_age_s:.0f} s on)"
    if is_slow:
        told = (
            f"the rest takes {left_s:.0f} s at this pace (told from {limits.straggler_least_left_s:.0f} s on)"
        )
    return Reason("stragglers.old-enough", is_old or is_slow or is_unknown, told)


def quiet_for_s(snapshot: Snapshot, stage: StagePace) -> float:
    """How long nothing completed, as the stage's own reports show it.

    A coordinator that does not even report any more proves nothing until it has been silent for long:
    results are collected without a word. A program that prints other lines meanwhile has longer, as it
    evaluates, and for ever when it never told how much there is: it may be exporting. What passed while
    nothing could be seen was no silence.
    """
    limits, memory = snapshot.limits, snapshot.memory
    heard = [datetime for datetime in (stage.reported_at, memory.blind_until_at) if datetime is not None]
    silent_s = snapshot.age_s(max(heard, default=None))
    is_talking = not snapshot.needs_crew and snapshot.age_s(memory.last_line_at) < limits.quiet_floor_s
    if is_talking and not stage.total:
        return since_last_completion_s(stage)
    most_s = limits.first_shard_floor_s * (limits.first_shard_factor if is_talking else 1.0)
    if snapshot.sees_lines and silent_s > most_s:
        return since_last_completion_s(stage) + silent_s
    return since_last_completion_s(stage)


def _holders(snapshot: Snapshot, stage: StagePace) -> ShardHolders:
    workers = snapshot.pipeline.workers if snapshot.pipeline else None
    since = stage.last_done_at or stage.started_at
    blocked: tuple[DumpSummary, ...] = ()
    working: list[DumpSummary] = []
    for task in dict.fromkeys(note.target for note in snapshot.memory.dumps if note.role is Role.WORKER):
        if workers is None or job_of(task) != workers.id:
            continue
        notes = tuple(note for note in notes_of(snapshot, task) if since is None or note.taken_at >= since)
        run = newest_run(notes, ProcessActivity.BLOCKED)
        same = tuple(note for note in run if note.place == run[-1].place)
        if len(same) < 2 and notes and notes[-1].doing is ProcessActivity.WORKING:
            same = newest_idle_run(notes)
        if len(same) >= 2 and apart_s(same) >= snapshot.limits.blocked_dumps_apart_s:
            blocked = (same[0], same[-1])
        elif notes and notes[-1].doing is ProcessActivity.WORKING:
            working.append(notes[-1])
    return ShardHolders(blocked, tuple(working))


def _blocked_reason(name: str, holders: ShardHolders) -> Reason:
    text = "no worker was seen to hang in one place in two dumps"
    if holders.blocked:
        text = f"{holders.blocked[-1].target} hangs in {holders.blocked[-1].place}"
    return Reason(f"{name}.worker-blocked", bool(holders.blocked), text)


def _working_reason(name: str, holders: ShardHolders) -> Reason:
    text = "no worker was seen at work"
    if holders.working:
        text = f"{holders.working[-1].target} is at work in {holders.working[-1].place}"
    return Reason(f"{name}.worker-at-work", bool(holders.working), text)


def _reports(stage: StagePace, quiet_s: float) -> tuple[Evidence, ...]:
    text = f"[{stage.label}] {stage.reached} complete"
    if stage.workers is not None:
        text += f", {stage.in_flight} in-flight, {stage.queued} queued"
        text += f", {stage.alive}/{stage.workers} workers alive"
    return (
        Evidence(
            f"{text}; unchanged for {quiet_s:.0f} s",
            f"{stage.owner}/0",
            at=stage.reported_at,
            role=Role.COORDINATOR,
        ),
    )

"""What a person sees of the job right now: one line, stages, pace, what is left."""

from dataclasses import replace

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.startup_stall import startup_of
from babysitter.diagnosis.timeline.pipelines.stage_pace import current_stage, eta_s, rate_per_min
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import pipeline_attempts
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState, JobTree
from babysitter.model.log import Role
from babysitter.model.memory import Memory
from babysitter.model.progress import StagePace
from babysitter.model.verdict import ProgressSummary, StageProgressSummary

MAX_CHILDREN = 10


def progress_summary(snapshot: Snapshot) -> ProgressSummary:
    """The outlook of a look that saw the tree."""
    stage, memory = snapshot.stage, snapshot.memory
    workers = snapshot.pipeline.workers if snapshot.pipeline else None
    goes_on = not snapshot.root.state.is_terminal
    startup = startup_of(snapshot)
    return ProgressSummary(
        summary=_summary(snapshot),
        job_state=snapshot.root.state,
        stages=_stages(memory, snapshot.attempt),
        stage_count=_stage_count(snapshot),
        eta_s=eta_s(stage) if goes_on and stage else None,
        rate_per_min=rate_per_min(stage) if goes_on and stage else None,
        alive=stage.alive if stage else None,
        workers=(stage.workers if stage else None) or (workers.task_count if workers else None),
        pipeline=snapshot.pipeline.name.pipeline if snapshot.pipeline else None,
        retries=snapshot.retries,
        peak_memory_bytes=memory.peak_memory_bytes,
        last_line_at=memory.last_line_at,
        started_at=snapshot.root.started_at,
        finished_at=snapshot.root.finished_at,
        startup=startup.sentence if startup else "",
        failed_children=() if goes_on else failed_children(snapshot.tree),
    )


def failed_children(tree: JobTree) -> tuple[str, ...]:
    """Child jobs that ended badly by themselves and were not tried again with success.

    A pipeline's coordinators count by their last attempt; its workers, and what was stopped, never.
    """
    found = pipeline_attempts(tree)
    last = {
        (pipeline.name.hash, pipeline.name.pipeline, pipeline.name.pool): pipeline.coordinator
        for pipeline in found
    }
    of_pipelines = {job.id for pipeline in found for job in (pipeline.coordinator, pipeline.workers) if job}
    meant = [
        *last.values(),
        *(descendant for descendant in tree.descendants if descendant.id not in of_pipelines),
    ]
    bad = (JobState.FAILED, JobState.WORKER_FAILED, JobState.UNSCHEDULABLE)
    return tuple(_child(job) for job in meant if job.state in bad)[:MAX_CHILDREN]


def _child(job: Job) -> str:
    error = job.error.strip().partition("\n")[0][:200]
    return f"{job.name} ({job.state}{': ' + error if error else ''})"


def outlook_of_memory(memory: Memory, summary: str) -> ProgressSummary:
    """The outlook while blind: what was last seen."""
    stage = current_stage(memory.stages, memory.newest_attempt)
    return ProgressSummary(
        summary=summary,
        job_state=memory.root_state,
        stages=_stages_of(memory, memory.newest_attempt),
        alive=stage.alive if stage else None,
        workers=stage.workers if stage else None,
        peak_memory_bytes=memory.peak_memory_bytes,
        last_line_at=memory.last_line_at,
    )


def _stage_count(snapshot: Snapshot) -> int | None:
    """How many stages all pipelines of the run have worked on; None for a job without a pipeline."""
    owners = {pipeline.coordinator.id for pipeline in pipeline_attempts(snapshot.tree)}
    return sum(stage.owner in owners for stage in snapshot.memory.stages) if owners else None


def _stages(memory: Memory, attempt: Job) -> tuple[StageProgressSummary, ...]:
    """The stages of an attempt that may have ended; one that ended badly broke off its last stage."""
    stages = _stages_of(memory, attempt.id)
    if not stages or not attempt.state.is_terminal:
        return stages
    *earlier, last = stages
    if attempt.state is JobState.SUCCEEDED:
        return (*earlier, replace(last, is_current=False))
    reported = next(stage for stage in reversed(memory.stages) if stage.owner == attempt.id)
    return (*earlier, replace(last, done=reported.done, is_current=False))


def _stages_of(memory: Memory, attempt: JobId | None) -> tuple[StageProgressSummary, ...]:
    return tuple(
        StageProgressSummary(
            label=stage.label,
            # A stage never reports its last shard: what ended was done.
            done=(stage.total or stage.done) if stage.ended_at else stage.done,
            total=stage.total,
            is_current=stage.ended_at is None,
            started_at=stage.started_at,
            ended_at=stage.ended_at,
        )
        for stage in memory.stages
        if stage.owner == attempt
    )


def _summary(snapshot: Snapshot) -> str:
    root, stage = snapshot.root, snapshot.stage
    if root.state.is_terminal:
        return _end(snapshot)
    if snapshot.waiting is not None:
        role = "workers wait" if snapshot.waiting.id != root.id else "waits"
        return f"{role} for machines"
    if stage is not None:
        reached = f"{stage.done}/{stage.total}" if stage.total else f"{stage.done}"
        return f"{stage.label}: {reached}{_left(stage)}"
    if snapshot.needs_crew and snapshot.pipeline is None:
        return "starting: no coordinator yet"
    if snapshot.needs_crew:
        return f"{Role.COORDINATOR} {snapshot.attempt.state}, no stage under way"
    startup = startup_of(snapshot)
    return f"{root.state}: {startup.sentence}" if startup is not None else f"{root.state}"


def _left(stage: StagePace) -> str:
    left_s = eta_s(stage)
    return f", about {left_s / 60:.0f} min left" if left_s is not None and left_s >= 60 else ""


def _end(snapshot: Snapshot) -> str:
    root = snapshot.root
    lasted = ""
    if root.started_at and root.finished_at:
        lasted_s = (root.finished_at - root.started_at).total_seconds()
        lasted = f" after {lasted_s:.0f} s" if lasted_s < 90 else f" after {lasted_s / 60:.0f} min"
    again = (
        f", {snapshot.retries} {'retry' if snapshot.retries == 1 else 'retries'}" if snapshot.retries else ""
    )
    word = "succeeded" if root.state is JobState.SUCCEEDED else str(root.state)
    return f"{word}{lasted}{again}"

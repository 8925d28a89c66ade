"""Everything that one judgement looks at, and the plain questions that several phases ask about it."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from babysitter.diagnosis.timeline.job_kinds import kind_named
from babysitter.diagnosis.timeline.pipelines.stage_pace import current_stage, open_stages
from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import (
    PipelineAttempt,
    newest_pipeline_attempt,
    older_at_work,
    pipeline_attempts,
    tried_again,
    was_restarted,
)
from babysitter.diagnosis.timeline.tree_memory import waits_for_machines
from babysitter.model.finding import Findings
from babysitter.model.job import Job, JobState, JobTree, TaskState
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation
from babysitter.model.progress import StagePace
from babysitter.model.seen import Seen

STOPPED = "Terminated by user"


@dataclass(frozen=True)  # no slots: answers are kept once they are computed
class Snapshot:
    """One look whose job tree was seen. `memory` has it folded in already."""

    tree: JobTree
    observation: Observation
    findings: Findings
    memory: Memory
    limits: Limits

    @property
    def now(self) -> datetime:
        return self.observation.taken_at

    @property
    def root(self) -> Job:
        return self.tree.root

    @property
    def is_last_look(self) -> bool:
        """Whether this is all that there will ever be: a text, after which nobody looks again."""
        return self.observation.excerpt is not None

    @property
    def sees_lines(self) -> bool:
        """Whether the log was asked at this look and answered: only then is silence a fact."""
        return isinstance(self.observation.lines, Seen)

    @cached_property
    def pipeline(self) -> PipelineAttempt | None:
        return newest_pipeline_attempt(self.tree)

    @cached_property
    def attempt(self) -> Job:
        """The job that is judged: the newest coordinator, else the root."""
        return self.pipeline.coordinator if self.pipeline else self.root

    @cached_property
    def stage(self) -> StagePace | None:
        """The stage under way of the newest attempt."""
        return current_stage(self.memory.stages, self.attempt.id)

    @cached_property
    def open_stages(self) -> tuple[StagePace, ...]:
        """The stages under way of the newest attempt, one for each execution that it runs at once."""
        return open_stages(self.memory.stages, self.attempt.id)

    @cached_property
    def waiting(self) -> Job | None:
        """The job that waits for machines and holds up the rest."""
        return waits_for_machines(self.tree)

    @cached_property
    def doubled(self) -> tuple[PipelineAttempt, ...]:
        """Older coordinators that still do the work of the newest one."""
        return older_at_work(self.tree)

    @cached_property
    def retries(self) -> int:
        """How often the job has tried again by itself: its own process, and its pipelines."""
        again = sum(1 for pipeline in pipeline_attempts(self.tree) if (pipeline.name.attempt or 0) > 0)
        again += tried_again(self.tree)
        lost = self.root.failure_count + self.root.preemption_count
        return again + (max(0, lost - 1) if self.root.state.ended_badly else lost)  # nothing follows the last

    @cached_property
    def began_at(self) -> datetime | None:
        """When the newest try began to run: what it did not print before says nothing."""
        moments = (self.attempt.started_at, self.memory.waited_at)
        return max((at for at in moments if at is not None), default=None)

    @property
    def needs_crew(self) -> bool:
        return kind_named(self.memory.kind).has_crew

    @property
    def runs(self) -> bool:
        """Whether the newest attempt runs, as far as the controller knows."""
        return self.attempt.state is JobState.RUNNING and self.root.state is JobState.RUNNING

    @property
    def has_living_workers(self) -> bool:
        workers = self.pipeline.workers if self.pipeline else None
        if workers is None or workers.state.is_terminal:
            return False
        return not workers.task_states or workers.task_states.get(TaskState.RUNNING, 0) > 0

    @cached_property
    def is_healing(self) -> bool:
        """Whether the job's own recovery is under way: a newer try that has yet to show progress."""
        if self.root.state.is_terminal or (self.retries == 0 and not self.memory.requeues):
            return False
        requeued_at = self.memory.requeues[-1] if self.memory.requeues else None
        advanced_at = self.memory.advanced_at
        if requeued_at is not None and self.age_s(requeued_at) < self.limits.healing_s:
            return advanced_at is None or advanced_at <= requeued_at
        started_at = self.attempt.started_at or self.attempt.submitted_at
        if self.retries and started_at is not None and self.age_s(started_at) < self.limits.healing_s:
            return advanced_at is None or advanced_at < started_at
        return False

    @property
    def was_stopped(self) -> bool:
        """Whether the root itself was ended through the controller. At a child the same words prove nothing.

        Nobody knows whether a job that a text tells of is a root, unless it is told.
        """
        if self.observation.excerpt is not None:
            return self.observation.excerpt.facts.stopped_at_root
        texts = [self.root.error, *(task.error for task in self.root.tasks or ())]
        return self.root.state is JobState.KILLED and any(STOPPED in text for text in texts)

    @property
    def was_restarted_by_itself(self) -> bool:
        """Whether the lines say that the pipeline began anew after a failed attempt."""
        return self.memory.pipeline_tries > 0

    @property
    def was_restarted(self) -> bool:
        return was_restarted(self.root)

    def age_s(self, at: datetime | None) -> float:
        """Seconds since a moment; 0 for moments to come and for None."""
        return max(0.0, (self.now - at).total_seconds()) if at is not None else 0.0

"""What the phases of a running job share: is it up, what is suspicious, what is confirmed?"""

from collections.abc import Callable
from dataclasses import dataclass

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.hung_exit import hung_exit
from babysitter.diagnosis.judge.suspicions.left_over import left_over
from babysitter.diagnosis.judge.suspicions.member_churn import member_churn
from babysitter.diagnosis.judge.suspicions.member_fails import member_fails
from babysitter.diagnosis.judge.suspicions.missing_member import missing_member
from babysitter.diagnosis.judge.suspicions.nothing_comes_out import nothing_comes_out
from babysitter.diagnosis.judge.suspicions.only_failures import only_failures
from babysitter.diagnosis.judge.suspicions.only_repeats import only_repeats
from babysitter.diagnosis.judge.suspicions.repeated_errors import repeated_errors
from babysitter.diagnosis.judge.suspicions.stalled import stragglers, stuck
from babysitter.diagnosis.judge.suspicions.stands_in_a_line import stands_in_a_line
from babysitter.diagnosis.judge.suspicions.startup_stall import startup_stall
from babysitter.diagnosis.judge.suspicions.step_stall import (
    count_stands_still,
    only_idle,
    only_polls,
    only_waits,
    told_quiet,
)
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion
from babysitter.diagnosis.judge.suspicions.task_crash_loop import task_crash_loop
from babysitter.diagnosis.judge.suspicions.work_stopped import work_stopped
from babysitter.diagnosis.judge.suspicions.worker_churn import no_output, worker_churn
from babysitter.diagnosis.judge.suspicions.worthless_work import worthless_work
from babysitter.diagnosis.judge.suspicions.zombie import zombie
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.job import JobState
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, Signal, SignalKind

# What explains others comes first. A new suspicion is a function and a row here.
SUSPICIONS: tuple[Callable[[Snapshot], Suspicion], ...] = (
    zombie, left_over, missing_member, hung_exit, stuck, stragglers, worker_churn, task_crash_loop,
    member_churn, work_stopped, member_fails, only_failures, worthless_work, nothing_comes_out,
    count_stands_still, told_quiet, only_polls, only_waits, only_idle, only_repeats, startup_stall,
    repeated_errors, stands_in_a_line, no_output,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suspicions:
    """All suspicions of one look, and the two that matter most."""

    all: tuple[Suspicion, ...]

    @property
    def proven(self) -> Suspicion | None:
        return next((suspicion for suspicion in self.all if suspicion.level is Certainty.PROVEN), None)

    @property
    def likely(self) -> Suspicion | None:
        return next((suspicion for suspicion in self.all if suspicion.level is Certainty.LIKELY), None)

    @property
    def is_stalled(self) -> bool:
        """Whether a stage is still over its limit, whatever its workers do."""
        return any(suspicion.kind is SignalKind.STUCK for suspicion in self.open)

    @property
    def open(self) -> tuple[Suspicion, ...]:
        return tuple(suspicion for suspicion in self.all if suspicion.level > Certainty.NONE)

    @property
    def wants(self) -> frozenset[Want]:
        return frozenset(want for suspicion in self.open for want in suspicion.wants)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return tuple(reason for suspicion in self.all for reason in suspicion.reasons)


def evaluate_suspicions(snapshot: Snapshot) -> Suspicions:
    """Every suspicion about a running job, the one that explains the others first."""
    return Suspicions(tuple(weigh(snapshot) for weigh in SUSPICIONS))


def signals(snapshot: Snapshot, stand: Suspicions) -> tuple[Signal, ...]:
    """The open suspicions as signals, with the moment since when each is open; and what else is going on."""
    since = snapshot.memory.suspicious_since
    found = [
        Signal(
            suspicion.kind, since.get(suspicion.kind, snapshot.now), suspicion.explanation, suspicion.evidence
        )
        for suspicion in stand.open
    ]
    if snapshot.doubled:
        found.append(_doubled_signal(snapshot))
    if snapshot.is_healing:
        text = "shards were given to other workers: the pipeline mends itself"
        if snapshot.retries:
            text = f"the job recovers by itself: try {snapshot.retries + 1}, judged by its newest attempt"
        found.append(Signal(SignalKind.RETRYING, since.get(SignalKind.RETRYING, snapshot.now), text))
    return tuple(found)


def _doubled_signal(snapshot: Snapshot) -> Signal:
    since = snapshot.memory.suspicious_since.get(SignalKind.TWO_COORDINATORS, snapshot.now)
    text = "two pipelines write at once"
    return Signal(SignalKind.TWO_COORDINATORS, since, text, _doubled_evidence(snapshot))


def _doubled_evidence(snapshot: Snapshot) -> tuple[Evidence, ...]:
    newest = snapshot.attempt
    older = tuple(
        Evidence(f"still {pipeline.coordinator.state}", f"job {pipeline.coordinator.id}", at=snapshot.now)
        for pipeline in snapshot.doubled
    )
    return (*older, Evidence(f"{newest.state}, submitted later", f"job {newest.id}", at=snapshot.now))


def two_coordinators(snapshot: Snapshot) -> Diagnosis | None:
    """Two coordinators of one pipeline at work: an incident, and nothing is restarted while it lasts."""
    if not snapshot.doubled:
        return None
    older = snapshot.doubled[-1].coordinator.id
    return Diagnosis(
        cause=Cause.ZOMBIE_COORDINATOR,
        severity=Severity.DEGRADED,
        action=ActionKind.WAIT,
        explanation=f"An older coordinator ({older}) still works beside the newest one: two pipelines write "
        "at the same time. It usually ends by itself; nothing may be restarted before.",
        confidence=0.9,
        evidence=_doubled_evidence(snapshot),
        retry=Retry.ITSELF,
        look_at=("coordinator-logs",),
    )


def started_successfully(snapshot: Snapshot) -> tuple[bool, tuple[Reason, ...]]:
    """Whether the newest attempt is up: everything it started runs, and first progress was seen."""
    if snapshot.needs_crew:
        return _pipeline_started(snapshot)
    has_line = snapshot.memory.first_line_at is not None
    seen_s, most_s = snapshot.memory.seen_in_phase_s, snapshot.limits.plain_smoke_s
    runs = snapshot.root.state is JobState.RUNNING
    holds = runs and (has_line or seen_s >= most_s)
    reasons = (
        Reason("up.running", runs, f"the job is {snapshot.root.state}"),
        Reason("up.first-line", has_line, f"it has printed {'a line' if has_line else 'nothing'}"),
        Reason("up.long-enough", seen_s >= most_s, f"seen for {seen_s:.0f} s (enough: {most_s:.0f} s)"),
    )
    return holds, reasons


def _pipeline_started(snapshot: Snapshot) -> tuple[bool, tuple[Reason, ...]]:
    pipeline = snapshot.pipeline
    if pipeline is None:
        return False, (Reason("up.coordinator", False, "no coordinator was started yet"),)
    has_progress = any(
        stage.done > 0 or stage.ended_at is not None
        for stage in snapshot.memory.stages
        if stage.owner == pipeline.coordinator.id
    )
    if pipeline.coordinator.state is JobState.SUCCEEDED:
        return True, (Reason("up.pipeline-done", True, "the newest pipeline has succeeded"),)
    stage = snapshot.stage
    at_work = stage is not None and (stage.in_flight or 0) > 0 and (stage.alive or 0) > 0
    is_late = snapshot.memory.seen_in_phase_s >= snapshot.limits.smoke_allowance_s
    runs = pipeline.coordinator.state is JobState.RUNNING
    workers = snapshot.has_living_workers
    reasons = (
        Reason("up.coordinator", runs, f"the coordinator is {pipeline.coordinator.state}"),
        Reason("up.workers", workers, "workers run" if workers else "no worker runs"),
        Reason("up.first-progress", has_progress, f"{'a' if has_progress else 'no'} shard was completed"),
        Reason("up.shards-at-work", at_work, f"{'shards are' if at_work else 'no shard is'} in flight"),
    )
    # A first shard may take longer than the allowance: workers that hold shards are up all the same.
    return runs and (has_progress or (is_late and at_work and workers)), reasons

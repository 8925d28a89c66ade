"""Processes of a running job that die and are started again by the cluster, while nothing gets done."""

from dataclasses import replace

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.repeated_errors import diagnosis_of_the_living
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.model.cause_info import about
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.job import Task
from babysitter.model.observation import Want
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

MIN_RESTARTS = 3  # guess: one or two deaths are what restarts are for


def task_crash_loop(snapshot: Snapshot) -> Suspicion:
    """So many restarts of the job's own processes in a window that its recovery does not help."""
    if snapshot.pipeline is not None or not snapshot.runs or not snapshot.root.task_restarts:
        return none_of(SignalKind.CHURN, "crash-loop.restarts", "no process of the job was started again")
    counts = [loss for loss in snapshot.memory.losses if loss.job == snapshot.root.id]
    lost, last_at = _lost_in_window(snapshot), counts[-1].at if counts else None
    advanced_at = snapshot.memory.advanced_at
    goes_on = advanced_at is not None and last_at is not None and advanced_at > last_at
    outcome = "work goes on in spite of it" if goes_on else "nothing was completed since the last death"
    minutes = snapshot.limits.churn_window_s / 60
    told = f"processes of the job died and were started again {lost} times in {minutes:.0f} min"
    reasons = (
        Reason("crash-loop.restarts", lost >= MIN_RESTARTS, f"{told} (told from {MIN_RESTARTS} on)"),
        Reason("crash-loop.goes-on", goes_on, outcome),
    )
    if lost < MIN_RESTARTS or goes_on:
        return Suspicion(SignalKind.CHURN, Certainty.NONE, reasons)
    diagnosis = _diagnosis(snapshot, f"{told[0].upper()}{told[1:]}; {outcome}.")
    wants = frozenset({Want.TASKS})
    return Suspicion(
        SignalKind.CHURN,
        Certainty.PROVEN,
        reasons,
        diagnosis.explanation,
        diagnosis,
        diagnosis.evidence,
        wants,
    )


def _lost_in_window(snapshot: Snapshot) -> int:
    """Restarts within the window; of a job that is younger than it, all."""
    window_s = snapshot.limits.churn_window_s
    counts = [loss for loss in snapshot.memory.losses if loss.job == snapshot.root.id]
    before = [count.total for count in counts if snapshot.age_s(count.at) > window_s]
    started_at = snapshot.root.started_at or snapshot.root.submitted_at
    is_young = started_at is not None and snapshot.age_s(started_at) <= window_s
    first = 0 if is_young else min((count.total for count in counts), default=0)
    return snapshot.root.task_restarts - (before[-1] if before else first)


def _diagnosis(snapshot: Snapshot, explanation: str) -> Diagnosis:
    """Of what the lines say they died, else that they died: then the whole job begins again."""
    found = diagnosis_of_the_living(snapshot)
    places = tuple(_evidence(task) for task in snapshot.root.tasks or () if task.current_attempt > 0)
    counted = Evidence(explanation, f"job {snapshot.root.id}", at=snapshot.now)
    evidence = (*(places[:3] or (counted,)), *(found.evidence if found else ()))[:6]
    if found is not None and found.cause is not Cause.UNKNOWN and not about(found.cause).is_echo:
        return replace(found, explanation=f"{explanation} {found.explanation}", evidence=evidence)
    return Diagnosis(
        cause=Cause.ACTOR_DIED,
        severity=Severity.FATAL,
        action=ActionKind.RESTART,
        explanation=explanation,
        confidence=0.7,
        evidence=evidence,
        retry=Retry.HELPS,
        look_at=("worker-logs", "machine"),
    )


def _evidence(task: Task) -> Evidence:
    where = f" on {task.worker}" if task.worker else ""
    text = f"started again {task.current_attempt} times{where}; {task.status_text}".rstrip("; ")
    return Evidence(text, task.id)

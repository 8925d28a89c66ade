"""A start that has been quiet in one of its phases for longer than is normal there."""

from collections.abc import Iterator, Sequence

from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion, none_of
from babysitter.diagnosis.timeline.startup.startup_standing import standing_of
from babysitter.model.finding import ActionKind, Cause, Evidence, Retry, Severity
from babysitter.model.job import Task
from babysitter.model.observation import Want
from babysitter.model.startup import StartupStanding
from babysitter.model.verdict import Diagnosis, Reason, SignalKind

MAX_DEVICE_TASKS = 4  # whose accelerators are shown as evidence
MAX_DEVICES = 8  # of one of them
FULL_SHARE = 0.97  # so much of its memory in use: nothing more fits (guess)


def startup_of(snapshot: Snapshot) -> StartupStanding | None:
    """Where the start of the program stands; None for a program without a table."""
    return standing_of(snapshot.memory.startup, snapshot.now, has_ended=snapshot.root.state.is_terminal)


def startup_stall(snapshot: Snapshot) -> Suspicion:
    """No line of the phase for longer than is normal in it. Nothing proves it: a person decides."""
    standing = startup_of(snapshot)
    if not snapshot.runs or standing is None or standing.quiet_limit_s is None:
        return none_of(SignalKind.NOT_UP_YET, "startup.phase", "no phase of a start is under way")
    text = (
        f"phase {standing.phase} ({standing.name}) has been quiet for {standing.quiet_s:.0f} s "
        f"(normal: {standing.quiet_limit_s:.0f} s)"
    )
    is_suspect = standing.is_suspect and snapshot.sees_lines
    reasons = (Reason("startup.quiet", is_suspect, text),)
    if not is_suspect:
        return Suspicion(SignalKind.NOT_UP_YET, Certainty.NONE, reasons)
    diagnosis = _stalled(snapshot, standing)
    wants = frozenset({Want.ROOT_DUMP, Want.TASKS})
    return Suspicion(
        SignalKind.NOT_UP_YET, Certainty.LIKELY, reasons, text, diagnosis, diagnosis.evidence, wants
    )


def _stalled(snapshot: Snapshot, standing: StartupStanding) -> Diagnosis:
    quiet_min, limit_min = standing.quiet_s / 60, (standing.quiet_limit_s or 0.0) / 60
    where = ", ".join(part for part in (standing.process, standing.node) if part)
    source = f"start of {snapshot.root.id}" + (f" ({where})" if where else "")
    tasks = _tasks_with_devices(snapshot, standing)
    return Diagnosis(
        cause=Cause.STAGE_STUCK,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"The start stands still: {standing.sentence}. Nothing was printed in this phase for "
        f"{quiet_min:.0f} min; up to {limit_min:.0f} min is normal.{_what_devices_say(tasks)}",
        confidence=0.6,
        evidence=(Evidence(standing.sentence, source, at=snapshot.now), *_device_evidence(tasks)),
        retry=Retry.ITSELF if _compute(tasks) else Retry.UNKNOWN,
        look_at=("worker-logs",),
        advice=standing.advice,
    )


def _tasks_with_devices(snapshot: Snapshot, standing: StartupStanding) -> Sequence[Task]:
    """The process that is quiet, else those of its node, else all whose accelerators are known."""
    known = [task for task in snapshot.root.tasks or () if task.devices]
    own = [task for task in known if task.id == standing.process]
    return own or [task for task in known if standing.node and task.worker == standing.node] or known


def _device_evidence(tasks: Sequence[Task]) -> Iterator[Evidence]:
    for task in tasks[:MAX_DEVICE_TASKS]:
        text = "; ".join(device.text for device in task.devices[:MAX_DEVICES])
        yield Evidence(text, f"accelerators of {task.id}" + (f" on {task.worker}" if task.worker else ""))


def _compute(tasks: Sequence[Task]) -> bool:
    return any(device.busy_percent for task in tasks for device in task.devices)


def _what_devices_say(tasks: Sequence[Task]) -> str:
    """A sentence about the accelerators; "" where nobody says how busy they are."""
    devices = [device for task in tasks for device in task.devices]
    if not devices or any(device.busy_percent is None for device in devices):
        return ""
    is_full = any(device.used_bytes > FULL_SHARE * device.total_bytes for device in devices)
    full = " Memory of at least one is full." if is_full else ""
    if _compute(tasks):
        return f" Its accelerators compute, so it may still be at work.{full}"
    return f" None of its accelerators computes.{full}"

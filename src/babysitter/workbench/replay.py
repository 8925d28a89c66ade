"""Judging a recording on its own clock, optionally stretched: a live check minus the cluster."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from babysitter.backends.ray.recorded_answers import PlayedRayReader
from babysitter.backends.recording.format import (
    RecordedStep,
    Recording,
    TimeScale,
    read_recording,
)
from babysitter.backends.recording.player import RecordedReader
from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.observe import observe
from babysitter.errors import BadConfig
from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import WatchId
from babysitter.model.job_facts import JobFacts
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone
from babysitter.model.verdict import Diagnosis, Reason, Verdict
from babysitter.model.watch import Watch
from babysitter.playbook.load import load
from babysitter.redact import redact
from babysitter.shipped import shipped

# What was recorded costs nothing to look at: a replay wants all of it at every step.
EVERYTHING = frozenset(
    {Want.TASKS, Want.COORDINATOR_DUMP, Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.WORKER_LINES}
)


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One step of a replay. `t_s`: recorded seconds since the start, not stretched."""

    sample: str
    t_s: float
    phase: Phase
    is_blind: bool
    diagnosis: Diagnosis | None
    summary: str
    reasons: tuple[Reason, ...] = ()
    verdict: Verdict | None = None

    @property
    def cause(self) -> Cause:
        return self.diagnosis.cause if self.diagnosis else Cause.HEALTHY

    @property
    def action(self) -> ActionKind:
        return self.diagnosis.action if self.diagnosis else ActionKind.IGNORE

    @property
    def severity(self) -> Severity:
        """What is merely info is shown as benign."""
        severity = self.diagnosis.severity if self.diagnosis else Severity.BENIGN
        return Severity.BENIGN if severity is Severity.INFO else severity


def replay_folder(
    folder: Path, playbooks: Sequence[Path] = (), *, time_scale: float = 1.0
) -> tuple[ReplayStep, ...]:
    """`replay` with the shipped rules and those of further folders, from outside any event loop."""
    rules = load([shipped(), *playbooks])
    return asyncio.run(replay(folder, rules, time_scale=time_scale))


class RecordedClock:
    """Shows the time of the step that is being played."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    async def sleep_until(self, at: datetime) -> None:
        """A recording waits for nobody."""


async def replay(
    folder: Path, playbook: Playbook, *, time_scale: float = 1.0, limits: Limits | None = None
) -> tuple[ReplayStep, ...]:
    """Every step of a recording, judged. Raises BadConfig for a folder that is no recording."""
    recording = read_recording(folder)
    stretch = TimeScale(recording.started_ms, time_scale)
    clock = RecordedClock(stretch.moment(recording.started_ms))
    reader: RecordedReader | PlayedRayReader = RecordedReader(recording, stretch)
    if recording.generation == "ray":
        if time_scale != 1.0:
            raise BadConfig("Recordings of Ray have one pace.", next_step="Leave --time-scale out.")
        reader = PlayedRayReader(recording, clock)
    watch = _watch(recording, clock.now(), limits or Limits())
    judged: list[ReplayStep] = []
    for step in recording.steps:
        clock.moment = stretch.moment(step.at_ms)
        reader.show(step)
        if not reader.has_looked:
            continue
        memory = replace(watch.memory, wants=watch.memory.wants | EVERYTHING)
        observation = await observe(replace(watch, memory=memory), reader, clock)
        if isinstance(observation.tree, Gone) and watch.memory.seen_at is None:
            judged.append(_no_such_job(recording, step, observation.tree, playbook))
            continue
        verdict = judge(watch, observation, playbook)
        watch = replace(watch, memory=verdict.memory)
        judged.append(_judged(step, verdict))
    return tuple(judged)


def as_json(judged: Sequence[ReplayStep]) -> dict[str, Any]:
    """`{"steps": [...], "final": {...}}`, redacted."""
    steps = [_step_json(replay_step) for replay_step in judged]
    return {"steps": steps, "final": steps[-1] if steps else None}


def _step_json(judged: ReplayStep) -> dict[str, Any]:
    evidence = judged.diagnosis.evidence if judged.diagnosis else ()
    return {
        "sample": judged.sample,
        "t": judged.t_s,
        "phase": judged.phase.value,
        "blind": judged.is_blind,
        "cause": judged.cause.value,
        "severity": judged.severity.value,
        "action": judged.action.value,
        "summary": redact(judged.summary),
        "evidence": [redact(f"{line.source}: {line.text}") for line in evidence],
    }


def _watch(recording: Recording, now: datetime, limits: Limits) -> Watch:
    return Watch(
        id=WatchId("replay"),
        root=recording.root,
        first_root=recording.root,
        cluster="recording",
        kind="auto",
        created_at=now,
        due_at=now,
        memory=Memory(generation=recording.generation),
        limits=limits,
    )


def _judged(step: RecordedStep, verdict: Verdict) -> ReplayStep:
    told = verdict.diagnosis.explanation if verdict.diagnosis else verdict.outlook.summary
    if verdict.diagnosis is None and verdict.signals:
        told = f"{told} ({verdict.signals[0].explanation})"
    return ReplayStep(
        step.sample,
        step.t_s,
        verdict.phase,
        bool(verdict.blind),
        verdict.diagnosis,
        told,
        verdict.reasons,
        verdict,
    )


def _no_such_job(recording: Recording, step: RecordedStep, gone: Gone, playbook: Playbook) -> ReplayStep:
    """A job that never existed: a refused submission says why, else nobody knows."""
    diagnosis = Diagnosis(
        cause=Cause.UNKNOWN,
        severity=Severity.DEGRADED,
        action=ActionKind.ESCALATE,
        explanation=f"The cluster does not know the job {recording.root}: a wrong id, or never started.",
        evidence=(Evidence(gone.reason, f"job {recording.root}"),),
    )
    if recording.refusal:
        diagnosis = _of_refusal(recording, playbook, diagnosis)
    return ReplayStep(step.sample, step.t_s, Phase.PENDING, False, diagnosis, diagnosis.explanation)


def _of_refusal(recording: Recording, playbook: Playbook, unknown: Diagnosis) -> Diagnosis:
    """What the words of a refused submission mean."""
    last = recording.refusal.strip().splitlines()
    said = next((line for line in reversed(last) if not line.startswith("---")), "")
    findings = classify_text(said, playbook, JobFacts(error=said))
    best = max(
        (f for f in findings.all if f.severity >= Severity.DEGRADED), key=lambda f: f.confidence, default=None
    )
    return replace(
        unknown,
        cause=best.cause if best is not None else Cause.UNKNOWN,
        severity=Severity.FATAL,
        explanation=f"The submission was refused, so no job exists: {said[:400]}",
        evidence=(Evidence(said[:1000], "iris job run"),),
    )

"""The door of judgement: one look in, one verdict out. Dispatches to the phase and checks every move.

Pure: the moment is the observation's, what it would like to see next is part of the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from babysitter.diagnosis.judge.at_once import at_once
from babysitter.diagnosis.judge.evidence import retain_findings
from babysitter.diagnosis.judge.likelihood.measured_confidence import as_measured
from babysitter.diagnosis.judge.phases.blind import blind
from babysitter.diagnosis.judge.phases.failing import failing
from babysitter.diagnosis.judge.phases.finished import finished
from babysitter.diagnosis.judge.phases.missing_job import missing
from babysitter.diagnosis.judge.phases.pending import pending
from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.phases.phases import assessment_every_s, enter, next_check_s
from babysitter.diagnosis.judge.phases.smoke import smoke
from babysitter.diagnosis.judge.phases.steady import steady
from babysitter.diagnosis.judge.phases.suspect import suspect
from babysitter.diagnosis.judge.progress_summary import progress_summary
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.model.finding import Cause, Findings
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.observation import Observation, Want
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone, Unseen
from babysitter.model.verdict import SignalKind, Verdict

JUDGES: Mapping[Phase, Callable[[Snapshot], PhaseResult]] = {
    Phase.PENDING: pending,
    Phase.SMOKE: smoke,
    Phase.STEADY: steady,
    Phase.SUSPECT: suspect,
    Phase.FAILING: failing,
    Phase.ACTING: lambda snapshot: PhaseResult(Phase.ACTING),  # noqa: ARG005  the saga's business
    Phase.FINISHED: finished,
}


# Judged by what a job does over time; what is read from lines and states stands or is overcome.
KEEP_THEIR_AGE = frozenset(
    {
        SignalKind.QUIET,
        SignalKind.STUCK,
        SignalKind.STRAGGLING,
        SignalKind.CHURN,
        SignalKind.ZOMBIE_LIKE,
        SignalKind.LINGERING,
    }
)


def assess(observation: Observation, findings: Findings, memory: Memory, limits: Limits) -> Verdict:
    """What one look means. `memory` has the observation folded in already
    (diagnosis/timeline/update_memory.py: `update_memory`).
    """
    if isinstance(observation.tree, Unseen):
        return blind(observation, observation.tree, memory, limits)
    if isinstance(observation.tree, Gone):
        return missing(observation, observation.tree, memory, limits)
    if observation.excerpt is not None:
        snapshot = Snapshot(observation.tree.value, observation, findings, memory, limits)
        return _verdict(snapshot, at_once(snapshot), (), recovered=False)
    memory = replace(
        retain_findings(memory, findings, observation), assessment_s=assessment_every_s(memory, limits)
    )
    snapshot = Snapshot(observation.tree.value, observation, findings, memory, limits)
    snapshot, outcome, trail, recovered = _settle(snapshot)
    return _verdict(snapshot, outcome, trail, recovered)


def _settle(snapshot: Snapshot) -> tuple[Snapshot, PhaseResult, tuple[Phase, ...], bool]:
    """Ask the phase's function, and the next one's, until one of them stays."""
    trail: list[Phase] = []
    recovered = False
    outcome = JUDGES[snapshot.memory.phase](snapshot)
    while outcome.phase is not snapshot.memory.phase and outcome.phase not in trail:
        trail.append(snapshot.memory.phase)
        recovered |= outcome.recovered
        memory = enter(_examined(snapshot), outcome.phase, snapshot.now)
        snapshot = Snapshot(snapshot.tree, snapshot.observation, snapshot.findings, memory, snapshot.limits)
        outcome = JUDGES[memory.phase](snapshot)
    if outcome.phase is not snapshot.memory.phase:  # two phases that send it to each other: stay here
        outcome = replace(outcome, phase=snapshot.memory.phase)
    return snapshot, outcome, tuple(trail), recovered


def _examined(snapshot: Snapshot) -> Memory:
    """The memory on leaving a phase: what was under suspicion has been looked into."""
    if snapshot.memory.phase is not Phase.SUSPECT:
        return snapshot.memory
    kinds = snapshot.memory.suspicious_since
    return replace(
        snapshot.memory, examined_at={**snapshot.memory.examined_at, **dict.fromkeys(kinds, snapshot.now)}
    )


def _verdict(snapshot: Snapshot, outcome: PhaseResult, trail: tuple[Phase, ...], recovered: bool) -> Verdict:
    memory = _noted(snapshot, outcome)
    spots = _blind_spots(snapshot)
    usual_s = next_check_s(outcome.phase, memory.checks_in_phase, snapshot.limits)
    reading = snapshot.findings.reading
    words_read = reading.word_count if reading else None
    return Verdict(
        phase=outcome.phase,
        memory=memory,
        next_check_s=min(usual_s, outcome.check_again_s or usual_s),
        outlook=progress_summary(snapshot),
        diagnosis=as_measured(outcome.diagnosis, words_read) if outcome.diagnosis else None,
        attempt=snapshot.attempt.id,
        signals=outcome.signals,
        blind=spots,
        wants=memory.wants,
        reasons=outcome.reasons,
        recovered=recovered,
        two_coordinators=bool(snapshot.doubled),
        healing=snapshot.is_healing,
        trail=trail,
    )


def _noted(snapshot: Snapshot, outcome: PhaseResult) -> Memory:
    """The memory to keep: wants, since when signals stand, which were examined, what is open."""
    before, now = snapshot.memory, snapshot.now
    kinds = [signal.kind for signal in outcome.signals]
    remembered = [*kinds, *_absent_for_a_while(snapshot, kinds)]
    examined = {kind: at for kind, at in before.examined_at.items() if kind in remembered}
    if outcome.phase is Phase.SUSPECT:
        examined |= dict.fromkeys(kinds, now)
    has_ended = snapshot.root.state.is_terminal
    wants = frozenset[Want]() if has_ended else outcome.wants
    return replace(
        before,
        wants=wants,
        suspicious_since={kind: before.suspicious_since.get(kind, now) for kind in remembered},
        suspected_at={kind: now if kind in kinds else before.suspected_at[kind] for kind in remembered},
        examined_at=examined,
        open_cause=_open(outcome),
        open_attempt=snapshot.attempt.id if outcome.phase is Phase.FAILING else None,
    )


def _absent_for_a_while(snapshot: Snapshot, kinds: Sequence[str]) -> list[str]:
    """Suspicions that are not there now and keep their age, should they come back: nothing refuted them.

    Progress refutes all of them; half an hour without any forgets them.
    """
    memory = snapshot.memory
    return [
        kind
        for kind, at in memory.suspected_at.items()
        if kind in KEEP_THEIR_AGE
        and kind not in kinds
        and snapshot.age_s(at) <= snapshot.limits.assessment_most_s
        and (memory.advanced_at is None or memory.advanced_at <= at)
    ]


def _open(outcome: PhaseResult) -> Cause | None:
    return outcome.diagnosis.cause if outcome.phase is Phase.FAILING and outcome.diagnosis else None


def _blind_spots(snapshot: Snapshot) -> tuple[Unseen, ...]:
    """What suspends judgement: a dump that could not be taken does not, nor the log of an ended job."""
    lines = snapshot.observation.lines
    if isinstance(lines, Unseen) and not snapshot.root.state.is_terminal:
        return (lines,)
    return ()

"""A text is all there is: judge it as a watch at its end, which will not look again."""

from dataclasses import replace

from babysitter.diagnosis.judge.evidence import facts_of, known_findings
from babysitter.diagnosis.judge.likelihood.by_lines import MEASURED
from babysitter.diagnosis.judge.phases.finished import finished
from babysitter.diagnosis.judge.phases.phase_result import PhaseResult
from babysitter.diagnosis.judge.root_cause import find_root_cause
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.judge.suspicions.stalled import quiet_for_s
from babysitter.diagnosis.judge.suspicions.suspicion import Certainty, Suspicion
from babysitter.diagnosis.judge.suspicions.suspicions import evaluate_suspicions
from babysitter.model.finding import ActionKind, Cause, Finding, Findings, Severity
from babysitter.model.ids import RuleId
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from babysitter.model.verdict import Diagnosis

_ALL_WELL = Diagnosis(Cause.HEALTHY, Severity.BENIGN, ActionKind.IGNORE, "Nothing is wrong.", 0.7)


def at_once(snapshot: Snapshot) -> PhaseResult:
    """Judge everything in one look: what is likely now cannot be confirmed by a second one.

    What the suspicions prove stands beside what the rules found, and the earliest decisive evidence wins.
    """
    if snapshot.root.state.is_terminal:
        outcome = finished(snapshot)
        return outcome if outcome.diagnosis is not None else replace(outcome, diagnosis=_ALL_WELL)
    stand = evaluate_suspicions(snapshot)
    findings = _with_suspicions(known_findings(snapshot), stand.all)
    judgement = find_root_cause(findings, facts_of(snapshot))
    reasons = (*judgement.reasons, *stand.reasons)
    return PhaseResult(Phase.STEADY, _hopeless(snapshot, judgement.diagnosis), reasons=reasons)


def _with_suspicions(findings: Findings, suspicions: tuple[Suspicion, ...]) -> Findings:
    """Proven suspicions as findings, except where a rule found the same cause."""
    named = {finding.cause for finding in findings.all}
    proven = [
        _finding(suspicion, suspicion.diagnosis)
        for suspicion in suspicions
        if suspicion.level is Certainty.PROVEN
        and suspicion.diagnosis is not None
        and suspicion.diagnosis.cause not in named
    ]
    return replace(findings, all=(*proven, *findings.all))


def _finding(suspicion: Suspicion, diagnosis: Diagnosis) -> Finding:
    places = [line.line_number - 1 for line in diagnosis.evidence if line.line_number is not None]
    return Finding(
        rule=RuleId(f"{MEASURED}{suspicion.kind}"),
        cause=diagnosis.cause,
        severity=diagnosis.severity,
        action=diagnosis.action,
        explanation=diagnosis.explanation,
        evidence=diagnosis.evidence,
        confidence=diagnosis.confidence,
        retry=diagnosis.retry,
        position=min(places, default=-1),
        last_position=max(places, default=-1),
        look_at=diagnosis.look_at,
    )


def _hopeless(snapshot: Snapshot, diagnosis: Diagnosis) -> Diagnosis:
    """After so long without a completion the advice to a person is a restart: no dump will ever say more."""
    stage, still = snapshot.stage, snapshot.memory.still_count
    if diagnosis.cause is not Cause.STAGE_STUCK or snapshot.root.state is not JobState.RUNNING:
        return diagnosis
    if stage is not None:
        quiet_s = quiet_for_s(snapshot, stage)
    elif still is not None and diagnosis.rules and diagnosis.rules[0] == "measured.stuck":
        quiet_s = still.still_s + snapshot.age_s(still.last_at)
    else:
        quiet_s = facts_of(snapshot).last_line_age_s or 0.0
    if quiet_s <= snapshot.limits.hopeless_s:
        return diagnosis
    return replace(diagnosis, action=ActionKind.RESTART)

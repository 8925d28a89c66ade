"""Which cause the lines of a living job name, once its course shows that something is wrong."""

from collections.abc import Collection
from dataclasses import replace

from babysitter.diagnosis.causes.guess import is_guess
from babysitter.diagnosis.judge.evidence import facts_of, findings_still_valid
from babysitter.diagnosis.judge.root_cause import diagnose
from babysitter.diagnosis.judge.snapshot import Snapshot
from babysitter.diagnosis.learned.read_log import read_lines, shipped_verdict_weights
from babysitter.diagnosis.timeline.repetition.wordings import reports_trouble
from babysitter.model.cause_info import about
from babysitter.model.finding import Cause, Finding, Findings, Severity
from babysitter.model.ids import TaskId
from babysitter.model.log import LogLine
from babysitter.model.run_profile import LineTemplate, RunProfile
from babysitter.model.verdict import Diagnosis

MAX_LINES = 30


def cause_by_lines(
    snapshot: Snapshot,
    from_s: float,
    *,
    chatter: Collection[LineTemplate] = (),
    silent_s: float | None = None,
) -> Diagnosis | None:
    """Return the cause that reports since `from_s` or the lines of the job name; None if they name none.

    `chatter`: lines that go on and say nothing of it. `silent_s`: for how long no work was seen. Each wording
    is read once, by its first line, so that the answer does not change while nothing new is printed.
    """
    memory = snapshot.memory
    if not any(map(reports_trouble, memory.profile.templates)):
        return None  # what lines mean tells failures apart, not whether there is one
    facts = replace(facts_of(snapshot), last_line_age_s=silent_s, advanced_after=None)
    lines = _lines(memory.profile, chatter)
    reading = read_lines(lines, facts, shipped_verdict_weights(), last=len(lines))
    near = [
        replace(finding, overcome_by="")
        for finding in memory.findings
        if not is_guess(finding) and _is_since(finding, from_s)
    ]
    found = diagnose(Findings(tuple(near), reading=reading), facts)
    if about(found.cause).is_benign or found.cause is Cause.UNKNOWN or found.severity < Severity.DEGRADED:
        return None
    return findings_still_valid(found)


def with_cause(untold: Diagnosis, found: Diagnosis | None) -> Diagnosis:
    """What the course of a job tells, with the cause that its lines name, if they do."""
    if found is None:
        return untold
    return replace(
        found,
        severity=untold.severity,
        action=untold.action,
        explanation=f"{found.explanation} {untold.explanation}",
        evidence=(*found.evidence[:3], *untold.evidence),
        look_at=untold.look_at or found.look_at,
    )


def _is_since(finding: Finding, from_s: float) -> bool:
    return any(line.at is not None and line.at.timestamp() >= from_s for line in finding.evidence)


def _lines(profile: RunProfile, chatter: Collection[LineTemplate]) -> list[LogLine]:
    """The wordings that were printed last, as lines, in the order of their first ones."""
    telling = [template for template in profile.templates if template not in chatter]
    newest = sorted(telling, key=lambda template: template.last_place)[-MAX_LINES:]
    return [
        LogLine(
            template.example, int(template.first_at_s * 1000), TaskId(template.source), 0, template.level, ""
        )
        for template in sorted(newest, key=lambda template: template.first_place)
    ]

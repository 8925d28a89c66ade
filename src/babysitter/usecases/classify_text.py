"""From a text and a few facts to a diagnosis, without a cluster: what `classify` and `eval` share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.loss_rules import measured_findings
from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rule_fields import PaceFields, fields_of_facts
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.causes.why_not import why_not
from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.diagnosis.judge.root_cause import find_root_cause
from babysitter.diagnosis.judge.step_stall import frozen_finding, polled_finding
from babysitter.diagnosis.judge.text_progress import Story, read_story
from babysitter.model.finding import ActionKind, Cause, Finding, Findings
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.verdict import Diagnosis, Reason

# A running watch asks for two dumps before it offers to restart a stuck stage. A text is all there is: after
# this long without a single shard, the advice to a person is to restart.
HOPELESS_S = 3600.0


@dataclass(frozen=True, slots=True)
class Examined:
    """A diagnosis with everything it rests on."""

    diagnosis: Diagnosis
    findings: Findings
    facts: JobFacts
    story: Story
    reasons: tuple[Reason, ...]


def examine(
    text: str,
    playbook: Playbook,
    facts: JobFacts | None = None,
    *,
    source: str = "log",
    dumps: Sequence[str] = (),
) -> Examined:
    """Judge a log text. `facts`: what is known beside it; where the log advanced is read from the text."""
    facts = facts or JobFacts()
    lines = text.split("\n")
    story = read_story(lines, silent_s=facts.last_line_age_s or 0.0)
    facts = replace(
        facts,
        advanced_after=story.advanced_at,
        retried_by_itself=facts.retried_by_itself or story.restarted_by_itself,
    )
    findings = classify_text(
        text,
        playbook,
        facts,
        source=source,
        dumps=tuple(read_dump(each) for each in dumps if each.strip()),
        measures=measures_of(story),
    )
    tail = lines[story.skipped :]
    seen = [*measured_findings(story.run, tail, source=source)]
    if facts.state in (None, JobState.RUNNING):
        frozen = frozen_finding(tail, source=source, silent_s=facts.last_line_age_s or 0.0)
        polled = polled_finding(tail, source=source)
        seen += [each for each in (frozen, polled) if each is not None]
    measured = [_moved(each, story.skipped) for each in seen]
    findings = replace(findings, all=(*measured, *findings.all))
    judgement = find_root_cause(findings, facts)
    diagnosis = judgement.diagnosis
    if diagnosis.cause is Cause.STAGE_STUCK and (story.quiet_s or 0.0) > HOPELESS_S:
        diagnosis = replace(diagnosis, action=ActionKind.RESTART)
    return Examined(diagnosis, findings, facts, story, judgement.reasons)


def missing(
    text: str, playbook: Playbook, cause: Cause, facts: JobFacts | None = None, *, dumps: Sequence[str] = ()
) -> tuple[Reason, ...]:
    """Why a cause was not found in a log text: the demands of its rules, with the values that they met."""
    shown = tuple(read_dump(each) for each in dumps if each.strip())
    measures = measures_of(read_story(text.split("\n")))
    fields = fields_of_facts(facts or JobFacts(), dumps=shown, measures=measures)
    return why_not(playbook, cause, LineBuffer(text.encode("utf-8", "replace"), fields))


def _moved(finding: Finding, lines: int) -> Finding:
    """The finding with its places counted from the beginning of the text."""
    evidence = tuple(replace(each, line_number=(each.line_number or 0) + lines) for each in finding.evidence)
    return replace(
        finding,
        evidence=evidence,
        position=finding.position + lines,
        last_position=finding.last_position + lines,
    )


def measures_of(story: Story) -> PaceFields:
    """A story's numbers under the names that playbooks compare."""
    sample = story.newest
    if sample is None:
        return PaceFields()
    return PaceFields(
        motion=story.motion,
        numbers={
            "done": sample.done,
            "total": sample.total,
            "in_flight": sample.in_flight,
            "queued": sample.queued,
            "alive": sample.alive,
            "workers": sample.workers,
            "gone": sample.dead,
            "done_ratio": sample.done / max(1, sample.total),
            "dead_ratio": sample.dead / max(1, sample.workers),
            "alive_ratio": sample.alive / max(1, sample.workers),
            "quiet_s": story.quiet_s or 0.0,
        },
    )


def words_of(examined: Examined) -> str:
    """What would be said about it: cause, explanation, proof with line numbers, what to do. Not redacted."""
    diagnosis = examined.diagnosis
    lines = [
        f"{diagnosis.cause.value} ({diagnosis.severity.value}, confidence {diagnosis.confidence:.0%})",
        diagnosis.explanation,
    ]
    for each in diagnosis.evidence:
        place = f"{each.source}:{each.line_number}" if each.line_number else each.source
        lines.append(f"  {place}: {each.text.strip()}")
    if diagnosis.cascade:
        lines.append(f"What followed: {len(diagnosis.cascade)} lines, the first: {diagnosis.cascade[0].text}")
    lines.append(f"What to do: {advice_of(diagnosis, examined.findings)}")
    return "\n".join(lines)


_ADVICE = {
    ActionKind.IGNORE: "nothing",
    ActionKind.WAIT: "wait and look again",
    ActionKind.ESCALATE: "somebody must look",
    ActionKind.RESTART: "the same thing again is likely to work; restart it once a person approves",
    ActionKind.RESTART_WITH_CHANGE: "it fails again unless something is changed",
}


def advice_of(diagnosis: Diagnosis, findings: Findings) -> str:
    """The action in words, with the deciding rule's own advice."""
    deciding = {finding.rule: finding.advice for finding in findings.all}
    own = next((deciding[rule] for rule in diagnosis.rules if deciding.get(rule)), "")
    return f"{_ADVICE[diagnosis.action]}. {own}".strip() if own else f"{_ADVICE[diagnosis.action]}."

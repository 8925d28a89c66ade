"""Facts -> findings: every rule of a playbook held against one look, or against one text.

Two doors, one engine: `classify` for a watch's observation, `classify_text` for a log file and a few flags.
Pure; of the outside only the compiled patterns' cache file is touched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from babysitter.diagnosis.causes.conditions import LineFilter, Match, holds
from babysitter.diagnosis.causes.explanation import fill
from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.rule import LogMatch, Rule
from babysitter.diagnosis.causes.rule_fields import (
    Fields,
    PaceFields,
    fields_of_facts,
    fields_of_tree,
)
from babysitter.diagnosis.causes.rule_index import RuleIndex, index_of
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.causes.stances import DOUBTFUL, StanceFilter, has_failed
from babysitter.diagnosis.frame.structured_lines import unwrap_structured_lines
from babysitter.diagnosis.signatures.pattern import Pattern
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.model.cause_info import about
from babysitter.model.finding import STANCE_PREFIX, Cause, Finding, Findings, Severity
from babysitter.model.ids import RuleId, TaskId
from babysitter.model.job import TaskState
from babysitter.model.job_facts import JobFacts
from babysitter.model.log import LogLine, Role
from babysitter.model.observation import Observation
from babysitter.model.seen import Seen
from babysitter.model.thread_dump import ThreadDump

MAX_EVIDENCE = 4  # lines quoted of one finding: the first three and the last
MAX_CAPTURE = 200  # characters


def classify(
    observation: Observation,
    playbook: Playbook,
    *,
    carried: Sequence[LogLine] = (),
    measures: PaceFields | None = None,
    last_log_age_s: float | None = None,
    role_of_task: Callable[[TaskId], Role | None] | None = None,
) -> Findings:
    """Findings of one look. `carried`: earlier lines that the new ones may continue (see progress_memory.py).

    A finding that rests on carried lines alone is not reported again. What was not seen is no evidence.
    """
    if (excerpt := observation.excerpt) is not None:
        return classify_text(
            excerpt.text,
            playbook,
            excerpt.facts,
            source=excerpt.source,
            dumps=excerpt.dumps,
            measures=measures,
        )
    lines = (*carried, *observation.seen_lines)
    tree = observation.seen_tree
    dumps = tuple(
        (sight.value, role_of_task(task) if role_of_task else None)
        for task, sight in observation.dumps.items()
        if isinstance(sight, Seen)
    )
    fields = (
        fields_of_tree(tree, dumps=dumps, measures=measures, last_log_age_s=last_log_age_s)
        if tree is not None
        else Fields(dumps=dumps, measures=measures or PaceFields())
    )
    text = "\n".join([line.text for line in lines]).encode("utf-8", "replace")
    if text.count(b"\n") != max(
        0, len(lines) - 1
    ):  # an entry that holds several lines would shift all others
        text = b"\n".join([line.text.encode("utf-8", "replace").replace(b"\n", b" ") for line in lines])
    reading = LineBuffer(text, fields, entries=lines, role_of_task=role_of_task)
    return _without_old(findings_of(reading, playbook), len(carried))


def classify_text(
    text: bytes | str,
    playbook: Playbook,
    facts: JobFacts | None = None,
    *,
    source: str = "log",
    role: Role | None = None,
    dumps: tuple[ThreadDump, ...] = (),
    measures: PaceFields | None = None,
    task_states: tuple[TaskState, ...] = (),
) -> Findings:
    """Findings of a log and whatever else is known. Line numbers are those of the text, from 1.

    `role`: whose lines these are; None lets every rule's `source` pass.
    """
    raw = unwrap_structured_lines(text.encode("utf-8", "replace") if isinstance(text, str) else text)
    fields = fields_of_facts(facts or JobFacts(), dumps=dumps, measures=measures, task_states=task_states)
    entries: Sequence[LogLine] | None = None
    role_of_task: Callable[[TaskId], Role | None] | None = None
    if role is not None:
        task = TaskId("/job/0")
        lines = raw.decode("utf-8", "replace").split("\n")
        entries = [LogLine(line, task=task) for line in (lines[:-1] if lines[-1:] == [""] else lines)]

        def role_of_task(task: TaskId) -> Role | None:  # noqa: ARG001
            return role

    reading = LineBuffer(raw, fields, entries=entries, source=source, role_of_task=role_of_task)
    return findings_of(reading, playbook)


def warm(playbook: Playbook) -> None:
    """Compile now what serves best in the long run (seconds, once; kept on disk); for a service."""
    index_of(playbook).prepare()


def findings_of(reading: LineBuffer, playbook: Playbook) -> Findings:
    """The findings of all rules in a reading, earliest first."""
    rules = index_of(playbook)
    rules.read(reading)
    return _weighed(_held(rules, reading), reading)


def _says_something(finding: Finding) -> bool:
    return finding.severity > Severity.INFO and not finding.is_consequence


@dataclass(frozen=True, slots=True)
class _Held:
    """A rule that holds. `stance`: it holds only if lines count that do not report what its patterns find."""

    rule: Rule
    match: Match
    counting: StanceFilter
    stance: Stance | None = None


def _held(rulebook: RuleIndex, reading: LineBuffer) -> list[_Held]:
    held: list[_Held] = []
    for placed in rulebook.candidates(reading):
        counting = StanceFilter(placed.rule, reading)
        match, stance = holds(placed.rule.match, reading, counting), None
        if match is None and counting.skipped:
            match, stance = holds(placed.rule.match, reading), next(iter(counting.skipped.values()))
        if match is not None:
            held.append(_Held(placed.rule, match, counting, stance))
    return held


class _WithoutHarmless:
    """The lines that count for a rule and are not known to be harmless."""

    def __init__(self, counting: LineFilter, harmless: Mapping[int, RuleId]) -> None:
        self._counting, self._harmless = counting, harmless

    def skips(self, line: int, pattern: Pattern | None, asked: LogMatch | None = None) -> bool:
        return line in self._harmless or self._counting.skips(line, pattern, asked)


def _harmless_lines(held: Sequence[_Held], reading: LineBuffer) -> dict[int, RuleId]:
    """Lines of signatures that mean noise, and whose they are."""
    lines: dict[int, RuleId] = {}
    for held_rule in held:
        if held_rule.rule.cause is not Cause.TRANSIENT_NOISE or held_rule.stance is not None:
            continue
        for line in held_rule.match.lines:
            unit = reading.unit_of_line.get(line) if held_rule.rule.with_traceback else None
            lines.update(dict.fromkeys((line, *(unit.lines if unit else ())), RuleId(held_rule.rule.id)))
    return lines


def _weighed(held: Sequence[_Held], reading: LineBuffer) -> Findings:
    harmless = _harmless_lines(held, reading)
    kept: list[Finding] = []
    cancelled: list[tuple[Finding, RuleId]] = []
    for held_rule in held:
        if held_rule.stance is not None:
            continue
        match: Match | None = held_rule.match
        by = next((harmless[line] for line in held_rule.match.lines if line in harmless), None)
        if by is not None and not about(held_rule.rule.cause).is_benign:
            match = holds(held_rule.rule.match, reading, _WithoutHarmless(held_rule.counting, harmless))
        if match is not None:
            kept.append(_finding(held_rule.rule, match, reading))
        elif by is not None:
            cancelled.append((_finding(held_rule.rule, held_rule.match, reading), by))
    unreported = [held_rule for held_rule in held if held_rule.stance is not None]
    if not any(map(_says_something, kept)) and has_failed(reading):
        # Something did happen; lines that only doubt or advise are better than nothing.
        kept += [
            _finding(held_rule.rule, held_rule.match, reading)
            for held_rule in unreported
            if held_rule.stance in DOUBTFUL
        ]
        unreported = [held_rule for held_rule in unreported if held_rule.stance not in DOUBTFUL]
    for held_rule in unreported:
        finding = _finding(held_rule.rule, held_rule.match, reading)
        cancelled.append((finding, RuleId(f"{STANCE_PREFIX}{held_rule.stance}")))
    kept.sort(key=lambda finding: (finding.position < 0, finding.position))
    return Findings(tuple(kept), tuple(cancelled))


def _finding(rule: Rule, match: Match, reading: LineBuffer) -> Finding:
    lines = sorted(match.lines)
    quoted = lines if len(lines) <= MAX_EVIDENCE else [*lines[: MAX_EVIDENCE - 1], lines[-1]]
    captures = _captures(match, lines, reading)
    captures = {name: value[:MAX_CAPTURE] for name, value in captures.items() if value}
    words = {**captures, "count": str(max(1, len(lines))), "task": reading.task(lines[0]) if lines else ""}
    return Finding(
        rule=RuleId(rule.id),
        cause=rule.cause,
        severity=rule.severity,
        action=rule.action.kind,
        explanation=fill(rule.explain, words),
        evidence=(*(reading.evidence(line) for line in quoted), *dict.fromkeys(match.facts)),
        confidence=rule.confidence,
        retry=rule.retry,
        count=max(1, len(lines)),
        position=lines[0] if lines else -1,
        last_position=lines[-1] if lines else -1,
        captures=captures,
        is_consequence=rule.consequence,
        look_at=rule.look_at,
        advice=fill(rule.advice or rule.action.change, words),
        sets=rule.action.sets,
    )


def _captures(match: Match, lines: Sequence[int], reading: LineBuffer) -> dict[str, str]:
    """Of each name the first value, from the lines in order, then from fields and tracebacks."""
    captures: dict[str, str] = {}
    for line in (*lines[:20], *lines[-1:]):
        pattern = match.lines[line]
        if pattern is not None and not captures.keys() >= set(pattern.names):
            for name, value in reading.captures(line, pattern).items():
                if value:
                    captures.setdefault(name, value)
    return {**match.captures, **captures}


def _without_old(findings: Findings, carried: int) -> Findings:
    """Findings that rest on new lines or on no lines, positions counted from the first new line."""
    if not carried:
        return findings
    return replace(
        findings,
        all=tuple(
            f.moved(-carried) for f in findings.all if f.last_position < 0 or f.last_position >= carried
        ),
        cancelled=tuple(
            (f.moved(-carried), by)
            for f, by in findings.cancelled
            if f.last_position < 0 or f.last_position >= carried
        ),
    )

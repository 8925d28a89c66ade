"""Why a cause was not found: every rule that names it, taken apart into predicates with the values they met.

The same functions decide here as in a judgement; nothing is judged a second way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from babysitter.diagnosis.causes.comparisons import ProgressTest
from babysitter.diagnosis.causes.conditions import (
    ALL_LINES,
    holds,
    match_lines,
    match_tracebacks,
)
from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.match_rules import findings_of
from babysitter.diagnosis.causes.predicates import (
    dump_evidence,
    field_evidence,
    progress_evidence,
)
from babysitter.diagnosis.causes.rule import Condition, DumpMatch, LogMatch, Rule
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.signatures.pattern import Pattern
from babysitter.model.finding import STANCE_PREFIX, Cause
from babysitter.model.ids import RuleId
from babysitter.model.verdict import Reason

MAX_RULES = 6  # told in full; of the others only that they exist
MAX_WAYS = 3  # of a choice that are taken apart
MAX_PATTERNS = 4  # of one predicate that are named
MAX_PATTERN = 60  # characters of a pattern
MAX_VALUE = 160  # characters of a value

_FIELDS = ("state", "task_state", "exit_code", "error", "pending_reason", "failure_count",
           "preemption_count", "memory_peak", "last_log_age_s")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Predicate:
    """One demand of a rule, whether it held, and the value that decided."""

    text: str
    holds: bool
    value: str
    is_exception: bool = False  # something that must not be so; where nothing is, it holds by itself
    is_part: bool = False  # of the choice told before it


def why_not(playbook: Playbook, cause: Cause, reading: LineBuffer) -> tuple[Reason, ...]:
    """The predicates of the rules that name a cause, the nearest misses first; empty when none does."""
    findings = findings_of(reading, playbook)
    explained = {finding.rule: by for finding, by in findings.cancelled}
    found = {finding.rule for finding in findings.all}
    tried = [(rule, tuple(predicates_of(rule, reading))) for rule in playbook.rules if rule.cause is cause]
    tried.sort(key=lambda candidate: -_share_that_holds(candidate[1]))
    reasons: list[Reason] = []
    for rule, predicates in tried[:MAX_RULES]:
        by = explained.get(RuleId(rule.id))
        if rule.id in found:
            reasons.append(Reason(rule.id, True, "it matched; what decided was earlier or surer"))
            continue
        if by is not None:
            how = by.removeprefix(STANCE_PREFIX)
            why = f"{by} explains those lines" if how == by else f"those lines are {how} and report nothing"
            reasons.append(Reason(rule.id, False, f"matched, but {why}"))
        reasons += [
            Reason(rule.id, predicate.holds, f"{predicate.text}: {predicate.value}")
            for predicate in predicates
        ]
    if len(tried) > MAX_RULES:
        more = len(tried) - MAX_RULES
        reasons.append(Reason("others", False, f"{more} more rules of {cause}, none of which came nearer"))
    return tuple(reasons)


def predicates_of(rule: Rule, reading: LineBuffer) -> Iterator[Predicate]:
    """Everything that a rule demands, one by one."""
    yield from _of_condition(rule.match, reading)


def _share_that_holds(predicates: Sequence[Predicate]) -> float:
    wanted = [
        predicate.holds for predicate in predicates if not (predicate.is_exception or predicate.is_part)
    ]
    return sum(wanted) / max(1, len(wanted))


def _of_condition(condition: Condition, reading: LineBuffer) -> Iterator[Predicate]:
    for name in _FIELDS:
        if name in condition.model_fields_set:
            yield _of_field(condition, name, reading)
    for test in condition.progress:
        yield _of_progress(test, reading)
    if condition.dump:
        yield _of_dump(condition.dump, reading)
    if condition.logs:
        yield from _of_lines(condition.logs, reading)
    if condition.traceback:
        named = (*condition.traceback.exception, *condition.traceback.message, *condition.traceback.frame)
        match = match_tracebacks(condition.traceback, reading, ALL_LINES)
        seen = ", ".join(dict.fromkeys(r.type for unit in reading.tracebacks for r in unit.raised))
        value = seen or "no traceback was read"
        yield Predicate(f"a traceback with {_named(named)}", match is not None, value[:MAX_VALUE])
    for inner in condition.all:
        yield from _of_condition(inner, reading)
    if condition.any:
        yield from _of_any(condition.any, reading)
    for inner in condition.unless:
        yield _unless(inner, reading)


def _of_field(condition: Condition, name: str, reading: LineBuffer) -> Predicate:
    alone = Condition.model_construct(_fields_set={name}, **{name: getattr(condition, name)})
    fields = reading.fields
    values: Sequence[object]
    if name == "state":
        values = [state.value for state in fields.states]
    elif name == "task_state":
        values = [state.value for state in fields.task_states]
    elif name in ("error", "pending_reason"):
        values = [repr(text) for text, _ in fields.texts.get(name, ())]
    else:
        values = [f"{number:g}" for number, _ in fields.numbers.get(name, ())]
    met = ", ".join(map(str, values)) or "not known"
    return Predicate(
        f"{name.replace('_', ' ')} {_wanted(getattr(condition, name))}",
        field_evidence(alone, fields) is not None,
        met[:MAX_VALUE],
    )


def _wanted(value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    return " or ".join(
        f"`{_short(pattern.text)}`" if isinstance(pattern, Pattern) else str(pattern) for pattern in value
    )


def _of_progress(test: ProgressTest, reading: LineBuffer) -> Predicate:
    measures = reading.fields.measures
    is_met = progress_evidence((test,), measures) is not None
    if test.motion is not None:
        return Predicate(f"progress {test.motion}", is_met, str(measures.motion or "not known"))
    number = measures.numbers.get(test.field)
    met = "not known" if number is None else f"{number:g}"
    return Predicate(f"{test.field} {test.comparison}", is_met, met)


def _of_dump(wanted: DumpMatch, reading: LineBuffer) -> Predicate:
    dumps = reading.fields.dumps
    frames = (*wanted.present, *wanted.all_in, *wanted.innermost)
    words = f"with {_named(frames)}" if frames else f"without {_named(wanted.absent)}"
    value = f"{len(dumps)} dumps" if dumps else "no dump was taken"
    return Predicate(f"a thread dump {words}", dump_evidence(wanted, dumps) is not None, value)


def _of_lines(wanted: LogMatch, reading: LineBuffer) -> Iterator[Predicate]:
    """One predicate for alternatives, one for each line that is needed, one for what they are together."""
    singly = (((pattern,), 1) for pattern in (*wanted.all, *wanted.sequence))
    for patterns, needed in ((wanted.any, wanted.min_count), *singly):
        if patterns:
            seen = len({line for pattern in patterns for line in reading.lines_with(pattern)})
            count = f"{needed} lines" if needed > 1 else "a line"
            yield Predicate(f"{count} with {_named(patterns)}", seen >= needed, f"{seen} seen")
    demands = ", ".join(_demands(wanted))
    if demands:
        is_met = match_lines(wanted, reading, ALL_LINES) is not None
        is_there = any(
            reading.lines_with(pattern) for pattern in (*wanted.any, *wanted.all, *wanted.sequence)
        )
        value = "so" if is_met else "not so" if is_there else "no such line"
        yield Predicate(f"  those lines {demands}", is_met, value)


def _demands(wanted: LogMatch) -> Iterator[str]:
    if wanted.source:
        yield f"from {' or '.join(wanted.source)}"
    if wanted.level:
        yield f"at level {wanted.level} or above"
    if wanted.stream:
        yield f"on {' or '.join(wanted.stream)}"
    if wanted.near_end:
        yield f"among the last {wanted.near_end} of their task"
    if wanted.within:
        yield f"within {wanted.within}"
    if wanted.same:
        yield f"of the same {' and '.join(wanted.same)}"
    if wanted.sequence:
        yield "in this order"
    if wanted.not_followed_by:
        yield f"not followed by {_named(wanted.not_followed_by)}"


def _of_any(conditions: Sequence[Condition], reading: LineBuffer) -> Iterator[Predicate]:
    """One predicate for the choice, then the nearest misses among what there is to choose from."""
    if len(conditions) == 1:
        yield from _of_condition(conditions[0], reading)
        return
    is_met = any(holds(condition, reading) is not None for condition in conditions)
    yield Predicate(f"one of {len(conditions)} ways", is_met, "it does" if is_met else "none does")
    ways = sorted(
        (tuple(_of_condition(condition, reading)) for condition in conditions),
        key=lambda parts: -_share_that_holds(parts),
    )
    for parts in ways[:MAX_WAYS]:
        for number, part in enumerate(parts):
            yield replace(part, text=f"{'   and' if number else '   or'} {part.text.strip()}", is_part=True)


def _unless(condition: Condition, reading: LineBuffer) -> Predicate:
    parts = tuple(_of_condition(condition, reading))
    is_free = holds(condition, reading) is None
    text = " and ".join(part.text for part in parts)
    value = "it is not" if is_free else "it is"
    return Predicate(f"unless {text}"[:MAX_VALUE], is_free, value, is_exception=True)


def _named(patterns: Sequence[Pattern]) -> str:
    shown = " or ".join(f"`{_short(pattern.text)}`" for pattern in patterns[:MAX_PATTERNS])
    more = len(patterns) - MAX_PATTERNS
    return f"{shown} or {more} others" if more > 0 else shown


def _short(text: str) -> str:
    return text if len(text) <= MAX_PATTERN else f"{text[: MAX_PATTERN - 1]}…"

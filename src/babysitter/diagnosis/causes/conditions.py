"""The meaning of a playbook's words: does a condition hold in a reading, and what shows it?

Pure, and one function for each kind of evidence. Every function answers None, or a `Match` that says where.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.predicates import (
    dump_evidence,
    field_evidence,
    progress_evidence,
)
from babysitter.diagnosis.causes.rule import Condition, LogMatch, TracebackMatch
from babysitter.diagnosis.signatures.pattern import Pattern, most_telling
from babysitter.diagnosis.timeline.processes.traceback import RaisedException, Traceback
from babysitter.model.finding import Evidence
from babysitter.model.log import LogLevel, Role

MAX_STARTS = 200  # of a sequence that are tried


class LineFilter(Protocol):
    """Which lines do not count for a rule: explained by another, or of a stance that it does not ask for."""

    def skips(self, line: int, pattern: Pattern | None, asked: LogMatch | None = None) -> bool:
        """Whether this line does not count for what a pattern found in it (None: for an exception in it)."""
        ...


@dataclass(slots=True)
class Match:
    """What shows that a condition holds: lines with the pattern that hit, and facts that are no lines."""

    lines: dict[int, Pattern | None] = field(default_factory=dict)
    facts: list[Evidence] = field(default_factory=list)
    captures: dict[str, str] = field(default_factory=dict)

    def merge(self, other: "Match") -> None:
        for line, pattern in other.lines.items():
            self.lines.setdefault(line, pattern)
        self.facts += other.facts
        self.captures = {**other.captures, **self.captures}


class _AllLines:
    """Every line counts."""

    def skips(self, line: int, pattern: Pattern | None, asked: LogMatch | None = None) -> bool:  # noqa: ARG002
        return False


ALL_LINES = _AllLines()


def holds(condition: Condition, reading: LineBuffer, counting: LineFilter = ALL_LINES) -> Match | None:
    """Evidence that all parts of a condition hold, or None."""
    match = Match()
    for part in _parts(condition, reading, counting):
        if part is None:
            return None
        match.merge(part)
    return match


def _parts(condition: Condition, reading: LineBuffer, counting: LineFilter) -> Iterator[Match | None]:
    """Each part's answer, cheap ones first, so that the first None ends the work."""
    if condition.model_fields_set & FIELD_NAMES:
        yield _facts(field_evidence(condition, reading.fields))
    if condition.progress:
        yield _facts(progress_evidence(condition.progress, reading.fields.measures))
    if condition.dump:
        yield _facts(dump_evidence(condition.dump, reading.fields.dumps))
    if condition.logs:
        yield match_lines(condition.logs, reading, counting)
    if condition.traceback:
        yield match_tracebacks(condition.traceback, reading, counting)
    for inner in condition.all:
        yield holds(inner, reading, counting)
    if condition.any:
        yield _any(condition.any, reading, counting)
    if condition.unless and any(holds(inner, reading) for inner in condition.unless):
        yield None


FIELD_NAMES = frozenset(
    {"state", "task_state", "exit_code", "error", "pending_reason", "failure_count", "preemption_count"}
    | {"memory_peak", "last_log_age_s"}
)


def _facts(found: tuple[list[Evidence], dict[str, str]] | None) -> Match | None:
    return None if found is None else Match(facts=found[0], captures=found[1])


def _any(conditions: Sequence[Condition], reading: LineBuffer, counting: LineFilter) -> Match | None:
    matches = [
        match for condition in conditions if (match := holds(condition, reading, counting)) is not None
    ]
    if not matches:
        return None
    for other in matches[1:]:
        matches[0].merge(other)
    return matches[0]


def match_lines(wanted: LogMatch, reading: LineBuffer, counting: LineFilter) -> Match | None:
    """Lines of the log that satisfy a log matcher."""
    lines: dict[int, Pattern | None] = {}
    if wanted.any:
        counted = _counted(wanted, reading, counting)
        if counted is None:
            return None
        lines.update(counted)
    if wanted.all:
        together = _together(wanted, reading, counting)
        if together is None:
            return None
        lines.update(together)
    if wanted.sequence:
        chain = _in_order(wanted, reading, counting)
        if chain is None:
            return None
        lines.update(chain)
    if wanted.not_followed_by:
        last = max(lines)
        if any(reading.occurs_after(pattern, last) for pattern in wanted.not_followed_by):
            return None
    return Match(lines=lines)


def _usable(wanted: LogMatch, reading: LineBuffer, counting: LineFilter, pattern: Pattern) -> Iterator[int]:
    """Lines that match a pattern and pass the matcher's other demands."""
    return _usable_of(wanted, reading, counting, pattern, reading.lines_with(pattern))


def _usable_of(
    wanted: LogMatch, reading: LineBuffer, counting: LineFilter, pattern: Pattern, lines: Sequence[int]
) -> Iterator[int]:
    if wanted.near_end and lines:
        lines = [line for line in lines if reading.is_near_end(line, wanted.near_end)]
    for line in lines:
        if not _is_from(reading, line, wanted.source):
            continue
        if (
            wanted.level
            and wanted.level is not LogLevel.UNKNOWN
            and not reading.is_at_least(line, wanted.level)
        ):
            continue
        if wanted.stream and reading.stream(line) not in wanted.stream:
            continue
        if not counting.skips(line, pattern, wanted):
            yield line


def _all_usable(
    wanted: LogMatch, patterns: Sequence[Pattern], reading: LineBuffer, counting: LineFilter
) -> list[list[int]] | None:
    """Usable lines of patterns that must all occur, or None; looked for around the rarest if possible."""
    rarest = most_telling(patterns)
    anchors = list(_usable(wanted, reading, counting, rarest))
    if not anchors:
        return None
    each: list[list[int]] = []
    is_before = bool(wanted.sequence)
    for pattern in patterns:
        if pattern is rarest:
            each.append(anchors)
            is_before = False
            continue
        if wanted.within is not None and (radius := wanted.within.lines) is not None:
            after = 0 if is_before else radius
            before = 0 if wanted.sequence and not is_before else radius
            lines = reading.lines_near(pattern, anchors, before=before, after=after)
        else:
            lines = reading.lines_with(pattern)
        each.append(list(_usable_of(wanted, reading, counting, pattern, lines)))
        if not each[-1]:
            return None
    return each


def _is_from(reading: LineBuffer, line: int, sources: Sequence[Role]) -> bool:
    return not sources or (role := reading.role(line)) is None or role in sources


def _counted(wanted: LogMatch, reading: LineBuffer, counting: LineFilter) -> dict[int, Pattern | None] | None:
    """Lines of `any`, enough of them, close enough together, agreeing where they should."""
    found: dict[int, Pattern | None] = {}
    for pattern in wanted.any:
        for line in _usable(wanted, reading, counting, pattern):
            if line not in found and _compares(wanted, reading, line, pattern):
                found[line] = pattern
    if len(found) < wanted.min_count:
        return None
    ordered = sorted(found)
    if wanted.min_count == 1 or not (wanted.same or wanted.within):
        return {line: found[line] for line in ordered}
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for line in ordered:
        groups[_agreement(wanted, reading, line, found[line])].append(line)
    enough: dict[int, Pattern | None] = {}
    for lines in groups.values():
        for at in range(len(lines) - wanted.min_count + 1):
            run = lines[at : at + wanted.min_count]
            if _is_close(wanted, reading, run[0], run[-1]):
                enough.update((line, found[line]) for line in run)
    return dict(sorted(enough.items())) or None


def _compares(wanted: LogMatch, reading: LineBuffer, line: int, pattern: Pattern) -> bool:
    """Whether the numbers captured in a line stand to each other as wanted; others are not compared."""
    tests = [test for test in wanted.where if set(test.names) & set(pattern.names)]
    if not tests:
        return True
    captures = reading.captures(line, pattern)
    return all(test.holds(captures) for test in tests)


def _together(
    wanted: LogMatch, reading: LineBuffer, counting: LineFilter
) -> dict[int, Pattern | None] | None:
    """One line for each pattern of `all`, within the window if there is one."""
    each = _all_usable(wanted, wanted.all, reading, counting)
    if each is None:
        return None
    if wanted.within is None:
        return {lines[0]: pattern for lines, pattern in zip(each, wanted.all, strict=True)}
    for anchor in each[0][:MAX_STARTS]:
        near = [_nearest(lines, anchor) for lines in each]
        if _is_close(wanted, reading, min(near), max(near)):
            return dict(zip(near, wanted.all, strict=True))
    return None


def _nearest(lines: Sequence[int], anchor: int) -> int:
    at = bisect_right(lines, anchor)
    return min(lines[max(0, at - 1) : at + 1], key=lambda line: abs(line - anchor))


def _in_order(
    wanted: LogMatch, reading: LineBuffer, counting: LineFilter
) -> dict[int, Pattern | None] | None:
    """The first chain of lines that match the patterns of `sequence` one after another."""
    each = _all_usable(wanted, wanted.sequence, reading, counting)
    if each is None:
        return None
    for start in each[0][:MAX_STARTS]:
        chain = _chain(wanted, reading, each, start)
        if chain and _is_close(wanted, reading, chain[0], chain[-1]):
            return dict(zip(chain, wanted.sequence, strict=True))
    return None


def _chain(wanted: LogMatch, reading: LineBuffer, choices: list[list[int]], start: int) -> list[int] | None:
    chain = [start]
    agreement = _agreement(wanted, reading, start, wanted.sequence[0])
    for lines, pattern in zip(choices[1:], wanted.sequence[1:], strict=True):
        at = bisect_right(lines, chain[-1])
        while at < len(lines) and not _agrees(agreement, _agreement(wanted, reading, lines[at], pattern)):
            at += 1
        if at == len(lines):
            return None
        chain.append(lines[at])
    return chain


def _agreement(wanted: LogMatch, reading: LineBuffer, line: int, pattern: Pattern | None) -> tuple[str, ...]:
    if not wanted.same:
        return ()
    captures = reading.captures(line, pattern) if pattern else {}
    return tuple(reading.task(line) if name == "task" else captures.get(name, "") for name in wanted.same)


def _agrees(first: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """A pattern that does not capture a name agrees with everything in it."""
    return all(one == two or not one or not two for one, two in zip(first, other, strict=True))


def _is_close(wanted: LogMatch, reading: LineBuffer, first: int, last: int) -> bool:
    if wanted.within is None:
        return True
    if wanted.within.lines is not None:
        return last - first <= wanted.within.lines
    start, end = reading.time_ms(first), reading.time_ms(last)
    if start is None or end is None or wanted.within.seconds is None:
        return True
    return abs(end - start) <= wanted.within.seconds * 1000


def match_tracebacks(wanted: TracebackMatch, reading: LineBuffer, counting: LineFilter) -> Match | None:
    """Exceptions that satisfy a traceback matcher; the line of each is the one that names it."""
    match = Match()
    for unit in reading.tracebacks:
        if not _is_from(reading, unit.lines[0], wanted.source):
            continue
        for raised in _chosen(unit, wanted.chain):
            line = raised.line if raised.line >= 0 else unit.lines[-1]
            if wanted.near_end and not reading.is_near_end(line, wanted.near_end):
                continue
            captures = _raised_captures(wanted, raised)
            if captures is not None and not (
                counting.skips(line, None) or counting.skips(unit.lines[0], None)
            ):
                match.lines[line] = None
                match.captures = match.captures or captures
                break
    return match if len(match.lines) >= wanted.min_count else None


def _chosen(unit: Traceback, chain: str) -> Sequence[RaisedException]:
    if chain == "first":
        return unit.raised[:1]
    return unit.raised[-1:] if chain == "last" else unit.raised


def _raised_captures(wanted: TracebackMatch, raised: RaisedException) -> dict[str, str] | None:
    """Captures when one exception satisfies everything that is given, else None."""
    captures = {"exception": raised.name, "message": raised.message[:300], "frame": str(raised.place or "")}
    if wanted.exception and not any(_is_named(pattern, raised) for pattern in wanted.exception):
        return None
    for patterns, texts in (
        (wanted.message, [raised.message, *raised.notes]),
        (wanted.frame, [str(frame) for frame in raised.frames]),
    ):
        if patterns:
            found = next(
                (c for p in patterns for text in texts if (c := p.captures_in(text)) is not None), None
            )
            if found is None:
                return None
            captures.update(found)
    return captures


def _is_named(pattern: Pattern, raised: RaisedException) -> bool:
    if pattern.is_literal:
        return pattern.text in (raised.name, raised.type)
    return pattern.captures_in(raised.type) is not None

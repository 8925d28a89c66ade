"""What one rule explains away of another's evidence: a retry that succeeded, an error inside data."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from babysitter.diagnosis.causes.conditions import Match
from babysitter.diagnosis.causes.line_buffer import LineBuffer
from babysitter.diagnosis.causes.rule import Rule
from babysitter.model.finding import Severity


@dataclass(frozen=True, slots=True)
class Suppression:
    """The lines that an explaining rule explains, as sorted disjoint spans (first, last)."""

    by: Rule
    firsts: tuple[int, ...]
    lasts: tuple[int, ...]
    reading: LineBuffer
    tasks: frozenset[str] | None = None  # None = of any task
    is_everything: bool = False

    def explains(self, rule: Rule) -> bool:
        """Whether that rule is meant. A rule never explains itself, nor a benign one that explains others."""
        assert self.by.explains is not None
        if rule.id == self.by.id or (rule.explains and rule.severity is Severity.BENIGN):
            return False
        what = self.by.explains.what
        return "*" in what or rule.id in what or rule.cause.value in what

    def covers(self, line: int) -> bool:
        if self.is_everything:
            return True
        at = bisect_right(self.firsts, line) - 1
        if at < 0 or self.lasts[at] < line:
            return False
        return self.tasks is None or self.reading.task(line) in self.tasks


def suppression_of(rule: Rule, match: Match, reading: LineBuffer) -> Suppression | None:
    """What a rule that matched explains away; None when it explains nothing."""
    if rule.explains is None:
        return None
    scope = rule.explains.scope
    if scope.kind == "everywhere" or not match.lines:
        return Suppression(rule, (), (), reading, is_everything=True) if scope.kind == "everywhere" else None
    tasks: frozenset[str] | None = None
    if scope.kind == "task":
        spans = [(0, reading.count)]
        tasks = frozenset(reading.task(line) for line in match.lines)
    elif scope.kind == "lines":
        spans = [(line - scope.lines, line + scope.lines) for line in match.lines]
        tasks = frozenset(reading.task(line) for line in match.lines)
    else:
        covered = set(match.lines)
        if scope.kind == "unit":
            for line in match.lines:
                unit = reading.unit_of_line.get(line)
                if unit is not None:
                    covered.update(unit.lines)
        spans = [(line, line) for line in covered]
    firsts, lasts = _merged(spans)
    return Suppression(rule, firsts, lasts, reading, tasks)


def _merged(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    firsts: list[int] = []
    lasts: list[int] = []
    for first, last in sorted(spans):
        if lasts and first <= lasts[-1] + 1:
            lasts[-1] = max(lasts[-1], last)
        else:
            firsts.append(first)
            lasts.append(last)
    return tuple(firsts), tuple(lasts)

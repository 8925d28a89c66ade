"""A playbook made ready for scanning: which patterns to look for, and which rules a hit can concern."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from babysitter.diagnosis.causes.line_buffer import (
    EXCEPTION_LINE,
    TRACEBACK_HEAD,
    LineBuffer,
)
from babysitter.diagnosis.causes.predicates import NUMBERS, TEXTS
from babysitter.diagnosis.causes.rule import Condition
from babysitter.diagnosis.causes.rules_in_force import LocatedRule, Playbook
from babysitter.diagnosis.signatures.pattern import Pattern, most_telling
from babysitter.diagnosis.signatures.scanner import SMALL_BYTES, Scanner, open_engine

USUAL_LINE_BYTES = 120
BROAD = 6  # a pattern with less fixed text in one piece hits too many lines
RARE_FACTS = frozenset(
    {"task_state", "exit_code", "error", "pending_reason", "preemption_count", "memory_peak"}
)
KNOWN_FACTS = frozenset({*NUMBERS, *TEXTS})
LINES = "lines"
MAX_KEPT = 8  # playbooks ready at once: a few kinds of job, before and after a reload


@dataclass(slots=True)
class RuleIndex:
    """Rules with the index from patterns to rules."""

    placed: tuple[LocatedRule, ...]
    patterns: tuple[Pattern, ...]
    known: frozenset[Pattern]
    triggered: dict[Pattern, tuple[int, ...]]  # rules that such a line may concern
    unaided: Mapping[frozenset[str], tuple[int, ...]]  # rules that may hold without a line, by what they need
    engines: dict[bool, Scanner] = field(default_factory=dict)  # for small texts, and for large ones

    def engine(self, size: int) -> Scanner:
        """The engine for a text of this size (compiled once a process, and kept on disk)."""
        is_small = size < SMALL_BYTES
        if is_small not in self.engines:
            self.engines[is_small] = open_engine(self.patterns, size_hint=size)
        return self.engines[is_small]

    def prepare(self) -> None:
        """Make the fast engine now (seconds, the first time ever), for texts of every size."""
        fast = open_engine(self.patterns)
        self.engines.update({True: fast, False: fast})

    def read(self, reading: LineBuffer) -> None:
        """Scan once for everything that any rule looks for."""
        reading.scan(self.engine(len(reading.buffer)), self.patterns, self.known)

    def candidates(self, reading: LineBuffer) -> list[LocatedRule]:
        """Rules that can hold at all, in the playbook's order."""
        present = reading.fields.present
        indices: set[int] = set()
        for needed, rules in self.unaided.items():
            if needed <= present:
                indices.update(rules)
        for pattern in reading.patterns_hit:
            indices.update(self.triggered.get(pattern, ()))
        return [self.placed[index] for index in sorted(indices)]


_kept: dict[int, tuple[Playbook, RuleIndex]] = {}


def index_of(playbook: Playbook) -> RuleIndex:
    """The index of a playbook's rules, made once."""
    kept = _kept.get(id(playbook))
    if kept is not None and kept[0] is playbook:
        return kept[1]
    fresh = _made(playbook.placed)
    while len(_kept) >= MAX_KEPT:
        _kept.pop(next(iter(_kept)))
    _kept[id(playbook)] = playbook, fresh
    return fresh


def _made(rules: tuple[LocatedRule, ...]) -> RuleIndex:
    triggered: dict[Pattern, list[int]] = {TRACEBACK_HEAD: [], EXCEPTION_LINE: []}
    unaided: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    for index, placed in enumerate(rules):
        condition = placed.rule.match
        for pattern in dict.fromkeys(_wanted(condition)):
            triggered.setdefault(pattern, []).append(index)
        for needed in _unaided(condition):
            if LINES not in needed:
                unaided[needed].append(index)
    patterns = tuple(triggered)
    return RuleIndex(
        rules,
        patterns,
        frozenset(patterns),
        {pattern: tuple(indices) for pattern, indices in triggered.items()},
        {needed: tuple(indices) for needed, indices in unaided.items()},
    )


def _wanted(condition: Condition, *, is_guarded: bool = False) -> Iterator[Pattern]:
    """Patterns whose lines may make a condition hold, and that are worth a place in the scan.

    Of patterns that must all occur one is enough, the most telling; the others, and all exclusions, are
    looked up when it has hit. Broad words ("error", "failed") beside a rare fact, such as an exit code, are
    looked up when the fact holds. Both would otherwise cost in every line.
    """
    is_guarded = is_guarded or _has_rare_fact(condition)
    if condition.logs:
        triggers = list(condition.logs.any)
        for together in (condition.logs.all, condition.logs.sequence):
            triggers += [most_telling(together)] if together else []
        yield from (pattern for pattern in triggers if not is_guarded or pattern.telling >= BROAD)
    if condition.traceback:
        yield from (TRACEBACK_HEAD, EXCEPTION_LINE)
    for inner in (*condition.all, *condition.any):
        yield from _wanted(inner, is_guarded=is_guarded)


def _has_rare_fact(condition: Condition) -> bool:
    return bool(condition.model_fields_set & RARE_FACTS) or any(
        _has_rare_fact(inner) for inner in condition.all
    )


def _unaided(condition: Condition, *, is_guarded: bool = False) -> frozenset[frozenset[str]]:
    """What must be known of the job for the condition to hold without a scanned line: any of these sets.

    `LINES` stands for what only a scanned line can bring.
    """
    is_guarded = is_guarded or _has_rare_fact(condition)
    own = condition.model_fields_set & KNOWN_FACTS
    if condition.logs:
        patterns = (*condition.logs.any, *condition.logs.all, *condition.logs.sequence)
        if not is_guarded or all(pattern.telling >= BROAD for pattern in patterns):
            own |= {LINES}
    if condition.traceback:
        own |= {LINES}
    ways = {frozenset(own)}
    for inner in condition.all:
        ways = {one | other for one in ways for other in _unaided(inner, is_guarded=is_guarded)}
    if condition.any:
        choice = {way for inner in condition.any for way in _unaided(inner, is_guarded=is_guarded)}
        ways = {one | other for one in ways for other in choice}
    return frozenset(ways)

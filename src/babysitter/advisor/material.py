"""What is known of an incident, as the advisor takes it: the caller reads the log, nothing here does."""

from collections.abc import Hashable
from dataclasses import dataclass

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.thread_dump import ThreadDump


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause that rules found, and what speaks against it. `lines`: indices of the lines it rests on."""

    cause: Cause
    explanation: str
    lines: tuple[int, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """Further knowledge under a title of its own, such as how the last good run differs."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineMarks:
    """What is known of the lines of a log, by their index from 0.

    `tracebacks`: the lines of each, oldest first. `failing`: lines in words that report a failure. `new`:
    lines unlike anything of the healthy phase or of good runs. `templates`: equal for lines that differ in
    numbers and names only; empty = not known.
    """

    tracebacks: tuple[tuple[int, ...], ...] = ()
    failing: frozenset[int] = frozenset()
    new: frozenset[int] = frozenset()
    templates: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that a pack is made of, as the job printed it; `build_pack` redacts.

    `facts`: one sentence each: states, exit codes, errors, jobs of the tree, progress over time.
    """

    facts: tuple[str, ...]
    lines: tuple[str, ...]
    marks: LineMarks = LineMarks()
    candidates: tuple[Candidate, ...] = ()
    dumps: tuple[ThreadDump, ...] = ()
    dump_texts: tuple[str, ...] = ()  # of dumps in which no thread could be read
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class RulesVerdict:
    """What the rules alone conclude. `has_ended_badly`: the cluster says that it failed or was killed."""

    cause: Cause
    action: ActionKind
    is_proven: bool
    has_ended_badly: bool = False

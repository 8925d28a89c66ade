"""The facts about every cause, one row of `playbooks/causes.yaml` each.

The file is data of the program, like the members of `Cause`. It is read once; a wrong row is a fault of the
installation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from babysitter.model.finding import ActionKind, Cause, Retry, Severity
from babysitter.shipped import shipped

ANY_END = "any-end"  # in `leads_to`: whatever a process says that loses its partner


class CauseFact(StrEnum):
    """What may be true of a cause; the head of `causes.yaml` says what each one means."""

    BENIGN = "benign"
    OVER_TIME = "over-time"
    OUTLASTS_PROGRESS = "outlasts-progress"
    OUTLASTS_SUCCESS = "outlasts-success"
    HEALS = "heals"
    REPEAT_WORKS = "repeat-works"
    REPEAT_FAILS = "repeat-fails"
    OWNER = "owner"
    ECHO = "echo"
    LINGERS = "lingers"
    SHARED = "shared"
    SILENT = "silent"
    LOOK_FIRST = "look-first"


@dataclass(frozen=True, slots=True)
class CauseInfo:
    """One row. `severity`, `action`, `retry`, `explain` and `advice` hold where a rule says nothing else."""

    cause: Cause
    title: str
    explain: str
    severity: Severity
    action: ActionKind
    retry: Retry
    advice: str = ""
    facts: frozenset[CauseFact] = frozenset()
    leads_to: frozenset[Cause] = frozenset()

    @property
    def is_benign(self) -> bool:
        """Nothing is to be done about it."""
        return CauseFact.BENIGN in self.facts

    @property
    def is_judged_over_time(self) -> bool:
        """Numbers over time decide it; a single line or dump proves nothing."""
        return CauseFact.OVER_TIME in self.facts

    @property
    def outlasts_progress(self) -> bool:
        """Progress after its line does not overcome it."""
        return CauseFact.OUTLASTS_PROGRESS in self.facts

    @property
    def outlasts_success(self) -> bool:
        """A job that succeeded is still worth a look."""
        return CauseFact.OUTLASTS_SUCCESS in self.facts

    @property
    def heals(self) -> bool:
        """The cluster repairs it while the job lives."""
        return CauseFact.HEALS in self.facts

    @property
    def repeat_works(self) -> bool:
        """The same run again is likely to work."""
        return CauseFact.REPEAT_WORKS in self.facts

    @property
    def repeat_fails(self) -> bool:
        """The same run again fails again, makes a queue longer, or was never the job's fault."""
        return CauseFact.REPEAT_FAILS in self.facts

    @property
    def is_owners(self) -> bool:
        """Whoever wrote or submitted the job repairs it."""
        return CauseFact.OWNER in self.facts

    @property
    def lingers(self) -> bool:
        """A little progress after its line does not overcome it."""
        return CauseFact.LINGERS in self.facts

    @property
    def needs_a_look(self) -> bool:
        """A job that still runs is not restarted for it before somebody has looked."""
        return CauseFact.LOOK_FIRST in self.facts

    @property
    def is_shared(self) -> bool:
        """Several processes share it: normal work of one of them does not disprove it."""
        return CauseFact.SHARED in self.facts

    @property
    def is_silent(self) -> bool:
        """Silence alone is a sign of it."""
        return CauseFact.SILENT in self.facts

    @property
    def is_echo(self) -> bool:
        """A process that lost its partner prints it, whatever took the partner."""
        return CauseFact.ECHO in self.facts


def about(cause: Cause) -> CauseInfo:
    """The row of a cause."""
    return shipped_causes()[cause]


def leads_to(cause: Cause, effect: Cause) -> bool:
    """Whether `effect` is often seen because of `cause`."""
    return effect in about(cause).leads_to


@cache
def shipped_causes() -> Mapping[Cause, CauseInfo]:
    """The table that comes with the program. Raises ValueError for a row that is wrong or missing."""
    import yaml  # here: commands that name no cause do without it

    path = shipped() / "causes.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    return parse_causes(document)


def parse_causes(document: Mapping[str, Any]) -> Mapping[Cause, CauseInfo]:
    """The table of a `causes.yaml`. Raises ValueError for a row that is wrong or missing."""
    rows: Mapping[str, Mapping[str, Any]] = document["causes"]
    if missing := [cause.value for cause in Cause if cause.value not in rows]:
        raise ValueError(f"causes.yaml has no row for {', '.join(missing)}")
    echoes = {name for name, row in rows.items() if CauseFact.ECHO in row.get("facts", ())}
    any_end = echoes | set(document["any_end"])
    return {Cause(name): _row(Cause(name), row, any_end) for name, row in rows.items()}


def _row(cause: Cause, row: Mapping[str, Any], any_end: set[str]) -> CauseInfo:
    facts = frozenset(CauseFact(name) for name in row.get("facts", ()))
    if {CauseFact.REPEAT_WORKS, CauseFact.REPEAT_FAILS} <= facts:
        raise ValueError(f"causes.yaml says that a repeat of {cause.value} works and that it fails")
    effects = set(row.get("leads_to", ()))
    if ANY_END in effects:
        effects = (effects - {ANY_END}) | any_end
    return CauseInfo(
        cause,
        title=row["title"],
        explain=row["explain"],
        severity=Severity(row["severity"]),
        action=ActionKind(row["action"]),
        retry=Retry(row["retry"]),
        advice=row.get("advice", ""),
        facts=facts,
        leads_to=frozenset(Cause(name) for name in effects),
    )

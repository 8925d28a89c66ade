"""The rules in force, as values. `playbook/load.py` reads them from YAML files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import sep

from babysitter.diagnosis.causes.file_position import FilePosition
from babysitter.diagnosis.causes.rule import AppliesTo, Rule
from babysitter.diagnosis.causes.signature_files import (
    Signature,
)
from babysitter.model.ids import RuleId
from babysitter.shipped import shipped

MAX_PARTS = 32  # kinds of job, and those that somebody misspelt


@dataclass(frozen=True, slots=True)
class LocatedRule:
    """A rule, what it applies to with its file's defaults filled in, and where it was written."""

    rule: Rule
    applies_to: AppliesTo
    place: FilePosition


@dataclass(frozen=True, slots=True)
class Playbook:
    """The rules in force, in reading order; `fingerprint` changes whenever any of them does."""

    placed: tuple[LocatedRule, ...]
    fingerprint: str = ""
    by_id: Mapping[str, Rule] = field(default_factory=dict, repr=False)
    signatures: Mapping[str, Signature] = field(default_factory=dict, repr=False, compare=False)
    _parts: dict[tuple[str, str], "Playbook"] = field(default_factory=dict, repr=False, compare=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(located.rule for located in self.placed)

    def for_job(self, backend: str, kind: str) -> "Playbook":
        """The rules that apply to such a job ("" = not known, everything applies)."""
        known = self._parts.get((backend, kind))
        if known is not None:
            return known
        placed = tuple(located for located in self.placed if located.applies_to.covers(backend, kind))
        if len(placed) == len(self.placed):
            return self
        # The same object every time: what is compiled for it is kept by identity
        # (diagnosis/causes/rule_index.py).
        rules = {located.rule.id: located.rule for located in placed}
        part = Playbook(placed, self.fingerprint, rules, self.signatures)
        if len(self._parts) < MAX_PARTS:
            self._parts[backend, kind] = part
        return part

    @property
    def own_rules(self) -> frozenset[RuleId]:
        """The rules that do not come with the program."""
        folder = f"{shipped()}{sep}"
        return frozenset(
            RuleId(located.rule.id)
            for located in self.placed
            if not str(located.place.path).startswith(folder)
        )

    def place_of(self, rule_id: str) -> FilePosition | None:
        """Where a rule was written; None when no such rule is in force."""
        return next((located.place for located in self.placed if located.rule.id == rule_id), None)

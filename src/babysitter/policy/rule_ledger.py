"""How often each rule was right, as people say, and which rules count as hints for it. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from babysitter.model.ids import IncidentId, RuleId


@dataclass(frozen=True, slots=True)
class RuleLabel:
    """What was said last of one incident, and the rules behind its cause."""

    incident: IncidentId
    was_right: bool
    rules: tuple[RuleId, ...]


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """One rule: the incidents that rest on it, and what people said of them. Each incident counts once."""

    rule: RuleId
    incidents: int = 0
    right: int = 0
    wrong: int = 0
    demoted: str = ""  # why it counts as a hint; "" = it counts as it is written

    @property
    def precision(self) -> float | None:
        """The share that was right of those that somebody spoke of; None when nobody did."""
        said = self.right + self.wrong
        return self.right / said if said else None


def ledger_of(
    incidents: Iterable[tuple[RuleId, ...]], labels: Iterable[RuleLabel], *, demote_after: int
) -> list[RuleRecord]:
    """A record of every rule behind an incident or a label, the most often wrong first.

    `incidents`: the rules of each. `labels`: oldest first; the newest of an incident counts.
    """
    records: dict[RuleId, RuleRecord] = {}
    for rules in incidents:
        for rule in rules:
            known = records.get(rule, RuleRecord(rule))
            records[rule] = replace(known, incidents=known.incidents + 1)
    for rule, (right, wrong) in _said(labels).items():
        known = records.get(rule, RuleRecord(rule))
        reason = why_demoted(right, wrong, demote_after=demote_after)
        records[rule] = replace(known, right=right, wrong=wrong, demoted=reason)
    return sorted(
        records.values(), key=lambda record: (-record.wrong, -record.right, -record.incidents, record.rule)
    )


def demoted_rules(labels: Iterable[RuleLabel], *, demote_after: int) -> Mapping[RuleId, str]:
    """The rules that count as hints, each with the reason."""
    reasons = {
        rule: why_demoted(right, wrong, demote_after=demote_after)
        for rule, (right, wrong) in _said(labels).items()
    }
    return {rule: reason for rule, reason in reasons.items() if reason}


def why_demoted(right: int, wrong: int, *, demote_after: int) -> str:
    """Why such a rule counts as a hint: wrong often enough, and more often than right. "" = it does not."""
    if demote_after <= 0 or wrong < demote_after or wrong <= right:
        return ""
    return (
        f"counts as a hint: people called it wrong {wrong} times and right {right} times "
        f"(memory.demote_after is {demote_after})"
    )


def _said(labels: Iterable[RuleLabel]) -> dict[RuleId, tuple[int, int]]:
    """Right and wrong incidents of each rule."""
    newest = {label.incident: label for label in labels}
    counted: defaultdict[RuleId, list[int]] = defaultdict(lambda: [0, 0])
    for label in newest.values():
        for rule in label.rules:
            counted[rule][0 if label.was_right else 1] += 1
    return {rule: (right, wrong) for rule, (right, wrong) in counted.items()}

"""The precision ledger: what people said of each rule's incidents."""

from collections.abc import Collection, Iterator

from babysitter.diagnosis.causes.rule import Condition
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.signatures.pattern import Pattern
from babysitter.engine.app import App
from babysitter.model.ids import RuleId
from babysitter.policy.rule_ledger import RuleLabel, RuleRecord, ledger_of
from babysitter.store.repositories.feedback import FeedbackLabel

__all__ = ["RuleRecord", "by_signature", "labels_of", "records_of", "rule_ledger"]


def labels_of(labels: Collection[FeedbackLabel]) -> list[RuleLabel]:
    return [RuleLabel(label.incident, label.was_right, label.rules) for label in labels]


async def rule_ledger(app: App) -> list[RuleRecord]:
    """Every rule that an incident or a person's word names, the most often wrong first."""
    async with app.store.reading() as tx:
        incidents = [incident.diagnosis.rules for incident in await tx.incidents.all()]
        labels = labels_of(await tx.feedback.all())
    return ledger_of(incidents, labels, demote_after=app.settings.memory.demote_after)


async def records_of(app: App, rules: Collection[RuleId]) -> list[RuleRecord]:
    """The records of these rules, as far as there are any."""
    return [record for record in await rule_ledger(app) if record.rule in rules]


def by_signature(records: Collection[RuleRecord], playbook: Playbook) -> list[RuleRecord]:
    """The same for each signature: what was said of every rule that reads its lines.

    `incidents`, `right` and `wrong` add up over the rules; a signature is not demoted, its rules are.
    """
    counted: dict[RuleId, RuleRecord] = {}
    for record in records:
        for signature in _signatures_of(record.rule, playbook):
            name = RuleId(signature)
            known = counted.get(name, RuleRecord(name))
            counted[name] = RuleRecord(
                name,
                known.incidents + record.incidents,
                known.right + record.right,
                known.wrong + record.wrong,
            )
    return sorted(
        counted.values(), key=lambda record: (-record.wrong, -record.right, -record.incidents, record.rule)
    )


def _signatures_of(rule: str, playbook: Playbook) -> list[str]:
    """The signatures whose lines a rule reads; a signature that means a cause is a rule of its own."""
    if rule in playbook.signatures:
        return [rule]
    found = playbook.by_id.get(rule)
    if found is None:
        return []
    lines = set(map(id, _patterns(found.match)))  # equal patterns are one object
    return [
        name
        for name, signature in playbook.signatures.items()
        if any(id(line) in lines for line in signature.lines)
    ]


def _patterns(condition: Condition) -> Iterator[Pattern]:
    if condition.logs is not None:
        yield from condition.logs.patterns
    for inner in (*condition.all, *condition.any):
        yield from _patterns(inner)

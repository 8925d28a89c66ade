"""Which rules count as hints now, by what people said; read again only when somebody said something."""

from collections.abc import Mapping

from babysitter.diagnosis.causes.demotion import NOTHING_DEMOTED
from babysitter.model.ids import RuleId
from babysitter.policy.rule_ledger import RuleLabel, demoted_rules
from babysitter.store.store import Store


class RuleDemotions:
    """The demoted rules with the reason of each. One small question to the database for each check."""

    def __init__(self, store: Store, demote_after: int) -> None:
        self._store = store
        self._demote_after = demote_after
        self._read: tuple[object, ...] | None = None
        self._demoted: Mapping[RuleId, str] = NOTHING_DEMOTED

    async def now(self) -> Mapping[RuleId, str]:
        """The rules that count as hints. Raises StorageUnavailable."""
        if self._demote_after <= 0:
            return NOTHING_DEMOTED
        async with self._store.reading() as tx:
            newest = await tx.feedback.newest()
            if newest != self._read:
                labels = [
                    RuleLabel(label.incident, label.was_right, label.rules)
                    for label in await tx.feedback.all()
                ]
                self._demoted = demoted_rules(labels, demote_after=self._demote_after)
                self._read = newest
        return self._demoted

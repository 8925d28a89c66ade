"""What people said of incidents, as it is stored."""

from dataclasses import replace
from datetime import timedelta

from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, RuleId
from babysitter.store.repositories.feedback import FeedbackLabel
from babysitter.store.store import Store
from tests.support.build import NOON

LABEL = FeedbackLabel(
    IncidentId("i-1"), Person("ada"), NOON, was_right=False, rules=(RuleId("r-1"),), cause=Cause.DISK_FULL
)


async def test_newest_word_of_each_person_counts(store: Store):
    later = NOON + timedelta(hours=1)
    by_bob = replace(LABEL, person=Person("bob"), at=later, was_right=True, cause=None)
    async with store.transaction() as tx:
        assert await tx.feedback.newest() == (0, None)
        await tx.feedback.put(replace(LABEL, was_right=True, cause=None))
        await tx.feedback.put(by_bob)
        await tx.feedback.put(LABEL)
        await tx.feedback.put(replace(LABEL, incident=IncidentId("i-2")))
    async with store.reading() as tx:
        assert await tx.feedback.of(LABEL.incident) == (LABEL, by_bob)
        assert len(await tx.feedback.all()) == 3
        assert await tx.feedback.newest() == (3, later)

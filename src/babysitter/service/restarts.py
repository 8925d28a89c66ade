"""Takes up an approved action, carries it on from its journal, and records how it ended."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from babysitter.errors import FactsChanged, StorageUnavailable, WorldError
from babysitter.model.action import NotSubmitted, Step, StepRecord, StepState
from babysitter.model.proposal import Approved
from babysitter.model.watch import Watch
from babysitter.service import saga
from babysitter.service.before_act import folder_moved, save_evidence, what_moved
from babysitter.service.hall import Hall
from babysitter.service.restart_outcome import record_failed_submission, record_outcome
from babysitter.store.journal import Action

BLIND_AGAIN = timedelta(seconds=10)


async def carry_on(watch: Watch, action: Action, hall: Hall) -> datetime | None:
    """Do what is left of an approved action. Gives when the watch is due next."""
    async with hall.store.reading() as records:
        proposal = await records.ledger.proposal(action.proposal)
        decision = await records.ledger.decision_on(action.proposal)
    assert proposal is not None, "an action is about a proposal"
    assert decision is not None, "an action begins with a decision"
    eyes = await hall.clusters.eyes(watch.cluster)
    hands = await hall.clusters.hands(watch.cluster)
    approved = Approved(proposal, decision.person, decision.decided_at, hall.tenure.lease.fence)
    try:
        outcome = await saga.run(
            approved,
            _Journal(hall, action),
            eyes,
            hands,
            hall.clock,
            what_moved=lambda: what_moved(approved, decision, watch, eyes, hall),
            save_evidence=lambda: save_evidence(watch, eyes, hall),
            folder_moved=lambda: folder_moved(proposal),
        )
    except StorageUnavailable:
        raise  # no step is taken that could not be written down; the journal says where to go on
    except WorldError:
        return hall.clock.now() + BLIND_AGAIN  # nothing was touched yet: look again when we can see
    if isinstance(outcome, NotSubmitted):
        by_hand = await hands.by_hand(proposal.submission)
        return await record_failed_submission(approved, outcome, by_hand, action, hall)
    return await record_outcome(approved, outcome, action, hall)


class _Journal:
    """The journal of one action; every write is refused under an older lease."""

    def __init__(self, hall: Hall, action: Action) -> None:
        self._hall = hall
        self._action = action

    async def taken(self) -> Mapping[Step, StepRecord]:
        async with self._hall.store.reading() as records:
            return await records.journal.taken(self._action.proposal)

    async def intend(self, step: Step, detail: str = "") -> None:
        await self._write(step, StepState.INTENDED, detail)

    async def done(self, step: Step, detail: str = "") -> None:
        await self._write(step, StepState.DONE, detail)

    async def failed(self, step: Step, detail: str = "") -> None:
        await self._write(step, StepState.FAILED, detail)

    async def _write(self, step: Step, state: StepState, detail: str) -> None:
        lease = self._hall.tenure.lease
        async with self._hall.store.transaction() as records:
            await records.leases.must_hold(lease.name, lease.fence)
            current = await records.journal.action(self._action.proposal)
            if state is StepState.INTENDED and current is not None and current.ended_at is not None:
                raise FactsChanged(f"The action of {self._action.proposal} was ended meanwhile.")
            await records.journal.write(self._action, step, state, detail, now=self._hall.clock.now())

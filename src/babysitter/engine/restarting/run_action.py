"""Takes up an approved action, carries it on from its journal, and records how it ended."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from babysitter.backends.backend import ClusterWriter
from babysitter.engine.app import App
from babysitter.engine.restarting import restart_saga
from babysitter.engine.restarting.approval_preconditions import folder_moved, save_evidence, what_moved
from babysitter.engine.restarting.restart_outcome import record_failed_submission, record_outcome
from babysitter.errors import BabysitError, ExternalError, FactsChanged, StorageUnavailable
from babysitter.model.action import ActionStep, NotSubmitted, Outcome, StepRecord, StepState, StoredAction
from babysitter.model.proposal import Approved, Decision
from babysitter.model.watch import Watch
from babysitter.policy.build_proposal import as_named

log = structlog.get_logger()

BLIND_AGAIN = timedelta(seconds=10)


async def resume_action(watch: Watch, action: StoredAction, app: App) -> datetime | None:
    """Do what is left of an approved action. Gives when the watch is due next.

    Once the old job may have been stopped, whatever fails is told and tried again. Raises what failed before.
    """
    async with app.store.reading() as tx:
        proposal = await tx.incidents.proposal(action.proposal)
        decision = await tx.incidents.decision_on(action.proposal)
    assert proposal is not None, "an action is about a proposal"
    assert decision is not None, "an action begins with a decision"
    approved = Approved(proposal, decision.person, decision.decided_at, app.leadership.lease.fence)
    journal = _Journal(app, action)
    outcome: Outcome | None
    try:
        outcome = await _run(approved, decision, watch, journal, app)
    except (StorageUnavailable, FactsChanged):
        raise  # no step is taken that could not be written down; the journal says where to go on
    except Exception as fault:  # the top of an action: a stopped job is never left with a mere log line
        if not isinstance(fault, BabysitError):
            log.exception("restart_crashed", watch=watch.id, proposal=proposal.id)
        outcome = await restart_saga.interrupted(_sentence_of(fault), approved, journal, app.clock)
        if outcome is None and isinstance(fault, ExternalError):
            return app.clock.now() + BLIND_AGAIN  # nothing was touched yet: look again when we can see
        if outcome is None:
            raise
    if isinstance(outcome, NotSubmitted):
        by_hand = await _by_hand(approved, outcome, watch, app)
        return await record_failed_submission(approved, outcome, by_hand, action, app)
    return await record_outcome(approved, outcome, action, app)


async def _run(
    approved: Approved, decision: Decision, watch: Watch, journal: "_Journal", app: App
) -> Outcome:
    client = watch.submit_context.client
    reader = await app.clusters.reader(watch.cluster, client)
    writer = await app.clusters.writer(watch.cluster, client)
    return await restart_saga.run(
        approved,
        journal,
        reader,
        writer,
        app.clock,
        what_moved=lambda: what_moved(approved, decision, watch, reader, app),
        save_evidence=lambda: save_evidence(watch, reader, app),
        folder_moved=lambda: folder_moved(approved.proposal),
    )


async def _by_hand(approved: Approved, outcome: NotSubmitted, watch: Watch, app: App) -> str:
    """The command with which a person submits the job; "" where it cannot be written now."""
    submission = approved.proposal.submission
    if name := outcome.by_hand_as:
        submission = replace(submission, job=name, argv=as_named(submission.argv, name))
    try:
        client = watch.submit_context.client
        writer: ClusterWriter = await app.clusters.writer(watch.cluster, client)
        return await writer.by_hand(submission)
    except StorageUnavailable:
        raise
    except Exception as fault:  # noqa: BLE001  the top of an action: the message goes out without it
        log.warning("command_not_written", watch=watch.id, because=_sentence_of(fault))
        return ""


def _sentence_of(fault: Exception) -> str:
    if isinstance(fault, BabysitError):
        return fault.sentence
    return f"a fault of babysit's own ({type(fault).__name__}); the service log has its details"


class _Journal:
    """The journal of one action; every write is refused under an older lease."""

    def __init__(self, app: App, action: StoredAction) -> None:
        self._app = app
        self._action = action

    async def taken(self) -> Mapping[ActionStep, StepRecord]:
        async with self._app.store.reading() as tx:
            return await tx.journal.taken(self._action.proposal)

    async def intend(self, step: ActionStep, detail: str = "") -> None:
        await self._write(step, StepState.INTENDED, detail)

    async def done(self, step: ActionStep, detail: str = "") -> None:
        await self._write(step, StepState.DONE, detail)

    async def failed(self, step: ActionStep, detail: str = "") -> None:
        await self._write(step, StepState.FAILED, detail)

    async def _write(self, step: ActionStep, state: StepState, detail: str) -> None:
        lease = self._app.leadership.lease
        async with self._app.store.transaction() as tx:
            await tx.leases.must_hold(lease.name, lease.fence)
            current = await tx.journal.action(self._action.proposal)
            if state is StepState.INTENDED and current is not None and current.ended_at is not None:
                raise FactsChanged(f"The action of {self._action.proposal} was ended meanwhile.")
            await tx.journal.write(self._action, step, state, detail, now=self._app.clock.now())

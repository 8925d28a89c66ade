"""How a restart ended, as it is written down: the watch, the incident, the journal, the message."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from babysitter.engine.restarting.restart_outcome import record_failed_submission, record_outcome
from babysitter.errors import FactsChanged
from babysitter.model.action import (
    ActionCancelled,
    ActionFailed,
    ActionStep,
    ActionSucceeded,
    Concluded,
    NotSubmitted,
    StepState,
    StoredAction,
)
from babysitter.model.events import IncidentEnded, JobFinished, PhaseChanged, ProposalWithdrawn, StepTaken
from babysitter.model.ids import JobId
from babysitter.model.incident import Incident, IncidentStatus, Restart
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from babysitter.model.proposal import Answer, Approved, Proposal, ProposalStatus, Surface
from babysitter.model.submission import FolderState
from babysitter.model.verdict import ProgressSummary, StageProgressSummary
from babysitter.model.watch import Watch
from babysitter.usecases.answering.approvals import decide
from tests.support.app import ADA, AppHarness, home
from tests.support.build import ROOT, submission
from tests.support.offers import INCIDENT, offered

SUCCESSOR = JobId("/ada/dedup-r1")
STOPPED = (ActionStep.EVIDENCE, ActionStep.STOP)
OUTLOOK = ProgressSummary(
    "at work",
    stages=(
        StageProgressSummary("one", 7, 10, is_current=False),
        StageProgressSummary("two", 5, 10, is_current=True),
    ),
)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


@dataclass
class Approval:
    """An approved restart, and what is in the database about it."""

    place: AppHarness
    approved: Approved
    action: StoredAction

    async def conclude(self, outcome: Concluded) -> datetime:
        return await record_outcome(self.approved, outcome, self.action, self.place.app)

    async def not_submitted(
        self, *, step: ActionStep = ActionStep.SUBMIT, ended_s_ago: float = 0
    ) -> timedelta:
        now = self.place.clock.now()
        outcome = NotSubmitted("No room.", now - timedelta(seconds=ended_s_ago), step)
        again_at = await record_failed_submission(
            self.approved, outcome, "iris job run -- x", self.action, self.place.app
        )
        return again_at - now

    async def lose_the_lease(self) -> None:
        leadership, now = self.place.app.leadership, self.place.clock.now()
        async with self.place.app.store.transaction() as tx:
            await tx.leases.leave(leadership.replica)
            await tx.leases.claim(("service",), leadership.replica, now=now)

    async def watch(self) -> Watch:
        async with self.place.app.store.reading() as tx:
            return await tx.watches.get(self.action.watch)

    async def proposal(self) -> Proposal:
        async with self.place.app.store.reading() as tx:
            found = await tx.incidents.proposal(self.action.proposal)
        assert found is not None
        return found

    async def incident(self) -> Incident:
        async with self.place.app.store.reading() as tx:
            found = await tx.incidents.incident(INCIDENT)
        assert found is not None
        return found

    async def restarts(self) -> tuple[Restart, ...]:
        async with self.place.app.store.reading() as tx:
            return await tx.incidents.restarts_of(self.action.watch)

    async def is_open(self) -> bool:
        async with self.place.app.store.reading() as tx:
            return await tx.journal.open_action_of(self.action.watch) is not None

    async def phases(self) -> list[tuple[str, str]]:
        return [(event.before, event.after) for event in await self.place.events(PhaseChanged)]

    async def tell(self) -> None:
        """Deliver what was written down; nothing is checked meanwhile."""
        async with self.place.app.store.transaction() as tx:
            watch = await tx.watches.get(self.action.watch)
            await tx.watches.save(replace(watch, due_at=None))
            await tx.journal.end(self.action.proposal, "", now=self.place.clock.now())
        await self.place.pass_s(40, step_s=10)


async def approve(place: AppHarness, outlook: ProgressSummary | None = None, **changes: object) -> Approval:
    watch, offer = await offered(place, **changes)
    await place.pass_s(10)
    async with place.app.store.transaction() as tx:
        watch = await tx.watches.get(watch.id)
        await tx.watches.save(replace(watch, outlook=outlook))
    ruling = await decide(place.app, offer.id, ADA, Answer.YES, Surface.TERMINAL)
    assert ruling.decision is not None
    async with place.app.store.reading() as tx:
        action = await tx.journal.open_action_of(watch.id)
    assert action is not None
    fence = place.app.leadership.lease.fence
    return Approval(place, Approved(offer, ADA, ruling.decision.decided_at, fence), action)


async def test_submitted_job_is_followed(place: AppHarness):
    approval = await approve(place, OUTLOOK)
    now = await approval.conclude(ActionSucceeded(SUCCESSOR))
    watch = await approval.watch()
    assert (watch.root, watch.first_root, watch.restarts) == (SUCCESSOR, ROOT, 1)
    assert (watch.phase, watch.due_at) == (Phase.SMOKE, now)
    assert watch.submit_context.stored is None
    assert [(restart.old, restart.new, restart.high_water) for restart in await approval.restarts()] == [
        (ROOT, SUCCESSOR, 12)
    ]
    incident = await approval.incident()
    assert incident.status is IncidentStatus.VERIFYING
    assert incident.outcome == f"restarted as {SUCCESSOR}; it must pass its smoke check"
    assert not await approval.is_open()
    assert ("acting", "smoke") in await approval.phases()
    steps = [(event.step, event.state, event.detail) for event in await place.events(StepTaken)]
    assert steps == [(ActionStep.RECORD, StepState.DONE, SUCCESSOR)]


async def test_submitted_job_of_an_unseen_one_has_no_progress(place: AppHarness):
    approval = await approve(place)
    await approval.conclude(ActionSucceeded(SUCCESSOR))
    assert [restart.high_water for restart in await approval.restarts()] == [0]


async def test_submitted_change_is_kept_for_the_next_restart(place: AppHarness):
    folder = FolderState("digest", "c" * 40)
    ran = replace(submission("iris", "job", "run", "--memory", "2GB", "--", "x"), folder=folder)
    approval = await approve(place, submission=ran)
    await approval.conclude(ActionSucceeded(SUCCESSOR))
    given = (await approval.watch()).resubmit
    assert given is not None
    assert (given.argv, given.folder) == (ran.argv, folder)


@pytest.mark.parametrize(("is_given", "is_kept"), [(True, True), (False, False)])
async def test_submitted_request_leaves_the_command_given(place: AppHarness, is_given, is_kept):
    ran = replace(submission(), argv=(), request={"resources": {}})
    approval = await approve(place, submission=ran)
    before = await approval.watch()
    async with place.app.store.transaction() as tx:
        await tx.watches.save(replace(before, resubmit=before.resubmit if is_given else None))
    await approval.conclude(ActionSucceeded(SUCCESSOR))
    after = (await approval.watch()).resubmit
    assert after == (before.resubmit if is_kept else None)


async def test_command_that_nobody_gave_is_not_made_one(place: AppHarness):
    approval = await approve(place)
    before = await approval.watch()
    async with place.app.store.transaction() as tx:
        await tx.watches.save(replace(before, resubmit=None))
    await approval.conclude(ActionSucceeded(SUCCESSOR))
    assert (await approval.watch()).resubmit is None


async def test_called_off_leaves_the_job_watched(place: AppHarness):
    approval = await approve(place)
    now = await approval.conclude(ActionCancelled("the job recovered by itself"))
    watch, proposal, incident = await approval.watch(), await approval.proposal(), await approval.incident()
    assert (watch.phase, watch.root, watch.due_at) == (Phase.FAILING, ROOT, now)
    assert (proposal.status, proposal.withdrawn_because) == (
        ProposalStatus.WITHDRAWN,
        "the job recovered by itself",
    )
    assert incident.status is IncidentStatus.OPEN
    (withdrawn,) = await place.events(ProposalWithdrawn)
    assert (withdrawn.proposal, withdrawn.because) == (proposal.id, "the job recovered by itself")
    assert ("acting", "failing") in await approval.phases()
    assert not await approval.is_open()


async def test_broken_off_before_the_stop_goes_on_watching(place: AppHarness):
    approval = await approve(place)
    now = await approval.conclude(ActionFailed(ActionStep.STOP, "Not yours.", (ActionStep.EVIDENCE,)))
    watch, incident = await approval.watch(), await approval.incident()
    assert (watch.phase, watch.due_at) == (Phase.FAILING, now)
    assert incident.status is IncidentStatus.FAILED
    assert "broke off at stop-requested: Not yours. Done: evidence-saved. Not done:" in incident.outcome
    (ended,) = await place.events(IncidentEnded)
    assert (ended.incident, ended.status, ended.outcome) == (INCIDENT, "failed", incident.outcome)
    assert await place.events(JobFinished) == []
    assert ("acting", "failing") in await approval.phases()
    assert not await approval.is_open()


async def test_broken_off_with_nothing_done_says_so(place: AppHarness):
    approval = await approve(place)
    await approval.conclude(ActionFailed(ActionStep.EVIDENCE, "Full.", ()))
    assert "Done: nothing. Not done: evidence-saved" in (await approval.incident()).outcome


@pytest.mark.parametrize("outlook", [OUTLOOK, None])
async def test_broken_off_after_the_stop_is_the_end(place: AppHarness, outlook):
    approval = await approve(place, outlook)
    await approval.conclude(ActionFailed(ActionStep.SUBMIT, "Refused.", STOPPED))
    watch = await approval.watch()
    assert (watch.phase, watch.due_at) == (Phase.FINISHED, None)
    assert watch.outlook is not None
    assert (watch.outlook.job_state, watch.outlook.stages) == (
        JobState.KILLED,
        OUTLOOK.stages if outlook else (),
    )
    (finished,) = await place.events(JobFinished)
    assert (finished.root, finished.state) == (ROOT, JobState.KILLED)
    assert finished.summary.startswith("stopped for a restart that broke off at submitted")
    assert (await approval.phases())[-2:] == [("acting", "failing"), ("failing", "finished")]


@pytest.mark.parametrize(
    ("outcome", "occasion", "shown"),
    [
        (ActionSucceeded(SUCCESSOR), "acting", "Restarted; watching it come up."),
        (ActionCancelled("moved"), "withdrawn", "Withdrawn, nothing was done: moved."),
        (ActionFailed(ActionStep.SUBMIT, "Refused.", STOPPED), "worse", "Broke off at submitted: Refused."),
    ],
)
async def test_outcome_is_told_once_and_shown_on_the_card(place: AppHarness, outcome, occasion, shown):
    approval = await approve(place)
    await approval.conclude(outcome)
    await approval.tell()
    (said,) = [message for message in place.ear.heard if message.occasion == occasion]
    assert not said.mentions_on_call
    edited = {message.id: message for message in place.ear.edited}
    card = edited[next(message.id for message in place.ear.heard if message.occasion == "proposal")]
    assert shown in card.words.decided
    root = edited[place.ear.heard[0].id]
    assert root.words != place.ear.heard[0].words


async def test_outcome_is_refused_without_the_lease(place: AppHarness):
    approval = await approve(place)
    await approval.lose_the_lease()
    with pytest.raises(FactsChanged, match="taken over"):
        await approval.conclude(ActionSucceeded(SUCCESSOR))
    with pytest.raises(FactsChanged, match="taken over"):
        await approval.not_submitted()
    assert (await approval.watch()).root == ROOT
    assert await approval.is_open()


@pytest.mark.parametrize(
    ("ended_s_ago", "pause_s"), [(0, 10), (9, 10), (11, 11), (60, 60), (299, 299), (4000, 300)]
)
async def test_failed_submission_is_tried_again_later(place: AppHarness, ended_s_ago, pause_s):
    approval = await approve(place)
    pause = await approval.not_submitted(ended_s_ago=ended_s_ago)
    assert pause == timedelta(seconds=pause_s)
    assert (await approval.watch()).due_at == place.clock.now() + pause
    assert await approval.is_open()
    incident = await approval.incident()
    assert incident.status is IncidentStatus.ACTING
    assert f"{ROOT} has ended and {SUCCESSOR} was not submitted: No room." in incident.outcome


async def test_failed_submission_is_told_once_for_each_step(place: AppHarness):
    approval = await approve(place)
    for step in (ActionStep.STOP, ActionStep.STOP, ActionStep.TERMINAL, ActionStep.SUBMIT, ActionStep.SUBMIT):
        await approval.not_submitted(step=step)
    await approval.tell()
    said = [message for message in place.ear.heard if message.occasion == "not-submitted"]
    assert [bool(message.words.commands) for message in said] == [False, False, True]
    assert all(message.mentions_on_call for message in said)
    assert "was asked to stop, is not known to have ended, and" in said[0].words.sentence
    assert "has ended and" in said[2].words.sentence
    card = next(message.id for message in place.ear.heard if message.occasion == "proposal")
    shown = [message.words.decided for message in place.ear.edited if message.id == card]
    assert shown[-1].endswith("The restart is under way.")

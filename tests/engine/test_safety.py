"""What must never happen to somebody's job, each shown by what would follow if its check were missing."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.engine.restarting import restart_saga
from babysitter.errors import FactsChanged, NotAuthorised, SubmissionRefused, Unreachable
from babysitter.model.action import (
    ActionCancelled,
    ActionFailed,
    ActionStep,
    ActionSucceeded,
    NotSubmitted,
    StepRecord,
    StepState,
    SubmissionFailure,
)
from babysitter.model.events import ProposalDecided, StepTaken
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import IncidentId, JobId, ProposalId, WatchId
from babysitter.model.job import Job, JobState
from babysitter.model.proposal import Approved, Digest, Proposal, ProposalFacts
from tests.engine.test_act import SUCCESSOR, answer, offer_of
from tests.engine.test_check import zombie
from tests.support.app import ADA, AppHarness, SmallWriter, home
from tests.support.build import COORDINATOR, NOON, ROOT, at, submission
from tests.support.cluster import HandClock, SmallCluster
from tests.support.jobs import R, job, pipeline, tree

ENDS_AFTER_S = 40.0


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


class Steps:
    """A journal in memory."""

    def __init__(self, **taken: StepState) -> None:
        self.records = {
            ActionStep[name.upper()]: StepRecord(ActionStep[name.upper()], state, NOON)
            for name, state in taken.items()
        }

    async def taken(self) -> Mapping[ActionStep, StepRecord]:
        return dict(self.records)

    async def intend(self, step: ActionStep, detail: str = "") -> None:
        self.records[step] = StepRecord(step, StepState.INTENDED, NOON, detail)

    async def done(self, step: ActionStep, detail: str = "") -> None:
        self.records[step] = StepRecord(step, StepState.DONE, NOON, detail)

    async def failed(self, step: ActionStep, detail: str = "") -> None:
        self.records[step] = StepRecord(step, StepState.FAILED, NOON, detail)


class SlowToEnd(SmallCluster):
    """A job that was asked to stop goes on for a while."""

    def __init__(self, clock: HandClock) -> None:
        super().__init__()
        self.clock = clock
        self.stopped_at: float | None = None

    async def find(self, job: JobId) -> Job | None:
        now = self.clock.now().timestamp()
        if self.stopped_at is not None and now >= self.stopped_at + ENDS_AFTER_S:
            self.jobs[ROOT] = replace(self.jobs[ROOT], state=JobState.KILLED)
        return await super().find(job)


class SlowWriter(SmallWriter):
    """Stops as slowly as the cluster; notes the old job's state at each submission."""

    def __init__(self, cluster: SlowToEnd, clock: HandClock) -> None:
        super().__init__(cluster, clock)  # type: ignore[arg-type]
        self.slow = cluster
        self.old_state_at_submit: list[JobState] = []

    async def stop(self, job: JobId) -> None:
        self.stopped.append(job)
        self.slow.stopped_at = self.slow.clock.now().timestamp()

    async def submit(self, submission):
        self.old_state_at_submit.append(self.slow.jobs[ROOT].state)
        return await super().submit(submission)


def approved(*, is_http: bool = False) -> Approved:
    """A restart that somebody approved."""
    sent = replace(submission(), job=SUCCESSOR)
    if is_http:
        sent = replace(sent, argv=(), request={"name": ROOT})
    facts = ProposalFacts(ROOT, JobState.RUNNING, COORDINATOR, Cause.ZOMBIE_COORDINATOR, sent.argv)
    proposal = Proposal(
        id=ProposalId("p-1"),
        incident=IncidentId("i-1"),
        watch=WatchId("w-1"),
        cluster="marin",
        job=ROOT,
        successor=SUCCESSOR,
        action=ActionKind.RESTART,
        submission=sent,
        facts=facts,
        digest=Digest("made-up"),
        created_at=NOON,
        expires_at=at(3600),
    )
    return Approved(proposal, ADA, NOON, fence=1)


async def carried_out(
    cluster: SmallCluster, writer: SmallWriter, clock: HandClock, journal: Steps, *, is_http: bool = False
):
    async def nothing() -> str:
        return ""

    return await restart_saga.run(
        approved(is_http=is_http),
        journal,
        cluster,
        writer,
        clock,
        what_moved=nothing,
        folder_moved=nothing,
        save_evidence=nothing,
    )


async def test_submit_waits_until_the_old_job_has_ended():
    clock = HandClock()
    cluster = SlowToEnd(clock)
    cluster.jobs[ROOT] = job(ROOT, R)
    writer = SlowWriter(cluster, clock)
    outcome = await carried_out(cluster, writer, clock, Steps())
    assert outcome == ActionSucceeded(SUCCESSOR)
    assert writer.old_state_at_submit == [JobState.KILLED]


FREE = JobId(f"{SUCCESSOR}-2")


async def test_submit_never_adopts_a_foreign_job():
    clock, cluster, journal = HandClock(), SmallCluster(), Steps()
    cluster.jobs = {ROOT: job(ROOT, R), SUCCESSOR: job(SUCCESSOR, R)}
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    for _ in range(3):  # whatever an earlier try has left in the journal
        outcome = await carried_out(cluster, writer, clock, journal)
        assert isinstance(outcome, NotSubmitted)
        assert (outcome.step, outcome.failure) == (ActionStep.SUBMIT, SubmissionFailure.NAME_TAKEN)
        assert outcome.by_hand_as == FREE
        assert f"{SUCCESSOR} exists already and is not of this restart" in outcome.because
        assert writer.submitted == []


async def test_submission_under_the_free_name_is_followed():
    clock, cluster, journal = HandClock(), SmallCluster(), Steps()
    cluster.jobs = {ROOT: job(ROOT, R), SUCCESSOR: job(SUCCESSOR, R)}
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    assert isinstance(await carried_out(cluster, writer, clock, journal), NotSubmitted)
    cluster.jobs[FREE] = job(FREE, R)
    assert await carried_out(cluster, writer, clock, journal) == ActionSucceeded(FREE)
    assert writer.submitted == []


async def test_failure_before_the_intention_adopts_nothing():
    clock, cluster, journal = HandClock(), SmallCluster(), Steps()
    cluster.jobs[ROOT] = job(ROOT, R)
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]

    class BlindForNames(SmallCluster):
        async def find(self, job: JobId) -> Job | None:
            if job == SUCCESSOR:
                raise Unreachable("Away.")
            return await super().find(job)

    blind = BlindForNames()
    blind.jobs = cluster.jobs
    outcome = await carried_out(blind, writer, clock, journal)
    assert isinstance(outcome, NotSubmitted)
    assert "not known whether" in outcome.because
    cluster.jobs[SUCCESSOR] = job(
        SUCCESSOR, R, since_s=-3600
    )  # of somebody else, and older than our intention
    outcome = await carried_out(cluster, writer, clock, journal)
    assert isinstance(outcome, NotSubmitted)
    assert outcome.failure is SubmissionFailure.NAME_TAKEN
    assert writer.submitted == []


async def test_name_taken_at_the_submission_is_not_adopted():
    clock, cluster, journal = HandClock(), SmallCluster(), Steps()
    cluster.jobs[ROOT] = job(ROOT, R)

    class TooLate(SmallWriter):
        async def submit(self, submission):  # noqa: ARG002
            cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R)
            raise SubmissionRefused(f"Job {SUCCESSOR} exists already.")

    writer = TooLate(cluster, clock)  # type: ignore[arg-type]
    for _ in range(2):
        outcome = await carried_out(cluster, writer, clock, journal, is_http=True)
        assert isinstance(outcome, NotSubmitted)
        assert (outcome.failure, outcome.by_hand_as) == (SubmissionFailure.NAME_TAKEN, FREE)


@pytest.mark.parametrize("stop", [StepState.INTENDED, StepState.DONE])
async def test_job_forgotten_after_the_stop_is_tried_again(stop: StepState):
    clock, cluster = HandClock(), SmallCluster()
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    journal = Steps(evidence=StepState.DONE, stop=stop)
    outcome = await carried_out(cluster, writer, clock, journal)
    assert isinstance(outcome, NotSubmitted)
    assert outcome.failure is SubmissionFailure.OLD_JOB_UNKNOWN
    assert writer.submitted == []  # it may still run
    cluster.jobs[ROOT] = job(ROOT, JobState.KILLED)
    assert await carried_out(cluster, writer, clock, journal) == ActionSucceeded(SUCCESSOR)


async def test_forgotten_job_submitted_by_a_person_is_followed():
    clock, cluster = HandClock(), SmallCluster()
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    journal = Steps(evidence=StepState.DONE, stop=StepState.DONE)
    assert isinstance(await carried_out(cluster, writer, clock, journal), NotSubmitted)
    cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R)
    assert await carried_out(cluster, writer, clock, journal) == ActionSucceeded(SUCCESSOR)
    assert writer.submitted == []


async def test_late_failure_is_tried_again_for_half_an_hour():
    clock, cluster = HandClock(), SmallCluster()
    cluster.jobs[ROOT] = job(ROOT, JobState.KILLED)
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    writer.refuses = SubmissionRefused("No room.")
    ended = {"evidence": StepState.DONE, "stop": StepState.DONE, "terminal": StepState.DONE}
    journal = Steps(**ended)
    journal.records[ActionStep.TERMINAL] = replace(journal.records[ActionStep.TERMINAL], at=at(3600))
    clock.pass_s(3601)  # past the expiry of the approval
    outcome = await carried_out(cluster, writer, clock, journal)
    assert isinstance(outcome, NotSubmitted)
    assert outcome.until == at(3600 + 1800)
    clock.pass_s(1800)
    assert isinstance(await carried_out(cluster, writer, clock, journal), ActionFailed)


async def test_submit_takes_its_own_job_after_a_crash():
    clock, cluster = HandClock(), SmallCluster()
    cluster.jobs = {ROOT: job(ROOT, JobState.KILLED), SUCCESSOR: job(SUCCESSOR, R)}
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    begun = dict.fromkeys(("evidence", "stop", "terminal"), StepState.DONE) | {"submit": StepState.INTENDED}
    assert await carried_out(cluster, writer, clock, Steps(**begun)) == ActionSucceeded(SUCCESSOR)
    assert writer.submitted == []


class LostAnswers(SmallWriter):
    """The request to stop arrives; the answer does not, and the controller is away for a while."""

    def __init__(self, cluster: SmallCluster, clock: HandClock) -> None:
        super().__init__(cluster, clock)  # type: ignore[arg-type]
        self.away = cluster

    async def stop(self, job: JobId) -> None:
        await super().stop(job)
        self.away.broken = Unreachable("Away.")
        raise Unreachable("The answer did not come.")


async def test_job_stopped_by_a_lost_request_comes_back():
    clock, cluster, journal = HandClock(), SmallCluster(), Steps()
    cluster.jobs[ROOT] = job(ROOT, R)
    writer = LostAnswers(cluster, clock)
    outcome = await carried_out(cluster, writer, clock, journal)
    assert isinstance(outcome, NotSubmitted)
    assert outcome.step is ActionStep.STOP
    cluster.broken = None
    assert await carried_out(cluster, writer, clock, journal) == ActionSucceeded(SUCCESSOR)
    assert (writer.stopped, writer.submitted) == ([ROOT], [SUCCESSOR])


async def test_job_whose_end_is_not_seen_in_time_comes_back():
    clock, cluster = HandClock(), SmallCluster()
    cluster.jobs[ROOT] = job(ROOT, JobState.KILLED)
    cluster.broken = Unreachable("Away.")
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    journal = Steps(evidence=StepState.DONE, stop=StepState.DONE)
    outcome = await carried_out(cluster, writer, clock, journal)
    assert isinstance(outcome, NotSubmitted)
    assert outcome.step is ActionStep.TERMINAL
    cluster.broken = None
    assert await carried_out(cluster, writer, clock, journal) == ActionSucceeded(SUCCESSOR)


async def test_stop_that_is_refused_ends_the_restart():
    clock, cluster = HandClock(), SmallCluster()
    cluster.jobs[ROOT] = job(ROOT, R)

    class Refusing(SmallWriter):
        async def stop(self, job: JobId) -> None:
            raise NotAuthorised(f"{job} is not yours.")

    outcome = await carried_out(cluster, Refusing(cluster, clock), clock, Steps())  # type: ignore[arg-type]
    assert isinstance(outcome, ActionFailed)
    assert outcome.step is ActionStep.STOP


@pytest.mark.parametrize("stop", [StepState.INTENDED, StepState.DONE])
async def test_job_that_succeeded_meanwhile_is_not_repeated(stop: StepState):
    clock, cluster = HandClock(), SmallCluster()
    cluster.jobs[ROOT] = job(ROOT, JobState.SUCCEEDED)
    writer = SmallWriter(cluster, clock)  # type: ignore[arg-type]
    outcome = await carried_out(cluster, writer, clock, Steps(evidence=StepState.DONE, stop=stop))
    assert outcome == ActionCancelled(f"{ROOT} succeeded before it was stopped")
    assert writer.submitted == []


async def test_decide_refuses_an_expired_proposal(place: AppHarness):
    watch = await zombie(place)
    offer = await offer_of(place, watch)
    place.clock.advance(13 * 3600)  # nobody has looked since: it is still open in the database
    with pytest.raises(FactsChanged, match="expired at"):
        await answer(place, offer)
    assert await place.events(ProposalDecided) == []
    await place.pass_s(60)
    assert place.writer.stopped == []


async def test_journal_is_not_written_without_the_lease(place: AppHarness):
    watch = await zombie(place)
    await answer(place, await offer_of(place, watch))
    async with place.app.store.transaction() as tx:
        await tx.leases.leave(place.app.leadership.replica)
        await tx.leases.claim(("service",), place.app.leadership.replica, now=place.clock.now())
    await place.pass_s(30)
    assert await place.events(StepTaken) == []
    assert place.writer.stopped == []


async def test_blind_look_before_the_act_is_not_unchanged(place: AppHarness):
    watch = await zombie(place)
    await answer(place, await offer_of(place, watch))
    place.cluster.broken = Unreachable("The controller refused the connection.")
    await place.pass_s(120)
    assert await place.events(StepTaken) == []
    assert place.writer.stopped == []
    place.cluster.broken = None
    await place.pass_s(60)
    assert (place.writer.stopped, place.writer.submitted) == ([ROOT], [SUCCESSOR])

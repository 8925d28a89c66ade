"""The steps of a restart, one fault at a time: what is done, what is not, and what is tried again."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from babysitter.engine.restarting import restart_saga
from babysitter.errors import (
    NoSuchJob,
    StorageUnavailable,
    SubmissionRefused,
    Unreachable,
    UserError,
)
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
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.proposal import Approved
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from tests.engine.test_act import SUCCESSOR
from tests.engine.test_safety import approved
from tests.support.app import SmallWriter
from tests.support.build import NOON, ROOT, at
from tests.support.cluster import HandClock, SmallCluster
from tests.support.jobs import K, R, S, job

LOST = Unreachable("The answer did not come.")
BEFORE_SUBMIT = ("evidence", "stop", "terminal")


class Written:
    """A journal in memory, with the times at which it was written."""

    def __init__(self, clock: HandClock, *done: str) -> None:
        self.clock = clock
        self.records = {
            ActionStep[text.upper()]: self._record(ActionStep[text.upper()], StepState.DONE) for text in done
        }
        self.history: list[tuple[ActionStep, StepState]] = []
        self.intended: dict[ActionStep, str] = {}

    def _record(self, step: ActionStep, state: StepState, detail: str = "") -> StepRecord:
        return StepRecord(step, state, self.clock.now(), detail)

    async def taken(self) -> Mapping[ActionStep, StepRecord]:
        return dict(self.records)

    async def _write(self, step: ActionStep, state: StepState, detail: str) -> None:
        self.records[step] = self._record(step, state, detail)
        self.history.append((step, state))

    async def intend(self, step: ActionStep, detail: str = "") -> None:
        self.intended[step] = detail
        await self._write(step, StepState.INTENDED, detail)

    async def done(self, step: ActionStep, detail: str = "") -> None:
        await self._write(step, StepState.DONE, detail)

    async def failed(self, step: ActionStep, detail: str = "") -> None:
        await self._write(step, StepState.FAILED, detail)


class Hands(SmallWriter):
    """`faults`: raised by the next submissions, one each. `shows_up_s`: after that time the first exists."""

    def __init__(self, cluster: SmallCluster, clock: HandClock) -> None:
        super().__init__(cluster, clock)  # type: ignore[arg-type]
        self.faults: list[Exception] = []
        self.stop_faults: list[Exception] = []
        self.stop_tried_at: list[float] = []
        self.cluster = cluster
        self.hand_clock = clock

    async def stop(self, job: JobId) -> None:
        self.stop_tried_at.append((self.hand_clock.now() - NOON).total_seconds())
        if self.stop_faults:
            raise self.stop_faults.pop(0)
        await super().stop(job)

    async def submit(self, submission):
        self.refuses = self.faults.pop(0) if self.faults else None
        return await super().submit(submission)


class Cluster(SmallCluster):
    """`late`: jobs that can be seen from that second on. `blind_until_s`: nothing is seen before it."""

    def __init__(self, clock: HandClock) -> None:
        super().__init__()
        self.clock = clock
        self.late: dict[JobId, float] = {}
        self.blind_until_s = 0.0
        self.finds = 0
        self.answers: list[JobState | None] = []  # about the old job, one each; None: not known

    async def find(self, job_id: JobId):
        self.finds += 1
        if job_id == ROOT and self.answers:
            state = self.answers.pop(0)
            return None if state is None else job(ROOT, state)
        passed_s = (self.clock.now() - NOON).total_seconds()
        for item, from_s in self.late.items():
            if passed_s >= from_s:
                self.jobs.setdefault(item, job(item, R))
        if passed_s < self.blind_until_s:
            raise Unreachable("Away.")
        return await super().find(job_id)


@dataclass
class Restart:
    """One approved restart, and everything that a test may turn."""

    approved: Approved = field(default_factory=approved)
    moved: str = ""
    folder_moved: str = ""
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = HandClock()
        self.cluster = Cluster(self.clock)
        self.cluster.jobs[ROOT] = job(ROOT, R)
        self.writer = Hands(self.cluster, self.clock)
        self.journal = Written(self.clock)

    def after(self, *done: str) -> "Restart":
        """As a process finds it that takes it up again."""
        self.journal = Written(self.clock, *done)
        self.cluster.jobs[ROOT] = job(ROOT, K)
        return self

    async def run(self):
        async def said(what: str, answer: str) -> str:
            self.asked.append(what)
            return answer

        return await restart_saga.run(
            self.approved,
            self.journal,
            self.cluster,
            self.writer,
            self.clock,
            what_moved=lambda: said("moved", self.moved),
            save_evidence=lambda: said("evidence", "kept there"),
            folder_moved=lambda: said("folder", self.folder_moved),
        )

    @property
    def passed(self) -> timedelta:
        return self.clock.now() - NOON


async def test_steps_are_written_down_before_and_after():
    restart = Restart()
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    steps = (ActionStep.EVIDENCE, ActionStep.STOP, ActionStep.TERMINAL, ActionStep.SUBMIT)
    both = (StepState.INTENDED, StepState.DONE)
    assert restart.journal.history == [(step, state) for step in steps for state in both]
    details = [restart.journal.records[step].detail for step in steps]
    assert details == ["kept there", "asked to stop", "killed", SUCCESSOR]
    assert [restart.journal.intended[step] for step in steps] == ["", ROOT, ROOT, SUCCESSOR]
    assert restart.asked == ["moved", "evidence", "folder"]
    assert (restart.writer.stopped, restart.writer.submitted) == ([ROOT], [SUCCESSOR])


async def test_finished_restart_is_not_done_again():
    restart = Restart().after(*BEFORE_SUBMIT, "submit")
    record = restart.journal.records[ActionStep.SUBMIT]
    restart.journal.records[ActionStep.SUBMIT] = replace(record, detail=SUCCESSOR)
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert (restart.asked, restart.cluster.finds, restart.journal.history) == ([], 0, [])


async def test_facts_that_moved_call_it_off():
    restart = Restart(moved="the job recovered")
    assert await restart.run() == ActionCancelled("the job recovered")
    assert (restart.journal.history, restart.writer.stopped, restart.writer.preflights) == ([], [], [])


async def test_obstacle_calls_it_off():
    restart = Restart()
    restart.writer.findings = (PreflightFinding("x", PreflightSeverity.BLOCK, "The bundle is gone."),)
    assert await restart.run() == ActionCancelled("The bundle is gone.")
    assert restart.journal.history == []


@pytest.mark.parametrize("begun", ["stop", "submit"])
async def test_facts_are_not_asked_after_the_stop(begun):
    restart = Restart(moved="the job is gone").after("evidence")
    restart.journal.records[ActionStep[begun.upper()]] = StepRecord(
        ActionStep[begun.upper()], StepState.INTENDED, NOON, SUCCESSOR
    )
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert "moved" not in restart.asked


async def test_job_that_has_ended_is_not_stopped():
    restart = Restart()
    restart.cluster.jobs[ROOT] = job(ROOT, K)
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert restart.writer.stopped == []
    assert restart.journal.records[ActionStep.STOP].detail == "it had ended already"


@pytest.mark.parametrize("is_raised", [False, True])
async def test_job_that_is_not_known_is_not_restarted(is_raised, monkeypatch):
    restart = Restart()
    restart.cluster.jobs.clear()
    if is_raised:

        async def find(_: JobId):
            raise NoSuchJob("There is no such job.")

        monkeypatch.setattr(restart.cluster, "find", find)
    outcome = await restart.run()
    assert isinstance(outcome, ActionFailed)
    assert (outcome.step, outcome.done) == (ActionStep.STOP, (ActionStep.EVIDENCE,))
    assert f"does not know {ROOT} any more" in outcome.because
    assert restart.journal.records[ActionStep.STOP].state is StepState.FAILED
    assert restart.writer.submitted == []


async def test_job_that_succeeded_is_restarted_if_the_approver_knew():
    made = approved()
    facts = replace(made.proposal.facts, root_state=JobState.SUCCEEDED)
    restart = Restart(replace(made, proposal=replace(made.proposal, facts=facts)))
    restart.cluster.jobs[ROOT] = job(ROOT, S)
    assert await restart.run() == ActionSucceeded(SUCCESSOR)


async def test_stop_is_tried_three_times_a_while_apart():
    restart = Restart()
    restart.writer.stop_faults = [LOST] * 2
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert restart.writer.stop_tried_at == [0, 5, 10]


async def test_stop_that_was_never_asked_ends_the_restart():
    restart = Restart()
    restart.cluster.blind_until_s = 1_000
    outcome = await restart.run()
    assert isinstance(outcome, ActionFailed)
    assert outcome.step is ActionStep.STOP
    assert f"{ROOT} could not be stopped: Away" in outcome.because
    assert (restart.cluster.finds, restart.passed) == (3, timedelta(seconds=15))


async def test_stop_in_doubt_is_tried_again():
    restart = Restart()
    restart.writer.stop_faults = [LOST] * 3
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert (outcome.step, restart.writer.submitted) == (ActionStep.STOP, [])
    assert restart.journal.records[ActionStep.STOP].state is StepState.FAILED


async def test_end_of_the_old_job_is_awaited_ten_minutes():
    restart = Restart().after("evidence", "stop")
    restart.cluster.jobs[ROOT] = job(ROOT, R)
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert outcome.step is ActionStep.TERMINAL
    assert outcome.because == f"{ROOT} was asked to stop and has not ended: it is running"
    assert restart.passed == timedelta(minutes=10)
    assert restart.cluster.finds == 121
    assert restart.writer.submitted == []


async def test_end_that_cannot_be_seen_names_the_reason():
    restart = Restart().after("evidence", "stop")
    restart.cluster.blind_until_s = 1_000
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert outcome.because.endswith("it could not be seen: Away.")


async def test_old_job_is_asked_for_twice_before_it_is_gone():
    restart = Restart().after("evidence", "stop")
    restart.cluster.answers = [None, R, None, K]
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    restart = Restart().after("evidence", "stop")
    restart.cluster.answers = [None, None]
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert f"does not know {ROOT} any more" in outcome.because


async def test_unexpected_error_after_the_stop_is_tried_again():
    restart = Restart().after("evidence", "stop")
    outcome = await restart_saga.interrupted("Boom", restart.approved, restart.journal, restart.clock)
    assert isinstance(outcome, NotSubmitted)
    assert (outcome.because, outcome.step) == ("Boom", ActionStep.TERMINAL)
    for done in (("evidence",), (*BEFORE_SUBMIT, "submit")):
        restart = Restart().after(*done)
        nothing = await restart_saga.interrupted("Boom", restart.approved, restart.journal, restart.clock)
        assert nothing is None


async def test_folder_that_moved_is_not_shipped():
    restart = Restart(folder_moved="the folder changed").after(*BEFORE_SUBMIT)
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert (outcome.because, outcome.step) == ("the folder changed", ActionStep.SUBMIT)
    assert restart.writer.tried == []


async def test_lost_submission_that_shows_up_is_taken():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = [LOST]
    restart.cluster.late[SUCCESSOR] = 60
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert (restart.writer.tried, restart.passed) == ([SUCCESSOR], timedelta(seconds=60))


async def test_lost_submission_is_sent_again_when_it_did_not_arrive():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = [LOST]
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert restart.writer.tried == [SUCCESSOR] * 2
    assert restart.passed == timedelta(seconds=60)


async def test_submission_is_sent_three_times_at_most():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = [LOST] * 9
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert outcome.because == f"{SUCCESSOR} could not be submitted: {LOST}"
    assert restart.writer.tried == [SUCCESSOR] * 3
    assert restart.passed == timedelta(seconds=180)
    assert restart.cluster.finds == 1 + 3 * 13


async def test_lost_submission_is_not_sent_again_blindly():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = [LOST]
    restart.writer.after_submit = lambda: None

    async def submit(submission):
        restart.cluster.blind_until_s = 1_000
        return await Hands.submit(restart.writer, submission)

    restart.writer.submit = submit  # type: ignore[method-assign]
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert outcome.because == f"it is not known whether {SUCCESSOR} exists: Away."
    assert restart.writer.tried == [SUCCESSOR]


async def test_name_is_looked_for_until_it_can_be_seen():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.cluster.blind_until_s = 30
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert (restart.passed, restart.cluster.finds) == (timedelta(seconds=30), 7)


async def test_name_that_cannot_be_looked_for_is_not_submitted():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.cluster.blind_until_s = 1_000
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert "it is not known whether" in outcome.because
    assert (restart.writer.tried, restart.passed) == ([], timedelta(seconds=60))
    record = restart.journal.records[ActionStep.SUBMIT]
    assert (record.state, record.detail) == (StepState.INTENDED, SUCCESSOR)


@pytest.mark.parametrize(
    ("state", "detail", "created", "is_ours"),
    [
        (StepState.INTENDED, SUCCESSOR, {"since_s": -60}, True),  # as far as two clocks agree
        (StepState.INTENDED, SUCCESSOR, {"since_s": -60.5}, False),
        (StepState.INTENDED, SUCCESSOR, {"submitted_at": None}, True),
        (StepState.FAILED, "No room.", {"since_s": -3_600}, True),  # its time is that of the failure
    ],
)
async def test_job_of_the_name_is_ours_if_it_is_younger(state, detail, created, is_ours):
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.journal.records[ActionStep.SUBMIT] = StepRecord(ActionStep.SUBMIT, state, NOON, detail)
    restart.cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R, **created)
    outcome = await restart.run()
    assert isinstance(outcome, ActionSucceeded) is is_ours
    assert restart.writer.tried == []


async def test_free_name_is_not_guessed_blindly():
    restart = Restart().after(*BEFORE_SUBMIT)

    async def find(job_id: JobId):
        if job_id == SUCCESSOR:
            return job(SUCCESSOR, R)
        raise Unreachable("Away.")

    restart.cluster.find = find  # type: ignore[method-assign]
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert f"{SUCCESSOR}-2" in outcome.because
    assert outcome.by_hand_as is None


@pytest.mark.parametrize(
    ("is_http", "is_taken", "is_told"), [(True, True, True), (True, False, False), (False, True, False)]
)
async def test_refused_first_request_tells_whose_the_name_is(is_http, is_taken, is_told):
    restart = Restart(approved(is_http=is_http)).after(*BEFORE_SUBMIT)

    async def submit(submission):  # noqa: ARG001
        if is_taken:
            restart.cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R)
        raise SubmissionRefused("The name is taken.")

    restart.writer.submit = submit  # type: ignore[method-assign]
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert (outcome.failure is SubmissionFailure.NAME_TAKEN) is is_told


async def test_refusal_of_a_second_try_may_mean_that_the_first_arrived():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = [LOST, SubmissionRefused("The name is taken.")]
    restart.writer.tried = []

    async def submit(submission):
        if restart.writer.tried:
            restart.cluster.late[SUCCESSOR] = 0
        return await Hands.submit(restart.writer, submission)

    restart.writer.submit = submit  # type: ignore[method-assign]
    assert await restart.run() == ActionSucceeded(SUCCESSOR)
    assert restart.writer.submitted == []


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ([SubmissionRefused("No room.")], f"the cluster refused {SUCCESSOR}: No room."),
        ([LOST, SubmissionRefused("No room.")], f"the cluster refused {SUCCESSOR}: No room."),
        ([UserError("A variable is not set.")], f"{SUCCESSOR} cannot be submitted: A variable is not set."),
    ],
)
async def test_submission_that_fails_is_tried_again_later(faults, said):
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.clock.pass_s(60)
    restart.writer.faults = faults
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert outcome.because.startswith(said)
    assert (outcome.step, outcome.since_at) == (ActionStep.SUBMIT, NOON)


async def test_full_disk_ends_the_try_at_once():
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = [StorageUnavailable("The disk is full.")]
    with pytest.raises(StorageUnavailable):
        await restart.run()


@pytest.mark.parametrize(("before_expiry_s", "kind"), [(1, NotSubmitted), (0, ActionFailed)])
async def test_submission_is_tried_until_the_approval_expires(before_expiry_s, kind):
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.clock.moment = at(3600 - before_expiry_s)
    restart.writer.faults = [SubmissionRefused("No room.")]
    outcome = await restart.run()
    assert isinstance(outcome, kind)
    if isinstance(outcome, ActionFailed):
        assert outcome.done == (ActionStep.EVIDENCE, ActionStep.STOP, ActionStep.TERMINAL)
        assert restart.journal.records[ActionStep.SUBMIT].state is StepState.FAILED


@pytest.mark.parametrize(("proposal", "is_ours"), [("p-1", True), ("p-other", False)])
async def test_proposal_kept_with_the_job_says_whose_it_is(proposal, is_ours):
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R, proposal=proposal)
    assert isinstance(await restart.run(), ActionSucceeded) is is_ours
    assert (restart.writer.tried, restart.passed) == ([], timedelta(0))  # one clear answer is enough


@pytest.mark.parametrize("faults", [[LOST], [LOST, SubmissionRefused("The name is taken.")]])
async def test_job_of_another_proposal_is_not_adopted_later(faults):
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = list(faults)

    async def taken_meanwhile(submission, submit=restart.writer.submit):
        restart.cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R, proposal="p-other")
        return await submit(submission)

    restart.writer.submit = taken_meanwhile
    outcome = await restart.run()
    assert isinstance(outcome, NotSubmitted)
    assert "not of this restart" in outcome.because


@pytest.mark.parametrize("faults", [[LOST], [LOST, SubmissionRefused("The name is taken.")]])
async def test_job_that_says_our_proposal_is_adopted_later(faults):
    restart = Restart().after(*BEFORE_SUBMIT)
    restart.writer.faults = list(faults)

    async def arrived(submission, submit=restart.writer.submit):
        restart.cluster.jobs[SUCCESSOR] = job(SUCCESSOR, R, proposal=restart.approved.proposal.id)
        return await submit(submission)

    restart.writer.submit = arrived
    assert await restart.run() == ActionSucceeded(SUCCESSOR)

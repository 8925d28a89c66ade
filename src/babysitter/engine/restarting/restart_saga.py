"""Approved -> evidence saved, stopped, confirmed, submitted: stored steps that any process can resume.

The saga follows its journal, not its own variables. Each step is written down before it is done; a
process that finds it half done asks the cluster what is true and goes on from there. The new job's
name is computed, so a submission that may or may not have happened is looked for, never repeated
blindly. Recording the result is engine/restarting/run_action.py's transaction.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from babysitter.backends.backend import ClusterReader, ClusterWriter
from babysitter.clock import Clock
from babysitter.engine.restarting.action_step import LOOK_EVERY, Journal, StepFailed, Succeeded
from babysitter.engine.restarting.find_resubmission import obstacle
from babysitter.engine.restarting.submit_step import SubmitStep
from babysitter.errors import ExternalError, NoSuchJob, NotAuthorised, SubmissionRefused
from babysitter.model.action import (
    ActionCancelled,
    ActionFailed,
    ActionStep,
    ActionStopped,
    ActionSucceeded,
    NotSubmitted,
    Outcome,
    StepRecord,
    StepState,
    SubmissionFailure,
)
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState
from babysitter.model.proposal import Approved, Proposal

TERMINAL_WITHIN = timedelta(
    minutes=10
)  # processes end up to 20 s after the state says so; tunnels reopen slower
TRIES = 3
RETRIED_AT_LEAST = timedelta(minutes=30)  # guess: for a person who reads the urgent message
_STEPS = (ActionStep.EVIDENCE, ActionStep.STOP, ActionStep.TERMINAL, ActionStep.SUBMIT)


def steps_of(proposal: Proposal) -> tuple[ActionStep, ...]:
    """The steps of what was approved, in order. A stop alone has no submission."""
    return _STEPS if proposal.submits else _STEPS[:-1]


async def run(
    approved: Approved,
    journal: Journal,
    reader: ClusterReader,
    writer: ClusterWriter,
    clock: Clock,
    *,
    what_moved: Callable[[], Awaitable[str]],
    save_evidence: Callable[[], Awaitable[str]],
    folder_moved: Callable[[], Awaitable[str]],
) -> Outcome:
    """Carry out an approval, or what is left of it. Safe to run again at any point.

    `what_moved`: looks once more; "" when the facts still hold, else the difference. May raise
    WorldError: then nothing is touched and the caller tries later.
    `save_evidence`: keeps what the stop would destroy; says where. Never the reason to break off.
    `folder_moved`: how the folder of the command differs from what was shown; asked before every submission.

    A submission that fails is NotSubmitted until the approval expires, and for half an hour at least: run
    again, it looks for the computed name first and then submits once more. The same holds from the moment at
    which the old job may have been stopped. A job that succeeded meanwhile is not started again.
    """
    taken = await journal.taken()
    proposal = approved.proposal
    if ActionStep.STOP not in taken and ActionStep.SUBMIT not in taken:
        because = await what_moved()
        if not because and proposal.submits:
            because = await obstacle(proposal.submission, writer)
        if because:
            return ActionCancelled(because)
    submitting = SubmitStep(
        approved, journal, reader, writer, clock, folder_moved, taken.get(ActionStep.SUBMIT)
    )
    steps = _Steps(approved, journal, reader, writer, clock, save_evidence, submitting)
    for step in steps_of(proposal):
        if _is_done(taken, step):
            continue
        try:
            await journal.done(step, await steps.take(step, was_begun=step in taken))
        except Succeeded as success:
            return ActionCancelled(str(success))
        except StepFailed as trouble:
            return await _undone(step, trouble, approved, journal, clock)
    if not proposal.submits:
        return ActionStopped(proposal.job)
    return ActionSucceeded(JobId((await journal.taken())[ActionStep.SUBMIT].detail))


async def interrupted(
    because: str, approved: Approved, journal: Journal, clock: Clock
) -> NotSubmitted | ActionFailed | None:
    """What became of a restart that an unexpected error ended; None where nothing was touched yet."""
    taken = await journal.taken()
    steps = steps_of(approved.proposal)
    if ActionStep.STOP not in taken or _is_done(taken, steps[-1]):
        return None
    step = next(action_step for action_step in steps if not _is_done(taken, action_step))
    return await _undone(step, StepFailed(because, is_final=False), approved, journal, clock)


async def _undone(
    step: ActionStep, trouble: StepFailed, approved: Approved, journal: Journal, clock: Clock
) -> NotSubmitted | ActionFailed:
    """A step failed: to be tried again while that may help, else the end of the restart."""
    taken = await journal.taken()
    since_at = _stopped_at(taken, clock)
    until = max(approved.proposal.expires_at, since_at + RETRIED_AT_LEAST)
    if not trouble.is_final and clock.now() < until:
        if step is not ActionStep.SUBMIT:  # whose record holds the name that was intended
            await journal.failed(step, str(trouble))
        return NotSubmitted(str(trouble), since_at, step, until, trouble.failure, trouble.by_hand_as)
    await journal.failed(step, str(trouble))
    return ActionFailed(
        step, str(trouble), tuple(action_step for action_step in ActionStep if _is_done(taken, action_step))
    )


def _stopped_at(taken: Mapping[ActionStep, StepRecord], clock: Clock) -> datetime:
    """When the old job was seen to have ended, or else was asked to, or else was about to be."""
    done = (taken[step].at for step in reversed(_STEPS[:3]) if _is_done(taken, step))
    return next(done, clock.now())


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of one approval; each is written down as intended before it is done."""

    approved: Approved
    journal: Journal
    reader: ClusterReader
    writer: ClusterWriter
    clock: Clock
    save_evidence: Callable[[], Awaitable[str]]
    submitting: SubmitStep

    async def take(self, step: ActionStep, *, was_begun: bool) -> str:
        """Do it; what the journal is to say of it. Raises Undoable, or Succeeded for the old job."""
        if step is ActionStep.SUBMIT:
            return await self.submitting.submit()
        job = self.approved.proposal.job
        await self.journal.intend(step, "" if step is ActionStep.EVIDENCE else job)
        if step is ActionStep.EVIDENCE:
            return await self.save_evidence()
        try:
            if step is ActionStep.STOP:
                return await _stop(self.approved, self.reader, self.writer, self.clock, was_asked=was_begun)
            return await _confirm_terminal(self.approved, self.reader, self.clock)
        except StepFailed as trouble:
            if trouble.failure is not SubmissionFailure.OLD_JOB_UNKNOWN or trouble.is_final:
                raise
            if not self.approved.proposal.submits:
                raise
            # Whether it still runs cannot be told, so a person decides: they may have submitted it by now.
            if (ours := await self.submitting.find_ours()) is None:
                raise
            return f"not known to the cluster any more; {ours} took its place"


async def _stop(
    approved: Approved, reader: ClusterReader, writer: ClusterWriter, clock: Clock, *, was_asked: bool
) -> str:
    """Stop exactly this job, unless it has ended already. Twice is harmless; blindly is not.

    `was_asked`: an earlier try may have asked already. Where the job may have been stopped, and the cluster
    does not tell, it is tried again; a clear no is final.
    """
    job = approved.proposal.job
    for _ in range(TRIES):
        try:
            if (await _old_job(approved, reader, may_be_stopped=was_asked)).state.is_terminal:
                return "it had ended already"
            try:
                await writer.stop(job)
            except (SubmissionRefused, NotAuthorised):
                raise
            except ExternalError:
                was_asked = True
                raise
        except ExternalError as error:
            trouble = error
            await clock.sleep_until(clock.now() + LOOK_EVERY)
        else:
            return "asked to stop"
    raise StepFailed(f"{job} could not be stopped: {trouble}", is_final=not was_asked)


async def _confirm_terminal(approved: Approved, reader: ClusterReader, clock: Clock) -> str:
    """Wait, by looking, until the job has ended; its state is the answer.

    A cluster that does not know the job is asked once more before it is believed.
    """
    job, deadline = approved.proposal.job, clock.now() + TERMINAL_WITHIN
    seen = "it could not be seen"
    was_unknown = False
    while True:
        try:
            found = await _old_job(approved, reader, may_be_stopped=True)
        except ExternalError as error:
            seen = f"it could not be seen: {error.sentence}"
        except StepFailed:
            if was_unknown:
                raise
            was_unknown, seen = True, "the cluster did not know it"
        else:
            was_unknown = False
            if found.state.is_terminal:
                return found.state
            seen = f"it is {found.state}"
        if clock.now() >= deadline:
            raise StepFailed(f"{job} was asked to stop and has not ended: {seen}", is_final=False)
        await clock.sleep_until(min(deadline, clock.now() + LOOK_EVERY))


async def _old_job(approved: Approved, reader: ClusterReader, *, may_be_stopped: bool) -> Job:
    """The old job. Raises Succeeded when it came to a good end that nobody knew of at the approval.

    Raises Undoable when the cluster does not know it; final only if we cannot have stopped it.
    """
    job = approved.proposal.job
    try:
        found = await reader.find(job)
    except NoSuchJob:
        found = None
    if found is None:
        raise StepFailed(
            f"the cluster does not know {job} any more, so whether it still runs cannot be told",
            is_final=not may_be_stopped,
            failure=SubmissionFailure.OLD_JOB_UNKNOWN,
        )
    if found.state is JobState.SUCCEEDED and approved.proposal.facts.root_state is not JobState.SUCCEEDED:
        raise Succeeded(f"{found.id} succeeded before it was stopped")
    return found


def _is_done(taken: Mapping[ActionStep, StepRecord], step: ActionStep) -> bool:
    return step in taken and taken[step].state is StepState.DONE

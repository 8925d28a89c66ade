"""Approved -> evidence saved, stopped, confirmed, submitted: written steps that any process can take up.

The saga follows its journal, not its own variables. Each step is written down before it is done; a
process that finds it half done asks the cluster what is true and goes on from there. The new job's
name is computed, so a submission that may or may not have happened is looked for, never repeated
blindly. Recording the result is service/restarts.py's transaction.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from babysitter.backends.base import Eyes, Hands
from babysitter.clock import Clock
from babysitter.errors import (
    BabysitError,
    NoSuchJob,
    NotAuthorised,
    Refused,
    StorageUnavailable,
    UserError,
    WorldError,
)
from babysitter.model.action import (
    BrokeOff,
    CalledOff,
    NotSubmitted,
    Outcome,
    Step,
    StepRecord,
    StepState,
    Submitted,
)
from babysitter.model.ids import JobId
from babysitter.model.job import Job, JobState
from babysitter.model.proposal import Approved
from babysitter.service.resubmitting import obstacle

LOOK_EVERY = timedelta(seconds=5)
TERMINAL_WITHIN = timedelta(
    minutes=10
)  # processes end up to 20 s after the state says so; tunnels reopen slower
FOUND_WITHIN = timedelta(seconds=60)  # a submission that was cut off shows up by then, or did not happen
TRIES = 3


class Journal(Protocol):
    """The steps of one action, durable. Writing raises FactsChanged when another replica has taken over."""

    async def taken(self) -> Mapping[Step, StepRecord]: ...

    async def intend(self, step: Step, detail: str = "") -> None: ...

    async def done(self, step: Step, detail: str = "") -> None: ...

    async def failed(self, step: Step, detail: str = "") -> None: ...


class Undoable(Exception):
    """A step that cannot be completed; the sentence says why. `is_final`: trying again would not help."""

    def __init__(self, sentence: str, *, is_final: bool = True) -> None:
        super().__init__(sentence)
        self.is_final = is_final


class Succeeded(Exception):
    """The old job came to a good end before it was stopped; the sentence says so."""


async def run(
    approved: Approved,
    journal: Journal,
    eyes: Eyes,
    hands: Hands,
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

    A submission that fails is NotSubmitted until the approval expires: run again, it looks for the computed
    name first and then submits once more. At least one try is made, however late. The same holds from the
    moment at which the old job may have been stopped. A job that succeeded meanwhile is not started again.
    """
    taken = await journal.taken()
    proposal = approved.proposal
    done: list[Step] = [each for each in Step if _is_done(taken, each)]
    if Step.STOP not in taken and Step.SUBMIT not in taken:
        because = await what_moved() or await obstacle(proposal.submission, hands)
        if because:
            return CalledOff(because)
    submitted: JobId | None = None
    for step in (Step.EVIDENCE, Step.STOP, Step.TERMINAL, Step.SUBMIT):
        if _is_done(taken, step):
            continue
        try:
            match step:
                case Step.EVIDENCE:
                    await _take(journal, step, save_evidence)
                case Step.STOP:
                    await journal.intend(step, proposal.job)
                    was_asked = step in taken
                    await journal.done(step, await _stop(approved, eyes, hands, clock, was_asked=was_asked))
                case Step.TERMINAL:
                    await journal.intend(step, proposal.job)
                    await journal.done(step, await _confirm_terminal(approved, eyes, clock))
                case Step.SUBMIT:
                    submitting = _Submitting(approved, journal, eyes, hands, clock, folder_moved)
                    submitted = await submitting.submit(was_intended=step in taken)
                    await journal.done(step, submitted)
        except Succeeded as success:
            return CalledOff(str(success))
        except Undoable as trouble:
            await journal.failed(step, str(trouble))
            if not trouble.is_final and clock.now() < proposal.expires_at:
                return NotSubmitted(str(trouble), since_at=await _ended_at(journal, clock), step=step)
            return BrokeOff(step, str(trouble), tuple(done))
        done.append(step)
    return Submitted(submitted or JobId(taken[Step.SUBMIT].detail))


async def _take(journal: Journal, step: Step, act: Callable[[], Awaitable[str]]) -> None:
    await journal.intend(step)
    await journal.done(step, await act())


async def _stop(approved: Approved, eyes: Eyes, hands: Hands, clock: Clock, *, was_asked: bool) -> str:
    """Stop exactly this job, unless it has ended already. Twice is harmless; blindly is not.

    `was_asked`: an earlier try may have asked already. Where the job may have been stopped, and the cluster
    does not tell, it is tried again; a clear no is final.
    """
    job = approved.proposal.job
    for _ in range(TRIES):
        try:
            if (await _old_job(approved, eyes)).state.is_terminal:
                return "it had ended already"
            try:
                await hands.stop(job)
            except (Refused, NotAuthorised):
                raise
            except WorldError:
                was_asked = True
                raise
        except WorldError as error:
            trouble = error
            await clock.sleep_until(clock.now() + LOOK_EVERY)
        else:
            return "asked to stop"
    raise Undoable(f"{job} could not be stopped: {trouble}", is_final=not was_asked)


async def _confirm_terminal(approved: Approved, eyes: Eyes, clock: Clock) -> str:
    """Wait, by looking, until the job has ended; its state is the answer."""
    job, deadline = approved.proposal.job, clock.now() + TERMINAL_WITHIN
    seen = "it could not be seen"
    while True:
        try:
            found = await _old_job(approved, eyes)
        except WorldError as error:
            seen = f"it could not be seen: {error.sentence}"
        else:
            if found.state.is_terminal:
                return found.state
            seen = f"it is {found.state}"
        if clock.now() >= deadline:
            raise Undoable(f"{job} was asked to stop and has not ended: {seen}", is_final=False)
        await clock.sleep_until(min(deadline, clock.now() + LOOK_EVERY))


async def _old_job(approved: Approved, eyes: Eyes) -> Job:
    """The old job. Raises Succeeded when it came to a good end that nobody knew of at the approval."""
    found = await _existing(approved.proposal.job, eyes)
    if found.state is JobState.SUCCEEDED and approved.proposal.facts.root_state is not JobState.SUCCEEDED:
        raise Succeeded(f"{found.id} succeeded before it was stopped")
    return found


async def _ended_at(journal: Journal, clock: Clock) -> datetime:
    """When the old job was seen to have ended."""
    terminal = (await journal.taken()).get(Step.TERMINAL)
    return terminal.at if terminal else clock.now()


@dataclass(frozen=True, slots=True)
class _Submitting:
    """One try to submit: once, under the computed name."""

    approved: Approved
    journal: Journal
    eyes: Eyes
    hands: Hands
    clock: Clock
    folder_moved: Callable[[], Awaitable[str]]

    async def submit(self, *, was_intended: bool) -> JobId:
        """A job of the computed name is ours if we had written down that we would submit it.

        It is also the job of a person who was told to submit it, after a try that failed.
        """
        name = self.approved.proposal.successor
        existing = await _find(name, self.eyes, self.clock, for_certain=True)
        if existing is not None and not was_intended:
            raise Undoable(f"a job named {name} exists already and is not of this restart")
        if existing is not None:
            return existing
        if moved := await self.folder_moved():
            raise Undoable(moved, is_final=False)
        await self.journal.intend(Step.SUBMIT, name)
        for attempt in range(TRIES):
            submitted = await self._try(name, is_first=attempt == 0)
            if isinstance(submitted, str):
                return JobId(submitted)
            trouble = submitted
            if (ours := await _find(name, self.eyes, self.clock, for_certain=False)) is not None:
                return ours
        raise Undoable(f"{name} could not be submitted: {trouble}", is_final=False)

    async def _try(self, name: JobId, *, is_first: bool) -> JobId | WorldError:
        """The new job's id, or the error that leaves open whether it exists now."""
        try:
            return await self.hands.submit(self.approved.proposal.submission)
        except Refused as refusal:
            # An earlier try of ours may have arrived after all: then the name is taken, by us.
            if not is_first and (ours := await _find(name, self.eyes, self.clock, for_certain=True)):
                return ours
            raise Undoable(f"the cluster refused {name}: {refusal.sentence}", is_final=False) from refusal
        except UserError as fault:
            raise Undoable(f"{name} cannot be submitted: {fault}", is_final=False) from fault
        except StorageUnavailable:
            raise
        except WorldError as doubt:
            return doubt


async def _find(name: JobId, eyes: Eyes, clock: Clock, *, for_certain: bool) -> JobId | None:
    """The job of this name, or None when the cluster positively does not have it.

    With `for_certain` one clear answer is enough; otherwise it is looked for until a
    submission that was cut off would have shown up. Blind to the end: Undoable.
    """
    deadline = clock.now() + FOUND_WITHIN
    while True:
        positively_absent = False
        try:
            found = await eyes.find(name)
        except WorldError as error:
            trouble: BabysitError = error
        else:
            if found is not None:
                return found.id
            positively_absent = True
            if for_certain:
                return None
        if clock.now() >= deadline:
            if positively_absent:
                return None
            raise Undoable(f"it is not known whether {name} exists: {trouble}", is_final=False)
        await clock.sleep_until(min(deadline, clock.now() + LOOK_EVERY))


async def _existing(job: JobId, eyes: Eyes) -> Job:
    try:
        found = await eyes.find(job)
    except NoSuchJob:
        found = None
    if found is None:
        raise Undoable(f"the cluster does not know {job} any more, so whether it still runs cannot be told")
    return found


def _is_done(taken: Mapping[Step, StepRecord], step: Step) -> bool:
    return step in taken and taken[step].state is StepState.DONE

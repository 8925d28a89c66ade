"""The last step of a restart: the job is submitted once, under the computed name, and found again by it.

A job of that name is ours if the cluster keeps our proposal's id with it. Where it keeps none, the job is
ours only if our intention to submit it was written down before it was created. Any
other belongs to somebody else: it is not adopted and not replaced, and nothing is submitted beside it
without a person, who may have started it in the old job's place.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

from babysitter.backends.backend import ClusterReader, ClusterWriter
from babysitter.clock import Clock
from babysitter.engine.restarting.action_step import Journal, StepFailed, find_job
from babysitter.errors import (
    ExternalError,
    StorageUnavailable,
    SubmissionRefused,
    UserError,
)
from babysitter.model.action import ActionStep, StepRecord, StepState, SubmissionFailure
from babysitter.model.ids import JobId
from babysitter.model.job import Job
from babysitter.model.proposal import Approved

TRIES = 3
MAX_CLOCK_SKEW = timedelta(seconds=60)  # guess: between the controller's clock and ours
MAX_NAMES_TRIED = 20


@dataclass(frozen=True, slots=True)
class SubmitStep:
    """One try to submit. `earlier`: what the journal says of this step before the try."""

    approved: Approved
    journal: Journal
    reader: ClusterReader
    writer: ClusterWriter
    clock: Clock
    folder_moved: Callable[[], Awaitable[str]]
    earlier: StepRecord | None

    @property
    def _name(self) -> JobId:
        return self.approved.proposal.successor

    @property
    def _intended(self) -> JobId | None:
        """The name that an earlier try wrote down before it submitted, or told a person to submit."""
        if self.earlier is None:
            return None
        is_named = self.earlier.state is StepState.INTENDED and self.earlier.detail
        return JobId(self.earlier.detail) if is_named else self._name

    async def submit(self) -> JobId:
        """The new job: found, or submitted now. Raises Undoable."""
        if (ours := await self.find_ours()) is not None:
            return ours
        if moved := await self.folder_moved():
            raise StepFailed(moved, is_final=False)
        for attempt in range(TRIES):
            submitted = await self._try(is_first=attempt == 0)
            if isinstance(submitted, str):
                return JobId(submitted)
            trouble = submitted
            if (found := await self._find(self._name, for_certain=False)) is not None:
                return await self._unless_foreign(found)
        raise StepFailed(f"{self._name} could not be submitted: {trouble}", is_final=False)

    async def find_ours(self) -> JobId | None:
        """The job that has taken the old one's place by our intention, or by the person who was told to.

        None: the name is free, and the intention to submit it is written down. Raises Undoable when the name
        belongs to another job, or when the cluster does not tell.
        """
        for name in dict.fromkeys((self._intended or self._name, self._name)):
            try:
                found = await self._find(name, for_certain=True)
            except StepFailed:
                if self.earlier is None:
                    await self.journal.intend(ActionStep.SUBMIT, name)  # a person is told to submit it
                raise
            if found is not None and not self._is_ours(found, name):
                raise await self._name_taken(name)
            if found is not None:
                return found.id
        await self.journal.intend(ActionStep.SUBMIT, self._name)
        return None

    def _is_ours(self, found: Job, name: JobId) -> bool:
        """By the proposal that the cluster keeps with the job, else by our intention to submit its name."""
        if found.proposal:
            return found.proposal == self.approved.proposal.id
        return name == self._intended and self._is_later(found)

    async def _unless_foreign(self, found: Job) -> JobId:
        """The job of our name after a try of ours. Raises StepFailed if the cluster says it is not ours."""
        if found.proposal and found.proposal != self.approved.proposal.id:
            raise await self._name_taken(self._name)
        return found.id

    def _is_later(self, found: Job) -> bool:
        """Whether it was created after our intention was written down, as far as the clocks agree."""
        if found.submitted_at is None or self.earlier is None:
            return True
        is_timed = self.earlier.state is StepState.INTENDED  # others bear the time of their last failure
        return not is_timed or found.submitted_at >= self.earlier.at - MAX_CLOCK_SKEW

    async def _name_taken(self, taken: JobId) -> StepFailed:
        """Another job has the name: a person decides, and what they submit under a free name is followed."""
        free: JobId | None = None
        for number in range(2, MAX_NAMES_TRIED + 2):
            name = JobId(f"{self._name}-{number}")
            if await self._find(name, for_certain=True) is None:
                free = name
                await self.journal.intend(ActionStep.SUBMIT, name)
                break
        return StepFailed(
            f"a job named {taken} exists already and is not of this restart; it was left alone",
            is_final=False,
            failure=SubmissionFailure.NAME_TAKEN,
            by_hand_as=free,
        )

    async def _try(self, *, is_first: bool) -> JobId | ExternalError:
        """The new job's id, or the error that leaves open whether it exists now."""
        name, submission = self._name, self.approved.proposal.submission
        try:
            return await self.writer.submit(submission)
        except SubmissionRefused as refusal:
            found = await self._find(name, for_certain=True)
            # An earlier try of ours may have arrived after all: then the name is taken, by us.
            if found is not None and not is_first:
                return await self._unless_foreign(found)
            # One request over HTTP, the first of all, and refused: whoever has the name, it is not us. A
            # command may have asked several times by itself.
            if found is not None and self.earlier is None and submission.is_http:
                raise await self._name_taken(name) from refusal
            raise StepFailed(f"the cluster refused {name}: {refusal.sentence}", is_final=False) from refusal
        except UserError as fault:
            raise StepFailed(f"{name} cannot be submitted: {fault}", is_final=False) from fault
        except StorageUnavailable:
            raise
        except ExternalError as doubt:
            return doubt

    async def _find(self, name: JobId, *, for_certain: bool) -> Job | None:
        return await find_job(name, self.reader, self.clock, for_certain=for_certain)

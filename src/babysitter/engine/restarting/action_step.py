"""What the steps of a restart share: their journal, how they fail, and how a job is looked for by its id."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from babysitter.backends.backend import ClusterReader
from babysitter.clock import Clock
from babysitter.errors import BabysitError, ExternalError
from babysitter.model.action import ActionStep, StepRecord, SubmissionFailure
from babysitter.model.ids import JobId
from babysitter.model.job import Job

LOOK_EVERY = timedelta(seconds=5)
FOUND_WITHIN = timedelta(seconds=60)  # a submission that was cut off shows up by then, or did not happen


class Journal(Protocol):
    """The steps of one action, durable. Writing raises FactsChanged when another replica has taken over.

    An intention that is written again keeps the time of the first.
    """

    async def taken(self) -> Mapping[ActionStep, StepRecord]: ...

    async def intend(self, step: ActionStep, detail: str = "") -> None: ...

    async def done(self, step: ActionStep, detail: str = "") -> None: ...

    async def failed(self, step: ActionStep, detail: str = "") -> None: ...


class StepFailed(Exception):
    """A step that cannot be completed; the sentence says why. `is_final`: trying again would not help."""

    def __init__(
        self,
        sentence: str,
        *,
        is_final: bool = True,
        failure: SubmissionFailure = SubmissionFailure.FAILED,
        by_hand_as: JobId | None = None,
    ) -> None:
        super().__init__(sentence)
        self.is_final = is_final
        self.failure = failure
        self.by_hand_as = by_hand_as


class Succeeded(Exception):
    """The old job came to a good end before it was stopped; the sentence says so."""


async def find_job(name: JobId, reader: ClusterReader, clock: Clock, *, for_certain: bool) -> Job | None:
    """The job of this name, or None when the cluster positively does not have it.

    With `for_certain` one clear answer is enough; otherwise it is looked for until a
    submission that was cut off would have shown up. Blind to the end: Undoable.
    """
    deadline = clock.now() + FOUND_WITHIN
    while True:
        positively_absent = False
        try:
            found = await reader.find(name)
        except ExternalError as error:
            trouble: BabysitError = error
        else:
            if found is not None:
                return found
            positively_absent = True
            if for_certain:
                return None
        if clock.now() >= deadline:
            if positively_absent:
                return None
            raise StepFailed(f"it is not known whether {name} exists: {trouble}", is_final=False)
        await clock.sleep_until(min(deadline, clock.now() + LOOK_EVERY))

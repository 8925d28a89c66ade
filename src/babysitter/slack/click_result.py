"""What stands behind the buttons: the little that this surface needs of the service."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.proposal import Answer, Surface
from babysitter.slack.click import Click


@dataclass(frozen=True, slots=True)
class ClickResult:
    """What became of a person's answer.

    `sentence` is for that person: who was first and when, what changed, why not. Nothing is said to
    somebody whose answer took effect: the card itself changes, for everybody.
    """

    took_effect: bool
    sentence: str = ""


class Desk(Protocol):
    """Decides and remembers. Every method may be called twice with the same arguments, harmlessly.

    Raises BabysitError (NotAllowed, FactsChanged, ...) whose sentence is fit for the person.
    """

    async def keep(self, press: Click) -> None:
        """Write a press down, before it is acknowledged."""

    async def kept(self) -> Sequence[Click]:
        """Presses that were written down and are not `answered`, oldest first."""

    async def answered(self, press: Click) -> None:
        """It need not be kept any more."""

    async def decide(
        self,
        proposal: ProposalId,
        person: Person,
        answer: Answer,
        door: Surface,
        *,
        snooze_until: datetime | None = None,
        incoming: str = "",
    ) -> ClickResult:
        """One answer to one proposal; the first one wins.

        `snooze_until` None = until something changes. `incoming`: the identity of the press, which counts as
        answered from the same moment on.
        """

    async def refuse(self, target: str, by: str, door: Surface, because: str) -> None:
        """Write down an attempt that did not get as far as `decide`."""

    async def give_feedback(
        self, incident: IncidentId, person: Person, *, was_right: bool, cause: Cause | None = None
    ) -> ClickResult:
        """Keep a person's word on whether a diagnosis was right. `cause`: what it really was."""

    async def take_back_feedback(self, incident: IncidentId, person: Person) -> ClickResult:
        """Forget this person's word on a diagnosis. Raises UserError when there is none."""

    async def ask_advice(self, incident: IncidentId, person: Person) -> ClickResult:
        """Have the service ask for a second opinion. The card shows who asked, then the answer."""

    async def more_evidence(self, incident: IncidentId) -> Sequence[str]:
        """Further lines, redacted; empty when there are none."""

    async def command_pages(self, proposal: ProposalId) -> Sequence[str]:
        """The whole command of a proposal, redacted, one text for each message."""

    async def record_shown(self, proposal: ProposalId) -> None:
        """Remember that every page was posted: from now on the proposal can be approved here."""

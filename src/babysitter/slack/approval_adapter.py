"""The service behind Slack's buttons: who somebody is there, what a press means here."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from babysitter.engine.app import App
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.proposal import Answer, Surface
from babysitter.slack.click import Click, read_back, written
from babysitter.slack.click_result import ClickResult
from babysitter.slack.members import CANNOT_TELL
from babysitter.usecases.answering import approvals, show_command
from babysitter.usecases.answering import click_inbox as inbox
from babysitter.usecases.incidents.request_opinion import request_opinion
from babysitter.usecases.incidents.teach_incident import take_back, teach

Members = Callable[[str], Awaitable[frozenset[str]]]


class ApprovalAdapter:
    """Implements `ToolContext` over the service.

    `members_of`: the user ids in a Slack user group; `objection_to`: why somebody is no person of ours. Both
    are set once Slack can be asked, and asked again for every answer, so that somebody who left cannot
    approve any more.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self.members_of: Members | None = None
        self.objection_to: Callable[[str], Awaitable[str]] | None = None

    async def keep(self, press: Click) -> None:
        await inbox.save_click(self._app, press.identity, Surface.SLACK, written(press))

    async def kept(self) -> Sequence[Click]:
        return tuple(map(read_back, await inbox.pending_clicks(self._app, Surface.SLACK)))

    async def answered(self, press: Click) -> None:
        await inbox.remove_click(self._app, press.identity)

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
        offer = await approvals.offered(self._app, proposal)
        groups = frozenset([group for group in offer.may_approve if await self._is_in(person, group)])
        ruling = await approvals.decide(
            self._app,
            proposal,
            person,
            answer,
            door,
            snooze_until=snooze_until,
            groups=groups,
            incoming=incoming,
        )
        return ClickResult(ruling.took_effect, ruling.sentence)

    async def refuse(self, target: str, by: str, door: Surface, because: str) -> None:
        await approvals.refuse(self._app, target, by, door, because)

    async def give_feedback(
        self, incident: IncidentId, person: Person, *, was_right: bool, cause: Cause | None = None
    ) -> ClickResult:
        return ClickResult(True, await teach(self._app, incident, person, was_right=was_right, cause=cause))

    async def take_back_feedback(self, incident: IncidentId, person: Person) -> ClickResult:
        return ClickResult(True, await take_back(self._app, incident, person))

    async def ask_advice(self, incident: IncidentId, person: Person) -> ClickResult:
        sentence = await request_opinion(self._app, incident, person)
        return ClickResult(not sentence, sentence)

    async def more_evidence(self, incident: IncidentId) -> Sequence[str]:
        return await approvals.evidence_of(self._app, incident)

    async def command_pages(self, proposal: ProposalId) -> Sequence[str]:
        return await show_command.command_pages(self._app, proposal)

    async def record_shown(self, proposal: ProposalId) -> None:
        await show_command.record_shown(self._app, proposal)

    async def vouch(self, person: Person, asked: Sequence[Person]) -> str:
        """Why this person may not answer any more; "" when nothing speaks against it. Asked before an act.

        What Slack cannot say just now it has said when the button was pressed.
        """
        objection = await self.objection_to(person) if self.objection_to is not None else ""
        if objection and objection != CANNOT_TELL:
            return f"{person}, who approved, may not approve any more: {objection}"
        if person in asked:
            return ""
        groups = [group for group in asked if group.startswith("S")]
        if any([await self._is_in(person, group) for group in groups]):
            return ""
        return f"{person}, who approved, may not approve any more"

    async def _is_in(self, person: Person, group: str) -> bool:
        """Slack's user groups begin with S, its people with U or W."""
        if self.members_of is None or not group.startswith("S"):
            return False
        return person in await self.members_of(group)

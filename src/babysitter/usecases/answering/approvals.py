"""decide(proposal, person, answer): the one function behind every button, on every surface.

One transaction: is the proposal open, may this person, did nobody answer before? The first answer
wins. A yes commits together with its audit event, the action's opening and the watch's move to
`acting`; whatever process runs the service then finds the action and carries it out.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from babysitter.diagnosis.judge.phases.phases import enter, may_move
from babysitter.engine.app import App
from babysitter.engine.telling.enqueue import refresh_incident_messages
from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.messages.whole_command import must_be_shown
from babysitter.model.events import DecisionRefused, ProposalDecided
from babysitter.model.ids import IncidentId, Person, ProposalId
from babysitter.model.incident import IncidentStatus
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.proposal import ANSWERABLE, Answer, Decision, Proposal, ProposalStatus, Surface
from babysitter.model.watch import Watch
from babysitter.redact import redact, strip_control_characters
from babysitter.store.store import Transaction
from babysitter.usecases.answering.approval_outcome import already, took_effect

_STATUS_AFTER = {
    Answer.YES: IncidentStatus.APPROVED,
    Answer.NO: IncidentStatus.DENIED,
    Answer.SNOOZE: IncidentStatus.SNOOZED,
}


@dataclass(frozen=True, slots=True)
class ApprovalResult:
    """What became of an answer; the sentence is for the person who gave it."""

    took_effect: bool
    sentence: str
    decision: Decision | None = None


async def decide(
    app: App,
    proposal_id: ProposalId,
    person: Person,
    answer: Answer,
    door: Surface,
    *,
    snooze_until: datetime | None = None,
    groups: frozenset[str] = frozenset(),
    incoming: str = "",
) -> ApprovalResult:
    """A person's answer to a proposal. The first one wins; later ones are told who was first.

    `groups`: user groups the person is known to belong to. `incoming`: where the answer was kept on its way
    in (see click_inbox.py); it leaves there in the transaction that counts it. Every attempt is recorded.
    Raises UserError for an unknown id, NotAllowed for a person who may not, FactsChanged for an offer that
    was withdrawn or has expired.
    """
    now = app.clock.now()
    await app.store.prepare_memory()  # for the card
    try:
        async with app.store.transaction() as tx:
            was_waiting = await tx.inbox.take_out(incoming)
            if incoming and door is Surface.TERMINAL and not was_waiting:
                return ApprovalResult(False, "The answer was taken back.")
            proposal = await _known(tx, proposal_id)
            earlier = await tx.incidents.decision_on(proposal_id)
            if earlier is not None and earlier.answer is not Answer.SNOOZE:
                return ApprovalResult(False, already(earlier), earlier)
            _may(proposal, person, groups)
            if proposal.status in ANSWERABLE and now >= proposal.expires_at:
                raise FactsChanged(f"The proposal {proposal.id} expired at {proposal.expires_at:%H:%M} UTC.")
            if answer is Answer.YES and door is Surface.SLACK and must_be_shown(proposal):
                raise NotAllowed(
                    f"The command of {proposal.id} does not fit on its card and was not shown whole yet.",
                    next_step="Press 'Show the whole command' on the newest card, then approve.",
                )
            decision = Decision(proposal_id, person, answer, door, now, snooze_until)
            kept = await tx.incidents.decide_once(decision, among=ANSWERABLE)
            if kept != decision:
                return ApprovalResult(False, already(kept), kept)
            await _follow(tx, proposal, decision, incoming)
    except (NotAllowed, FactsChanged) as refusal:
        await refuse(app, proposal_id, person, door, refusal.sentence, incoming=incoming)
        raise
    return ApprovalResult(True, took_effect(answer, person), decision)


async def refuse(app: App, target: str, by: str, door: Surface, because: str, *, incoming: str = "") -> None:
    """Record an attempt to decide that did not count. `incoming`: its row in the inbox, which is removed."""
    async with app.store.transaction() as tx:
        was_waiting = await tx.inbox.take_out(incoming)
        if incoming and door is Surface.TERMINAL and not was_waiting:
            return  # taken back; whoever did that answers directly, and is refused there
        proposal = await tx.incidents.proposal(ProposalId(target))
        await tx.events.append(
            DecisionRefused(
                at=app.clock.now(),
                watch=proposal.watch if proposal else None,
                proposal=ProposalId(target),
                by=by,
                through=door,
                because=because,
                answer_id=incoming,
            )
        )


def _may(proposal: Proposal, person: Person, groups: frozenset[str]) -> None:
    if person not in proposal.may_approve and not groups & set(proposal.may_approve):
        asked = ", ".join(proposal.may_approve) or "nobody: no approvers are configured"
        raise NotAllowed(
            f"{person} may not answer {proposal.id}; asked is {asked}.",
            next_step="Approvers are named in the settings (`approvers`), or are the watch's owner.",
        )


async def _follow(tx: Transaction, proposal: Proposal, decision: Decision, answer_id: str) -> None:
    """Everything that a counted answer means, in the transaction that counts it."""
    now = decision.decided_at
    await tx.incidents.set_status(
        proposal.incident,
        _STATUS_AFTER[decision.answer],
        now=now,
        snoozed_until=decision.snooze_until,
    )
    await tx.events.append(
        ProposalDecided(
            at=now,
            watch=proposal.watch,
            proposal=proposal.id,
            answer=decision.answer,
            by=decision.person,
            through=decision.door,
            facts=proposal.digest,
            answer_id=answer_id,
        )
    )
    watch = await tx.watches.get(proposal.watch)
    if decision.snooze_until is not None:
        # The proposal is made anew when the snooze is over; until it can be, this one still counts.
        lasts_until = decision.snooze_until + timedelta(seconds=watch.limits.proposal_expires_s)
        await tx.incidents.postpone(proposal.id, max(proposal.expires_at, lasts_until))
    if decision.answer is Answer.YES:
        await tx.journal.begin(proposal.id, watch.id, now=now)
        acting = replace(watch, memory=_acting(watch, proposal, now), due_at=now)
        if not await tx.watches.save(acting):
            raise FactsChanged(f"The watch {watch.id} changed at this very moment; try again.")
        await tx.watches.announce(watch.id)
    await refresh_incident_messages(tx, proposal.incident, watch, now=now)


def _acting(watch: Watch, proposal: Proposal, now: datetime) -> Memory:
    """The memory of a watch under action. A restart follows a confirmed failure; a stop, any open incident.

    Raises FactsChanged where the watch has left that phase meanwhile.
    """
    memory = watch.memory
    if not proposal.submits and may_move(memory.phase, Phase.FAILING):
        memory = enter(memory, Phase.FAILING, now)
    if not may_move(memory.phase, Phase.ACTING):
        raise FactsChanged(f"{watch.root} is {memory.phase} now, which {proposal.id} is not about.")
    return enter(memory, Phase.ACTING, now)


async def _known(tx: Transaction, proposal: ProposalId) -> Proposal:
    found = await tx.incidents.proposal(proposal)
    if found is None:
        raise UserError(
            f"There is no proposal '{proposal}'.", next_step="`babysit status` shows the open ones."
        )
    if found.status is ProposalStatus.WITHDRAWN:
        raise FactsChanged(f"The proposal {found.id} was withdrawn: {found.withdrawn_because}.")
    if found.status is ProposalStatus.UNANSWERED:
        raise FactsChanged(f"The proposal {found.id} expired unanswered.")
    return found


async def offered(app: App, proposal: ProposalId) -> Proposal:
    """The offer of this id, however it stands. Raises UserError for an unknown one."""
    async with app.store.reading() as tx:
        found = await tx.incidents.proposal(proposal)
    if found is None:
        raise UserError(
            f"There is no proposal '{proposal}'.", next_step="`babysit status` shows the open ones."
        )
    return found


async def evidence_of(app: App, incident: IncidentId) -> tuple[str, ...]:
    """Every line an incident rests on, and what followed, redacted; empty for an unknown one."""
    async with app.store.reading() as tx:
        found = await tx.incidents.incident(incident)
    if found is None:
        return ()
    return tuple(
        strip_control_characters(redact(evidence.text))
        for evidence in (*found.diagnosis.evidence, *found.diagnosis.cascade)
    )

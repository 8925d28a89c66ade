"""An agent asks for a restart: an offer to a person comes of it, marked as asked for, or a refusal.

The same policy rules as for babysit's own offers, save one argument: that the diagnosis did not advise it.
The offer rests on the last check, is kept true by those that follow, and is answered, looked at once more
and carried out like any other. Nothing here approves, and nothing here touches the job.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from babysitter.engine.app import App
from babysitter.engine.commit import apply_intents
from babysitter.engine.restarting.find_resubmission import Resubmission, resubmission
from babysitter.errors import FactsChanged, MissingSubmission, NotAllowed, UserError
from babysitter.model.finding import ActionKind
from babysitter.model.ids import WatchId
from babysitter.model.incident import Incident
from babysitter.model.intent import Propose, SendMessage
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import Proposal, ProposalStatus
from babysitter.model.verdict import Change, Diagnosis
from babysitter.model.watch import Watch
from babysitter.policy.build_proposal import difference, is_open
from babysitter.policy.command_differences import folder_change, last_folder
from babysitter.policy.incident_lifecycle import (
    UNDER_ACTION,
    closed_at_the_end,
    is_incident,
    key_of,
    same_incident,
)
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.respond import as_asked, eligibility_of, offer_of
from babysitter.policy.restart_budget import RestartEligibility
from babysitter.policy.silences import hold_until, silence_for
from babysitter.policy.written_change import CODE
from babysitter.redact import redact
from babysitter.store.store import Transaction
from babysitter.usecases.answering.asked_changes import asked_changes

MAX_WHY = 500
MAX_NAME = 60
CHECK_OVERDUE = timedelta(minutes=2)
_ODD = re.compile(r"[^\w .@/:+-]+")
_INSTEAD = {
    RestartEligibility.HEALING: "Wait; it is reported when that does not converge.",
    RestartEligibility.TWO_COORDINATORS: "Wait until one of them has ended.",
    RestartEligibility.BLIND: "Wait until the cluster answers again.",
}
_ANSWERED = {
    ProposalStatus.APPROVED: "was approved already",
    ProposalStatus.DENIED: "was denied",
    ProposalStatus.UNANSWERED: "ended unanswered",
}


@dataclass(frozen=True, slots=True)
class RestartRequestResult:
    """What came of it. `is_new` False: this very restart was offered already."""

    proposal: Proposal
    is_new: bool


def agent(name: str) -> str:
    """How a person reads who asked. The name is the program's own word, so it is made harmless."""
    plain = " ".join(_ODD.sub(" ", redact(name)).split())[:MAX_NAME]
    return f"an agent ({plain})" if plain else "an agent"


async def propose(
    app: App, watch: WatchId, *, why: str, asked_by: str, changes: Sequence[str] = ()
) -> RestartRequestResult:
    """Offer a person to restart the job of a watch, because an agent asks for it.

    `asked_by`: as `agent` writes it. `changes`: what the restart is to change, as `asked_changes` reads it;
    they take the place of the change that babysit would make. Raises NotAllowed with the policy's reason,
    MissingSubmission when nobody knows the command or it cannot carry a change, UserError for an empty `why`
    or a watch that cannot be judged now.
    """
    words = " ".join(redact(why).split())
    if not words:
        raise UserError(
            "A proposal needs a reason.", next_step="Say why a restart helps; a person will read it."
        )
    wanted = asked_changes(changes, asked_by=asked_by)
    async with app.store.reading() as tx:
        if (standing := await _standing(tx, watch, wanted)) is not None:
            return RestartRequestResult(standing, is_new=False)
        case = _with_asked(await input_of(tx, app, watch), wanted)
    again = await _resubmission(case, app)
    async with app.store.transaction() as tx:
        if (standing := await _standing(tx, watch, wanted)) is not None:
            return RestartRequestResult(standing, is_new=False)
        case = _with_asked(await input_of(tx, app, watch), wanted)
        learned = replace(case.watch, submit_context=again.watch.submit_context)
        case = replace(case, watch=learned, submission=again.submission)
        offer = _allowed(case, confirmed_incident(case))
        _check_fix(case, offer, wanted)
        offer = replace(offer, asked_by=asked_by, asked_because=words[:MAX_WHY], asked_changes=wanted)
        if not await tx.watches.save(case.watch):
            raise FactsChanged(
                f"{case.watch.root} was being checked at this very moment.", next_step="Ask again."
            )
        await tx.watches.announce(watch)
        now = case.now
        await apply_intents(tx, case.watch, case.verdict, [Propose(offer), *_message(case, offer)], now=now)
        return RestartRequestResult(offer, is_new=True)


async def open_proposal(tx: Transaction, watch: WatchId) -> Proposal | None:
    """The newest proposal of a watch that can still be answered."""
    ledger = await tx.incidents.of(await tx.watches.get(watch))
    return next((candidate for candidate in reversed(ledger.proposals) if is_open(candidate)), None)


async def _standing(tx: Transaction, watch: WatchId, wanted: tuple[Change, ...]) -> Proposal | None:
    """The open proposal. Raises NotAllowed where it does not carry the changes that are asked for."""
    standing = await open_proposal(tx, watch)
    if standing is not None and not standing.submits:
        raise NotAllowed(
            f"{standing.id} asks to stop {standing.job} and is open already.",
            next_step=f"A person denies it first (`babysit deny {standing.id}`); then ask again.",
        )
    if standing is not None and wanted and standing.asked_changes != wanted:
        raise NotAllowed(
            f"{standing.id} is open already, without these changes.",
            next_step=f"A person denies it first (`babysit deny {standing.id}`); then ask again.",
        )
    return standing


def _with_asked(case: PolicyInput, wanted: tuple[Change, ...]) -> PolicyInput:
    """The case as if its diagnosis advised exactly these changes; the same for none."""
    if not wanted or case.verdict.diagnosis is None:
        return case
    return replace(case, verdict=replace(case.verdict, diagnosis=as_asked(case.verdict.diagnosis, wanted)))


async def _resubmission(case: PolicyInput, app: App) -> Resubmission:
    """How to start the job again, checked; outside of any transaction, as the cluster is asked.

    Raises NotAllowed where no submission would change the policy's mind.
    """
    confirmed_incident(case)
    verdict = case.verdict
    assert verdict.diagnosis is not None, "an incident has a diagnosis"
    diagnosis = as_asked(verdict.diagnosis)
    if diagnosis.action is ActionKind.RESTART or diagnosis.needs_own_change:
        _check_policy(case, diagnosis)
    case = replace(case, verdict=replace(verdict, diagnosis=diagnosis))
    reader, writer = (
        await app.clusters.reader(case.watch.cluster, case.watch.submit_context.client),
        await app.clusters.writer(case.watch.cluster, case.watch.submit_context.client),
    )
    return await resubmission(case, reader, writer, app)


async def input_of(tx: Transaction, app: App, watch_id: WatchId) -> PolicyInput:
    """What the last check says of a watch. Raises UserError where nothing can be proposed from it."""
    watch = await tx.watches.get(watch_id)
    verdict = await tx.watches.last_verdict(watch_id)
    now = app.clock.now()
    if watch.stopped_at is not None:
        raise UserError(f"{watch.root} is not watched any more.", next_step="Start a watch first.")
    if verdict is None or _is_stale(watch, now):
        raise UserError(
            f"{watch.root} has not been checked lately, so nothing can be proposed.",
            next_step="See that the service runs (`babysit doctor`), then ask again after the next check.",
        )
    return PolicyInput(
        verdict=replace(verdict, memory=watch.memory),
        ledger=await tx.incidents.of(watch),
        watch=watch,
        policy=app.policy,
        now=now,
        inhibited_by=await tx.incidents.inhibitor_of(watch),
    )


def _is_stale(watch: Watch, now: datetime) -> bool:
    """Whether a check is overdue: nobody keeps an offer true then."""
    return watch.due_at is not None and now - watch.due_at > CHECK_OVERDUE


def confirmed_incident(case: PolicyInput) -> Incident:
    """The open incident that the last verdict speaks of. Raises NotAllowed when nothing is confirmed."""
    verdict, root = case.verdict, case.watch.root
    if case.watch.phase is Phase.ACTING:
        raise NotAllowed(f"An approved action on {root} is under way.", next_step="Wait for its end.")
    if verdict.blind:
        raise NotAllowed(
            f"The cluster of {root} cannot be seen, so nothing about the job is concluded.",
            next_step="Wait until it answers again.",
        )
    if verdict.gone is not None:
        raise NotAllowed(
            f"The cluster does not know {root} any more: there is nothing to restart.",
            next_step="Wait until it is visible again, or let a person submit it anew.",
        )
    if verdict.diagnosis is None or not is_incident(verdict):
        raise NotAllowed(
            f"No trouble of {root} is confirmed ({verdict.cause}, {case.watch.phase}): nothing to propose.",
            next_step="Wait for an incident; `explain` says what speaks for and against one.",
        )
    key = key_of(verdict, verdict.diagnosis, case.watch)
    found = same_incident(key, case.ledger)
    if found is None and verdict.phase is Phase.FINISHED:
        found = closed_at_the_end(key, case.ledger, case.watch.memory.root_submitted_at)
    elif found is not None and found.status.is_over:
        found = None
    if found is None:
        raise NotAllowed(f"The trouble of {root} is over.", next_step="`status` shows how it stands.")
    if found.status in UNDER_ACTION:
        raise NotAllowed(f"A restart of {root} was approved already.", next_step="Wait for its outcome.")
    return found


def _allowed(case: PolicyInput, incident: Incident) -> Proposal:
    """The offer that policy allows. Raises NotAllowed with its reason, MissingSubmission."""
    assert case.verdict.diagnosis is not None, "an incident has a diagnosis"
    diagnosis = as_asked(case.verdict.diagnosis)
    is_changed = diagnosis.change is not None
    if case.submission is not None or not is_changed:  # else it is refused below, with what stands in the way
        _check_policy(case, diagnosis)
    if case.submission is None:
        why = " ".join(case.watch.submit_context.missing)
        so = " with this change" if is_changed else ""
        raise MissingSubmission(
            f"{case.watch.root} cannot be submitted again{so}. {why}".strip(),
            next_step="Ask the person for the command and its folder and give them with start_watch "
            "(`resubmit`, `workdir`), or in a shell with `babysit stop` and `babysit start --resubmit`.",
        )
    offer = offer_of(case, incident.id, diagnosis)
    earlier = case.ledger.proposal_of(incident.id)
    if earlier is not None and earlier.status in _ANSWERED and not difference(earlier.facts, offer.facts):
        raise NotAllowed(
            f"This restart {_ANSWERED[earlier.status]} ({earlier.id}), and nothing has changed since.",
            next_step="Tell the person; the same is not proposed twice.",
        )
    return offer


def _check_fix(case: PolicyInput, offer: Proposal, wanted: tuple[Change, ...]) -> None:
    """Raise NotAllowed where the program is said to be fixed, and its folder holds what it held before."""
    if not any(change.what == CODE for change in wanted):
        return
    before = last_folder(case.watch, case.ledger)
    if not folder_change(before, offer.submission.folder):
        workdir = offer.submission.workdir
        raise NotAllowed(
            f"The folder {workdir} holds what it held at the last submission: nothing is fixed.",
            next_step="Correct the program in this folder, then ask again.",
        )


def _check_policy(case: PolicyInput, diagnosis: Diagnosis) -> None:
    """Raise NotAllowed with the policy's reason where no restart may be offered."""
    ruling = eligibility_of(case, diagnosis, is_asked=True)
    if not ruling.allows:
        raise NotAllowed(
            f"No restart of {case.watch.root} may be proposed for {diagnosis.cause}: {ruling.value}.",
            next_step=_INSTEAD.get(ruling, "Tell the person what you found; this needs a person's own work."),
        )


def _message(case: PolicyInput, offer: Proposal) -> Iterator[SendMessage]:
    """Tell people, unless they asked not to be told. A proposal of an agent never mentions the on-call."""
    if case.inhibited_by or silence_for(offer.job, offer.facts.cause, case.policy, now=case.now):
        return
    yield SendMessage(
        MessageKind.PROPOSAL,
        f"a restart is asked for by {offer.asked_by}",
        f"{offer.incident}:{MessageKind.PROPOSAL}:{offer.id}",
        incident=offer.incident,
        proposal=offer.id,
        hold_until=hold_until(case.verdict.severity, case.policy, now=case.now),
    )

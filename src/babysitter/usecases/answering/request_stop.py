"""A person or an agent asks that a job, or one of its children, is stopped and nothing is submitted.

An approval like any other: a proposal bound to its facts, one person's answer, the same journaled steps. What
cannot be stopped by itself is refused by name.
"""

from collections.abc import Sequence
from dataclasses import replace

from babysitter.engine.app import App
from babysitter.engine.commit import apply_intents
from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.model.ids import JobId, WatchId
from babysitter.model.intent import Propose, SendMessage
from babysitter.model.job import Job
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import Proposal
from babysitter.model.submission import ONLY_WATCHED
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.silences import hold_until
from babysitter.policy.stop_proposal import stop_offer
from babysitter.redact import redact
from babysitter.store.store import Transaction
from babysitter.usecases.answering.request_restart import (
    MAX_WHY,
    RestartRequestResult,
    confirmed_incident,
    input_of,
    open_proposal,
)


def refuse_act(*, stop: bool, child: str, changes: Sequence[str], preempt: str = "") -> None:
    """Raise UserError for a wish that no approval can carry out, or for two at once."""
    if preempt:
        raise UserError(
            f"One attempt ({preempt}) cannot be preempted from here: no backend "
            "has a tested call for it (docs/mcp.md).",
            next_step="Ask for a restart, or with --stop --child for one job of the tree.",
        )
    if child and not stop:
        raise UserError("A child can only be stopped.", next_step="Ask for the stop too (`stop`, --stop).")
    if stop and changes:
        raise UserError("A stop carries no change: it submits nothing.", next_step="Leave out one of them.")


async def propose_stop(
    app: App, watch: WatchId, *, why: str, asked_by: str, child: str = ""
) -> RestartRequestResult:
    """Offer a person to stop the job of a watch, or exactly this child of it.

    Raises NotAllowed where nothing may be stopped, UserError for an empty `why`, an unknown child, or a watch
    that cannot be judged now.
    """
    words = " ".join(redact(why).split())
    if not words:
        raise UserError("A proposal needs a reason.", next_step="Say why it is stopped; a person reads it.")
    async with app.store.reading() as tx:
        case = await input_of(tx, app, watch)
        confirmed_incident(case)
    job = JobId(child) if child else case.watch.root
    await _must_be_stoppable(app, case, job)
    async with app.store.transaction() as tx:
        standing = await open_proposal(tx, watch)
        if standing is not None:
            return _same(standing, job)
        case = await input_of(tx, app, watch)
        offer = stop_offer(case, confirmed_incident(case), job)
        offer = replace(offer, asked_by=asked_by, asked_because=words[:MAX_WHY])
        await _write(tx, case, offer)
    return RestartRequestResult(offer, is_new=True)


def _same(standing: Proposal, job: JobId) -> RestartRequestResult:
    """The open proposal, if it is this very stop. Raises NotAllowed otherwise."""
    if standing.submits or standing.job != job:
        raise NotAllowed(
            f"{standing.id} about {standing.job} is open already.",
            next_step=f"A person answers it first (`babysit deny {standing.id}`); then ask again.",
        )
    return RestartRequestResult(standing, is_new=False)


async def _must_be_stoppable(app: App, case: PolicyInput, job: JobId) -> None:
    """Raise UserError or NotAllowed for a job that must not, or need not, be stopped by itself."""
    root, newest = case.watch.root, case.verdict.attempt
    if case.watch.phase in (Phase.PENDING, Phase.FINISHED):
        raise NotAllowed(
            f"{root} is {case.watch.phase}: no stop of it is approved from here.",
            next_step="Let a person stop it with the command of the cluster.",
        )
    if job != root and not job.startswith(f"{root}/"):
        raise UserError(f"{job} is not a child of {root}.", next_step="`babysit status` shows its jobs.")
    if job != root and newest is not None and (newest == job or newest.startswith(f"{job}/")):
        raise NotAllowed(
            f"{job} runs the newest attempt of {root}.",
            next_step="Stop the whole job instead: leave the child out.",
        )
    reader = await app.clusters.reader(case.watch.cluster)
    if not reader.abilities.submits:
        raise NotAllowed(f"{root} cannot be stopped from here.", next_step=ONLY_WATCHED)
    found: Job | None = await reader.find(job)
    if found is None:
        raise UserError(f"The cluster does not know {job}.", next_step="Give the whole id of the job.")
    if found.state.is_terminal:
        raise NotAllowed(f"{job} has ended already ({found.state}).", next_step="There is nothing to stop.")


async def _write(tx: Transaction, case: PolicyInput, offer: Proposal) -> None:
    if not await tx.watches.save(case.watch):
        raise FactsChanged(
            f"{case.watch.root} was being checked at this very moment.", next_step="Ask again."
        )
    await tx.watches.announce(case.watch.id)
    message = SendMessage(
        MessageKind.PROPOSAL,
        f"a stop is asked for by {offer.asked_by}",
        f"{offer.incident}:{MessageKind.PROPOSAL}:{offer.id}",
        incident=offer.incident,
        proposal=offer.id,
        hold_until=hold_until(case.verdict.severity, case.policy, now=case.now),
    )
    await apply_intents(tx, case.watch, case.verdict, [Propose(offer), message], now=case.now)

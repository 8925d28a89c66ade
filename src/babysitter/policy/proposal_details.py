"""What a proposal tells beside its command: differences, changes of its folder, an earlier try. Pure."""

from dataclasses import replace

from babysitter.model.incident import Ledger
from babysitter.model.proposal import Answer, Proposal, ProposalStatus
from babysitter.model.submission import SubmissionOrigin
from babysitter.model.watch import Watch
from babysitter.policy.command_differences import differences, folder_change


def with_background(offer: Proposal, watch: Watch, ledger: Ledger) -> Proposal:
    """The proposal with everything that a person should know about it."""
    return replace(offer, differences=_differences(offer, watch), earlier_try=_earlier_try(offer, ledger))


def _differences(offer: Proposal, watch: Watch) -> tuple[str, ...]:
    submission, context = offer.submission, watch.submit_context
    found: list[str] = []
    if submission.origin is SubmissionOrigin.RESUBMIT_FLAG:
        found += differences(submission, context.stored)
    recorded = watch.resubmit.folder if watch.resubmit and watch.resubmit.workdir else context.folder
    if change := folder_change(recorded, submission.folder):
        found.append(f"folder, since the watch began: {change}")
    return tuple(found)


def _earlier_try(offer: Proposal, ledger: Ledger) -> str:
    """That the last approval for this incident was called off before anything was done, and why."""
    earlier = ledger.proposal_of(offer.incident)
    if earlier is None or earlier.status is not ProposalStatus.WITHDRAWN:
        return ""
    approval = next(
        (
            decision
            for decision in ledger.decisions
            if decision.proposal == earlier.id and decision.answer is Answer.YES
        ),
        None,
    )
    if approval is None:
        return ""
    because = earlier.withdrawn_because.rstrip(".")
    return (
        f"{earlier.id}, approved by {approval.person} at {approval.decided_at:%H:%M} UTC, was called off "
        f"before anything was touched: {because}."
    )


def as_asked_by(standing: Proposal, offer: Proposal) -> Proposal:
    """The offer, marked with who asked for the standing one, and for what."""
    return replace(
        offer,
        asked_by=standing.asked_by,
        asked_because=standing.asked_because,
        asked_changes=standing.asked_changes,
    )

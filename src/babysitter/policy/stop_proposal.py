"""The proposal to stop a job, or one child of it, and to submit nothing. Pure."""

from collections.abc import Iterator
from datetime import timedelta

from babysitter.model.finding import ActionKind
from babysitter.model.ids import JobId
from babysitter.model.incident import Incident
from babysitter.model.intent import Intent, Withdraw
from babysitter.model.job import JobState
from babysitter.model.proposal import ApprovedAct, Proposal, ProposalFacts
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.policy.build_proposal import approvers_of, cost_of_waiting, difference
from babysitter.policy.computed_ids import digest, proposal_id
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.restart_loss import restart_loss

NOTHING = Submission((), SubmissionOrigin.STORED)


def stop_facts(case: PolicyInput, job: JobId) -> ProposalFacts:
    """What a stop rests on, as of this verdict: the job, its newest attempt, and the trouble."""
    verdict, root = case.verdict, case.watch.root
    return ProposalFacts(
        root=root,
        root_state=verdict.outlook.job_state or JobState.OTHER,
        attempt=verdict.attempt or root,
        cause=verdict.cause,
        submission=("stop", job),
        two_coordinators=verdict.two_coordinators,
    )


def stop_offer(case: PolicyInput, incident: Incident, job: JobId) -> Proposal:
    """One exact stop, single use, bound to its facts."""
    number = sum(1 for proposal in case.ledger.proposals if proposal.incident == incident.id) + 1
    facts, watch = stop_facts(case, job), case.watch
    is_root = job == watch.root
    return Proposal(
        id=proposal_id(incident.id, number),
        incident=incident.id,
        watch=watch.id,
        cluster=watch.cluster,
        job=job,
        successor=job,
        action=ActionKind.ESCALATE,
        act=ApprovedAct.STOP,
        submission=NOTHING,
        facts=facts,
        digest=digest(facts),
        created_at=case.now,
        expires_at=case.now + timedelta(seconds=watch.limits.proposal_expires_s),
        price=cost_of_waiting(case.verdict, now=case.now),
        may_approve=approvers_of(case.policy, watch),
        loss=restart_loss(case.verdict.memory, None, NOTHING) if is_root else None,
    )


def about_standing_stop(case: PolicyInput, standing: Proposal) -> Iterator[Intent]:
    """A stop that was asked for stands while its facts hold; it is not proposed anew after a snooze."""
    if moved := difference(standing.facts, stop_facts(case, standing.job)):
        yield Withdraw(standing.id, moved)

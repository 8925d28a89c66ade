"""The exact action offered to a person: what, why, at what price, resting on which facts."""

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from babysitter.model.finding import ActionKind
from babysitter.model.ids import IncidentId, JobId, Person
from babysitter.model.incident import Ledger
from babysitter.model.job import JobState
from babysitter.model.policy import Policy
from babysitter.model.proposal import CostOfWaiting, Proposal, ProposalFacts, ProposalStatus
from babysitter.model.submission import Submission
from babysitter.model.verdict import MORE_DETAIL, Change, Diagnosis, Verdict
from babysitter.model.watch import Watch
from babysitter.policy import resource_change as changes
from babysitter.policy.computed_ids import digest, next_job_name, proposal_id
from babysitter.policy.restart_budget import Budget
from babysitter.policy.written_change import apply, with_before
from babysitter.preflight.command_line import flag_value, with_flag, with_switch


@dataclass(frozen=True, slots=True)
class RestartPlan:
    """What a restart would run: the exact submission, with the changes already in it."""

    submission: Submission
    changes: tuple[Change, ...] = ()

    @property
    def change(self) -> Change | None:
        """The first of them; None for a restart as before."""
        return self.changes[0] if self.changes else None


def plan_restart(
    diagnosis: Diagnosis, submission: Submission, watch: Watch, ledger: Ledger, peak_bytes: int | None
) -> RestartPlan:
    """The submission under its fresh name, changed where the diagnosis asks for changes that we know."""
    first = None
    if diagnosis.action is ActionKind.RESTART_WITH_CHANGE:
        stored = watch.submit_context.stored
        ran = stored if stored is not None and stored.job == watch.root else None
        first = changes.change_for(diagnosis, submission, peak_bytes, ran)
        if first is not None and _was_tried(first, ledger):
            first = None
    named = named_successor(submission, watch.first_root, len(ledger.restarts) + 1)
    named = replace(named, replaces=watch.root)
    if first is None:
        return RestartPlan(named)
    wanted = tuple(with_before(change, named) for change in (first, *diagnosis.further_changes))
    for change in wanted:
        named = apply(change, named)
    return RestartPlan(named, wanted)


def _was_tried(change: Change, ledger: Ledger) -> bool:
    """Whether a restart that was to bring more lines has been approved before: it brought them."""
    approved = (proposal for proposal in ledger.proposals if proposal.status is ProposalStatus.APPROVED)
    tried = {(done.what, done.after) for proposal in approved for done in proposal.changes}
    return change.why == MORE_DETAIL and (change.what, change.after) in tried


def named_successor(submission: Submission, first_root: JobId, number: int) -> Submission:
    """The submission under the name of the `number`-th (1-based) restart of the job first watched."""
    job = _as_filed(next_job_name(first_root, number), submission)
    return replace(submission, job=job, argv=as_named(submission.argv, job))


def as_named(argv: tuple[str, ...], job: JobId) -> tuple[str, ...]:
    """The command with the fresh job name and its user, and not waiting for the job's end.

    Without `--user` the client files the job under whoever runs the command, here the service's account.
    """
    if not argv:
        return argv
    _, user, name = job.split("/")
    named = with_flag(argv, "--job-name", name)
    if not flag_value(named, "--user"):
        named = with_flag(named, "--user", user)
    return with_switch(named, "--no-wait")


def _as_filed(job: JobId, submission: Submission) -> JobId:
    """The id that the job really gets: a command may name another user."""
    user = flag_value(submission.argv, "--user")
    return JobId(f"/{user}/{job.split('/')[2]}") if user and job.count("/") == 2 else job


def submission_facts(submission: Submission) -> tuple[str, ...]:
    """What identifies a submission: the exact command, or the exact request."""
    if not submission.is_http:
        return submission.argv
    request = json.dumps(submission.request, sort_keys=True, default=str)
    if submission.changed_variables:
        request += json.dumps(submission.changed_variables, sort_keys=True)
    return ("LaunchJob", submission.job or "", hashlib.sha256(request.encode()).hexdigest())


def facts_of(verdict: Verdict, diagnosis: Diagnosis, watch: Watch, plan: RestartPlan) -> ProposalFacts:
    """What the proposal rests on, as of this verdict."""
    return ProposalFacts(
        root=watch.root,
        root_state=verdict.outlook.job_state or JobState.OTHER,
        attempt=verdict.attempt or watch.root,
        cause=diagnosis.cause,
        submission=submission_facts(plan.submission),
        two_coordinators=verdict.two_coordinators,
    )


def make_proposal(
    incident: IncidentId,
    facts: ProposalFacts,
    plan: RestartPlan,
    verdict: Verdict,
    diagnosis: Diagnosis,
    watch: Watch,
    ledger: Ledger,
    allowance: Budget,
    policy: Policy,
    *,
    now: datetime,
) -> Proposal:
    """One exact action, single use, bound to its facts."""
    number = sum(1 for proposal in ledger.proposals if proposal.incident == incident) + 1
    job = plan.submission.job
    assert job is not None
    name = proposal_id(incident, number)
    return Proposal(
        id=name,
        incident=incident,
        watch=watch.id,
        cluster=watch.cluster,
        job=watch.root,
        successor=job,
        action=diagnosis.action if plan.change else ActionKind.RESTART,
        submission=replace(plan.submission, proposal=name),
        facts=facts,
        digest=digest(facts),
        created_at=now,
        expires_at=now + timedelta(seconds=watch.limits.proposal_expires_s),
        change=plan.change,
        further_changes=plan.changes[1:],
        price=cost_of_waiting(verdict, now=now),
        may_approve=approvers_of(policy, watch),
        restarts_left=allowance.left,
    )


def approvers_of(policy: Policy, watch: Watch) -> tuple[Person, ...]:
    """The people who are asked first."""
    return policy.approvers[0] if policy.approvers else missing_submission_reason(policy, watch)


def missing_submission_reason(policy: Policy, watch: Watch) -> tuple[Person, ...]:
    """Everybody who may answer an offer of this watch, sooner or later: all tiers, else its owner."""
    if policy.approvers:
        return tuple(dict.fromkeys(person for tier in policy.approvers for person in tier))
    return (watch.owner,) if watch.owner else ()


def cost_of_waiting(verdict: Verdict, *, now: datetime) -> CostOfWaiting:
    """Idle machines and lost time; only what was measured."""
    outlook = verdict.outlook
    since = min((signal.since_at for signal in verdict.signals), default=None)
    return CostOfWaiting(
        idle_workers=outlook.alive,
        since_at=since,
        lost_s=(now - since).total_seconds() if since else None,
    )


def difference(shown: ProposalFacts, now: ProposalFacts) -> str:
    """What moved between the facts a person saw and the facts now; "" when nothing did."""
    moved = []
    if shown.root != now.root:
        moved.append(f"the job watched is now {now.root}, not {shown.root}")
    if shown.root_state != now.root_state:
        moved.append(f"{shown.root} is now {now.root_state}, it was {shown.root_state}")
    if shown.attempt != now.attempt:
        moved.append(f"a newer attempt runs: {now.attempt}")
    if shown.cause != now.cause:
        moved.append(f"the cause is now {now.cause}, it was {shown.cause}")
    if shown.submission != now.submission:
        moved.append("the command to resubmit changed")
    if shown.two_coordinators != now.two_coordinators:
        moved.append("two coordinators run at once" if now.two_coordinators else "one coordinator is left")
    return "; ".join(moved)


def is_open(proposal: Proposal | None) -> bool:
    """Whether a person can still answer this proposal, or has answered it with "later"."""
    return proposal is not None and proposal.status in (ProposalStatus.OPEN, ProposalStatus.SNOOZED)

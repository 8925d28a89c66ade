"""Records how an approved restart ended, or that its submission is tried again: one transaction each."""

from dataclasses import replace
from datetime import datetime, timedelta

from babysitter.diagnosis.judge.phases.phases import enter
from babysitter.engine.app import App
from babysitter.engine.restarting.stop_outcome import record_stop
from babysitter.engine.telling.enqueue import (
    enqueue_message,
    refresh_incident_messages,
    refresh_thread_header,
    subject_of,
)
from babysitter.model.action import (
    ActionCancelled,
    ActionFailed,
    ActionStep,
    ActionStopped,
    ActionSucceeded,
    Concluded,
    NotSubmitted,
    StepState,
    StoredAction,
    SubmissionFailure,
)
from babysitter.model.events import IncidentEnded, JobFinished, PhaseChanged, ProposalWithdrawn
from babysitter.model.incident import IncidentStatus, Restart
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import Approved, Proposal, ProposalStatus
from babysitter.model.submission import Submission
from babysitter.model.verdict import ProgressSummary
from babysitter.model.watch import Watch
from babysitter.store.store import Transaction

RETRY_PAUSE_LEAST = timedelta(seconds=10)
MAX_RETRY_PAUSE = timedelta(minutes=5)


async def record_outcome(approved: Approved, outcome: Concluded, action: StoredAction, app: App) -> datetime:
    """The watch follows the new job, or the incident says what was done and what was not."""
    now, lease, proposal = app.clock.now(), app.leadership.lease, approved.proposal
    async with app.store.transaction() as tx:
        await tx.leases.must_hold(lease.name, lease.fence)
        watch = await tx.watches.get(proposal.watch)
        if await _was_ended(tx, action):
            if isinstance(outcome, ActionSucceeded):
                await _submitted_after_all(tx, watch, proposal, now)
            return now
        match outcome:
            case ActionSucceeded():
                after, status, sentence = await _submitted(tx, outcome, watch, action, proposal, now)
                occasion = MessageKind.ACTING
            case ActionStopped():
                after, status, sentence = await record_stop(tx, watch, action, proposal, now)
                occasion = MessageKind.ACTING
            case ActionCancelled():
                after, status, sentence = await _called_off(tx, outcome, watch, proposal, now)
                occasion = MessageKind.WITHDRAWN
            case ActionFailed():
                after, status, sentence = await _broke_off(tx, outcome, watch, proposal, now)
                occasion = MessageKind.WORSE
        await tx.incidents.set_status(proposal.incident, status, now=now, outcome=sentence)
        await tx.journal.end(proposal.id, sentence, now=now)
        after = replace(after, due_at=None if after.phase is Phase.FINISHED else now)
        await tx.watches.save(after)
        about = await subject_of(
            tx, after, now=now, incident=proposal.incident, proposal=proposal.id, outcome=sentence
        )
        await enqueue_message(tx, occasion, about, key=f"{proposal.id}:concluded", mentions_on_call=False)
        await refresh_incident_messages(tx, proposal.incident, after, now=now)
        await refresh_thread_header(tx, await subject_of(tx, after, now=now))
    return now


async def record_failed_submission(
    approved: Approved, outcome: NotSubmitted, by_hand: str, action: StoredAction, app: App
) -> datetime:
    """One urgent message for all tries that fail alike, with the command to paste; gives when to try again.

    The pause is the time since the old job ended, within limits: it doubles with every try. `by_hand` "": it
    could not be written; a later try that can write it says so in a message of its own.
    """
    now, lease, proposal = app.clock.now(), app.leadership.lease, approved.proposal
    pause = min(MAX_RETRY_PAUSE, max(RETRY_PAUSE_LEAST, now - outcome.since_at))
    is_old_job_unknown = outcome.failure is SubmissionFailure.OLD_JOB_UNKNOWN
    if (outcome.step is not ActionStep.SUBMIT and not is_old_job_unknown) or not proposal.submits:
        by_hand = ""  # beside the old job it would be a second writer
    sentence = _not_submitted_sentence(proposal, outcome)
    async with app.store.transaction() as tx:
        await tx.leases.must_hold(lease.name, lease.fence)
        if await _was_ended(tx, action):
            return now
        watch = replace(await tx.watches.get(proposal.watch), due_at=now + pause)
        await tx.incidents.set_status(proposal.incident, IncidentStatus.ACTING, now=now, outcome=sentence)
        await tx.watches.save(watch)
        about = await subject_of(
            tx,
            watch,
            now=now,
            incident=proposal.incident,
            proposal=proposal.id,
            outcome=sentence,
            by_hand=by_hand,
            by_hand_job=outcome.by_hand_as or proposal.successor,
        )
        key = _message_key(action, outcome, has_command=bool(by_hand))
        await enqueue_message(tx, MessageKind.NOT_SUBMITTED, about, key=key, mentions_on_call=True)
        await refresh_incident_messages(tx, proposal.incident, watch, now=now)
    return now + pause


async def _was_ended(tx: Transaction, action: StoredAction) -> bool:
    """Whether a person ended the tries while this one was under way."""
    current = await tx.journal.action(action.proposal)
    return current is not None and current.ended_at is not None


async def _submitted_after_all(tx: Transaction, watch: Watch, proposal: Proposal, now: datetime) -> None:
    """The cluster took the submission that was under way when a person ended the tries."""
    sentence = (
        f"{proposal.successor} was submitted all the same: that try was under way when the tries were ended. "
        "It is not watched"
    )
    await tx.incidents.set_status(proposal.incident, IncidentStatus.FAILED, now=now, outcome=sentence)
    about = await subject_of(
        tx, watch, now=now, incident=proposal.incident, proposal=proposal.id, outcome=sentence
    )
    await enqueue_message(
        tx, MessageKind.WORSE, about, key=f"{proposal.id}:submitted-late", mentions_on_call=False
    )


def _not_submitted_sentence(proposal: Proposal, outcome: NotSubmitted) -> str:
    if not proposal.submits:
        until = outcome.until or proposal.expires_at
        return (
            f"{proposal.job} was asked to stop and is not known to have ended: "
            f"{outcome.because.rstrip('.')}. It is tried again until {until:%Y-%m-%d %H:%M} UTC"
        )
    if outcome.step is ActionStep.SUBMIT:
        so_far = "has ended"
    elif outcome.failure is SubmissionFailure.OLD_JOB_UNKNOWN:
        so_far = "was asked to stop"
    else:
        so_far = "was asked to stop, is not known to have ended,"
    check = ""
    if outcome.failure is SubmissionFailure.OLD_JOB_UNKNOWN:
        check = ". Make sure that it does not run any more before you submit it again"
    until = outcome.until or proposal.expires_at
    return (
        f"{proposal.job} {so_far} and {proposal.successor} was not submitted: "
        f"{outcome.because.rstrip('.')}{check}. It is tried again until {until:%Y-%m-%d %H:%M} UTC"
    )


def _message_key(action: StoredAction, outcome: NotSubmitted, *, has_command: bool) -> str:
    """What is told under one key is told once: a new reason, step or command is worth a message."""
    parts = [action.proposal, "not-submitted"]
    if outcome.step is not ActionStep.SUBMIT:
        parts.append(outcome.step)
    if outcome.failure is not SubmissionFailure.FAILED:
        parts.append(outcome.failure.name)
    if outcome.step is ActionStep.SUBMIT and not has_command:
        parts.append("no-command")
    return ":".join(parts)


async def _submitted(
    tx: Transaction,
    outcome: ActionSucceeded,
    watch: Watch,
    action: StoredAction,
    proposal: Proposal,
    now: datetime,
) -> tuple[Watch, IncidentStatus, str]:
    job = outcome.job
    await tx.journal.write(action, ActionStep.RECORD, StepState.DONE, job, now=now)
    done = sum(stage.done for stage in watch.outlook.stages) if watch.outlook else 0
    restart = Restart(now, proposal.facts.cause, proposal.job, job, done)
    await tx.incidents.add_restart(watch.id, proposal.id, restart)
    sentence = f"restarted as {job}; it must pass its smoke check"
    after = replace(
        watch,
        root=job,
        resubmit=_as_run(watch.resubmit, proposal.submission),
        submit_context=replace(watch.submit_context, stored=None, missing=(), not_proposed=""),
        memory=enter(replace(Memory(), phase=Phase.ACTING), Phase.SMOKE, now),
        restarts=watch.restarts + 1,
    )
    await _append_phase(tx, after, sentence, now)
    return after, IncidentStatus.VERIFYING, sentence


async def _called_off(
    tx: Transaction, outcome: ActionCancelled, watch: Watch, proposal: Proposal, now: datetime
) -> tuple[Watch, IncidentStatus, str]:
    because = outcome.because
    await tx.incidents.set_proposal(
        proposal.id, ProposalStatus.WITHDRAWN, among=(ProposalStatus.APPROVED,), because=because
    )
    await tx.events.append(ProposalWithdrawn(at=now, watch=watch.id, proposal=proposal.id, because=because))
    sentence = f"called off before anything was touched: {because.rstrip('.')}"
    after = replace(watch, memory=enter(watch.memory, Phase.FAILING, now))
    await _append_phase(tx, after, sentence, now)
    return after, IncidentStatus.OPEN, sentence


async def _broke_off(
    tx: Transaction, outcome: ActionFailed, watch: Watch, proposal: Proposal, now: datetime
) -> tuple[Watch, IncidentStatus, str]:
    did, left = ", ".join(outcome.done) or "nothing", ", ".join(outcome.not_done)
    sentence = f"broke off at {outcome.step}: {outcome.because.rstrip('.')}. Done: {did}. Not done: {left}"
    status = IncidentStatus.FAILED
    await tx.events.append(
        IncidentEnded(at=now, watch=watch.id, incident=proposal.incident, status=status, outcome=sentence)
    )
    after = replace(watch, memory=enter(watch.memory, Phase.FAILING, now))
    await _append_phase(tx, after, sentence, now)
    if ActionStep.STOP not in outcome.done:
        return after, status, sentence
    # By us, and nothing took its place: an end that must not pass for a person's stop.
    why = f"stopped for a restart that {sentence}"
    shown = replace(after.outlook or ProgressSummary(""), summary=why, job_state=JobState.KILLED)
    after = replace(after, memory=enter(after.memory, Phase.FINISHED, now), outlook=shown)
    await tx.events.append(
        PhaseChanged(at=now, watch=watch.id, before=Phase.FAILING, after=Phase.FINISHED, because=why)
    )
    await tx.events.append(
        JobFinished(
            at=now,
            watch=watch.id,
            root=proposal.job,
            state=JobState.KILLED,
            cause=proposal.facts.cause,
            summary=why,
        )
    )
    return after, status, sentence


async def _append_phase(tx: Transaction, after: Watch, because: str, now: datetime) -> None:
    await tx.events.append(
        PhaseChanged(at=now, watch=after.id, before=Phase.ACTING, after=after.phase, because=because)
    )


def _as_run(given: Submission | None, ran: Submission) -> Submission | None:
    """A person's command with the change that was made, so that the next restart does not take it back."""
    return replace(given, argv=ran.argv, folder=ran.folder) if given is not None and ran.argv else given

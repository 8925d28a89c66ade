"""Starting, stopping and finding watches: what every surface calls."""

import secrets
import shlex
from collections.abc import Sequence
from dataclasses import replace

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import parse_job_id, read_command, unknown_job
from babysitter.engine.app import App
from babysitter.engine.telling.enqueue import (
    enqueue_message,
    refresh_incident_messages,
    refresh_thread_header,
    subject_of,
)
from babysitter.errors import AlreadyWatched, UserError
from babysitter.model.action import StepState, StoredAction
from babysitter.model.events import IncidentEnded, ProposalWithdrawn, WatchStarted, WatchStopped
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, Person, WatchId
from babysitter.model.incident import Incident, IncidentStatus
from babysitter.model.job import Job
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.message import MessageKind
from babysitter.model.phase import Phase
from babysitter.model.proposal import ProposalStatus
from babysitter.model.submission import Submission, SubmitContext
from babysitter.model.watch import Watch
from babysitter.store.store import Transaction
from babysitter.usecases.submitting.resubmit_command import in_folder
from babysitter.usecases.watching.watch_status import (
    WatchStatus,
    is_incident_id,
    not_a_watch,
    standing_from,
    the_one_meant,
)

SUPERSEDED = "a new watch of the same job began"
STANDING = (ProposalStatus.OPEN, ProposalStatus.SNOOZED)


async def start_watch(
    app: App,
    job: str,
    spec: ClusterSpec,
    *,
    by: Person,
    resubmit: Submission | None = None,
    context: SubmitContext | None = None,
    limits: Limits | None = None,
    owner: Person | None = None,
    replaces_finished: bool = False,
) -> Watch:
    """Promise to look after a job, beginning now.

    The job is looked for first: NoSuchJob for one that the cluster does not know, AlreadyWatched for a second
    watch of a job that is being watched (also under its restart's name), WorldError when the cluster cannot
    be asked. A job that runs again under a name whose watch has finished gets a new one. `context`: where to
    submit it again, and what may be taken along. `replaces_finished`: a job that has ended gets a new one
    too, unless a restart of it waits for an answer. The watch that a follow began becomes this person's.
    """
    root = parse_job_id(spec, job)
    await app.clusters.remember(spec)
    reader = await app.clusters.reader(spec.name)
    if resubmit is not None and not reader.abilities.submits:
        raise UserError(
            f"Jobs of the cluster '{spec.name}' are only watched: nothing is submitted there.",
            next_step="Leave --resubmit out.",
        )
    found = await reader.find(root)
    if found is None:
        raise unknown_job(spec, root)
    now = app.clock.now()
    context = replace(context or SubmitContext(), client=await app.clusters.own_client(spec))
    watch = Watch(
        id=WatchId(f"w-{secrets.token_hex(4)}"),
        root=root,
        first_root=root,
        cluster=spec.name,
        kind="auto",
        created_at=now,
        due_at=now,
        memory=Memory(),
        limits=limits or app.settings.limits,
        resubmit=resubmit and read_command(spec, in_folder(resubmit, context)),
        submit_context=context,
        owner=owner or by,
    )
    async with app.store.transaction() as tx:
        await check_not_restarted(tx, found, spec.name)
        earlier = await tx.watches.of_job(root, spec.name)
        if earlier is not None and earlier.follow and earlier.phase is not Phase.FINISHED:
            return await _take_over(tx, earlier, watch)
        if earlier is not None and await may_be_replaced(tx, earlier, found, also_same_run=replaces_finished):
            await end_watch(tx, app, earlier, by, SUPERSEDED)
        await tx.watches.add(watch)
        await tx.events.append(WatchStarted(at=now, watch=watch.id, root=root, by=by))
        about = await subject_of(tx, watch, now=now)
        await enqueue_message(tx, MessageKind.STARTED, about, key=f"{watch.id}:started")
    return watch


async def set_client_command(app: App, job: str, spec: ClusterSpec) -> Watch | None:
    """Give the watch of a job the client command of this description, for its restarts.

    Returns the watch; None where the job is not being watched, or where that command is the one it has.
    What is known about submitting it again is asked for anew at the next check, which is due at once.
    """
    root, client = parse_job_id(spec, job), await app.clusters.own_client(spec)
    if not client:
        return None
    async with app.store.transaction() as tx:
        watch = await tx.watches.of_job(root, spec.name)
        if watch is None or watch.follow or watch.phase is Phase.FINISHED:
            return None
        if watch.submit_context.client == client:
            return None
        context = replace(watch.submit_context, client=client, stored=None, missing=(), not_proposed="")
        changed = replace(watch, submit_context=context, due_at=app.clock.now())
        await tx.watches.save(changed)
        await tx.watches.announce(changed.id)
        return replace(changed, revision=watch.revision + 1)


async def _take_over(tx: Transaction, followed: Watch, wanted: Watch) -> Watch:
    """Make the watch that a follow began a person's: with a command, an owner and a thread of its own."""
    now = wanted.created_at
    taken = replace(
        followed,
        follow="",
        due_at=now,
        limits=wanted.limits,
        resubmit=wanted.resubmit or followed.resubmit,
        submit_context=wanted.submit_context,
        owner=wanted.owner,
    )
    await tx.watches.save(taken)
    await tx.watches.announce(taken.id)
    about = await subject_of(tx, taken, now=now)
    await enqueue_message(tx, MessageKind.STARTED, about, key=f"{taken.id}:started")
    return replace(taken, revision=followed.revision + 1)


async def stop_watch(app: App, name: str, *, by: Person, cluster: str = "") -> Watch:
    """Stop looking after a job; the job itself is left alone. Offers about it are withdrawn.

    Raises UserError while an approved action of the watch is being carried out; tries to submit a job after
    its predecessor was stopped are ended.
    """
    await app.store.prepare_memory()  # for the cards
    async with app.store.transaction() as tx:
        watch = await _one(tx, name, cluster)
        if watch.stopped_at is not None:
            return watch
        action = await tx.journal.open_action_of(watch.id)
        if action is not None and await _waits_for_submission(tx, action):
            await _give_up(tx, action, by, app)
        elif action is not None:
            raise UserError(
                f"An approved restart of {watch.root} is being carried out; the watch ends after it.",
                next_step=f"`babysit status {shlex.quote(watch.root)}` shows how far it is; then stop again.",
            )
        return await end_watch(tx, app, watch, by, "the watch was stopped")


async def find_watch(app: App, name: str, *, cluster: str = "") -> Watch:
    """The watch that a person means by a job id or watch id. Raises NoSuchWatch, or UserError for several."""
    async with app.store.reading() as tx:
        return await _one(tx, name, cluster)


async def watch_status(app: App, watch: WatchId) -> WatchStatus:
    """How one watch stands."""
    async with app.store.reading() as tx:
        return await _standing(tx, await tx.watches.get(watch))


async def all_watch_statuses(app: App, *, with_stopped: bool = False) -> Sequence[WatchStatus]:
    """How every watch stands, oldest first."""
    async with app.store.reading() as tx:
        watches = await tx.watches.all(with_stopped=with_stopped)
        return [await _standing(tx, watch) for watch in watches]


async def look_now(app: App, watch: WatchId) -> None:
    """Make a watch due at once, in whatever process the service runs."""
    async with app.store.transaction() as tx:
        await tx.watches.wake(watch, at=app.clock.now())


async def _standing(tx: Transaction, watch: Watch) -> WatchStatus:
    standing = standing_from(watch, await tx.incidents.of(watch))
    records = [await tx.opinions.of(incident.id) for incident in standing.incidents]
    opinions = {
        record.incident: record.combined for record in records if record is not None and record.incident
    }
    return replace(standing, opinions=opinions) if opinions else standing


async def _one(tx: Transaction, name: str, cluster: str) -> Watch:
    found = await tx.watches.named(name, cluster=cluster)
    if not found and is_incident_id(name):
        incident = await tx.incidents.incident(IncidentId(name))
        owners = await tx.watches.named(incident.key.watch) if incident else ()
        if incident and owners:
            raise not_a_watch(incident.id, owners[0])
    return the_one_meant(found, name)


async def may_be_replaced(tx: Transaction, earlier: Watch, job: Job, *, also_same_run: bool) -> bool:
    """Whether a watch has seen the job to its end, so that a new one may begin.

    Raises AlreadyWatched for a run that ended and whose restart is offered: the offer is worth more.
    """
    if earlier.phase is not Phase.FINISHED or await _is_acting(tx, earlier):
        return False
    is_same_run = job.state.is_terminal and earlier.memory.root_submitted_at == job.submitted_at
    if not is_same_run:
        return True
    offers = (await tx.incidents.of(earlier)).proposals if also_same_run else ()
    offer = next((proposal for proposal in offers if proposal.status in STANDING), None)
    if offer is not None:
        raise AlreadyWatched(
            f"{job.id} has ended, and its restart waits for an answer ({offer.id}).",
            next_step=f"Answer it with `babysit approve {offer.id}` or `babysit deny {offer.id}`.",
        )
    return also_same_run


async def check_not_restarted(tx: Transaction, job: Job, cluster: str) -> None:
    """Raise AlreadyWatched for a job that we restarted: its watch follows the new one."""
    for watch in await tx.watches.named(job.id, cluster=cluster):
        has_ended = watch.phase is Phase.FINISHED and not job.state.is_terminal  # the name is in use again
        if watch.stopped_at is None and watch.root != job.id and not has_ended:
            how = "whose watch has finished" if watch.phase is Phase.FINISHED else "which is being watched"
            raise AlreadyWatched(
                f"{job.id} was restarted as {watch.root}, {how} (as {watch.id}).",
                next_step=f"`babysit status {shlex.quote(job.id)}` shows how it is doing.",
            )


async def _waits_for_submission(tx: Transaction, action: StoredAction) -> bool:
    """Whether a step that failed, mostly the submission, is going to be tried again."""
    proposal = await tx.incidents.proposal(action.proposal)
    incident = await tx.incidents.incident(proposal.incident) if proposal is not None else None
    if incident is not None and incident.status is IncidentStatus.ACTING:
        return True  # a try has failed and was reported; the next one may be under way
    taken = await tx.journal.taken(action.proposal)
    return any(step_record.state is StepState.FAILED for step_record in taken.values())


async def _give_up(tx: Transaction, action: StoredAction, by: Person, app: App) -> None:
    """End the tries to submit a job whose predecessor has been stopped."""
    now = app.clock.now()
    proposal = await tx.incidents.proposal(action.proposal)
    assert proposal is not None, "an action is about a proposal"
    left_undone = f"{proposal.successor} was not submitted"
    if not proposal.submits:
        left_undone = f"{proposal.job} is not known to have ended"
    sentence = f"{left_undone}; {by} ended the tries"
    await tx.journal.end(action.proposal, sentence, now=now)
    status = IncidentStatus.FAILED
    await tx.incidents.set_status(proposal.incident, status, now=now, outcome=sentence)
    await tx.events.append(
        IncidentEnded(
            at=now, watch=proposal.watch, incident=proposal.incident, status=status, outcome=sentence
        )
    )


async def _is_acting(tx: Transaction, watch: Watch) -> bool:
    return await tx.journal.open_action_of(watch.id) is not None


async def _left_open(tx: Transaction, watch: Watch) -> list[Incident]:
    """Open incidents that nobody checks any more once this watch is stopped: its own, its cluster's too."""
    beside = [
        neighbour for neighbour in await tx.watches.beside(watch) if neighbour.phase is not Phase.FINISHED
    ]
    is_any_gone = any(neighbour.gone_since is not None for neighbour in beside)
    return [
        incident
        for incident in (await tx.incidents.of(watch)).open_incidents
        if incident.key.watch == watch.id
        or not beside
        or (incident.key.cause is Cause.JOB_GONE and not is_any_gone)
    ]


async def end_watch(tx: Transaction, app: App, watch: Watch, by: Person, because: str) -> Watch:
    """Take back what is offered, and look no more."""
    now = app.clock.now()
    for offer in (await tx.incidents.of(watch)).proposals:
        if await tx.incidents.set_proposal(
            offer.id, ProposalStatus.WITHDRAWN, among=STANDING, because=because
        ):
            await tx.events.append(
                ProposalWithdrawn(at=now, watch=watch.id, proposal=offer.id, because=because)
            )
            await refresh_incident_messages(tx, offer.incident, watch, now=now)
    ended = replace(watch, stopped_at=now, due_at=None)
    await tx.watches.save(ended)
    for incident in await _left_open(tx, watch):
        await tx.incidents.set_status(incident.id, IncidentStatus.RESOLVED, now=now, outcome=because)
        await tx.events.append(
            IncidentEnded(
                at=now,
                watch=watch.id,
                incident=incident.id,
                status=IncidentStatus.RESOLVED,
                outcome=because,
            )
        )
        await refresh_incident_messages(tx, incident.id, watch, now=now)
    await refresh_thread_header(tx, await subject_of(tx, ended, now=now))
    await tx.watches.announce(watch.id)
    await tx.events.append(WatchStopped(at=now, watch=watch.id, by=by))
    return replace(ended, revision=watch.revision + 1)

"""Follow: watch every new root job of a cluster whose id matches a pattern, without a question.

A look lists the cluster's newest root jobs, one request for all follows of the cluster. In one transaction
it starts the watches, remembers which runs it has dealt with, and wakes the watches of jobs that have ended:
killed anywhere, the next look does what was not done, and nothing twice.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import check_follow_pattern
from babysitter.engine.app import App
from babysitter.engine.telling.tell_routine import tell_routine
from babysitter.errors import AlreadyWatched, UserError
from babysitter.messages.routine import beyond_limit
from babysitter.model.events import WatchStarted
from babysitter.model.follow import DEFAULT_LIMIT, Follow
from babysitter.model.ids import JobId, Person, WatchId
from babysitter.model.job import Job
from babysitter.model.submission import SubmitContext
from babysitter.model.watch import Watch
from babysitter.policy.following import (
    FollowDecision,
    KnownRuns,
    follow_decision,
    matches,
    shared_prefix,
)
from babysitter.store.store import Transaction
from babysitter.usecases.submitting.expected_jobs import expected_names
from babysitter.usecases.watching.manage_watches import (
    SUPERSEDED,
    check_not_restarted,
    end_watch,
    may_be_replaced,
)

FIRST_LOOK_BACK = timedelta(days=30)  # a job that runs for longer is not found by a new follow
MAX_PATTERN_CHARS = 200


@dataclass(frozen=True, slots=True)
class FollowLook:
    """What one look led to. `live`: jobs that match and have not ended."""

    begun: tuple[JobId, ...] = ()
    beyond_limit: tuple[JobId, ...] = ()
    live: tuple[Job, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowStatus:
    """A follow, and how many unfinished watches it has begun."""

    follow: Follow
    watching: int


async def follow_jobs(
    app: App, spec: ClusterSpec, pattern: str, *, by: Person, user: str, owner: str = "", limit: int = 0
) -> tuple[Follow, FollowLook]:
    """Follow a pattern from now on, and look at once. `user`: the name for which `/me/` stands.

    Following again changes limit and owner. Raises UserError for a pattern that cannot be one, ExternalError
    if the cluster cannot be listed; then nothing is followed.
    """
    check_pattern(pattern)
    check_follow_pattern(spec, pattern)
    await app.clusters.remember(spec, keeps_client=True)  # for the watches that it begins
    overview = await app.clusters.overview(spec.name)
    now = app.clock.now()
    if pattern.startswith("/me/") and not await overview.roots("/me/", since=now - FIRST_LOOK_BACK):
        pattern = f"/{user}/" + pattern.removeprefix("/me/")
    follow = Follow(
        follow_id(spec.name, pattern), pattern, spec.name, by, now, limit or DEFAULT_LIMIT, owner=owner
    )
    async with app.store.reading() as tx:
        earlier = {active_follow.id: active_follow for active_follow in await tx.follows.active()}.get(
            follow.id
        )
    if earlier is not None:
        follow = replace(
            follow, begun_at=earlier.begun_at, is_setting=earlier.is_setting, limit=limit or earlier.limit
        )
    roots = await overview.roots(shared_prefix([follow]), since=now - FIRST_LOOK_BACK)
    async with app.store.transaction() as tx:
        await tx.follows.put(follow)
        return follow, await deal_with(tx, app, spec.name, [follow], roots)


async def stop_following(app: App, pattern: str, cluster: str = "") -> Sequence[Follow]:
    """End the follows of this pattern; jobs that are being watched still are. Raises UserError."""
    now = app.clock.now()
    async with app.store.transaction() as tx:
        active = await tx.follows.active()
        meant = [
            active_follow
            for active_follow in active
            if pattern in (active_follow.pattern, active_follow.id) and cluster in ("", active_follow.cluster)
        ]
        if not meant:
            raise UserError(
                f"Nothing follows '{pattern}'.", next_step="`babysit follow --list` shows what is followed."
            )
        if any(asked_follow.is_setting for asked_follow in meant):
            raise UserError(
                f"The settings name '{pattern}' under follow.",
                next_step="Take it out there, and begin the service anew.",
            )
        for asked_follow in meant:
            await tx.follows.put(replace(asked_follow, stopped_at=now))
    return meant


async def all_follows(app: App) -> Sequence[FollowStatus]:
    """Every follow that was not stopped."""
    async with app.store.reading() as tx:
        watched = await tx.follows.watches()
        return [
            FollowStatus(active_follow, sum(watch.follow == active_follow.id for watch in watched))
            for active_follow in await tx.follows.active()
        ]


def check_pattern(pattern: str) -> None:
    """Raises UserError for what cannot be a pattern of job ids."""
    if not pattern or len(pattern) > MAX_PATTERN_CHARS or any(text.isspace() for text in pattern):
        raise UserError(
            "A pattern of job ids is one word of at most 200 characters.",
            next_step="Quote it: babysit follow '/ada/*'",
        )


def follow_id(cluster: str, pattern: str) -> str:
    """The same for the same pattern of a cluster."""
    return "f-" + hashlib.sha256(f"{cluster} {pattern}".encode()).hexdigest()[:8]


async def deal_with(
    tx: Transaction, app: App, cluster: str, follows: Sequence[Follow], roots: Sequence[Job]
) -> FollowLook:
    """Everything that follows from one list of root jobs, in the caller's transaction."""
    now = app.clock.now()
    watched = [watch for watch in await tx.follows.watches() if watch.cluster == cluster]
    free = {
        active_follow.id: active_follow.limit - sum(one.follow == active_follow.id for one in watched)
        for active_follow in follows
    }
    meant = [job for job in roots if any(matches(active_follow, job.id) for active_follow in follows)]
    known = KnownRuns(
        await tx.follows.handled(cluster, [job.id for job in meant]),
        expected_names(app.state_folder, cluster) | await _successors(tx),
    )
    begun: list[JobId] = []
    too_many: dict[str, list[JobId]] = {}
    for job in sorted(meant, key=_age):
        for follow in follows:
            decision = follow_decision(job, follow, known, free=free[follow.id])
            if decision is FollowDecision.WATCH:
                if await _begin_watch(tx, app, follow, job):
                    free[follow.id] -= 1
                    begun.append(job.id)
                break
            if decision is FollowDecision.BEYOND_LIMIT:
                too_many.setdefault(follow.id, []).append(job.id)
    over = {job.id for job in meant if job.state.is_terminal}
    for watch in watched:
        if watch.root in over:  # its own next check may be minutes away
            await tx.watches.wake(watch.id, at=now)
    for follow in follows:
        if jobs := [job for job in too_many.get(follow.id, ()) if job not in begun]:
            key = f"{follow.id}:limit:{now:%Y-%m-%d}"
            await tell_routine(tx, beyond_limit(follow, jobs), key=key, now=now)
    return FollowLook(
        begun=tuple(begun),
        beyond_limit=tuple(job for jobs in too_many.values() for job in jobs if job not in begun),
        live=tuple(job for job in meant if not job.state.is_terminal),
    )


async def _begin_watch(tx: Transaction, app: App, follow: Follow, job: Job) -> bool:
    """Start the watch of a run, unless somebody watches it already. The run counts as dealt with."""
    await tx.follows.handle(follow.cluster, job.id, job.submitted_at)
    try:
        await check_not_restarted(tx, job, follow.cluster)
    except AlreadyWatched:
        return False
    earlier = await tx.watches.of_job(job.id, follow.cluster)
    if earlier is not None:
        if not await may_be_replaced(tx, earlier, job, also_same_run=False):
            return False
        await end_watch(tx, app, earlier, follow.by, SUPERSEDED)
    now = app.clock.now()
    watch = Watch(
        id=WatchId(f"w-{secrets.token_hex(4)}"),
        root=job.id,
        first_root=job.id,
        cluster=follow.cluster,
        kind="auto",
        created_at=now,
        due_at=now,
        limits=app.settings.limits,
        submit_context=SubmitContext(),
        owner=_owner(app.settings.owners, follow, job.id),
        follow=follow.id,
    )
    await tx.watches.add(watch)
    await tx.events.append(WatchStarted(at=now, watch=watch.id, root=job.id, by=follow.by))
    return True


async def _successors(tx: Transaction) -> frozenset[JobId]:
    """Jobs that approved restarts submit: the watches of their predecessors go on with them."""
    offers = [await tx.incidents.proposal(action.proposal) for action in await tx.journal.open_actions()]
    return frozenset(offer.successor for offer in offers if offer is not None and offer.successor is not None)


def _owner(owners: Mapping[str, str], follow: Follow, job: JobId) -> Person | None:
    """Who is mentioned for a job: as the settings say for its user, else the person who follows."""
    user = job.split("/")[1] if job.startswith("/") else ""
    if user in owners:
        return Person(owners[user])
    if follow.owner:
        return Person(follow.owner)
    return None if follow.is_setting else follow.by


def _age(job: Job) -> tuple[float, str]:
    return (job.submitted_at.timestamp() if job.submitted_at else 0.0, job.id)

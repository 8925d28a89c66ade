"""The service's part of follow: look at every followed cluster, again and again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import structlog

from babysitter.engine.app import App
from babysitter.engine.periodic import PeriodicActivity
from babysitter.engine.telling.tell_routine import tell_days_that_ended
from babysitter.errors import ExternalError, UserError
from babysitter.model.follow import Follow
from babysitter.model.ids import Person
from babysitter.policy.following import shared_prefix
from babysitter.usecases.following.follow_jobs import FIRST_LOOK_BACK, deal_with, follow_id

log = structlog.get_logger()
FOLLOW_INTERVAL_S = 20.0  # an end is told within a minute: this, a check, and an edit in Slack
TICK_INTERVAL_S = 1.0
CLOCK_SKEW = timedelta(minutes=5)  # between this machine and the controller
SETTINGS = Person("the settings")


class Follower:
    """Looks at every followed cluster, again and again, for the process that serves."""

    def __init__(self, app: App) -> None:
        self._app = app
        # Of a cluster and its follows: what was submitted earlier need not be listed any more.
        self._since: dict[tuple[str, ...], datetime] = {}
        self._due_at: datetime | None = None
        self._has_settings = False
        self._told_days: date | None = None

    async def tick(self) -> None:
        """Look if it is time. Raises the first error of a cluster, once every cluster was tried."""
        now = self._app.clock.now()
        if self._due_at is not None and now < self._due_at <= now + timedelta(seconds=FOLLOW_INTERVAL_S):
            return
        if not self._has_settings:
            await take_settings(self._app)
            self._has_settings = True
        if self._told_days != now.date():
            async with self._app.store.transaction() as tx:
                await tell_days_that_ended(tx, now=now)
            self._told_days = now.date()
        async with self._app.store.reading() as tx:
            follows = await tx.follows.active()
        self._due_at = now + timedelta(seconds=FOLLOW_INTERVAL_S)
        faults = []
        for cluster in dict.fromkeys(follow.cluster for follow in follows):
            try:
                await self._look(cluster, [follow for follow in follows if follow.cluster == cluster], now)
            except (ExternalError, UserError) as fault:
                faults.append(fault)
        if faults:
            raise faults[0]

    async def _look(self, cluster: str, follows: Sequence[Follow], now: datetime) -> None:
        overview = await self._app.clusters.overview(cluster)
        key = (cluster, *(follow.id for follow in follows))
        since = self._since.get(key, now - FIRST_LOOK_BACK)
        roots = await overview.roots(shared_prefix(follows), since=since)
        async with self._app.store.transaction() as tx:
            lease = self._app.leadership.lease
            await tx.leases.must_hold(lease.name, lease.fence)
            look = await deal_with(tx, self._app, cluster, follows, roots)
        for job in look.begun:
            log.info("follow_began_watch", job=job, cluster=cluster)
        live = [job.submitted_at for job in look.live if job.submitted_at is not None]
        seen = [root.submitted_at for root in roots if root.submitted_at is not None]
        self._since[key] = max(since, min(live, default=max(seen, default=since)) - CLOCK_SKEW)


async def keep_following(app: App) -> None:
    """`Follower.tick` again and again, until cancelled; what fails is shown in `status` and tried again."""
    activity = PeriodicActivity(
        "follow",
        Follower(app).tick,
        every_s=TICK_INTERVAL_S,
        clock=app.wall_clock,
        troubles=app.troubles,
        failures=app.failures,
    )
    await activity.repeat(app.clock)


async def take_settings(app: App) -> None:
    """Begin the follows that the settings name, and end those that they do not name any more."""
    settings, now = app.settings, app.clock.now()
    wanted: dict[str, Follow] = {}
    for follow_settings in settings.follow:
        cluster = follow_settings.cluster or settings.default_cluster
        found = Follow(
            follow_id(cluster, follow_settings.pattern),
            follow_settings.pattern,
            cluster,
            SETTINGS,
            now,
            follow_settings.limit,
            owner=follow_settings.owner,
            is_setting=True,
        )
        wanted[found.id] = found
    async with app.store.transaction() as tx:
        for earlier in await tx.follows.active():
            if earlier.id in wanted:
                wanted[earlier.id] = replace(wanted[earlier.id], begun_at=earlier.begun_at)
            elif earlier.is_setting:
                await tx.follows.put(replace(earlier, stopped_at=now))
        for follow in wanted.values():
            await tx.follows.put(follow)

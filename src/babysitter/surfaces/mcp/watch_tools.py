"""Tools about watches. The docstrings are for an agent: when to use it, what comes, what to do next."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from babysitter.errors import AlreadyWatched, UserError
from babysitter.model.ids import Person
from babysitter.model.submission import SubmitContext
from babysitter.surfaces.diagnosis_view import ReasonView
from babysitter.surfaces.duration_option import parse_duration
from babysitter.surfaces.mcp.last_cursors import LastCursors
from babysitter.surfaces.mcp.parameters import (
    MAX_ROWS,
    MAX_WAIT,
    ClusterName,
    Cursor,
    Duration,
    JobName,
    conversation_of,
    name_of,
)
from babysitter.surfaces.mcp.tool_context import ToolContext
from babysitter.surfaces.mcp.watch_views import (
    CoordinatorView,
    ExplainedReply,
    IncidentsReply,
    ProgressView,
    StageReply,
    StartReply,
    WaitedReply,
    WatchesReply,
    WatchReply,
    WatchRow,
)
from babysitter.surfaces.notified_channels import channels_of
from babysitter.surfaces.opinion_views import OpinionView
from babysitter.surfaces.printable import safe
from babysitter.surfaces.views import IncidentView, OutlookView, ProposeReply
from babysitter.surfaces.watch_view import watch_view
from babysitter.usecases.answering.request_restart import propose
from babysitter.usecases.answering.request_stop import propose_stop, refuse_act
from babysitter.usecases.incidents.explain import explain, opinion_on
from babysitter.usecases.incidents.find_incidents import sentence_about
from babysitter.usecases.looking.browse_jobs import incidents_of, job_progress, page_of
from babysitter.usecases.submitting.resubmit_command import (
    context_of,
    in_folder,
    set_resubmit_command,
    submission_of,
)
from babysitter.usecases.submitting.start_checks import restart_warnings
from babysitter.usecases.watching.manage_watches import (
    all_watch_statuses,
    find_watch,
    start_watch,
    watch_status,
)
from babysitter.usecases.watching.wait_for import WaitCondition, wait_for

SIGN_OF_LIFE_S = 10.0
MAX_CURSOR_DIGITS = 18  # event numbers are 64-bit integers
MAX_INCIDENTS = 5  # of one page: each has its evidence


class WatchTools:
    """The tools about watches, over one desk."""

    def __init__(self, desk: ToolContext) -> None:
        self._desk = desk
        self._app = desk.app
        self._last_cursors = LastCursors()

    async def list_watches(
        self,
        all: Annotated[bool, Field(description="Also jobs that are no longer watched.")] = False,  # noqa: A002
        cursor: Cursor = "",
    ) -> WatchesReply:
        """List every watched job in one row each: phase, progress, open incidents, proposals.

        Use first when your context was lost: watches live in babysit, not in you. Then call watch_status or
        wait with the job id.
        """
        page = page_of(await all_watch_statuses(self._app, with_stopped=all), cursor=cursor, at_most=MAX_ROWS)
        return WatchesReply(
            watches=[WatchRow.of(watch_view(row)) for row in page.rows], total=page.total, cursor=page.more
        )

    async def start_watch(
        self,
        ctx: Context,
        job: JobName,
        cluster: ClusterName = "",
        resubmit: Annotated[
            str,
            Field(
                description="The command that starts the job again, one quoted line, as the person gave it; "
                "default: as the cluster remembers it. Never make one up."
            ),
        ] = "",
        workdir: Annotated[
            str,
            Field(description="Absolute folder in which resubmit is run; its files are shipped."),
        ] = "",
    ) -> StartReply:
        """Begin to watch a root job; the watch goes on without you, also when your context is lost.

        Safe to repeat: a job that is being watched already is returned as it stands (is_new false); a missing
        resubmit command can be given so. The job itself is not touched. Tell the person who is told of
        incidents (channels; empty = nobody) and what resubmit_warnings say. Next: wait.
        """
        spec = await self._app.clusters.spec(self._desk.cluster(cluster))
        submission = submission_of(resubmit) if resubmit else None
        context = await _context(resubmit, workdir, self._app.state_folder)
        try:
            watch = await start_watch(
                self._app,
                job,
                spec,
                by=Person(f"{name_of(ctx)} for {self._desk.owner}"),
                owner=self._desk.owner,
                resubmit=submission,
                context=context,
            )
            is_new = True
        except AlreadyWatched:
            watch, is_new = await find_watch(self._app, job, cluster=spec.name), False
            if submission is not None:
                await set_resubmit_command(self._app, watch.id, in_folder(submission, context))
        self._last_cursors.forget(conversation_of(ctx), watch.id)  # who starts over is told how it stands
        channels = await channels_of(self._app, began_here=self._desk.ensure_served())
        warnings = await restart_warnings(self._app, watch) if is_new else ()
        return StartReply(
            watch=watch_view(await watch_status(self._app, watch.id)),
            is_new=is_new,
            channels=list(channels),
            resubmit_warnings=[safe(warning) for warning in warnings],
        )

    async def watch_status(self, job: JobName, cluster: ClusterName = "") -> WatchReply:
        """Show how one watched job stands now: phase, progress, ETA, open incidents with evidence, proposals.

        Use to look up once; costs the cluster nothing. Do not call it in a loop: wait returns when something
        happens. After a restart `job` is the new job and `first_job` the one you began with.
        """
        found = await find_watch(self._app, job, cluster=cluster)
        return WatchReply(watch=watch_view(await watch_status(self._app, found.id)))

    async def wait(
        self,
        ctx: Context,
        job: JobName,
        until: Annotated[
            list[Literal["incident", "stage", "terminal"]] | None,
            Field(description="What to return on; default: all three. The end always returns."),
        ] = None,
        cursor: Cursor = "",
        for_: Duration = "10m",
        cluster: ClusterName = "",
    ) -> WaitedReply:
        """Block until an incident, a stage change or the end of a watched job. Use it instead of polling.

        `reason` says why it returned. incident: tell the person its diagnosis; when it has a proposal, show
        job, command and change, and say that only a person answers it (in Slack or with `babysit approve
        ID`); then wait on. stage: note it and wait on. terminal: report the outcome; while a proposal is open
        the job may come back: wait on then. time-limit: wait on. Without `cursor` it goes on from your last
        answer; the first call tells an open incident at once. If your client cuts long calls off, use a
        smaller `for`: nothing is lost.
        """
        found = await find_watch(self._app, job, cluster=cluster)
        at_most_s = parse_duration(for_, at_most=MAX_WAIT).total_seconds()
        client = conversation_of(ctx)
        after = _event_number(cursor) if cursor else self._last_cursors.get(client, found.id)
        async with self._signs_of_life(ctx, at_most_s):
            waited = await wait_for(
                self._app,
                found.id,
                until=[WaitCondition(word) for word in until] if until else frozenset(WaitCondition),
                cursor=after,
                at_most_s=at_most_s,
            )
        self._last_cursors.remember(client, found.id, waited.cursor)
        return WaitedReply(
            reason=waited.woken.value,
            cursor=str(waited.cursor),
            watch=watch_view(await watch_status(self._app, found.id)),
            news=[event.kind for event in waited.news],
        )

    async def stage_progress(self, job: JobName, cluster: ClusterName = "") -> StageReply:
        """Show how far a pipeline or training job is: stages, the newest report, workers, ETA, coordinator.

        Use for numbers: for a watched job what the last check saw, at no cost; any other is looked at once
        now, which takes some seconds. A stage never prints its last shard as done. `dead` includes workers
        that left normally.
        """
        course = await job_progress(self._app, job, cluster=cluster, default=self._desk.default_cluster)
        memory = course.memory
        return StageReply(
            job=course.job,
            as_of=course.as_of,
            outlook=OutlookView.of(course.outlook) if course.outlook else None,
            newest=ProgressView.of(course.stage) if course.stage else None,
            coordinator=(
                CoordinatorView.of(memory.newest_attempt, course.coordinator_note)
                if memory.newest_attempt and memory.newest_attempt != course.job
                else None
            ),
        )

    async def incidents(
        self,
        job: JobName,
        cluster: ClusterName = "",
        cursor: Cursor = "",
    ) -> IncidentsReply:
        """List the incidents of a watch, newest first: diagnosis, evidence, outcome, proposal, seen_before.

        seen_before: earlier incidents like it, and what fixed them. opinion: a second one; only suspected.
        Use to report what happened, ended ones too, or to see how a proposal was answered.
        """
        found = await find_watch(self._app, job, cluster=cluster)
        page = page_of(await incidents_of(self._app, found), cursor=cursor, at_most=MAX_INCIDENTS)
        return IncidentsReply(
            job=found.root,
            incidents=[
                replace(
                    IncidentView.of(incident, found.root, offer, await opinion_on(self._app, incident.id)),
                    seen_before=await sentence_about(self._app, incident.id),
                )
                for incident, offer in page.rows
            ],
            total=page.total,
            cursor=page.more,
        )

    async def explain(
        self,
        job: JobName,
        why_not: Annotated[
            str, Field(description="A suspicion (zombie, stuck) or a cause (host-oom); default: everything.")
        ] = "",
        cluster: ClusterName = "",
    ) -> ExplainedReply:
        """Say why the last verdict on a watched job is what it is: each argument, with its values.

        With why_not: which demands of a suspicion or cause were not met. Use when you doubt a verdict.
        """
        found = await explain(
            self._app, (await find_watch(self._app, job, cluster=cluster)).id, why_not=why_not
        )
        return ExplainedReply(
            job=found.watch.root,
            phase=found.watch.phase,
            cause=found.verdict.cause if found.verdict else "unknown",
            reasons=[ReasonView.of(reason) for reason in found.reasons],
            opinion=OpinionView.of(found.opinion),
        )

    async def propose(
        self,
        ctx: Context,
        job: JobName,
        why: Annotated[
            str,
            Field(
                min_length=1,
                max_length=500,
                description="Why a restart helps, in your words; a person reads it.",
            ),
        ],
        change: Annotated[
            list[str] | None,
            Field(
                description="What it changes: memory=5GB, disk=, max-retries=, region=, tpu=, extra=, "
                "env.NAME=VALUE, flag.priority=batch, code (fixed in its folder)."
            ),
        ] = None,
        stop: Annotated[bool, Field(description="Only stop it and submit nothing.")] = False,
        child: Annotated[
            str, Field(description="With stop: only this child, such as a stale coordinator.")
        ] = "",
        cluster: ClusterName = "",
    ) -> ProposeReply:
        """Ask for a restart or a stop of a watched job: makes a proposal that only a person can approve.

        The person reads that an agent asked, why, and each change. Nothing is stopped or started by this.
        Refused, with the reason, where policy forbids a restart (nothing confirmed, budget spent, recovery at
        work; code or data errors without a change); then report to the person. Next: wait.
        """
        found = await find_watch(self._app, job, cluster=cluster)
        refuse_act(stop=stop, child=child, changes=change or ())
        if stop:
            stopping = await propose_stop(self._app, found.id, why=why, asked_by=name_of(ctx), child=child)
            return ProposeReply.of(stopping.proposal, is_new=stopping.is_new)
        asked = await propose(self._app, found.id, why=why, asked_by=name_of(ctx), changes=change or ())
        return ProposeReply.of(asked.proposal, is_new=asked.is_new)

    @contextlib.asynccontextmanager
    async def _signs_of_life(self, ctx: Context, at_most_s: float) -> AsyncIterator[None]:
        """Report progress now and then, so that a client with a time limit sees that the call lives."""
        wall_clock = self._app.wall_clock
        started_at = wall_clock.now()

        async def report() -> None:
            while True:
                await wall_clock.sleep_until(wall_clock.now() + timedelta(seconds=SIGN_OF_LIFE_S))
                waited_s = (wall_clock.now() - started_at).total_seconds()
                await ctx.report_progress(waited_s, at_most_s, "still waiting")

        reporting = asyncio.create_task(report())
        try:
            yield
        finally:
            reporting.cancel()
            await asyncio.gather(reporting, return_exceptions=True)


def _event_number(cursor: str) -> int:
    """The event that a cursor of `wait` names. Raises UserError."""
    if not cursor.isdecimal() or len(cursor) > MAX_CURSOR_DIGITS:
        raise UserError(
            f"'{cursor[:40]}' is not a cursor of `wait`.", next_step="Leave it out to wait from now on."
        )
    return int(cursor)


async def _context(resubmit: str, workdir: str, state_folder: Path) -> SubmitContext:
    """The folder of a command. The server's own folder is nobody's choice, so it is never taken instead."""
    if not workdir:
        if resubmit:
            raise UserError(
                "A resubmit command needs the folder in which it is run: its files are what is shipped.",
                next_step="Ask the person for the folder and give it as `workdir`, an absolute path.",
            )
        return SubmitContext()
    folder = Path(workdir)
    if not folder.is_absolute():
        raise UserError(f"'{workdir}' is not an absolute path.", next_step="Give `workdir` from the root on.")
    return await context_of(folder, here=folder, state_folder=state_folder, is_needed=True)

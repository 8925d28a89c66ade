"""The second half of `submit`: the job is submitted, watched, and its lines are printed until it ends."""

import shlex
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import me

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.app import App
    from babysitter.model.watch import Watch
    from babysitter.surfaces.cli.submitting.submit_reply import SubmitReply
    from babysitter.usecases.submitting.submit_job import SubmitPlan


@dataclass(frozen=True, slots=True)
class Waiting:
    """`waits`: until the job has ended. `reply`: printed at the end as JSON, and nothing else then."""

    waits: bool
    children: bool
    reply: "SubmitReply | None" = None

    def say(self, sentence: str) -> None:
        if self.reply is None:
            typer.echo(sentence)


async def start_watched(
    settings: "Settings",
    settings_file: Path | None,
    plan: "SubmitPlan",
    submission: Coroutine[Any, Any, str],
    owner: str,
    waiting: "Waiting",
) -> int:
    """Make the submission, start the watch, and where it `waits` stay until the job has ended. The exit code.

    The job is written down before it is submitted: killed anywhere, its watch is started by the service, or
    by the next submission.
    """
    from babysitter.surfaces.cli.serving.serve import keep_served, while_served
    from babysitter.surfaces.cli.watching.job_output import print_beside
    from babysitter.surfaces.cli.watching.start import exit_code_of, when_interrupted
    from babysitter.surfaces.notified_channels import channels_of, told_sentence
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        watch = await start_submitted_watch(app, plan, submission, owner, waiting.say)
        name = shlex.quote(watch.root)
        with when_interrupted(f"The watch is stored. See whether the service runs: babysit status {name}"):
            began_here = await keep_served(app, settings_file)
        waiting.say(f"Watching {watch.root} (as {watch.id}). See: babysit status {name} --watch")
        waiting.say(told_sentence(await channels_of(app, began_here=began_here)))
        if not waiting.waits:
            _print_reply(waiting, watch, None)
            return 0
        with when_interrupted(f"Job and watch go on without you. See: babysit status {name}"):
            ended = while_served(app, settings_file, exit_code_of(app, [watch.id]))
            if waiting.reply is not None:
                code = await ended
                _print_reply(waiting, watch, code)
                return code
            return await print_beside(app, [watch], ended, children=waiting.children)


def _print_reply(waiting: Waiting, watch: "Watch", code: int | None) -> None:
    if waiting.reply is not None:
        reply = replace(waiting.reply, job=watch.root, watch=watch.id, exit_code=code)
        typer.echo(reply.model_dump_json())


async def start_submitted_watch(
    app: "App",
    plan: "SubmitPlan",
    submission: Coroutine[Any, Any, str],
    owner: str,
    say: Callable[[str], None],
) -> "Watch":
    """Submit the job and start its watch. What would keep the watch from starting is found out before."""
    from babysitter.errors import AlreadyWatched
    from babysitter.model.ids import Person
    from babysitter.usecases.submitting.expected_jobs import (
        ExpectedJob,
        expect_job,
        forget_job,
        watch_expected,
    )
    from babysitter.usecases.submitting.resubmit_command import context_of
    from babysitter.usecases.watching.manage_watches import find_watch, start_watch

    again = plan.resubmission
    name, folder = plan.job_id, app.state_folder
    try:
        submit_from = await context_of(
            plan.folder, here=plan.folder, state_folder=folder, is_needed=again is not None
        )
        await app.clusters.remember(plan.cluster)
        for earlier in await watch_expected(app):
            typer.echo(f"An earlier submission was interrupted; {earlier} is watched now.", err=True)
        expect_job(
            folder,
            ExpectedJob(
                name,
                plan.cluster.name,
                at=app.clock.now(),
                by=me(),
                owner=owner,
                workdir=str(plan.folder),
                argv=again.argv if again else (),
            ),
        )
    except BaseException:
        submission.close()
        raise
    try:
        job = await submission
    except (typer.Exit, UserError):
        forget_job(folder, name, plan.cluster.name)
        raise
    say(f"Submitted {job}.")
    with suppress(AlreadyWatched):
        await start_watch(
            app,
            job,
            plan.cluster,
            by=me(),
            resubmit=again,
            context=submit_from,
            owner=Person(owner) if owner else None,
            replaces_finished=True,
        )
    forget_job(folder, name, plan.cluster.name)
    return await find_watch(app, job, cluster=plan.cluster.name)

"""`propose`: an agent asks for a restart; a person answers."""

import asyncio
from typing import Annotated

import typer

from babysitter.surfaces.cli.terminal.options import Json, SettingsFile, StateDir, me, settings_from


def propose(
    job: Annotated[str, typer.Argument(help="Job id or watch id.")],
    why: Annotated[str, typer.Option(help="Why a restart helps; the person who answers reads it.")],
    change: Annotated[
        list[str] | None,
        typer.Option(
            help="What the restart changes, repeated: memory=5GB, disk=20GB, max-retries=3, "
            "region=us-central2, tpu=v5litepod-8, extra=tpu, env.NAME=VALUE, flag.priority=batch, "
            "exclude-host=SLICE, or code: fixed in its folder."
        ),
    ] = None,
    stop: Annotated[
        bool, typer.Option("--stop", help="Ask to stop the job only; nothing is submitted.")
    ] = False,
    child: Annotated[
        str,
        typer.Option(help="With --stop: the child to stop, such as a stale coordinator; default: all."),
    ] = "",
    preempt: Annotated[
        str, typer.Option(help="A task whose attempt should be preempted; refused where the cluster cannot.")
    ] = "",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Ask a person to approve a restart or a stop; marked as asked for by an agent.

    With --change the proposal shows each change as before -> after, and the changed submission is checked
    first. Exit code 4: policy forbids it; the sentence says why. Nothing is stopped or started by asking.
    """
    from babysitter.surfaces.views import ProposeReply
    from babysitter.usecases.answering.request_stop import refuse_act

    refuse_act(stop=stop, child=child, preempt=preempt, changes=change or ())

    async def asking() -> ProposeReply:
        from babysitter.usecases.answering.request_restart import agent
        from babysitter.usecases.answering.request_restart import propose as ask
        from babysitter.usecases.answering.request_stop import propose_stop
        from babysitter.usecases.watching.manage_watches import find_watch
        from babysitter.wiring import open_app

        async with open_app(settings_from(settings, state_dir)) as app:
            found = await find_watch(app, job)
            by = agent(f"{me()}")
            if stop:
                asked = await propose_stop(app, found.id, why=why, asked_by=by, child=child)
            else:
                asked = await ask(app, found.id, why=why, asked_by=by, changes=change or ())
        return ProposeReply.of(asked.proposal, is_new=asked.is_new)

    reply = asyncio.run(asking())
    if as_json:
        typer.echo(reply.model_dump_json())
        return
    from babysitter.surfaces.cli.terminal import terminal_view

    terminal_view.console().print(terminal_view.proposal_block(reply.proposal))
    typer.echo("Proposed." if reply.is_new else "This restart was proposed already.")
    typer.echo(reply.next_step)

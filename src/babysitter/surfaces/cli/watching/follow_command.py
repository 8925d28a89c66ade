"""`follow`: watch every new job whose id matches a pattern."""

import asyncio
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import (
    Cluster,
    ClusterFile,
    ClusterOptions,
    Iris,
    Json,
    Ray,
    SettingsFile,
    StateDir,
    Url,
    cluster_from,
    me,
    settings_from,
)

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.cluster_pool import ClusterSpec
    from babysitter.model.follow import Follow
    from babysitter.usecases.following.follow_jobs import FollowLook

SHOWN_JOBS = 10


def follow(
    pattern: Annotated[
        str, typer.Argument(help="A shell pattern over full job ids, quoted: '/ada/*'; '/me/*' is you.")
    ] = "",
    cluster: Cluster = "",
    controller_url: Url = "",
    ray: Ray = "",
    config: ClusterFile = "",
    iris_command: Iris = "",
    limit: Annotated[int, typer.Option(min=0, help="Jobs that are watched at once; 0 = 50.")] = 0,
    owner: Annotated[
        str, typer.Option(help="Who is called and may approve: a Slack user id or user@host.")
    ] = "",
    stop: Annotated[
        bool, typer.Option("--stop", help="End the follow; jobs that are being watched still are.")
    ] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Show what is followed.")] = False,
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Watch every root job whose id matches: those that run now, and all new ones.

    The end of each is one line in one message a day. A problem gets a card of its own, as for any watch.
    `follow` in the settings does the same permanently.
    """
    if pattern and list_all:
        raise UserError(
            "--list takes no pattern: it shows everything that is followed.",
            next_step="babysit follow --list",
        )
    if not pattern and not list_all:
        raise UserError(
            "Which jobs?", next_step="babysit follow '/ada/*' --cluster NAME, or babysit follow --list"
        )
    chosen = settings_from(settings, state_dir)
    if list_all:
        typer.echo(asyncio.run(_listed(chosen, as_json=as_json)))
    elif stop:
        typer.echo(asyncio.run(_stopped(chosen, pattern, cluster, as_json=as_json)))
    else:
        spec = cluster_from(chosen, ClusterOptions(cluster, controller_url, config, iris_command, ray=ray))
        words = asyncio.run(_follow(chosen, settings, spec, _Wish(pattern, owner, limit), as_json=as_json))
        typer.echo(words)


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the command line asks for."""

    pattern: str
    owner: str
    limit: int


async def _follow(
    settings: "Settings", file: Path | None, spec: "ClusterSpec", wish: _Wish, *, as_json: bool
) -> str:
    from babysitter.surfaces.cli.serving.serve import keep_served
    from babysitter.surfaces.cli.watching.follow_replies import FollowReply, FollowView
    from babysitter.surfaces.cli.watching.start import when_interrupted
    from babysitter.surfaces.notified_channels import channels_of, told_sentence
    from babysitter.usecases.following.follow_jobs import follow_jobs
    from babysitter.wiring import open_app

    person = me()
    async with open_app(settings) as app:
        found, look = await follow_jobs(
            app,
            spec,
            wish.pattern,
            by=person,
            user=person.partition("@")[0],
            owner=wish.owner,
            limit=wish.limit,
        )
        with when_interrupted("The follow is stored. See whether the service runs: babysit status"):
            began_here = await keep_served(app, file)
        if as_json:
            view = FollowView.of(found)
            reply = FollowReply(follow=view, begun=[*look.begun], beyond_limit=[*look.beyond_limit])
            return reply.model_dump_json()
        told = told_sentence(await channels_of(app, began_here=began_here))
    return "\n".join([*_shown_look(found, look), told])


def _shown_look(found: "Follow", look: "FollowLook") -> list[str]:
    pattern = shlex.quote(found.pattern)
    lines = [f"Following {pattern} on {found.cluster}, at most {found.limit} jobs at once."]
    lines += [f"Watching {job}" for job in look.begun[:SHOWN_JOBS]]
    if look.begun[SHOWN_JOBS:]:
        lines.append(f"and {len(look.begun) - SHOWN_JOBS} more: babysit list")
    if look.beyond_limit:
        lines.append(f"{len(look.beyond_limit)} more match and are not watched: raise --limit.")
    if not look.live:
        lines.append("No job that matches runs now; the next one is watched.")
    return [*lines, f"To end it: babysit follow {pattern} --stop"]


async def _stopped(settings: "Settings", pattern: str, cluster: str, *, as_json: bool) -> str:
    from babysitter.surfaces.cli.watching.follow_replies import FollowsReply, FollowView
    from babysitter.usecases.following.follow_jobs import stop_following
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        ended = await stop_following(app, pattern, cluster)
    if as_json:
        return FollowsReply(follows=[FollowView.of(ended_follow) for ended_follow in ended]).model_dump_json()
    places = ", ".join(ended_follow.cluster for ended_follow in ended)
    return (
        f"Not followed any more: {shlex.quote(pattern)} on {places}. Jobs that are being watched still are."
    )


async def _listed(settings: "Settings", *, as_json: bool) -> str:
    from babysitter.surfaces.cli.watching.follow_replies import FollowsReply, FollowView
    from babysitter.usecases.following.follow_jobs import all_follows
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        follows = await all_follows(app)
    if as_json:
        views = [FollowView.of(status.follow, watching=status.watching) for status in follows]
        return FollowsReply(follows=views).model_dump_json()
    lines = [
        f"{status.follow.pattern}  on {status.follow.cluster}: {status.watching} of at most "
        f"{status.follow.limit} watched, since {status.follow.begun_at:%Y-%m-%d %H:%M} UTC"
        + (", by the settings" if status.follow.is_setting else f", by {status.follow.by}")
        for status in follows
    ]
    return "\n".join(lines) or "Nothing is followed. Begin: babysit follow '/ada/*' --cluster NAME"

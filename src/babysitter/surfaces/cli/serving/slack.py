"""`babysit slack`: print the app's manifest, and check that a button works."""

import asyncio
import re
from pathlib import Path
from typing import Annotated

import typer

from babysitter.errors import UserError
from babysitter.surfaces.cli.terminal.options import SettingsFile, settings_from
from babysitter.waits import hidden_waits, waiting_for

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Set up and check Slack. The way from nothing to a working button is in docs/slack.md.",
)


@app.callback()
def _root() -> None:
    pass


@app.command()
def manifest(
    name: Annotated[str, typer.Option(help="What the app is called in Slack.")] = "babysit",
    request_url: Annotated[
        str, typer.Option(help="Use HTTP at this public https URL instead of Socket Mode.")
    ] = "",
    json_output: Annotated[bool, typer.Option("--json", help="JSON instead of YAML.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it to this file.")] = None,
) -> None:
    """Print the manifest to create the Slack app from; it asks for the least rights that do the work."""
    import json

    from babysitter.slack.manifest import as_yaml
    from babysitter.slack.manifest import manifest as build

    if request_url and not request_url.startswith("https://"):
        raise UserError("Slack posts to https URLs only.", next_step="Give --request-url https://...")
    built = build(name=name, request_url=request_url)
    text = json.dumps(built, indent=2) + "\n" if json_output else as_yaml(built)
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise UserError(
            f"{output} cannot be written: {fault.strerror}.", next_step="Name another file."
        ) from fault
    typer.echo(f"Written to {output}.")


@app.command()
def check(
    bot_token: Annotated[str, typer.Option(help="xoxb-...; else slack.bot_token of the settings.")] = "",
    app_token: Annotated[str, typer.Option(help="xapp-...; else slack.app_token of the settings.")] = "",
    channel: Annotated[str, typer.Option(help="Channel id, C... or G...; else slack.channel.")] = "",
    approver: Annotated[
        list[str] | None,
        typer.Option(help="User id (U...) or user group id (S...); may be repeated; else `approvers`."),
    ] = None,
    wait: Annotated[
        float, typer.Option(help="Seconds to wait for you to press the button; 0 = do not.")
    ] = 120.0,
    api: Annotated[str, typer.Option(help="Another Slack, such as the simulated one.", hidden=True)] = "",
    settings: SettingsFile = None,
    json_output: Annotated[bool, typer.Option("--json", help="Findings as JSON.")] = False,
) -> None:
    """Try tokens, scopes, channel, events and a whole round trip of a button; say what to fix.

    Tries what the settings file and the environment say, as the service would.
    """
    from babysitter.config import secret

    chosen = settings_from(settings, None)
    slack = chosen.slack
    if not (channel or slack.channel):
        raise UserError(
            "No channel is given.",
            next_step="Set slack.channel, or BABYSIT_SLACK_CHANNEL, to its id (in the channel's details).",
        )
    asked = [text for tier in chosen.approvers for text in tier if re.fullmatch("[UWS][A-Z0-9]+", text)]
    values = (
        bot_token or secret(slack.bot_token, slack.bot_token_file, what="Slack bot token"),
        app_token or secret(slack.app_token, slack.app_token_file, what="Slack app token"),
        channel or slack.channel,
        tuple(approver or asked),
        wait,
    )
    if not asyncio.run(_check(values, api or slack.api_url, json_output=json_output)):
        raise typer.Exit(3)


async def _check(
    values: tuple[str, str, str, tuple[str, ...], float], api: str, *, json_output: bool
) -> bool:
    import json
    from dataclasses import asdict

    from babysitter.clock import SystemClock
    from babysitter.slack.posting import open_client
    from babysitter.slack.setup_check import SetupCheckSettings, SetupProblem, SlackCheck

    def show(finding: SetupProblem) -> None:
        detail = f": {finding.detail}" if finding.detail else ""
        with hidden_waits():
            typer.secho(
                f"{'ok  ' if finding.holds else 'FAIL'} {finding.what}{detail}",
                fg=None if finding.holds else typer.colors.RED,
            )
            if not finding.holds and finding.mend:
                typer.echo(f"     {finding.mend}")

    def wait_for_click(sentence: str) -> None:
        with hidden_waits():
            typer.echo(f"...  {sentence}", err=json_output)

    settings = SetupCheckSettings(*values)
    checking = SlackCheck(
        open_client(settings.bot_token, base_url=api),
        settings,
        SystemClock(),
        show=(lambda _finding: None) if json_output else show,
        waiting=wait_for_click,
    )
    with waiting_for("Slack to answer"):
        found = await checking.run()
    if json_output:
        typer.echo(
            json.dumps({"schema_version": 1, "findings": [asdict(problem) for problem in found]}, indent=2)
        )
    return all(problem.holds for problem in found)

"""The table of commands. A command's module is imported when it is called, so that start-up stays quick."""

import importlib
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from babysitter.errors import BabysitError, Bug


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command lives: `<module>:<attribute>` below surfaces/cli, a function or a Typer app."""

    where: str
    help: str
    panel: str


_WATCH, _LOOK, _DECIDE, _LEARN, _RUN = (
    "Watching",
    "Looking",
    "Deciding",
    "Playbooks and recordings",
    "Running",
)

COMMANDS: dict[str, Entry] = {
    "start": Entry("watch:start", "Watch one or more jobs.", _WATCH),
    "status": Entry("watch:status", "Show how a watched job is doing.", _WATCH),
    "list": Entry("watch:list_watches", "List everything that is being watched.", _WATCH),
    "stop": Entry("watch:stop", "Stop watching; the job itself is left alone.", _WATCH),
    "wait": Entry("watch:wait", "Block until an incident, a stage change or the end.", _WATCH),
    "diagnose": Entry("look:diagnose", "Look at a job once and say what is wrong.", _LOOK),
    "classify": Entry("evaluate:classify", "Find the cause in log files, offline.", _LOOK),
    "explain": Entry("look:explain", "Say why the last verdict is what it is.", _LOOK),
    "report": Entry("look:report", "Write the timeline of a job as Markdown.", _LOOK),
    "approve": Entry("decide:approve", "Approve a proposal; asks for confirmation.", _DECIDE),
    "deny": Entry("decide:deny", "Deny a proposal.", _DECIDE),
    "snooze": Entry("decide:snooze", "Put a proposal off for a while.", _DECIDE),
    "propose": Entry("propose:propose", "Ask a person to approve a restart (for agents).", _DECIDE),
    "playbook": Entry("playbook:app", "List, check and test the rules.", _LEARN),
    "eval": Entry("evaluate:evaluate", "Measure the diagnosis on labelled cases.", _LEARN),
    "record": Entry("recordings:record", "Write what a cluster answers into a folder.", _LEARN),
    "replay": Entry("recordings:replay", "Judge a recording on its own clock.", _LEARN),
    "serve": Entry("serve:serve", "Run the service in this terminal.", _RUN),
    "mcp": Entry("mcp:mcp", "Offer tools to coding agents.", _RUN),
    "skills": Entry("skills:app", "List, check and install the skills for coding agents.", _RUN),
    "slack": Entry("slack:app", "Set up and check Slack.", _RUN),
    "sim": Entry("sim:sim", "Run a simulated cluster.", _RUN),
    "demo": Entry("demo:demo", "Watch a whole story in half a minute.", _RUN),
    "doctor": Entry("doctor:doctor", "Check every part of the set-up for real.", _RUN),
    "init": Entry("doctor:init", "Write a commented configuration file.", _RUN),
}


class _Lazy(TyperGroup):
    """Shows help from the table, and loads a command's module only to run it."""

    listing = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        return _as_command(cmd_name, _nothing, entry) if self.listing else load(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.listing = False


def load(name: str) -> Any:
    """The command of this name, ready to run."""
    entry = COMMANDS[name]
    module_name, _, attribute = entry.where.partition(":")
    module = importlib.import_module(f"babysitter.surfaces.cli.{module_name}")
    target = getattr(module, attribute)
    if isinstance(target, typer.Typer):
        command = typer.main.get_command(target)
        command.name = name
        return command
    return _as_command(name, target, None)


def _as_command(name: str, target: Callable[..., Any], stub: Entry | None) -> Any:
    single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    single.command(name, help=stub.help if stub else None, rich_help_panel=stub.panel if stub else None)(
        target
    )
    return typer.main.get_command(single)


def _nothing() -> None:
    """Stands for a command in the listing, so that help needs no imports."""


app = typer.Typer(
    cls=_Lazy,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Watches long-running cluster jobs, says what broke and why, restarts only what a person approves.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from babysitter import __version__

        typer.echo(f"babysit {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code (see errors.py)."""
    try:
        app(list(arguments), prog_name="babysit")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except KeyboardInterrupt:
        print("babysit: interrupted.", file=sys.stderr)  # noqa: T201
        return 130
    except BabysitError as trouble:
        return _say(trouble)
    except BrokenPipeError:
        return 141
    except Exception as unexpected:  # noqa: BLE001  the top of the command line
        return _say(
            Bug(
                f"babysit hit a fault of its own ({type(unexpected).__name__}).",
                next_step=f"The report is in {_write_report()}; please send it to us.",
            )
        )
    return 0


def _say(error: BabysitError) -> int:
    print(f"babysit: {error.sentence}", file=sys.stderr)  # noqa: T201
    if error.next_step:
        print(f"  {error.next_step}", file=sys.stderr)  # noqa: T201
    return error.exit_code


def _write_report() -> Path:
    """Keep the traceback, redacted, where the person can find it."""
    from babysitter.redact import redact

    with tempfile.NamedTemporaryFile("w", prefix="babysit-report-", suffix=".txt", delete=False) as report:
        report.write(redact(traceback.format_exc()))
    return Path(report.name)

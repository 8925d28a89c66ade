"""The table of commands. A command's module is imported when it is called, so that start-up stays quick."""

import errno
import importlib
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from babysitter.errors import BabysitError, InternalError, UserError
from babysitter.surfaces.cli.terminal.plain_arguments import plain_arguments
from babysitter.surfaces.cli.terminal.status_line import shown_waits

COMPLETION_VARIABLE = "_BABYSIT_COMPLETE"  # how a shell's script asks for completions


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Where a command lives: `<module>:<attribute>` below surfaces/cli, a function or a Typer app.

    `example`: how it is most often used; its help shows it.
    """

    where: str
    help: str
    panel: str
    example: str
    takes_command: bool = False  # what follows its options is somebody's command line, left as it is
    takes_variables: bool = False  # has -e KEY [VALUE]
    takes_submit_options: bool = False  # instead of its own


_WATCH, _LOOK, _DECIDE, _LEARN, _RUN = (
    "Watching",
    "Finding the cause",
    "Answering proposals",
    "Playbooks and recordings",
    "Running",
)

COMMANDS: dict[str, CommandEntry] = {
    "start": CommandEntry(
        "watching.start:start", "Watch one or more jobs.", _WATCH, "babysit start /ada/dedup --cluster marin"
    ),
    "submit": CommandEntry(
        "submitting.submit:submit",
        "Check a job, submit it, and watch it.",
        _WATCH,
        "babysit submit --cluster marin --memory 8GB -- python experiments/train.py",
        takes_command=True,
        takes_variables=True,
    ),
    "follow": CommandEntry(
        "watching.follow_command:follow",
        "Watch every new job whose id matches a pattern.",
        _WATCH,
        "babysit follow '/ada/*' --cluster marin",
    ),
    "ladder": CommandEntry(
        "submitting.ladders:app",
        "Run jobs in order, each only if the one before passed.",
        _WATCH,
        "babysit ladder run smoke-cpu-tpu.yaml --cluster marin --set prefix=gs://my-bucket/ladder",
    ),
    "logs": CommandEntry(
        "watching.logs:logs",
        "Print the log of a job and its children.",
        _LOOK,
        "babysit logs /ada/dedup -f --cluster marin",
    ),
    "open": CommandEntry(
        "watching.open_command:open_page",
        "Print the address of a job's page in the dashboard.",
        _LOOK,
        "babysit open /ada/dedup --cluster marin",
    ),
    "status": CommandEntry(
        "watching.status:status",
        "Show how a watched job is doing: phase, progress, incidents.",
        _WATCH,
        "babysit status /ada/dedup --watch",
    ),
    "list": CommandEntry(
        "watching.status:list_watches", "List everything that is being watched.", _WATCH, "babysit list --all"
    ),
    "stop": CommandEntry(
        "watching.status:stop",
        "Stop watching; the job itself is left alone.",
        _WATCH,
        "babysit stop /ada/dedup",
    ),
    "wait": CommandEntry(
        "watching.status:wait",
        "Block until an incident, a stage change or the end.",
        _WATCH,
        "babysit wait /ada/dedup --until incident --until terminal --for 30m --json",
    ),
    "diagnose": CommandEntry(
        "diagnosing.diagnose:diagnose",
        "Look at a job once and say what is wrong.",
        _LOOK,
        "babysit diagnose /ada/dedup --cluster marin",
    ),
    "preflight": CommandEntry(
        "submitting.preflight:preflight",
        "Check an `iris job run` command without running it.",
        _WATCH,
        "babysit preflight -- iris --cluster marin job run --no-wait -- python x.py",
        takes_command=True,
        takes_submit_options=True,
    ),
    "classify": CommandEntry(
        "diagnosing.classify:classify",
        "Find the cause in log files, offline.",
        _LOOK,
        "babysit classify run.log --state failed",
    ),
    "explain": CommandEntry(
        "diagnosing.diagnose:explain",
        "Explain the last verdict on a watched job.",
        _LOOK,
        "babysit explain /ada/dedup --why-not zombie",
    ),
    "report": CommandEntry(
        "diagnosing.diagnose:report",
        "Write the timeline of a job as Markdown.",
        _LOOK,
        "babysit report /ada/dedup -o dedup.md",
    ),
    "incidents": CommandEntry(
        "diagnosing.remembered_incidents:app",
        "List and search past incidents; store their true cause.",
        _LOOK,
        "babysit incidents --like i-1f2e3d4c5b",
    ),
    "approve": CommandEntry(
        "answer:approve", "Approve a proposal; asks for confirmation.", _DECIDE, "babysit approve p-1f2e3d4c"
    ),
    "deny": CommandEntry("answer:deny", "Deny a proposal.", _DECIDE, "babysit deny p-1f2e3d4c"),
    "snooze": CommandEntry(
        "answer:snooze",
        "Be asked again about a proposal later.",
        _DECIDE,
        "babysit snooze p-1f2e3d4c --for 2h",
    ),
    "propose": CommandEntry(
        "propose:propose",
        "Ask a person to approve a restart or a stop (for agents).",
        _DECIDE,
        "babysit propose /ada/dedup --why 'the coordinator is a zombie'",
    ),
    "playbook": CommandEntry(
        "diagnosing.playbook:app", "List, check and test the rules.", _LEARN, "babysit playbook lint my-rules"
    ),
    "eval": CommandEntry(
        "diagnosing.eval:evaluate",
        "Measure the diagnosis on labelled cases.",
        _LEARN,
        "babysit eval cases --wrong",
    ),
    "learn": CommandEntry(
        "diagnosing.remembered_incidents:learn",
        "Remember labelled cases as incidents.",
        _LEARN,
        "babysit learn cases",
    ),
    "record": CommandEntry(
        "diagnosing.recordings:record",
        "Record the answers of a cluster about a job.",
        _LEARN,
        "babysit record /ada/dedup -o dedup-recording --cluster marin",
    ),
    "replay": CommandEntry(
        "diagnosing.recordings:replay",
        "Diagnose a recording step by step.",
        _LEARN,
        "babysit replay dedup-recording --reasons",
    ),
    "serve": CommandEntry("serving.serve:serve", "Run the service in this terminal.", _RUN, "babysit serve"),
    "mcp": CommandEntry("serving.mcp:mcp", "Serve tools for coding agents (MCP).", _RUN, "babysit mcp"),
    "skills": CommandEntry(
        "serving.skills:app", "Install instructions for coding agents.", _RUN, "babysit skills install"
    ),
    "slack": CommandEntry(
        "serving.slack:app", "Set up and check Slack.", _RUN, "babysit slack manifest -o manifest.yaml"
    ),
    "sim": CommandEntry("serving.sim:sim", "Run a simulated cluster.", _RUN, "babysit sim zombie --speed 20"),
    "demo": CommandEntry(
        "serving.demo:demo", "Show a hang and its restart on a simulated cluster.", _RUN, "babysit demo"
    ),
    "doctor": CommandEntry(
        "serving.setup:doctor",
        "Test the set-up: settings, cluster, channels.",
        _RUN,
        "babysit doctor --cluster marin",
    ),
    "init": CommandEntry(
        "serving.setup:init", "Write a settings file with every default as a comment.", _RUN, "babysit init"
    ),
    "completion": CommandEntry(
        "terminal.completion:completion",
        "Print the completion script for a shell.",
        _RUN,
        "babysit completion bash >> ~/.bashrc",
    ),
}


class _Lazy(TyperGroup):
    """Shows help from the table, and loads a command's module only to run it."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        for panel in dict.fromkeys(entry.panel for entry in COMMANDS.values()):
            rows = [(name, entry.help) for name, entry in COMMANDS.items() if entry.panel == panel]
            with formatter.section(panel):
                formatter.write_dl(rows, col_max=12)


def load(name: str) -> Any:
    """The command of this name, ready to run."""
    entry = COMMANDS[name]
    target = _target(entry)
    if not isinstance(target, typer.Typer):
        single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        behind = {"allow_extra_args": True, "allow_interspersed_args": False} if entry.takes_command else None
        kind = _with_variables() if entry.takes_variables else None
        kind = _with_submit_options() if entry.takes_submit_options else kind
        usage = "[OPTIONS] -- COMMAND" if entry.takes_command else "[OPTIONS]"
        single.command(name, cls=kind, context_settings=behind, options_metavar=usage)(target)
        target = single
    command = typer.main.get_command(target)
    command.name = name
    command.epilog = f"\b\nExample:\n  {entry.example}"
    return command


def _with_variables() -> type[TyperCommand]:
    from babysitter.surfaces.cli.submitting.variable_words import CommandWithVariables

    return CommandWithVariables


def _with_submit_options() -> type[TyperCommand]:
    from babysitter.surfaces.cli.submitting.preflight_words import PreflightCommand

    return PreflightCommand


app = typer.Typer(
    cls=_Lazy,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Watch long-running cluster jobs, find causes of failures, restart after a person's approval.",
    epilog="`babysit COMMAND --help` shows the options of a command. New here? Run `babysit demo`.",
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


# The class of every "wrong usage", whether typer brings its own copy of click or not.
_Usage: type[Exception] = typer.BadParameter.__mro__[2]


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code (see errors.py)."""
    try:
        with shown_waits(arguments):
            code = _run_plain(arguments)
            if code is None:
                code = app(list(arguments) or ["--help"], prog_name="babysit", standalone_mode=False)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except (KeyboardInterrupt, typer.Abort):
        print("babysit: interrupted.", file=sys.stderr)  # noqa: T201
        return 130
    except BabysitError as trouble:
        return _say(trouble)
    except BrokenPipeError:
        return 141
    except _Usage as misuse:
        return _say(_as_ours(misuse, arguments))
    except Exception as unexpected:  # noqa: BLE001  the top of the command line
        if refused := _refused_path(unexpected, arguments):
            return _say(refused)
        return _say(
            InternalError(
                f"babysit hit a fault of its own ({type(unexpected).__name__}).",
                next_step=f"The report is in {_write_report()}; please send it to us.",
            )
        )
    return code if isinstance(code, int) else 0


def _refused_path(fault: Exception, arguments: Sequence[str]) -> UserError | None:
    """The sentence for a path of the command line that may not even be looked at."""
    if not isinstance(fault, OSError) or fault.errno not in (errno.ENAMETOOLONG, errno.EACCES):
        return None
    path = str(fault.filename or "")
    if not any(path.startswith(argument) for argument in arguments if argument):
        return None
    return UserError(f"{path} cannot be used: {(fault.strerror or '').lower()}.", next_step="Check the path.")


def _run_plain(arguments: Sequence[str]) -> int | None:
    """Run a command whose words are plain without typer's parser; None when they are not."""
    entry = COMMANDS.get(arguments[0]) if arguments and COMPLETION_VARIABLE not in os.environ else None
    target = _target(entry) if entry else None
    if target is None or isinstance(target, typer.Typer):
        return None
    values = plain_arguments(target, arguments[1:])
    if values is None:
        return None
    try:
        target(**values)
    except typer.Exit as done:
        return done.exit_code
    return 0


def _target(entry: CommandEntry) -> Any:
    """The function, or the Typer app, of a command."""
    module_name, _, attribute = entry.where.partition(":")
    return getattr(importlib.import_module(f"babysitter.surfaces.cli.{module_name}"), attribute)


def _as_ours(misuse: Any, arguments: Sequence[str]) -> UserError:
    """A wrong command line as one of our errors: the sentence, and whose help to read."""
    context = getattr(misuse, "ctx", None)
    command = context.command_path if context else "babysit"
    if type(misuse).__name__ == "NoArgsIsHelpError":
        return UserError(f"`{command}` needs to be told what to do.", next_step=f"See `{command} --help`.")
    meant = get_close_matches(arguments[0], COMMANDS, n=1) if command == "babysit" else []
    guess = f"Did you mean `babysit {meant[0]}`? " if meant else ""
    sentence = " ".join(misuse.format_message().split()).replace(": Value error, ", ": ")
    return UserError(sentence, next_step=f"{guess}`{command} --help` tells how it is used.")


def _say(error: BabysitError) -> int:
    """A sentence may quote a job, a file or a server: what could steer a terminal is left out."""
    from babysitter.redact import redact

    print(f"babysit: {redact(error.sentence)}", file=sys.stderr)  # noqa: T201
    if error.next_step:
        print(f"  {redact(error.next_step)}", file=sys.stderr)  # noqa: T201
    return error.exit_code


def _write_report() -> Path:
    """Keep the traceback, redacted, where the person can find it."""
    from babysitter.redact import redact

    with tempfile.NamedTemporaryFile("w", prefix="babysit-report-", suffix=".txt", delete=False) as report:
        report.write(redact(traceback.format_exc()))
    return Path(report.name)

"""Gathers what the checks judge for a typed command line: folder, shell, cluster file.

Reads only. The controller is asked where its address is known; what it alone knows is `NotKnown` otherwise.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from babysitter.backends.iris.cluster_offer import read_offer
from babysitter.backends.iris.connection.cluster_file import find_cluster
from babysitter.backends.iris.connection.identity import client_user
from babysitter.backends.iris.submission.bundle import bundle_files
from babysitter.backends.iris.submission.bundle_size import bundle_size
from babysitter.backends.iris.submission.submission_facts import SubmissionFactsReader, answered
from babysitter.backends.iris.submission.workspace import read_workspace
from babysitter.backends.run_process import is_runnable
from babysitter.clock import Clock
from babysitter.errors import BadConfig, UserError
from babysitter.model.ids import JobId
from babysitter.model.submission import FolderState, Submission, SubmissionOrigin
from babysitter.preflight.client.client_environment import PASSED_THROUGH
from babysitter.preflight.client.client_tables import limits, option_table
from babysitter.preflight.command_line import flag_value, flag_values, parse_run, run_index, split_command
from babysitter.preflight.facts import (
    BundleSize,
    CommandFacts,
    Fact,
    Folder,
    Known,
    NotKnown,
    Purpose,
    SubmissionFacts,
    Workspace,
)
from babysitter.preflight.resources.offer import ClusterOffer
from babysitter.preflight.shell.shell_line import unset_variables

_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_SUBMITS = ("run", "submit", "start", "launch", "create")
_OTHERS = ("stop", "kill", "list", "summary", "logs", "cancel", "describe", "events", "wait", "complete")
_NOBODY_ASKED = NotKnown("No controller was asked.", fix="Give --controller-url URL to ask it.")


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """A command line and where it is typed. `line`: before the shell expanded it, "" if not known."""

    argv: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    home: Path
    line: str = ""


def as_job_run(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The words with the old spelling `iris ... run` written as `iris ... job run`; others as they are."""
    if run_index(argv) is not None:
        return argv
    head, _ = split_command(argv)
    client = next((at for at, word in enumerate(head) if Path(word).name == "iris"), None)
    if client is None:
        return argv
    at = client + 1 + _options_before(head[client + 1 :])
    return (*argv[:at], "job", *argv[at:]) if head[at : at + 1] == ("run",) else argv


def _options_before(words: tuple[str, ...]) -> int:
    """How many words the options take that stand before the client's command."""
    takes = {name: option.takes for option in option_table().program for name in option.names}
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 1 + (0 if "=" in words[at] else takes.get(words[at], 0))
    return at


def _meant_to_submit(argv: tuple[str, ...]) -> str:
    """The command of the client that was meant to be `job run`, "" for one that is something else."""
    head, _ = split_command(argv)
    client = next((at for at, word in enumerate(head) if Path(word).name == "iris"), None)
    if client is None:
        return ""
    words = head[client + 1 :]
    group, command = (*words[_options_before(words) :], "", "")[:2]
    near = command in _SUBMITS or (command not in _OTHERS and get_close_matches(command, _SUBMITS, 1, 0.7))
    return f"{group} {command}" if near and get_close_matches(group, ("job",), 1) else ""


async def read_new_submission(
    typed: TypedCommand,
    *,
    purpose: Purpose,
    generation: Fact[str],
    config: Path | None,
    reader: SubmissionFactsReader | None,
    clock: Clock,
) -> SubmissionFacts:
    """The facts of this command. `config`: a cluster file, beside or instead of the one that the line names.

    Raises UserError for a command that is not a `job run`, BadConfig for a file given by `config` that cannot
    be read.
    """
    env, argv = _without_assignments(as_job_run(typed.argv))
    misspelt = _meant_to_submit(argv) if run_index(argv) is None else ""
    if run_index(argv) is None and not misspelt:
        raise UserError(
            "This is not an `iris job run` command.",
            next_step="Give it as you would type it: babysit preflight -- iris --cluster NAME job run -- CMD",
        )
    dialect = generation.value if isinstance(generation, Known) else ""
    submission = Submission(argv, SubmissionOrigin.RESUBMIT_FLAG, workdir=str(typed.folder), env=env)
    submission = replace(submission, job=_job(submission, {**typed.environ, **env}, dialect))
    offer, fault = _offer(submission, typed, config)
    command = await _command_facts(submission, typed, dialect)
    facts = SubmissionFacts(
        submission=submission,
        purpose=purpose,
        generation=generation,
        today=clock.now().date(),
        fault=f"The client has no command `{misspelt}`." if misspelt else "",
        fault_fix="Write `job run`." if misspelt else "",
        login=_NOBODY_ASKED,
        user=_NOBODY_ASKED,
        claimed_user=client_user(flag_value(argv, "--user"), {**typed.environ, **env}, generation=dialect),
        name_is_taken=_NOBODY_ASKED,
    )
    if reader is not None:
        asked = await reader.read(submission, purpose=purpose)
        facts = replace(facts, login=asked.login, user=asked.user, name_is_taken=asked.name_is_taken)
        if isinstance(generation, NotKnown):
            facts = replace(facts, generation=asked.generation)
    return replace(
        facts,
        command=command,
        offer=offer,
        cluster_fault=fault,
        unset_variables=unset_variables(typed.line, {**typed.environ, **env}) if typed.line else (),
        inherited_env={name: typed.environ[name] for name in PASSED_THROUGH if typed.environ.get(name)},
    )


def _without_assignments(argv: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """`A=1 iris ...`: the variables in front of the command, and the command."""
    env: dict[str, str] = {}
    for at, word in enumerate(argv):
        found = _ASSIGNMENT.fullmatch(word)
        if found is None:
            return env, argv[at:]
        env[found["name"]] = found["value"]
    return env, ()


def _job(submission: Submission, environ: Mapping[str, str], generation: str) -> JobId | None:
    """The id that the job gets, where the command names it."""
    name = flag_value(submission.argv, "--job-name")
    if not name or "/" in name:
        return None
    user = client_user(flag_value(submission.argv, "--user"), environ, generation=generation)
    return JobId(f"/{user}/{name}")


def _offer(
    submission: Submission, typed: TypedCommand, config: Path | None
) -> tuple[ClusterOffer | None, str]:
    """What the cluster file offers, and why the file that the line names cannot be used."""
    head = submission.argv[: run_index(submission.argv)]
    named, cluster = flag_value(head, "--config"), flag_value(head, "--cluster")
    fault, path = "", config
    if named:
        file = typed.folder / Path(named).expanduser()
        if not file.is_file():
            fault = f"The cluster file {named} is not there."
        elif path is None:
            path = file
    elif cluster and path is None:
        path = _found(cluster, typed)
    if path is None:
        return None, fault
    try:
        return read_offer(path), fault
    except BadConfig as bad:
        if path == config:
            raise
        return None, bad.sentence


def _found(cluster: str, typed: TypedCommand) -> Path | None:
    file = typed.folder / cluster
    if file.is_file():
        return file
    try:
        return find_cluster(Path(cluster).stem, home=typed.home, working_dir=typed.folder)
    except BadConfig:
        return None  # a cluster that the installed client knows, perhaps


async def _command_facts(submission: Submission, typed: TypedCommand, generation: str) -> CommandFacts:
    command = parse_run(submission.argv, option_table().run_options(generation))
    program = command.program if command else ()
    left_out = flag_values(submission.argv, "--exclude")

    def read() -> Workspace:
        return read_workspace(typed.folder, program, generation=generation, left_out=left_out)

    def size() -> Fact[BundleSize]:
        files = bundle_files(typed.folder, generation=generation, left_out=left_out)
        return bundle_size(typed.folder, files, limit_bytes=limits().max_bundle_bytes)

    workspace, bundle = await asyncio.gather(
        answered(asyncio.to_thread(read), "what the folder holds"),
        answered(asyncio.to_thread(size), "the size of the bundle"),
    )
    path = {**typed.environ, **submission.env}
    return CommandFacts(
        program_found=Known(is_runnable(submission.argv, cwd=str(typed.folder), env=path)),
        folder=Known(Folder(str(typed.folder), FolderState(""))),
        bundle=bundle.value if isinstance(bundle, Known) else bundle,
        workspace=workspace.value if isinstance(workspace, Known) else Workspace(),
    )

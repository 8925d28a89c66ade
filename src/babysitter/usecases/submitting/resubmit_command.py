"""The command that starts a job again, as a person or an agent gives it, and the folder it is run in."""

import asyncio
import re
import shlex
from dataclasses import replace
from pathlib import Path

from babysitter.backends.iris.submission.bundle import bundle_files, folder_state, is_repository
from babysitter.backends.registry import command_examples, read_command
from babysitter.engine.app import App
from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.model.ids import WatchId
from babysitter.model.submission import FolderState, Submission, SubmissionOrigin, SubmitContext

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def submission_of(command: str, *, is_program: bool = False) -> Submission:
    """What one shell-quoted line would submit; it is run without a shell. Raises UserError.

    `is_program`: it is the job's own program, and any word will do.
    """
    try:
        argv = tuple(shlex.split(command))
    except ValueError as fault:
        raise UserError(
            f"The resubmit command cannot be read: {fault}.", next_step="Quote it as one shell command."
        ) from fault
    if not argv:
        raise UserError(
            "The resubmit command is empty.",
            next_step="Give the command, or leave --resubmit out; a variable in it was probably not set.",
        )
    if not (is_program or {"run", "submit"} & set(argv)):
        raise UserError(
            "The resubmit command is not a submission.",
            next_step=f"It looks like: {' or '.join(map(repr, command_examples()))}.",
        )
    return Submission(argv, SubmissionOrigin.RESUBMIT_FLAG)


async def context_of(
    workdir: Path | None, *, here: Path, state_folder: Path, env_from: str = "", is_needed: bool = False
) -> SubmitContext:
    """The folder to submit from, with what it holds now, and the variables that may be taken along.

    `workdir` None: the folder `here`, when a command is to run in it (`is_needed`) or if it is a repository.
    Raises UserError for a folder that cannot be shipped, or for something that is not a variable's name.
    """
    names = variable_names(env_from)
    folder = (workdir or here).expanduser().absolute()
    if workdir is None and not is_needed:
        if not await asyncio.to_thread(is_repository, folder):
            return SubmitContext(env_from=names)
        try:
            return SubmitContext(str(folder), await asyncio.to_thread(_state, folder, state_folder), names)
        except UserError:  # nobody named this folder: without it a restart has one way less
            return SubmitContext(env_from=names)
    return SubmitContext(str(folder), await asyncio.to_thread(_state, folder, state_folder), names)


def _state(folder: Path, state_folder: Path) -> FolderState:
    """What the folder holds. Raises UserError where our own state would be shipped with it."""
    ours = state_folder.absolute()
    if ours.is_relative_to(folder) and any(path.is_relative_to(ours) for path in bundle_files(folder)):
        raise UserError(
            f"The folder {folder} holds babysit's own state ({ours}), which would be shipped with it.",
            next_step="Name the folder of the job's code with --workdir.",
        )
    return folder_state(folder)


def variable_names(text: str) -> tuple[str, ...]:
    """HF_TOKEN,WANDB_API_KEY -> names of environment variables. Raises UserError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if not _VARIABLE.fullmatch(name):
            raise UserError(
                f"'{name.partition('=')[0]}' is not the name of an environment variable.",
                next_step="Name variables only, for example --env-from HF_TOKEN,WANDB_API_KEY.",
            )
    return names


def in_folder(submission: Submission, context: SubmitContext) -> Submission:
    """The command, to be run in the folder that was named with it."""
    if not context.workdir:
        return submission
    return replace(submission, workdir=context.workdir, folder=context.folder)


async def set_resubmit_command(app: App, watch_id: WatchId, submission: Submission) -> None:
    """Keep the command for a watch that has none. Raises NotAllowed where another one is known.

    Nothing is run: an offer that comes of it shows the command to the person who answers.
    """
    async with app.store.reading() as tx:
        spec = await app.clusters.spec((await tx.watches.get(watch_id)).cluster)
    submission = read_command(spec, submission)
    async with app.store.transaction() as tx:
        watch = await tx.watches.get(watch_id)
        if watch.resubmit is not None and _what(watch.resubmit) != _what(submission):
            raise NotAllowed(
                f"The command that starts {watch.root} again is known already.",
                next_step="A person changes it: `babysit stop`, then `babysit start` with a new --resubmit.",
            )
        if watch.resubmit is None and not await tx.watches.save(replace(watch, resubmit=submission)):
            raise FactsChanged(f"{watch.root} was being checked at this very moment.", next_step="Try again.")
        await tx.watches.announce(watch_id)


def _what(submission: Submission) -> tuple[object, ...]:
    """What a command submits, apart from the state of its folder."""
    return submission.argv, submission.request

"""Gathers what the preflight checks judge: this machine, the folder, the environment, the controller.

Reads only, and is bounded in time: what does not answer within its limit is `NotKnown`.
"""

import asyncio
import os
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from babysitter.backends.iris.bundle import folder_state
from babysitter.backends.iris.eyes import IrisEyes
from babysitter.backends.iris.prepare import SubmissionPreparer
from babysitter.backends.iris.process import is_runnable
from babysitter.backends.iris.submit import named
from babysitter.clock import Clock
from babysitter.errors import BabysitError, MissingSubmission, WorldError
from babysitter.model.submission import FolderState, Submission
from babysitter.preflight.facts import (
    CommandFacts,
    Fact,
    Folder,
    Known,
    NotKnown,
    Purpose,
    RequestFacts,
    SubmissionFacts,
)

FACT_LIMIT_S = 15.0

T = TypeVar("T")


class SubmissionFactsReader:
    """Reads the facts of submissions to one Iris cluster."""

    def __init__(self, eyes: IrisEyes, *, clock: Clock, preparer: SubmissionPreparer) -> None:
        self._eyes = eyes
        self._clock = clock
        self._preparer = preparer

    async def read(self, submission: Submission, *, purpose: Purpose) -> SubmissionFacts:
        """Everything that can be known about this submission now."""
        fault = await self._fault(submission)
        runs_command = bool(submission.argv)
        generation, name_is_taken = await asyncio.gather(self._generation(), self._name_is_taken(submission))
        return SubmissionFacts(
            submission=_as_run(submission),
            purpose=purpose,
            generation=generation,
            today=self._clock.now().date(),
            command=await self._command_facts(submission) if runs_command else None,
            request=None if runs_command else self._request_facts(),
            fault=fault,
            name_is_taken=name_is_taken,
        )

    async def _fault(self, submission: Submission) -> str:
        try:
            if submission.argv:
                self._preparer.command(submission)
            else:
                await self._preparer.request(submission)
        except MissingSubmission as missing:
            return str(missing)
        except WorldError:
            return ""  # the generation is asked for by itself, and is then not known
        return ""

    async def _generation(self) -> Fact[str]:
        async def ask() -> str:
            return (await self._eyes.about()).generation

        return await answered(ask(), "the controller's generation")

    async def _name_is_taken(self, submission: Submission) -> Fact[bool]:
        job = submission.job
        if job is None:
            return NotKnown("The submission has no name.")

        async def ask() -> bool:
            return await self._eyes.find(job) is not None

        return await answered(ask(), f"whether {job} exists")

    async def _command_facts(self, submission: Submission) -> CommandFacts:
        workdir = submission.workdir or os.getcwd()
        now = await asyncio.to_thread(_folder_now, workdir, is_recorded=submission.folder is not None)
        return CommandFacts(
            program_found=Known(is_runnable(submission.argv, cwd=submission.workdir, env=submission.env)),
            folder=Known(Folder(workdir, now)),
            bundle=NotKnown("The bundle was not measured."),
        )

    def _request_facts(self) -> RequestFacts:
        unknown = NotKnown("The controller was not asked.")
        return RequestFacts(bundle_exists=unknown, client_revision=unknown)


def _folder_now(workdir: str, *, is_recorded: bool) -> FolderState | None:
    """What the folder holds, None if it is not there; not read where nothing is recorded to compare with."""
    if not os.path.isdir(workdir):
        return None
    return folder_state(Path(workdir)) if is_recorded else FolderState("")


def _as_run(submission: Submission) -> Submission:
    """The submission with the command that is really run: named, not waiting; blanked values stay blanked."""
    try:
        return (
            replace(submission, argv=named(submission.argv, submission.job)) if submission.job else submission
        )
    except MissingSubmission:
        return submission


async def answered(question: Awaitable[T], what: str) -> Fact[T]:
    """The answer, or NotKnown if none came in time; asking again may help."""
    try:
        async with asyncio.timeout(FACT_LIMIT_S):
            return Known(await question)
    except BabysitError as error:
        return NotKnown(error.sentence, may_pass=True)
    except TimeoutError:
        return NotKnown(f"No answer within {FACT_LIMIT_S:g} s to the question for {what}.", may_pass=True)

"""Gathers what the preflight checks judge: this machine, the folder, the environment, the controller.

Reads only, and is bounded in time: what does not answer within its limit is `NotKnown`.
"""

import asyncio
import os
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from babysitter.backends.iris.connection.identity import Caller, client_user, has_stored_login, read_caller
from babysitter.backends.iris.connection.transport import Transport
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.iris.submission.bundle import bundle_files, folder_state
from babysitter.backends.iris.submission.bundle_size import bundle_size
from babysitter.backends.iris.submission.prepare import SubmissionPreparer
from babysitter.backends.iris.submission.stored_bundle import bundle_exists
from babysitter.backends.iris.submit_syntax import named
from babysitter.backends.run_process import is_runnable
from babysitter.clock import Clock
from babysitter.errors import (
    BabysitError,
    ExternalError,
    MissingSubmission,
    NotAuthorised,
    UserError,
)
from babysitter.model.launch_request import LaunchRequest
from babysitter.model.submission import FolderState, Submission
from babysitter.preflight.client.client_tables import limits
from babysitter.preflight.command_line import flag_value, flag_values
from babysitter.preflight.facts import (
    BundleSize,
    CommandFacts,
    Fact,
    Folder,
    Known,
    Login,
    NotKnown,
    Purpose,
    RequestFacts,
    SubmissionFacts,
)

FACT_LIMIT_S = 20.0
EXCHANGED_LOGINS = ("static", "gcp")  # the iris client sends the token that `iris login` stored

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LocalMachine:
    """What of this machine a submission depends on: the environment of the process, and its user's folder."""

    environ: Mapping[str, str]
    home: Path


class SubmissionFactsReader:
    """Reads the facts of submissions to one Iris cluster."""

    def __init__(
        self,
        line: Transport,
        reader: IrisReader,
        *,
        preparer: SubmissionPreparer,
        machine: LocalMachine,
        clock: Clock,
    ) -> None:
        self._line = line
        self._reader = reader
        self._preparer = preparer
        self._machine = machine
        self._clock = clock

    async def read(self, submission: Submission, *, purpose: Purpose) -> SubmissionFacts:
        """Everything that can be known about this submission now. Asks for the facts side by side."""
        generation = await answered(self._generation(), "the controller's generation")
        dialect = generation.value if isinstance(generation, Known) else ""
        caller, is_taken, command, request = await asyncio.gather(
            self._caller(),
            self._name_is_taken(submission),
            self._command_facts(submission, dialect),
            self._request_facts(submission),
        )
        missing = self._preparer.missing_variables(submission)
        return SubmissionFacts(
            submission=_as_run(submission),
            purpose=purpose,
            generation=generation,
            today=self._clock.now().date(),
            command=command,
            request=request,
            fault="" if missing else await self._fault(submission),
            missing_variables=missing,
            login=self._login(submission, caller),
            user=self._user(submission, caller, dialect),
            name_is_taken=is_taken,
        )

    async def _fault(self, submission: Submission) -> str:
        try:
            if submission.argv:
                self._preparer.command(submission)
            else:
                await self._preparer.request(submission)
        except MissingSubmission as missing:
            return str(missing)
        except ExternalError:
            return ""  # the generation is asked for by itself, and is then not known
        return ""

    async def _generation(self) -> str:
        return (await self._reader.about()).generation

    async def _name_is_taken(self, submission: Submission) -> Fact[bool]:
        job = submission.job
        if job is None:
            return NotKnown("The submission has no name.")

        async def ask() -> bool:
            return await self._reader.find(job) is not None

        return await answered(ask(), f"whether {job} exists")

    async def _caller(self) -> Fact[Caller | Login]:
        async def ask() -> Fact[Caller | Login]:
            try:
                authentication = await self._reader.authentication()
            except NotAuthorised:
                return Known(Login.REFUSED)
            return await read_caller(self._line, authentication=authentication)

        asked = await answered(ask(), "who it takes us for")
        return asked.value if isinstance(asked, Known) else asked

    def _login(self, submission: Submission, caller: Fact[Caller | Login]) -> Fact[Login]:
        match caller:
            case NotKnown():
                return caller
            case Known(value=Login() as login):
                return Known(login)
            case Known(value=Caller(user="")):
                return Known(Login.NOT_NEEDED)
        # We are let in. A command runs as a client of its own, with the token that `iris login` stored.
        if submission.argv and not has_stored_login(self._machine.home):
            return NotKnown("Whether the iris command has a login of its own cannot be seen from here.")
        return Known(Login.ACCEPTED)

    def _user(self, submission: Submission, caller: Fact[Caller | Login], generation: str) -> Fact[str]:
        """The user segment that the job gets."""
        match caller:
            case NotKnown():
                return caller
            case Known(value=Caller(user=user, may_name_others=False)):
                return Known(user)
        if submission.argv:
            environment = {**self._machine.environ, **submission.env}
            option = flag_value(submission.argv, "--user")
            return Known(client_user(option, environment, generation=generation))
        return Known(submission.job.split("/")[1] if submission.job else "")

    async def _command_facts(self, submission: Submission, generation: str) -> CommandFacts | None:
        if not submission.argv:
            return None
        path = Path(submission.workdir or os.getcwd())
        folder, bundle = await asyncio.gather(
            answered(asyncio.to_thread(_folder_now, path, submission), "what the folder holds"),
            answered(asyncio.to_thread(_bundle, path, submission, generation), "the size of the bundle"),
        )
        return CommandFacts(
            program_found=Known(is_runnable(submission.argv, cwd=submission.workdir, env=submission.env)),
            folder=Known(Folder(str(path), folder.value)) if isinstance(folder, Known) else folder,
            bundle=bundle.value if isinstance(bundle, Known) else bundle,
        )

    async def _request_facts(self, submission: Submission) -> RequestFacts | None:
        if submission.argv or submission.request is None:
            return None
        bundle = LaunchRequest(submission.request).bundle_id
        exists, revision = await asyncio.gather(
            answered(bundle_exists(self._line, bundle), "the bundle"),
            answered(self._preparer.client_date(), "the date of the iris client"),
        )
        return RequestFacts(
            bundle_exists=exists.value if isinstance(exists, Known) else exists,
            client_revision=_as_date(revision.value) if isinstance(revision, Known) else revision,
        )


def _folder_now(folder: Path, submission: Submission) -> FolderState | None:
    """What the folder holds, None if it is not there; not read where nothing is recorded to compare with."""
    if not folder.is_dir():
        return None
    return folder_state(folder) if submission.folder is not None else FolderState("")


def _bundle(folder: Path, submission: Submission, generation: str) -> Fact[BundleSize]:
    if not folder.is_dir():
        return Known(BundleSize(0))  # reported as a missing folder
    left_out = flag_values(submission.argv, "--exclude")
    try:
        files = bundle_files(folder, generation=generation, left_out=left_out)
    except UserError as fault:
        return NotKnown(fault.sentence)
    return bundle_size(folder, files, limit_bytes=limits().max_bundle_bytes)


def _as_run(submission: Submission) -> Submission:
    """The submission with the command that is really run: named, not waiting; blanked values stay blanked."""
    if submission.job is None:
        return submission
    try:
        return replace(submission, argv=named(submission.argv, submission.job))
    except MissingSubmission:
        return submission


def _as_date(text: str) -> Fact[date | None]:
    if not text:
        return Known(None)
    try:
        return Known(date.fromisoformat(text))
    except ValueError:
        return NotKnown(f"'{text[:40]}' is not a revision date of an iris client (YYYY-MM-DD).")


async def answered(question: Awaitable[T], what: str) -> Known[T] | NotKnown:
    """The answer, or NotKnown if none came in time."""
    try:
        async with asyncio.timeout(FACT_LIMIT_S):
            return Known(await question)
    except BabysitError as error:
        return NotKnown(error.sentence, may_pass=error.repeatable)
    except TimeoutError:
        return NotKnown(f"No answer within {FACT_LIMIT_S:g} s to the question for {what}.", may_pass=True)

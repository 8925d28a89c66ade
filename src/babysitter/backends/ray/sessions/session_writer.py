"""The writer of a run that nobody submitted: it refuses every act, with the command for a person.

Unless a person gave its program with --resubmit, and its driver is a process group of this machine and user:
then exactly that group is ended, and the program is started again as a group of its own.
"""

import asyncio
import shlex
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from babysitter.backends.ray.sessions.local_driver import LocalDriver, find_local_driver, others_in_group
from babysitter.backends.ray.sessions.session_reader import SessionReader
from babysitter.backends.run_process import is_runnable
from babysitter.clock import Clock
from babysitter.errors import SubmissionRefused, Unreachable, UserError
from babysitter.model.ids import JobId
from babysitter.model.submission import BY_PERSON, RequestSummary, Submission, SubmissionOrigin
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.redact import redact

COMMAND, FOLDER = "command", "folder"  # in a kept request
END_TIMEOUT = timedelta(seconds=20)  # from SIGTERM to SIGKILL
MAX_NAMED = 4
LOOK_EVERY = timedelta(milliseconds=200)
BLOCK = PreflightSeverity.BLOCK


def given_program(command: Submission) -> Submission:
    """The program that a person gave with --resubmit, as a request to start it on this machine.

    Raises UserError for one that holds a secret: commands are kept.
    """
    line = shlex.join(command.argv)
    if redact(line) != line:
        raise UserError(
            "The program of the resubmit command holds a secret, and commands are kept.",
            next_step="Let it read the secret from the environment of the service.",
        )
    summary = RequestSummary(
        command.argv,
        code=f"the folder {command.workdir}",
        how="as a process of this machine",
        resources=("those of this machine",),
        takes_variables=True,
    )
    return replace(
        command,
        argv=(),
        origin=SubmissionOrigin.RESUBMIT_FLAG,
        request={COMMAND: list(command.argv), FOLDER: command.workdir},
        summary=summary,
    )


class SessionWriter:
    """Implements `ClusterWriter`."""

    def __init__(self, reader: SessionReader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock

    async def stop(self, job: JobId) -> None:
        """End the process group of the run. Idempotent; only a group that was found to be ours."""
        if (run := self._reader.runs.of(job)) is not None:
            run.process.stop()
            await self._until(lambda: not run.process.is_alive)
            run.process.stop(at_once=True)
            return
        logs = await self._reader.logs(job)
        driver: LocalDriver | str | None = self._reader.runs.stopped(job, logs.folders)
        if driver is None:
            driver = await asyncio.to_thread(find_local_driver, logs)
        if isinstance(driver, str):
            raise SubmissionRefused(
                f"{job} cannot be stopped from here: {driver}. {BY_PERSON}",
                next_step=await self._reader.by_hand(),
            )
        self._reader.runs.note_stop(job, driver)
        driver.signal(signal.SIGTERM)
        await self._until(lambda: not driver.group_is_alive())
        driver.signal(signal.SIGKILL)

    async def preflight(self, submission: Submission, *, purpose: Purpose) -> tuple[PreflightFinding, ...]:
        step = await self._reader.by_hand()
        if COMMAND not in (submission.request or {}):
            return (PreflightFinding("not-submitted", BLOCK, BY_PERSON, step),)
        command, folder = _program_of(submission)
        if not folder.is_dir():
            return (PreflightFinding("folder-missing", BLOCK, f"There is no folder {folder}."),)
        if not is_runnable(command, cwd=str(folder)):
            why = f"`{command[0]}` cannot be run here."
            return (PreflightFinding("nothing-to-submit", BLOCK, why, "Name it with its full path."),)
        run = self._reader.runs.of(submission.job) if submission.job is not None else None
        if run is not None and run.proposal != submission.proposal:
            reason = f"{submission.job} was started here before, for another approval."
            fix = "Start the run by hand, with a log of another name: a date in it makes it new."
            return (PreflightFinding("name-taken", BLOCK, reason, fix),)
        if purpose is Purpose.RESUBMIT and (old := submission.replaces) is not None:
            return await self._about_old(old, step)
        return ()

    async def by_hand(self, submission: Submission) -> str:
        if COMMAND not in (submission.request or {}):
            return ""
        command, folder = _program_of(submission)
        variables = "".join(f"{name}={shlex.quote(value)} " for name, value in _changed(submission))
        return f"cd {shlex.quote(str(folder))} && {variables}{shlex.join(command)}"

    async def submit(self, submission: Submission) -> JobId:
        """Start the program. Idempotent: a run of this id is started once."""
        if COMMAND not in (submission.request or {}) or submission.job is None:
            raise SubmissionRefused(
                f"{submission.job} cannot be submitted. {BY_PERSON}", next_step=await self._reader.by_hand()
            )
        command, folder = _program_of(submission)
        if not folder.is_dir() or not is_runnable(command, cwd=str(folder)):
            raise SubmissionRefused(f"`{shlex.join(command)}` cannot be run in {folder}.")
        await asyncio.to_thread(
            self._reader.runs.start,
            submission.job,
            command,
            cwd=folder,
            variables=dict(_changed(submission)),
            proposal=submission.proposal,
            now=self._clock.now(),
        )
        return submission.job

    async def _about_old(self, job: JobId, step: str) -> tuple[PreflightFinding, ...]:
        """Whether the old run is one that can be ended from here, or has ended."""
        try:
            found = await self._reader.find(job)
        except Unreachable as fault:
            return (PreflightFinding("not-checked", BLOCK, fault.sentence),)
        if found is None or found.state.is_terminal or self._reader.runs.of(job) is not None:
            return ()
        driver = await asyncio.to_thread(find_local_driver, await self._reader.logs(job))
        if isinstance(driver, LocalDriver):
            return _about_others(await asyncio.to_thread(others_in_group, driver))
        reason = f"It cannot be stopped from here: {driver}. {BY_PERSON}"
        return (PreflightFinding("not-submitted", BLOCK, reason, step),)

    async def _until(self, is_over: Callable[[], bool]) -> None:
        """Wait until it is, or for as long as a program may take to end by itself."""
        deadline = self._clock.now() + END_TIMEOUT
        while not is_over() and self._clock.now() < deadline:
            await self._clock.sleep_until(self._clock.now() + LOOK_EVERY)


def _program_of(submission: Submission) -> tuple[tuple[str, ...], Path]:
    request = submission.request or {}
    words = request[COMMAND]
    assert isinstance(words, list), "written by `given_program`"
    return tuple(map(str, words)), Path(str(request.get(FOLDER) or "."))


def _about_others(programs: Sequence[str]) -> tuple[PreflightFinding, ...]:
    """What ends with the driver though it may be another job of the same shell."""
    if not programs:
        return ()
    named, more = ", ".join(programs[:MAX_NAMED]), len(programs) - MAX_NAMED
    if more > 0:
        named += f" and {more} more"
    reason = f"The stop also ends what else was started by the same shell: {named}."
    fix = "Deny it if one of them must go on, and start each run by `setsid` or in a shell of its own."
    return (PreflightFinding("others-end-too", PreflightSeverity.WARN, reason, fix),)


def _changed(submission: Submission) -> list[tuple[str, str]]:
    return sorted(submission.changed_variables.items())

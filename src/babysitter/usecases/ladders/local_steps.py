"""Steps of a ladder that are commands on this machine. They go on if the ladder's own process dies."""

import asyncio
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from babysitter.backends.detached_process import DetachedProcess
from babysitter.backends.environment_file import read_environment_file
from babysitter.engine.app import App
from babysitter.engine.ladder import PreparedStep, SubmittedStep
from babysitter.launch.clients.process_group import exit_words
from babysitter.launch.environment_rules import job_variables
from babysitter.launch.ladder_files.ladder_checks import judge_checks, result_of
from babysitter.launch.ladder_files.ladder_steps import LadderStep
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.model.ladder_run import StepAttempt, StepOutcome, StepResult
from babysitter.redact import redact
from babysitter.usecases.ladders.cluster_steps import LINES_READ
from babysitter.usecases.ladders.ladder_evidence import find_evidence
from babysitter.usecases.ladders.step_diagnosis import benign_lines, diagnosis_of_lines, result_with
from babysitter.usecases.submitting.run_local_job import ignored_options
from babysitter.usecases.submitting.submit_job import LocalContext

FOLDER = "ladder-steps"
FIRST_PAUSE_S, MAX_PAUSE_S = 0.05, 1.0
GRACE = timedelta(seconds=10)  # between the request to end and the end


@dataclass(frozen=True, slots=True)
class LocalSteps:
    """Implements `StepPlace`. `machine`: the folder in which commands run, and their environment."""

    app: App
    machine: LocalContext

    async def prepare(self, step: LadderStep, name: str) -> PreparedStep:
        ignored = ignored_options(step.options)
        if step.options.memory:
            ignored = (*ignored, "--memory")
        variables = self._environment(step)
        program = step.options.command[0]
        is_found = shutil.which(program, path=variables.get("PATH", os.defpath)) is not None
        is_found = is_found or os.access(self.machine.folder / program, os.X_OK)
        return PreparedStep(
            job=f"/local/{name}",
            command=redact(shlex.join(step.options.command)),
            warnings=(f"Without effect on this machine: {', '.join(ignored)}.",) if ignored else (),
            blocks=() if is_found else (redact(f"The program '{program}' is not on this machine."),),
            plan=variables,
        )

    async def exists(self, attempt: StepAttempt) -> bool:
        return self._process(attempt.job).was_started

    async def submit(self, step: LadderStep, prepared: PreparedStep) -> SubmittedStep:
        process = self._process(prepared.job)
        start = process.start
        await asyncio.to_thread(start, step.options.command, cwd=self.machine.folder, env=prepared.plan)
        return SubmittedStep(prepared.job)

    async def adopt(self, step: LadderStep, attempt: StepAttempt) -> SubmittedStep:  # noqa: ARG002
        return SubmittedStep(attempt.job)

    async def is_running(self, attempt: StepAttempt) -> bool:
        return self._process(attempt.job).is_alive

    async def result(self, step: LadderStep, attempt: StepAttempt) -> StepResult:
        process = self._process(attempt.job)
        if await self._is_out_of_time(step, attempt, process):
            sentence = f"The command has not ended within {step.time_limit_s / 60:g} min; it was stopped."
            return StepResult(StepOutcome.TIME_LIMIT, sentence)
        code = process.exit_code
        if code is None:
            sentence = "The command was killed with its shell; how it ended is not known."
            return StepResult(StepOutcome.INTERRUPTED, sentence, advice="Run the ladder again.")
        return await self._judged(step, attempt, process, code)

    async def _is_out_of_time(self, step: LadderStep, attempt: StepAttempt, process: DetachedProcess) -> bool:
        """Wait for the end of the command; True where its time was over and it was stopped."""
        clock, pause_s = self.app.clock, FIRST_PAUSE_S
        assert attempt.submitted_at is not None, "a submitted attempt says when"
        limit = timedelta(seconds=step.time_limit_s)
        while process.is_alive:
            if limit and clock.now() >= attempt.submitted_at + limit:
                await self._stop(process)
                return True
            await clock.sleep_until(clock.now() + timedelta(seconds=pause_s))
            pause_s = min(pause_s * 1.5, MAX_PAUSE_S)
        return False

    async def _stop(self, process: DetachedProcess) -> None:
        process.stop()
        at_most = self.app.clock.now() + GRACE
        while process.is_alive and self.app.clock.now() < at_most:
            await self.app.clock.sleep_until(self.app.clock.now() + timedelta(seconds=FIRST_PAUSE_S))
        process.stop(at_once=True)

    async def _judged(
        self, step: LadderStep, attempt: StepAttempt, process: DetachedProcess, code: int
    ) -> StepResult:
        state = JobState.FAILED if code else JobState.SUCCEEDED
        lines = await asyncio.to_thread(process.lines, "", LINES_READ)
        facts = JobFacts(state=state, exit_code=code)
        diagnosis = await asyncio.to_thread(diagnosis_of_lines, lines, self.app, facts) if code else None
        # A shell has 128 + N for signal N.
        end = f"The command ended with {exit_words(128 - code if code > 128 else code)}."
        ended = result_with(diagnosis, StepOutcome.FAILED, end, state)

        async def lines_with(text: str) -> Sequence[str]:
            return await asyncio.to_thread(process.lines, text, LINES_READ)

        found = await find_evidence(step.checks, state, lines_with, self.machine.folder, is_here=True)
        results = judge_checks(step.checks, found, attempt.begun_at)
        result = result_of(
            ended,
            tuple(replace(check_result, sentence=redact(check_result.sentence)) for check_result in results),
        )
        if result.outcome is not StepOutcome.PASSED:
            return result
        return replace(result, benign=await asyncio.to_thread(benign_lines, lines, self.app))

    def _environment(self, step: LadderStep) -> Mapping[str, str]:
        file = read_environment_file(self.machine.folder)
        variables = job_variables(file, step.options.variables, self.machine.environ)
        return {**self.machine.environ, "PYTHONUNBUFFERED": "1", **variables}

    def _process(self, job: str) -> DetachedProcess:
        return DetachedProcess(self.app.state_folder / FOLDER / job.rpartition("/")[2])

"""Steps of a ladder that are jobs of a cluster, each with a watch of its own."""

import asyncio
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from babysitter.backends.backend import ClusterReader
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.engine.app import App
from babysitter.engine.ladder import PreparedStep, SubmittedStep
from babysitter.errors import AlreadyWatched, SubmissionRefused, UserError
from babysitter.launch.ladder_files.ladder_checks import judge_checks, result_of
from babysitter.launch.ladder_files.ladder_steps import LadderStep
from babysitter.model.finding import ActionKind, Severity
from babysitter.model.ids import JobId, Person, WatchId
from babysitter.model.incident import Incident, Ledger
from babysitter.model.ladder_run import CheckStatus, StepAttempt, StepOutcome, StepResult
from babysitter.model.log import LogSource
from babysitter.model.phase import Phase
from babysitter.model.submission import Submission
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.usecases.ladders.ladder_evidence import find_evidence
from babysitter.usecases.ladders.step_diagnosis import benign_lines, history_of, result_with
from babysitter.usecases.submitting.expected_jobs import CLOCK_SKEW, ExpectedJob, expect_job, forget_job
from babysitter.usecases.submitting.resubmit_command import context_of
from babysitter.usecases.submitting.submit_job import LocalContext, SubmitPlan, plan_submit, submit_job
from babysitter.usecases.watching.manage_watches import find_watch, start_watch
from babysitter.usecases.watching.wait_for import WaitCondition, WaitResult, WakeReason, wait_for

LINES_READ = 5_000
LOG_LAG = timedelta(seconds=10)  # guess: lines that a job wrote last arrive after its end
WAIT_S = 3600.0


@dataclass(frozen=True, slots=True)
class ClusterSteps:
    """Implements `StepPlace`. `machine`: the folder that is shipped, and whose environment."""

    app: App
    cluster: ClusterSpec
    machine: LocalContext
    by: Person

    async def prepare(self, step: LadderStep, name: str) -> PreparedStep:
        plan = await plan_submit(
            replace(step.options, job_name=name), self.cluster, self.machine, self.app.clock
        )
        await self.app.clusters.remember(plan.cluster)
        command = shlex.join(plan.argv or ("(over HTTP)", *step.options.command))
        return PreparedStep(
            job=plan.job_id,
            command=redact(command),
            warnings=tuple(
                redact(f"{finding.id}: {finding.reason} {finding.fix}".strip())
                for finding in plan.findings
                if not finding.blocks
            ),
            blocks=tuple(
                redact(f"{finding.id}: {finding.sentence}") for finding in plan.findings if finding.blocks
            ),
            plan=plan,
        )

    async def exists(self, attempt: StepAttempt) -> bool:
        await self.app.clusters.remember(self.cluster)
        reader = await self.app.clusters.reader(self.cluster.name)
        found = await reader.find(JobId(attempt.job))
        earliest = attempt.begun_at - CLOCK_SKEW
        return found is not None and (found.submitted_at is None or found.submitted_at >= earliest)

    async def submit(self, step: LadderStep, prepared: PreparedStep) -> SubmittedStep:
        plan = prepared.plan
        assert isinstance(plan, SubmitPlan), "prepared here"
        self._expect(step, plan)
        try:
            job = await submit_job(plan, self.machine, self.app.clock)
        except (UserError, SubmissionRefused):
            forget_job(self.app.state_folder, JobId(prepared.job), self.cluster.name)
            raise
        return await self._watched(step, job, plan.resubmission)

    async def adopt(self, step: LadderStep, attempt: StepAttempt) -> SubmittedStep:
        return await self._watched(step, JobId(attempt.job), None)

    async def is_running(self, attempt: StepAttempt) -> bool:
        job = JobId(attempt.job)
        if attempt.watch:
            async with self.app.store.reading() as tx:
                job = (await tx.watches.get(WatchId(attempt.watch))).root
        await self.app.clusters.remember(self.cluster)
        found = await (await self.app.clusters.reader(self.cluster.name)).find(job)
        return found is not None and not found.state.is_terminal

    async def result(self, step: LadderStep, attempt: StepAttempt) -> StepResult:
        assert attempt.submitted_at is not None, "a submitted attempt says when"
        limit = timedelta(seconds=step.time_limit_s) if step.time_limit_s else None
        deadline = attempt.submitted_at + limit if limit else None
        cursor: int | None = None
        while True:
            left_s = (deadline - self.app.clock.now()).total_seconds() if deadline else WAIT_S
            waited = await wait_for(
                self.app,
                WatchId(attempt.watch),
                until=(WaitCondition.INCIDENT, WaitCondition.TERMINAL),
                cursor=cursor,
                at_most_s=max(0.0, min(left_s, WAIT_S)),
            )
            cursor = waited.cursor
            ledger = await self._ledger(waited.watch)
            if waited.woken is WakeReason.TERMINAL:
                return await self._ended(step, attempt, waited, ledger)
            if (incident := _for_a_person(ledger, waited.watch, attempt.begun_at)) is not None:
                return _escalated(incident, waited.watch, ledger)
            if deadline is not None and self.app.clock.now() >= deadline:
                return _out_of_time(step, waited.watch, ledger)

    async def _ended(
        self, step: LadderStep, attempt: StepAttempt, waited: WaitResult, ledger: Ledger
    ) -> StepResult:
        watch = waited.watch
        state = watch.outlook.job_state if watch.outlook else None
        if watch.phase is not Phase.FINISHED or state is None:
            sentence = f"The watch of {watch.root} was stopped; how the job ended is not known."
            return StepResult(StepOutcome.INTERRUPTED, sentence, is_left_running=True)
        own = [incident for incident in ledger.incidents if incident.key.watch == watch.id]
        async with self.app.store.reading() as tx:
            verdict = await tx.watches.last_verdict(watch.id)
        diagnosis = verdict.diagnosis if verdict else None
        if diagnosis is None and own:
            diagnosis = own[-1].diagnosis
        ended = result_with(diagnosis, StepOutcome.FAILED, f"{watch.root} ended as {state}.", state)
        ended = replace(ended, history=history_of(own, ledger.proposals))
        result = await self._checked(step, attempt, watch.root, ended, state)
        if any(check.stops and check.status is not CheckStatus.PASSED for check in result.checks[1:]):
            await self.app.clock.sleep_until(self.app.clock.now() + LOG_LAG)
            result = await self._checked(step, attempt, watch.root, ended, state)
        if result.outcome is StepOutcome.PASSED:
            reader = await self.app.clusters.reader(self.cluster.name)
            lines = await self._lines(reader, watch.root, "")
            result = replace(result, benign=await asyncio.to_thread(benign_lines, lines, self.app))
        return result

    async def _checked(
        self, step: LadderStep, attempt: StepAttempt, root: JobId, ended: StepResult, state: str
    ) -> StepResult:
        reader = await self.app.clusters.reader(self.cluster.name)

        async def lines_with(text: str) -> Sequence[str]:
            return await self._lines(reader, root, text)

        found = await find_evidence(step.checks, state, lines_with, self.machine.folder, is_here=False)
        results = judge_checks(step.checks, found, attempt.begun_at)
        redacted = tuple(replace(result, sentence=redact(result.sentence)) for result in results)
        return result_of(ended, redacted)

    async def _lines(self, reader: ClusterReader, root: JobId, text: str) -> Sequence[str]:
        source = LogSource(root, include_children=True, containing=text)
        batch = await reader.lines(source, after=None, at_most=LINES_READ, newest=True)
        return [line.text for line in batch.lines]

    async def _ledger(self, watch: Watch) -> Ledger:
        async with self.app.store.reading() as tx:
            return await tx.incidents.of(watch)

    def _expect(self, step: LadderStep, plan: SubmitPlan) -> None:
        """Write the job down: killed before its watch began, the service begins it."""
        again = plan.resubmission
        expected = ExpectedJob(
            plan.job_id,
            self.cluster.name,
            at=self.app.clock.now(),
            by=self.by,
            owner=step.owner,
            workdir=str(plan.folder),
            argv=again.argv if again else (),
        )
        expect_job(self.app.state_folder, expected)

    async def _watched(self, step: LadderStep, job: JobId, again: Submission | None) -> SubmittedStep:
        """The watch of a job that exists, begun here unless it has one."""
        folder = self.machine.folder
        context = await context_of(
            folder, here=folder, state_folder=self.app.state_folder, is_needed=again is not None
        )
        limits = replace(self.app.settings.limits, **dict[str, Any](step.limits))
        with suppress(AlreadyWatched):
            await start_watch(
                self.app,
                job,
                self.cluster,
                by=self.by,
                resubmit=again,
                context=context,
                limits=limits,
                owner=Person(step.owner) if step.owner else None,
            )
        watch = await find_watch(self.app, job, cluster=self.cluster.name)
        forget_job(self.app.state_folder, job, self.cluster.name)
        return SubmittedStep(job, watch.id)


def _for_a_person(ledger: Ledger, watch: Watch, since: datetime) -> Incident | None:
    """An open incident that nothing but a person can answer; one that was open before is known to them."""
    for incident in ledger.open_incidents:
        is_new = (
            incident.key.watch == watch.id and incident.updated_at >= since and incident.opened_at >= since
        )
        diagnosis = incident.diagnosis
        is_serious = diagnosis.severity >= Severity.DEGRADED
        if is_new and is_serious and (diagnosis.action is ActionKind.ESCALATE or diagnosis.needs_own_change):
            return incident
    return None


def _escalated(incident: Incident, watch: Watch, ledger: Ledger) -> StepResult:
    sentence = f"{watch.root} still runs and needs a person: {incident.key.cause}."
    result = result_with(incident.diagnosis, StepOutcome.NEEDS_PERSON, sentence, "running")
    own = [other for other in ledger.incidents if other.key.watch == watch.id]
    return replace(result, history=history_of(own, ledger.proposals), may_repeat=False, is_left_running=True)


def _out_of_time(step: LadderStep, watch: Watch, ledger: Ledger) -> StepResult:
    own = [incident for incident in ledger.incidents if incident.key.watch == watch.id]
    diagnosis = next((incident.diagnosis for incident in reversed(ledger.open_incidents)), None)
    sentence = f"{watch.root} has not ended within {step.time_limit_s / 60:g} min; it was left running."
    result = result_with(diagnosis, StepOutcome.TIME_LIMIT, sentence, "running")
    return replace(result, history=history_of(own, ledger.proposals), may_repeat=False, is_left_running=True)

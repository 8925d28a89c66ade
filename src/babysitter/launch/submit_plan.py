"""What `submit` is going to do, worked out before anything is sent: way, request, bundle, faults."""

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.environment_file import read_environment_file
from babysitter.backends.iris.connection.connect import facts_reader
from babysitter.backends.iris.connection.identity import client_user
from babysitter.backends.iris.submission.bundle import bundle_files
from babysitter.backends.iris.submission.job_launcher import JobLauncher, open_launcher
from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.backends.iris.submission.new_submission import TypedCommand, read_new_submission
from babysitter.backends.iris.submission.run_options import options_lacking, run_words
from babysitter.backends.iris.submission.workspace_zip import pack_workspace
from babysitter.backends.run_process import is_runnable
from babysitter.clock import Clock
from babysitter.errors import UserError
from babysitter.launch.environment_rules import job_variables, with_standard_variables
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.preflight.client.client_tables import limits
from babysitter.preflight.facts import Known, Purpose
from babysitter.preflight.preflight_finding import PreflightFinding
from babysitter.preflight.run import check_submission
from babysitter.redact import redact, redact_value

COMMAND_ONLY = ("command-not-runnable",)  # findings about the command, which an HTTP request does not need


@dataclass(frozen=True, slots=True)
class SubmitRequest:
    """What a person asks for. `variables`: KEY or KEY VALUE of each -e. `wants_http`: not by the command."""

    job: NewJob
    cluster: ClusterSpec
    folder: Path
    home: Path
    environ: Mapping[str, str]
    variables: Sequence[Sequence[str]] = ()
    wants_http: bool = False


@dataclass(frozen=True, slots=True)
class SubmitPlan:
    """`argv`: the command, () over HTTP. `bundle`: packed, only over HTTP. `notes`: sentences to be shown.

    `given`: the submission itself, of a backend that reads the command instead of running it.
    """

    job: NewJob
    cluster: ClusterSpec
    folder: Path
    generation: str
    argv: tuple[str, ...] = ()
    body: Mapping[str, object] = field(default_factory=dict)
    bundle: bytes = b""
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[PreflightFinding, ...] = ()
    given: Submission | None = None

    @property
    def job_id(self) -> JobId:
        """The id that the job gets."""
        named = self.given.job if self.given is not None else None
        return named or JobId(self.job.job_id)

    @property
    def is_http(self) -> bool:
        return not self.argv

    @property
    def submission(self) -> Submission:
        """The same as a submission of the command, under its own name."""
        if self.given is not None:
            return self.given
        return Submission(
            self.argv, SubmissionOrigin.RESUBMIT_FLAG, job=JobId(self.job.job_id), workdir=str(self.folder)
        )

    @property
    def resubmission(self) -> Submission | None:
        """How a watch submits the job again; None over HTTP, and for a command with a secret in it.

        The cluster's own record serves then.
        """
        words = shlex.join(self.argv)
        if self.is_http or redact(words) != words:
            return None
        return Submission(self.argv, SubmissionOrigin.RESUBMIT_FLAG)

    @property
    def files_bytes(self) -> int:
        """The sum of the files, not packed."""
        return sum(path.stat().st_size for path in self.files)


async def plan_submission(request: SubmitRequest, clock: Clock) -> SubmitPlan:
    """Ask the cluster for its generation, choose the way, check the submission. Nothing is changed.

    Raises UserError for a request that cannot be made, ExternalError if the cluster does not answer.
    """
    launcher = open_launcher(request.cluster, clock=clock, home=request.home, working_dir=request.folder)
    try:
        generation = await launcher.generation()
        user = client_user(request.job.user, request.environ, generation=generation)
        job = replace(request.job, variables=await asyncio.to_thread(_variables, request))
        reason = _why_http(request, generation)
        files = await asyncio.to_thread(bundle_files, request.folder, generation=generation)
        flags = [(words[0], words[1] if len(words) == 2 else "") for words in request.variables]
        iris = (*request.cluster.iris_command, *request.cluster.options)
        argv = run_words(iris, _for_the_command(request.job, generation), flags)
        plan = SubmitPlan(
            job=replace(job, user=user),
            cluster=request.cluster,
            folder=request.folder,
            generation=generation,
            argv=argv,
            files=files,
            notes=_notes(argv, reason),
            findings=await _findings(request, argv, generation, clock, is_http=bool(reason)),
        )
        return await _over_http(plan, launcher) if reason else plan
    finally:
        await launcher.close()


async def _over_http(plan: SubmitPlan, launcher: JobLauncher) -> SubmitPlan:
    bundle = await asyncio.to_thread(pack_workspace, plan.folder, plan.files)
    body = await launcher.body(plan.job, bundle=bundle)
    return replace(plan, argv=(), body=body, bundle=bundle)


def _why_http(request: SubmitRequest, generation: str) -> str:
    """Why the request goes over HTTP, as a sentence; "" = the command submits."""
    lacking = options_lacking(request.job, generation)
    if lacking and generation == "august":
        raise UserError(
            f"The iris command of this cluster's generation does not have {', '.join(lacking)}, and its "
            "requests cannot be made over HTTP: its client sends a setup script of its own.",
            next_step=f"Leave out {', '.join(lacking)}.",
        )
    if lacking:
        return f"Over HTTP: the iris command of this cluster's generation does not have {', '.join(lacking)}."
    if request.wants_http:
        if generation == "august":
            raise UserError(
                "Requests of this cluster's generation cannot be made over HTTP.",
                next_step="Leave out --http.",
            )
        return "Over HTTP, as asked for."
    command = request.cluster.iris_command
    if generation != "august" and not is_runnable(command, cwd=str(request.folder), env=request.environ):
        return f"Over HTTP: `{shlex.join(command)}` cannot be run here."
    return ""


def _for_the_command(job: NewJob, generation: str) -> NewJob:
    """The job without what the command of this generation cannot say."""
    lacking = options_lacking(job, generation)
    return replace(job, preemptible=None) if any("preemptible" in name for name in lacking) else job


def _variables(request: SubmitRequest) -> Mapping[str, str]:
    """The variables that the job gets. Raises UserError that names every fault."""
    file = read_environment_file(request.folder)
    return with_standard_variables(job_variables(file, request.variables, request.environ), request.environ)


async def _findings(
    request: SubmitRequest, argv: tuple[str, ...], generation: str, clock: Clock, *, is_http: bool
) -> tuple[PreflightFinding, ...]:
    typed = TypedCommand(argv, request.folder, request.environ, request.home)
    config = Path(request.cluster.config) if request.cluster.config else None
    async with facts_reader(
        request.cluster, clock=clock, home=request.home, working_dir=request.folder
    ) as reader:
        facts = await read_new_submission(
            typed,
            purpose=Purpose.SUBMIT,
            generation=Known(generation),
            config=config,
            reader=reader,
            clock=clock,
        )
    found = check_submission(facts)
    return tuple(finding for finding in found if not (is_http and finding.id in COMMAND_ONLY))


def _notes(argv: tuple[str, ...], reason: str) -> tuple[str, ...]:
    flag = limits().extra_resources.flag
    added = [f"Added {flag}: this request needs it."] if flag in argv and not reason else []
    return tuple(added + ([reason] if reason else []))


def shown_request(plan: SubmitPlan) -> object:
    """The request as it may be shown: without secrets, and without the bundle's bytes."""
    if plan.argv:
        return redact(shlex.join(plan.argv))
    body = {name: value for name, value in plan.body.items() if name != "bundleBlob"}
    return redact_value({**body, "bundleBlob": f"<{len(plan.bundle)} bytes>"})


async def launch_plan(plan: SubmitPlan, clock: Clock, *, home: Path) -> JobId:
    """Send the request of a plan over HTTP. Raises SubmissionRefused if the cluster said no."""
    launcher = open_launcher(plan.cluster, clock=clock, home=home, working_dir=plan.folder)
    try:
        return await launcher.launch(plan.job, bundle=plan.bundle)
    finally:
        await launcher.close()

"""From the description of a cluster to its reader and writer. A new backend is a row in `_BACKENDS`.

Nothing is contacted here: connections, tunnels and probing wait for the first look.
"""

import os
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from babysitter.backends.backend import ClusterReader, ClusterWriter, Overview
from babysitter.backends.batching import BatchingReader
from babysitter.backends.cluster_spec import DEFAULT_IRIS, ClusterSpec
from babysitter.backends.connection_check import Check
from babysitter.backends.dashboard_page import DashboardPage
from babysitter.backends.iris.job_path import parse_job_path
from babysitter.backends.log_folder import LogFolder
from babysitter.backends.ray.dashboard.dashboard_address import dashboard_address
from babysitter.backends.ray.submission.submission_id import parse_submission_id
from babysitter.backends.shown_address import without_password
from babysitter.backends.wrappers import CoalescingReader, LimitedReader, RetryingReader
from babysitter.clock import Clock, SystemClock
from babysitter.errors import BabysitError, BadConfig, NoSuchJob, UserError
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """An opened cluster. Only the saga gets the writer.

    `overview`: None where the backend cannot look over its whole cluster.
    """

    spec: ClusterSpec
    reader: ClusterReader
    writer: ClusterWriter
    overview: Overview | None = None

    async def close(self) -> None:
        await self.reader.close()


def spec_from_options(
    *,
    controller_url: str = "",
    config: str = "",
    cluster: str = "",
    transport: str = "rpc",
    iris_command: str = "",
    token: str = "",
) -> ClusterSpec:
    """The spec behind the command line's options; the name is the cluster's, the file's or the address's."""
    address = controller_url.partition("://")[2].partition("/")[0].rpartition("@")[2]  # shown: no password
    return ClusterSpec(
        name=cluster or (Path(config).stem if config else "") or address,
        url=controller_url,
        config=config,
        cluster=cluster,
        transport=transport,
        iris_command=tuple(shlex.split(iris_command)) or DEFAULT_IRIS,
        token=token,
    )


def ray_spec(address: str, *, name: str = "") -> tuple[ClusterSpec, str]:
    """The spec of the Ray cluster at this address, and a note for the user where its dashboard is a guess."""
    found = dashboard_address(address)
    host = found.url.partition("://")[2].partition("/")[0].rpartition("@")[2]  # shown: no password
    return ClusterSpec(name or host, url=found.url, backend="ray"), found.note


def open_cluster(
    spec: ClusterSpec,
    *,
    clock: Clock | None = None,
    home: Path | None = None,
    working_dir: Path | None = None,
    at_once: int = 4,
) -> OpenCluster:
    """Open the reader and the writer of the cluster. Raises BadConfig for a spec or a cluster file that
    cannot work.
    """
    clock = clock or SystemClock()
    backend = _backend_of(spec)
    reader, writer = backend.connect(spec, clock, home or Path.home(), working_dir or Path.cwd())
    return OpenCluster(
        spec,
        reader=wrapped(reader, clock, at_once=at_once),
        writer=writer,
        overview=reader if isinstance(reader, Overview) else None,
    )


def wrapped(reader: ClusterReader, clock: Clock, *, at_once: int = 4) -> ClusterReader:
    """The reader with everything around it that every backend has."""
    return BatchingReader(
        CoalescingReader(LimitedReader(RetryingReader(reader), at_once=at_once), clock=clock), clock
    )


def _iris(
    spec: ClusterSpec, clock: Clock, home: Path, working_dir: Path
) -> tuple[ClusterReader, ClusterWriter]:
    from babysitter.backends.iris.connection.connect import connect  # aiohttp takes a while to import

    return connect(spec, clock=clock, home=home, working_dir=working_dir)


def _ray(
    spec: ClusterSpec,
    clock: Clock,
    home: Path,
    working_dir: Path,  # noqa: ARG001
) -> tuple[ClusterReader, ClusterWriter]:
    from babysitter.backends.ray.dashboard.open_ray import connect_ray

    return connect_ray(spec, clock=clock, home=home)


@dataclass(frozen=True, slots=True)
class Backend:
    """A row of the table. `parse_job_id` raises UserError; `unknown_job_step`: the advice for a wrong id.

    `read_command`: the command that a person gave to start the job again, as it is to be kept for a job of
    this cluster; raises UserError for one that cannot be. `command_example`: such a command, for a person.
    `examine`: what `babysit doctor` tries; without one it asks the reader who answers. `job_page`: where a
    person sees a job; None where there is no dashboard. `page_address`: the same where people can open it
    by themselves, else "". `runs_programs`: a job is started again by its own program, not by a command that
    submits it. `job_id_start`: the characters with which every job id begins.
    """

    connect: Callable[[ClusterSpec, Clock, Path, Path], tuple[ClusterReader, ClusterWriter]]
    parse_job_id: Callable[[str], JobId]
    unknown_job_step: str
    read_command: Callable[[Submission, ClusterSpec], Submission]
    command_example: str = ""
    examine: Callable[[ClusterSpec], Awaitable[list[Check]]] | None = None
    job_page: Callable[[ClusterSpec, JobId, Clock], AbstractAsyncContextManager[DashboardPage]] | None = None
    page_address: Callable[[ClusterSpec, JobId], str] | None = None
    runs_programs: bool = False
    job_id_start: str = ""


def _iris_command(command: Submission, spec: ClusterSpec) -> Submission:
    from babysitter.backends.iris.submission.given_command import addressed

    return addressed(command, spec)


def _session(
    spec: ClusterSpec,
    clock: Clock,
    home: Path,
    working_dir: Path,  # noqa: ARG001
) -> tuple[ClusterReader, ClusterWriter]:
    from babysitter.backends.ray.sessions.open_session import connect_session

    return connect_session(spec, clock=clock, home=home)


def _program(command: Submission, spec: ClusterSpec) -> Submission:  # noqa: ARG001
    from babysitter.backends.ray.sessions.session_writer import given_program

    return given_program(command)


def _ray_command(command: Submission, spec: ClusterSpec) -> Submission:
    from babysitter.backends.ray.submission.submit_command import given_submission

    return given_submission(command, spec.url)


async def _examine_iris(spec: ClusterSpec) -> list[Check]:
    from babysitter.backends.iris.connection import connection_checks

    return await connection_checks.examine(spec)


async def _examine_ray(spec: ClusterSpec) -> list[Check]:
    from babysitter.backends.ray.dashboard.dashboard_checks import examine_ray

    return await examine_ray(spec)


def _iris_page(spec: ClusterSpec, job: JobId, clock: Clock) -> AbstractAsyncContextManager[DashboardPage]:
    from babysitter.backends.iris.dashboard import job_page

    return job_page(spec, job, clock=clock, home=Path.home(), working_dir=Path.cwd())


def _iris_address(spec: ClusterSpec, job: JobId) -> str:
    from babysitter.backends.iris.dashboard import page_address

    return page_address(spec, job, home=Path.home(), working_dir=Path.cwd())


def _ray_page(spec: ClusterSpec, job: JobId, clock: Clock) -> AbstractAsyncContextManager[DashboardPage]:  # noqa: ARG001
    return nullcontext(DashboardPage(_ray_address(spec, job)))


def _ray_address(spec: ClusterSpec, job: JobId) -> str:
    base = without_password(spec.dashboard_url or spec.url)
    return f"{base.rstrip('/')}/#/jobs/{quote(job, safe='')}"


_BACKENDS: Mapping[str, Backend] = {
    "iris": Backend(
        _iris,
        parse_job_path,
        "Check the id with `iris job list`; it is /user/name, in full.",
        _iris_command,
        "iris job run --no-wait -- python x.py",
        _examine_iris,
        _iris_page,
        _iris_address,
        job_id_start="/",
    ),
    "ray": Backend(
        _ray,
        parse_submission_id,
        "Check the id with `ray job list`; if it is of another cluster, name that one with --ray.",
        _ray_command,
        "ray job submit --working-dir . -- python x.py",
        _examine_ray,
        _ray_page,
        _ray_address,
    ),
    "ray-session": Backend(
        _session,
        parse_submission_id,
        "It is called as the driver's log, without .log, or as its session folder.",
        _program,
        runs_programs=True,
    ),
}


def parse_job_id(spec: ClusterSpec, text: str) -> JobId:
    """A full job id of this cluster as a person writes it. Raises UserError for anything that is none."""
    return _backend_of(spec).parse_job_id(text)


def parse_path_id(text: str) -> JobId:
    """A full job id that begins with a slash. Raises UserError for anything that is none."""
    return parse_job_path(text)


def folder_run(
    folders: Sequence[Path],
    log: Path | None,
    *,
    environ: Mapping[str, str],
    must_run: bool,
    ssh: str = "",
) -> tuple[ClusterSpec, JobId]:
    """The run whose logs lie in these folders, one for each machine, as a cluster with one job.

    `ssh`: how the machines of folders HOST:/PATH are reached, with `{host}` in it.

    Without a folder it is looked for where the recipe of the log keeps it. Raises UserError for other
    folders, and with `must_run` for a run that has ended.
    """
    from babysitter.backends.ray.sessions.remote_folder import parse_template
    from babysitter.backends.ray.sessions.session_choice import choose_session
    from babysitter.backends.ray.sessions.session_end import refuse_ended

    choice = choose_session(folders, log, environ=environ, uid=os.getuid())
    if must_run:
        refuse_ended(choice, SystemClock().now())
    if bool(ssh) != bool(choice.remotes):
        raise UserError(
            "--ssh and folders HOST:/PATH belong together.",
            next_step="Write --ray-session HOST:/PATH --ssh 'ssh -o BatchMode=yes {host}'.",
        )
    template = parse_template(ssh) if ssh else ()
    name = f"{choice.recipe}-session"
    spec = ClusterSpec(name, config=choice.paths, backend="ray-session", ssh=template)
    return spec, JobId(choice.run)


def read_log_folder(folders: Sequence[Path], driver_logs: Sequence[Path] = ()) -> LogFolder:
    """The logs of a run as they lie in folders, one for each machine. Raises UserError for other folders."""
    from babysitter.backends.ray.sessions.session_reading import read_session

    return read_session(folders, driver_logs)


def command_examples() -> tuple[str, ...]:
    """A command of each backend that starts a job, for a person."""
    return tuple(backend.command_example for backend in _BACKENDS.values() if backend.command_example)


def runs_programs(spec: ClusterSpec) -> bool:
    """Whether its jobs are started again by their own program, not by a command that submits them."""
    return _backend_of(spec).runs_programs


def read_command(spec: ClusterSpec, command: Submission) -> Submission:
    """The command that starts a job of this cluster again, as it is kept. Raises UserError."""
    return _backend_of(spec).read_command(command, spec)


def open_job_page(spec: ClusterSpec, job: JobId, clock: Clock) -> AbstractAsyncContextManager[DashboardPage]:
    """The page of a job in the dashboard, reachable while the block lasts. Raises UserError where none is."""
    page = _backend_of(spec).job_page
    if page is None:
        raise UserError(
            f"The cluster '{spec.name}' has no dashboard.", next_step="`babysit status` shows the job."
        )
    return page(spec, job, clock)


def job_page_address(spec: ClusterSpec, job: JobId) -> str:
    """The page of a job where people can open it without a tunnel of ours; "" where they cannot.

    Nothing is contacted. Raises BadConfig for a cluster file that cannot be read.
    """
    address = _backend_of(spec).page_address
    return address(spec, job) if address is not None else ""


async def examine(spec: ClusterSpec) -> list[Check]:
    """Whether this cluster works for us, asked for real. Never raises."""
    try:
        row = _backend_of(spec)
        if row.examine is not None:
            return await row.examine(spec)
        cluster = open_cluster(spec)
        try:
            about = await cluster.reader.about()
        finally:
            await cluster.close()
    except BabysitError as fault:
        return [Check("reachable", ok=False, detail=fault.sentence, next_step=fault.next_step)]
    return [Check("reachable", ok=True, detail=f"{about.url} answers: {about.generation}")]


def check_follow_pattern(spec: ClusterSpec, pattern: str) -> None:
    """Raise UserError for a pattern that no job id of this cluster can match."""
    start = _backend_of(spec).job_id_start
    if start and not pattern.startswith((start, "*", "?", "[")):
        raise UserError(
            f"'{pattern}' matches no job of '{spec.name}': every id begins with '{start}'.",
            next_step=f"Quote it: babysit follow '{start}{pattern}', or '/USER/*' for all jobs of a user.",
        )


def unknown_job(spec: ClusterSpec, job: JobId) -> NoSuchJob:
    """The error for a job that the cluster says it does not know."""
    sentence = f"The cluster '{spec.name}' does not know the job {job}."
    if "*" in job:
        return NoSuchJob(sentence, next_step=f"To watch every job that matches: babysit follow '{job}'.")
    return NoSuchJob(sentence, next_step=_backend_of(spec).unknown_job_step)


def _backend_of(spec: ClusterSpec) -> Backend:
    if spec.backend not in _BACKENDS:
        raise BadConfig(f"There is no backend '{spec.backend}'; known are {', '.join(_BACKENDS)}.")
    return _BACKENDS[spec.backend]

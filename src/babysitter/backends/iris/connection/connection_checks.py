"""Does this cluster work for us? Each part asked for real, for `babysit doctor`."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from babysitter.backends.connection_check import Check
from babysitter.backends.iris.connection.connect import open_line
from babysitter.backends.iris.connection.http_transport import HttpTransport
from babysitter.backends.iris.reader import IrisReader
from babysitter.clock import Clock, SystemClock
from babysitter.errors import BabysitError, SubmissionRefused
from babysitter.model.ids import JobId, TaskId, job_of
from babysitter.model.log import LogSource

if TYPE_CHECKING:
    from babysitter.backends.cluster_spec import ClusterSpec

_NO_JOB = JobId("/babysit/probe")


async def examine(
    spec: "ClusterSpec",
    *,
    clock: Clock | None = None,
    home: Path | None = None,
    working_dir: Path | None = None,
) -> list[Check]:
    """Reachable, healthy, of which generation, who we are, logs, machines, dumps. Never raises.

    Stops at the first part without which the others cannot be asked. Takes at most about a minute.
    """
    clock, home = clock or SystemClock(), home or Path.home()
    try:
        line = open_line(spec, clock=clock, home=home, working_dir=working_dir or Path.cwd())
    except BabysitError as fault:
        return [Check("configuration", ok=False, detail=fault.sentence, next_step=fault.next_step)]
    reader = IrisReader(line, iris=spec.iris_command, clock=clock)
    try:
        return await _examine(line, reader)
    finally:
        await reader.close()


async def _examine(line: object, reader: IrisReader) -> list[Check]:
    checks: list[Check] = []
    if isinstance(line, HttpTransport):
        checks.append(await _part("reachable", lambda: _health(line)))
        if not checks[-1].ok:
            return checks
    checks.append(await _part("generation", lambda: _generation(reader)))
    if not checks[-1].ok:
        return checks
    checks.append(await _part("access", lambda: _access(reader)))
    checks.append(await _part("logs", lambda: _logs(reader)))
    checks.append(await _part("thread dumps", lambda: _dumps(reader)))
    return checks


async def _part(name: str, ask: Callable[[], Awaitable[str]]) -> Check:
    try:
        return Check(name, ok=True, detail=await ask())
    except BabysitError as fault:
        return Check(name, ok=False, detail=fault.sentence, next_step=fault.next_step)


async def _health(line: HttpTransport) -> str:
    return f"{line.place} answers: {await line.health() or 'something'}"


async def _generation(reader: IrisReader) -> str:
    about = await reader.about()
    return f"{about.generation} 2026, over {about.transport}; {about.detail}"


async def _access(reader: IrisReader) -> str:
    await reader.states([_NO_JOB])
    workers = await reader.workers()
    healthy = sum(1 for worker in workers if worker.is_healthy)
    return f"jobs may be read; {healthy} of {len(workers)} workers are healthy"


async def _logs(reader: IrisReader) -> str:
    """Of a job that runs right now; an id that nobody has is answered with nothing, which proves less."""
    running = await _running(reader)
    job = job_of(running[0]) if running else _NO_JOB
    batch = await reader.lines(LogSource(job), after=None, at_most=1, newest=True)
    if batch.lines:
        return f"the log service answers with lines of {job}"
    return "the log service answers" + (f", though with nothing of {job}" if running else "; nothing runs")


async def _running(reader: IrisReader) -> list[TaskId]:
    return [task for worker in await reader.workers() for task in worker.tasks]


async def _dumps(reader: IrisReader) -> str:
    """Of a task that runs right now, if there is one; a refusal for that one task proves nothing bad."""
    running = await _running(reader)
    if not running:
        return "nothing runs, so nothing was tried"
    try:
        dump = await reader.dump(running[0])
    except SubmissionRefused as fault:
        raise SubmissionRefused(
            fault.sentence, next_step="Without dumps, zombies are told by time and progress alone."
        ) from fault
    return f"{len(dump.text.splitlines())} lines of {running[0]}"

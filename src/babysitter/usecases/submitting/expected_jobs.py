"""Jobs that are about to be submitted and are to be watched: written down first, so that none is forgotten.

A submission that is killed between the cluster's yes and the watch leaves its file behind. The service, and
the next submission, look for the job and start the watch.
"""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from babysitter.engine.app import App
from babysitter.errors import AlreadyWatched, BabysitError, ExternalError, UserError
from babysitter.model.ids import JobId, Person
from babysitter.model.submission import Submission, SubmissionOrigin, SubmitContext
from babysitter.private_files import make_private_folder, write_private
from babysitter.usecases.submitting.resubmit_command import context_of
from babysitter.usecases.watching.manage_watches import start_watch

log = structlog.get_logger()
EXPIRY = timedelta(minutes=30)  # the command of a cluster gives up before
CLOCK_SKEW = timedelta(minutes=5)  # between this machine and the controller
CHECK_INTERVAL = timedelta(seconds=60)
_PATTERN = "babysit.expected-*.json"


@dataclass(frozen=True, slots=True)
class ExpectedJob:
    """`argv`: how the job is submitted again, () if the cluster's record is to serve."""

    job: JobId
    cluster: str
    at: datetime
    by: Person
    owner: str = ""
    workdir: str = ""
    argv: tuple[str, ...] = ()


def expect_job(folder: Path, expected: ExpectedJob) -> None:
    """Write it down, before the submission. `folder`: where our state is."""
    make_private_folder(folder)
    text = json.dumps(
        {
            "job": expected.job,
            "cluster": expected.cluster,
            "at": expected.at.isoformat(),
            "by": expected.by,
            "owner": expected.owner,
            "workdir": expected.workdir,
            "argv": list(expected.argv),
        }
    )
    path = _path(folder, expected.job, expected.cluster)
    unfinished = path.with_suffix(".new")
    write_private(unfinished, text)
    unfinished.replace(path)


def forget_job(folder: Path, job: JobId, cluster: str) -> None:
    """It was refused, or is watched. Idempotent."""
    _path(folder, job, cluster).unlink(missing_ok=True)


def expected_names(folder: Path, cluster: str) -> frozenset[JobId]:
    """Jobs of a cluster that are being submitted: their own watches begin."""
    return frozenset(
        expected_job.job for expected_job in _read_all(folder) if expected_job.cluster == cluster
    )


async def watch_expected(app: App) -> Sequence[JobId]:
    """Start the watches of expected jobs that exist by now; those jobs. Idempotent.

    A job that does not exist after EXPIRY is forgotten. A cluster that does not answer is asked again the
    next time.
    """
    begun: list[JobId] = []
    for expected in await asyncio.to_thread(lambda: list(_read_all(app.state_folder))):
        try:
            is_done, is_begun = await _watch(app, expected)
        except ExternalError:
            continue
        if is_done:
            forget_job(app.state_folder, expected.job, expected.cluster)
        if is_begun:
            begun.append(expected.job)
    return begun


async def _watch(app: App, expected: ExpectedJob) -> tuple[bool, bool]:
    """Whether nothing is expected any more, and whether a watch was started."""
    reader = await app.clusters.reader(expected.cluster)
    found = await reader.find(expected.job)
    is_ours = found is not None and (
        found.submitted_at is None or found.submitted_at >= expected.at - CLOCK_SKEW
    )
    if not is_ours:
        return app.clock.now() - expected.at > EXPIRY, False
    again = Submission(expected.argv, SubmissionOrigin.RESUBMIT_FLAG) if expected.argv else None
    try:
        await start_watch(
            app,
            expected.job,
            await app.clusters.spec(expected.cluster),
            by=expected.by,
            resubmit=again,
            context=await _context(app.state_folder, expected),
            owner=Person(expected.owner) if expected.owner else None,
            replaces_finished=True,
        )
    except AlreadyWatched:
        return True, False
    return True, True


async def _context(folder: Path, expected: ExpectedJob) -> SubmitContext | None:
    if not expected.workdir:
        return None
    workdir = Path(expected.workdir)
    try:
        return await context_of(workdir, here=workdir, state_folder=folder, is_needed=bool(expected.argv))
    except UserError:
        return None  # the folder is gone: a restart has one way less


def _read_all(folder: Path) -> Iterator[ExpectedJob]:
    """What is written down; a file that cannot be read is removed."""
    for path in sorted(folder.glob(_PATTERN)):
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            yield ExpectedJob(
                job=JobId(str(raw["job"])),
                cluster=str(raw["cluster"]),
                at=datetime.fromisoformat(str(raw["at"])),
                by=Person(str(raw["by"])),
                owner=str(raw["owner"]),
                workdir=str(raw["workdir"]),
                argv=tuple(str(word) for word in raw["argv"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            path.unlink(missing_ok=True)


async def keep_watching_expected(app: App) -> None:
    """`watch_expected` now and every CHECK_INTERVAL, until cancelled. Never raises."""
    while True:
        try:
            await watch_expected(app)
        except (BabysitError, OSError) as error:
            log.warning("expected_jobs_failed", because=str(error))
        await app.clock.sleep_until(app.clock.now() + CHECK_INTERVAL)


def _path(folder: Path, job: str, cluster: str) -> Path:
    digest = hashlib.sha256(f"{cluster} {job}".encode()).hexdigest()[:16]
    return folder / _PATTERN.replace("*", digest)

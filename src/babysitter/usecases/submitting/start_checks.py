"""Checks the command of a new watch at once, while the person who gave it can still correct it."""

import shlex

from babysitter.engine.app import App
from babysitter.errors import ExternalError
from babysitter.model.job import Job
from babysitter.model.watch import Watch
from babysitter.policy.build_proposal import named_successor
from babysitter.preflight.facts import Purpose
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.waits import waiting_for


async def restart_warnings(app: App, watch: Watch) -> tuple[str, ...]:
    """Return what would keep the given command from starting the job again, a sentence or two for each.

    Empty without a command, and when nothing is wrong with it. The watch goes on in any case.
    """
    if watch.resubmit is None:
        return ()
    submission = named_successor(watch.resubmit, watch.first_root, 1)
    with waiting_for("the checks of the resubmit command"):
        try:
            writer = await app.clusters.writer(watch.cluster, watch.submit_context.client)
            findings = await writer.preflight(submission, purpose=Purpose.RESUBMIT)
        except ExternalError as fault:
            return (f"The resubmit command was not checked: {fault.sentence}",)
    return tuple(
        _sentence(finding, watch) for finding in findings if finding.severity is not PreflightSeverity.INFO
    )


async def already_ended(app: App, watch: Watch) -> Job | None:
    """The watched job, where it had ended before the watch began; None while it lives, or cannot be read."""
    try:
        reader = await app.clusters.reader(watch.cluster)
        job = await reader.find(watch.root)
    except ExternalError:
        return None
    return job if job is not None and job.state.is_terminal else None


def begun_sentence(watch: Watch, ended: Job | None, *, was_watched: bool = False) -> str:
    """What `start` says of a new watch. `ended`: its job, where there is nothing more to wait for.

    `was_watched`: the watch was there, and has a client command of its own now.
    """
    name = shlex.quote(watch.root)
    if was_watched:
        command = shlex.join(watch.submit_context.client)
        return f"Restarts of {watch.root} (watched as {watch.id}) are submitted with `{command}` from now on."
    if ended is None:
        return f"Watching {watch.root} (as {watch.id}). See: babysit status {name} --watch"
    at = f" at {ended.finished_at:%Y-%m-%d %H:%M} UTC" if ended.finished_at else ""
    return (
        f"{watch.root} (as {watch.id}) has ended already ({ended.state}{at}); it is looked at once. "
        f"See: babysit status {name}"
    )


def _sentence(finding: PreflightFinding, watch: Watch) -> str:
    if finding.blocks:
        return f"A restart of {watch.root} would be refused ({finding.id}): {finding.sentence}"
    return f"The resubmit command of {watch.root} ({finding.id}): {finding.sentence}"

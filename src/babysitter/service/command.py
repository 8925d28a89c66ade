"""The command that starts a job again, as a person or an agent gives it."""

import shlex
from dataclasses import replace
from itertools import pairwise

from babysitter.backends.open import ClusterSpec
from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.model.ids import WatchId
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.service.hall import Hall

CLUSTER_OPTIONS = ("--controller-url", "--config", "--cluster")
EXAMPLE = "It looks like: 'iris job run --no-wait -- python x.py'."


def submission_of(command: str) -> Submission:
    """What one shell-quoted line would submit; it is run without a shell. Raises UserError."""
    try:
        argv = tuple(shlex.split(command))
    except ValueError as fault:
        raise UserError(
            f"The resubmit command cannot be read: {fault}.", next_step="Quote it as one shell command."
        ) from fault
    if "run" not in argv:
        raise UserError("The resubmit command is not a submission.", next_step=EXAMPLE)
    return Submission(argv, SubmissionOrigin.RESUBMIT_FLAG)


def addressed(submission: Submission, spec: ClusterSpec) -> Submission:
    """The submission, to the watched cluster where its command names none: it would fail after the stop."""
    at = next((n for n, pair in enumerate(pairwise(submission.argv)) if pair == ("job", "run")), None)
    if at is None or any(word.partition("=")[0] in CLUSTER_OPTIONS for word in submission.argv[:at]):
        return submission
    return replace(submission, argv=(*submission.argv[:at], *spec.options, *submission.argv[at:]))


async def supply(hall: Hall, watch_id: WatchId, submission: Submission) -> None:
    """Keep the command for a watch that has none. Raises NotAllowed where another one is known.

    Nothing is run: an offer that comes of it shows the command to the person who answers.
    """
    async with hall.store.reading() as records:
        spec = await hall.clusters.spec((await records.watches.get(watch_id)).cluster)
    submission = addressed(submission, spec)
    async with hall.store.transaction() as records:
        watch = await records.watches.get(watch_id)
        if watch.resubmit is not None and watch.resubmit.argv != submission.argv:
            raise NotAllowed(
                f"The command that starts {watch.root} again is known already.",
                next_step="A person changes it: `babysit stop`, then `babysit start` with a new --resubmit.",
            )
        if watch.resubmit is None and not await records.watches.save(replace(watch, resubmit=submission)):
            raise FactsChanged(f"{watch.root} was being checked at this very moment.", next_step="Try again.")
        await records.watches.announce(watch_id)

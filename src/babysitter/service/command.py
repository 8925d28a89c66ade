"""The command that starts a job again, as a person or an agent gives it."""

import shlex
from dataclasses import replace

from babysitter.errors import FactsChanged, NotAllowed, UserError
from babysitter.model.ids import WatchId
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.service.hall import Hall

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


async def supply(hall: Hall, watch_id: WatchId, submission: Submission) -> None:
    """Keep the command for a watch that has none. Raises NotAllowed where another one is known.

    Nothing is run: an offer that comes of it shows the command to the person who answers.
    """
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

"""The command that starts a job again, as a person or an agent gives it."""

import shlex

from babysitter.errors import UserError
from babysitter.model.submission import Submission, SubmissionOrigin

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

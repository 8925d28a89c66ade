"""The command that starts a job of Iris again, as a person gave it."""

from dataclasses import replace
from itertools import pairwise

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.errors import UserError
from babysitter.model.submission import Submission
from babysitter.preflight.command_line import CLUSTER_OPTIONS

EXAMPLE = "It looks like: 'iris job run --no-wait -- python x.py'."


def addressed(submission: Submission, spec: ClusterSpec) -> Submission:
    """The submission, to the watched cluster where its command names none: it would fail after the stop.

    Raises UserError for a command that does not submit.
    """
    if "run" not in submission.argv:
        raise UserError("The resubmit command is not a submission.", next_step=EXAMPLE)
    at = next((n for n, pair in enumerate(pairwise(submission.argv)) if pair == ("job", "run")), None)
    if at is None or any(word.partition("=")[0] in CLUSTER_OPTIONS for word in submission.argv[:at]):
        return submission
    return replace(submission, argv=(*submission.argv[:at], *spec.options, *submission.argv[at:]))

"""Facts about submissions for tests of preflight: everything is in order but what a test says."""

import shlex
from dataclasses import replace
from datetime import date

from babysitter.model.ids import JobId
from babysitter.model.submission import FolderState, Submission, SubmissionOrigin
from babysitter.preflight.facts import (
    BundleSize,
    CommandFacts,
    Folder,
    Known,
    Login,
    Purpose,
    RequestFacts,
    SubmissionFacts,
)

TODAY = date(2026, 11, 22)
JOB = JobId("/ada/dedup-r1")
IN_ORDER = CommandFacts(
    program_found=Known(True),
    folder=Known(Folder("/home/ada/job", FolderState("a1"))),
    bundle=Known(BundleSize(40_000)),
)
LAUNCHABLE = RequestFacts(bundle_exists=Known(True), client_revision=Known(date(2026, 11, 20)))


def command_facts(
    line: str,
    *,
    generation: str = "may",
    purpose: Purpose = Purpose.SUBMIT,
    origin: SubmissionOrigin = SubmissionOrigin.RESUBMIT_FLAG,
    **changes: object,
) -> SubmissionFacts:
    """Facts of a command as it is typed."""
    facts = SubmissionFacts(
        submission=Submission(tuple(shlex.split(line)), origin, job=JOB),
        purpose=purpose,
        generation=Known(generation),
        today=TODAY,
        command=IN_ORDER,
        login=Known(Login.NOT_NEEDED),
        user=Known("ada"),
        name_is_taken=Known(False),
    )
    return replace(facts, **changes)  # type: ignore[arg-type]


def request_facts(*, generation: str = "may", **changes: object) -> SubmissionFacts:
    """Facts of a submission over HTTP."""
    facts = SubmissionFacts(
        submission=Submission((), SubmissionOrigin.CONTROLLER, job=JOB, request={"name": JOB}),
        purpose=Purpose.RESUBMIT,
        generation=Known(generation),
        today=TODAY,
        request=LAUNCHABLE,
        login=Known(Login.NOT_NEEDED),
        user=Known("ada"),
        name_is_taken=Known(False),
    )
    return replace(facts, **changes)  # type: ignore[arg-type]

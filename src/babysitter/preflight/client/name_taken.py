"""Is the name of the new job free?"""

from collections.abc import Iterator

from babysitter.preflight.facts import Known, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "name-taken"


def check_name_taken(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """No job has the computed id: a running one refuses it, a finished one would be replaced."""
    job = facts.submission.job
    if job is None:
        return
    match facts.name_is_taken:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=True):
            yield PreflightFinding(
                ID,
                PreflightSeverity.BLOCK,
                f"A job named {job} exists already, and it is not of this restart.",
                f"Watch {job} instead if it replaced this job, or submit under another name yourself.",
            )

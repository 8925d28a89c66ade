"""Does the controller still have the bundle that the stored request names?"""

from collections.abc import Iterator

from babysitter.preflight.facts import Known, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "bundle-gone"


def check_stored_bundle(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The controller has the bundle: LaunchJob accepts one that does not exist, and the task fails."""
    if facts.request is None:
        return
    match facts.request.bundle_exists:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=False):
            yield PreflightFinding(
                ID,
                PreflightSeverity.BLOCK,
                "The controller no longer has the files of this job (its bundle).",
                "Start the watch again with --resubmit and --workdir: then the files come from that folder.",
            )

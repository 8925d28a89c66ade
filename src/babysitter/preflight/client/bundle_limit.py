"""Is the bundle small enough for the client?"""

from collections.abc import Iterator

from babysitter.preflight.client.client_tables import limits
from babysitter.preflight.facts import Known, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "bundle-too-large"
_MIB = 1024 * 1024


def check_bundle_size(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """What the client packs from the folder is at most 25 MB."""
    if facts.command is None:
        return
    limit = limits().max_bundle_bytes
    match facts.command.bundle:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=bundle) if bundle.packed_bytes > limit:
            at_least = "" if bundle.is_exact else "at least "
            largest = f" Largest: {', '.join(bundle.largest)}." if bundle.largest else ""
            yield PreflightFinding(
                ID,
                PreflightSeverity.BLOCK,
                f"The folder packs to {at_least}{bundle.packed_bytes / _MIB:.1f} MB; iris takes at most "
                f"{limit // _MIB} MB.{largest}",
                "List large files in .gitignore, or run the command in a smaller folder (--workdir).",
            )

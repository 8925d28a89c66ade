"""Is the job filed under the user of its computed id?"""

from collections.abc import Iterator

from babysitter.preflight.command_line import with_flag
from babysitter.preflight.facts import Known, Login, NotKnown, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "other-user"


def check_identity(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The job gets exactly the computed id: after a crash it is looked for under that id only."""
    job = facts.submission.job
    if job is None:
        return
    wanted = job.split("/")[1] if job.count("/") >= 2 else ""
    match facts.user:
        case NotKnown() as unknown:
            yield not_checked(ID, unknown)
        case Known(value=user) if user != wanted:
            yield _other_user(facts, user, wanted)


def _other_user(facts: SubmissionFacts, user: str, wanted: str) -> PreflightFinding:
    job = facts.submission.job
    reason = f"The cluster would file the job under {user}, not under {wanted}, so not as {job}."
    chooses = facts.login == Known(Login.NOT_NEEDED) and facts.command is not None
    if chooses:
        corrected = with_flag(facts.submission.argv, "--user", wanted)
        return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, f"Add --user {wanted}.", corrected)
    fix = f"Run `iris login` as {wanted} on the machine of the service."
    return PreflightFinding(ID, PreflightSeverity.BLOCK, reason, fix)

"""The change that a diagnosis asks for, found from the measured need. `written_change` writes it down."""

from babysitter.model.finding import Cause
from babysitter.model.launch_request import GIB, LaunchRequest
from babysitter.model.log import Role
from babysitter.model.submission import Submission
from babysitter.model.verdict import Change, Diagnosis
from babysitter.policy.written_change import CODE, FLAG, FLAG_OF, VARIABLE
from babysitter.preflight.command_line import flag_value
from babysitter.preflight.resources.sizes import Units, parse_size

GB = 1_000_000_000
_DEFAULT_MEMORY_BYTES = GB  # what an entrypoint gets when the command does not say (iris job run)
_RESOURCE_OF = {"memory": "memoryBytes", "disk": "diskBytes"}


def change_for(
    diagnosis: Diagnosis, submission: Submission, peak_bytes: int | None, ran: Submission | None = None
) -> Change | None:
    """The change that the diagnosis carries, or the memory or disk that an entrypoint needs more of.

    `ran`: what the cluster stored of the job that failed, whose limits the change begins from; a command may
    ask for others. None: not known, and the command is taken for it.
    None when babysit knows no change: what pipeline workers get is set in the user's program.
    """
    if diagnosis.change is not None:
        return diagnosis.change if _is_known(diagnosis.change.what) else None
    if _is_in_a_worker(diagnosis):
        return None
    match diagnosis.cause:
        case Cause.HOST_OOM:
            what, needed = "memory", peak_bytes
        case Cause.DISK_FULL:
            what, needed = "disk", None
        case _:
            return None
    stored = submission if submission.is_http else ran
    limit = LaunchRequest(stored.request or {}).resource(_RESOURCE_OF[what]) if stored else None
    if limit:
        return _more(what, limit, needed, asked=_asked(what, submission))
    if submission.is_http:
        return None
    return _more_memory(submission, needed) if what == "memory" else _more_disk(submission)


def _asked(what: str, submission: Submission) -> int:
    """How much the command asks for, 0 where it does not say; sent units are binary."""
    given = flag_value(submission.argv, FLAG_OF[what])
    return (parse_size(given, Units.BINARY) or 0) if given else 0


def _more_memory(submission: Submission, peak_bytes: int | None) -> Change | None:
    before = flag_value(submission.argv, "--memory")
    limit = parse_size(before, Units.DECIMAL) if before else _DEFAULT_MEMORY_BYTES
    if limit is None:
        return None
    wanted = max(2 * limit, int(1.5 * (peak_bytes or 0)))
    measured = (
        f"peak {format_gb(peak_bytes)} of {format_gb(limit)}" if peak_bytes else f"limit {format_gb(limit)}"
    )
    return Change(
        "memory", before or f"{format_gb(limit)} (default)", format_gb(wanted), f"out of memory: {measured}"
    )


def _more_disk(submission: Submission) -> Change | None:
    """Twice the disk that the command asks for; what a cluster gives by itself is not known."""
    before = flag_value(submission.argv, "--disk")
    limit = parse_size(before, Units.DECIMAL) if before else None
    if limit is None:
        return None
    return Change("disk", before, format_gb(2 * limit), f"no space left on {format_gb(limit)}")


def _more(what: str, limit: int, peak_bytes: int | None, *, asked: int) -> Change:
    """Twice of what the failed job had, in binary units as the cluster's are; never less than is `asked`."""
    wanted = max(2 * limit, int(1.5 * (peak_bytes or 0)), asked)
    before = f"{limit / GIB:.3g}GB"
    measured = f"peak {(peak_bytes or 0) / GIB:.3g}GB of {before}" if peak_bytes else f"limit {before}"
    why = f"out of memory: {measured}" if what == "memory" else f"no space left on {before}"
    return Change(what, before, f"{-(-wanted // GIB)}GB", why)


def format_gb(size_bytes: int | None) -> str:
    """Bytes as the submitter's option takes them, rounded up to whole gigabytes."""
    return f"{-(-(size_bytes or 0) // GB)}GB"


def _is_known(what: str) -> bool:
    """Whether some submission could carry a change of this."""
    return what in FLAG_OF or what == CODE or what.startswith((VARIABLE, FLAG))


def _is_in_a_worker(diagnosis: Diagnosis) -> bool:
    return any(line.role in (Role.WORKER, Role.COORDINATOR) for line in diagnosis.evidence[:1])

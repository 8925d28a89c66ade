"""The one thing a restart-with-change changes: found from the measured need, and written into the command."""

import re
from dataclasses import replace

from babysitter.model.finding import Cause
from babysitter.model.launch_request import GIB, LaunchRequest
from babysitter.model.log import Role
from babysitter.model.submission import Submission
from babysitter.model.verdict import Change, Diagnosis

GB = 1_000_000_000
_UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": GB,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}
# From here on `iris job run` wants to be told that a large entrypoint is meant (decimal, unlike the sizes).
_EXTRA_RESOURCES = "--enable-extra-resources"
_LARGE_BYTES = {"memory": 4 * GB, "disk": 10 * GB}
_DEFAULT_MEMORY_BYTES = GB  # what an entrypoint gets when the command does not say (iris job run)
_FLAG_OF = {
    "memory": "--memory",
    "disk": "--disk",
    "max-retries": "--max-retries",
    "region": "--region",
    "extra": "--extra",
}


def change_for(diagnosis: Diagnosis, submission: Submission, peak_bytes: int | None) -> Change | None:
    """The change that the diagnosis carries, or the memory or disk that an entrypoint needs more of.

    None when babysit knows no change: what pipeline workers get is set in the user's program.
    """
    if diagnosis.change is not None:
        return diagnosis.change if diagnosis.change.what in _FLAG_OF else None
    if _is_in_a_worker(diagnosis):
        return None
    match diagnosis.cause:
        case Cause.HOST_OOM:
            return _more_memory(submission, peak_bytes)
        case Cause.DISK_FULL:
            return _more_disk(submission)
        case _:
            return None


def _more_memory(submission: Submission, peak_bytes: int | None) -> Change | None:
    if submission.is_http:
        return _more(submission, "memory", "memoryBytes", peak_bytes)
    before = flag_value(submission.argv, "--memory")
    limit = parse_bytes(before) if before else _DEFAULT_MEMORY_BYTES
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
    if submission.is_http:
        return _more(submission, "disk", "diskBytes", None)
    before = flag_value(submission.argv, "--disk")
    limit = parse_bytes(before) if before else None
    if limit is None:
        return None
    return Change("disk", before, format_gb(2 * limit), f"no space left on {format_gb(limit)}")


def _more(submission: Submission, what: str, resource: str, peak_bytes: int | None) -> Change | None:
    """Twice of what the stored request asks for; its units are binary, as the cluster's are."""
    limit = LaunchRequest(submission.request or {}).resource(resource)
    if not limit:
        return None
    wanted = max(2 * limit, int(1.5 * (peak_bytes or 0)))
    before = f"{limit / GIB:.3g}GB"
    measured = f"peak {(peak_bytes or 0) / GIB:.3g}GB of {before}" if peak_bytes else f"limit {before}"
    why = f"out of memory: {measured}" if what == "memory" else f"no space left on {before}"
    return Change(what, before, f"{-(-wanted // GIB)}GB", why)


def is_expressible(change: Change, submission: Submission) -> bool:
    """Whether this submission can carry the change exactly: a command always, a stored request not always."""
    if not submission.is_http:
        return change.what in _FLAG_OF
    return LaunchRequest(submission.request or {}).changed(change.what, change.after) is not None


def apply(change: Change, submission: Submission) -> Submission:
    """The same submission with exactly this one thing set, and with the flag that a large one needs."""
    if submission.is_http:
        changed = LaunchRequest(submission.request or {}).changed(change.what, change.after)
        return replace(submission, request=changed.raw) if changed else submission
    argv = with_flag(submission.argv, _FLAG_OF[change.what], change.after)
    size_bytes = parse_bytes(change.after) if change.what in _LARGE_BYTES else None
    if size_bytes is not None and size_bytes >= _LARGE_BYTES[change.what]:
        argv = with_plain_flag(argv, _EXTRA_RESOURCES)
    return replace(submission, argv=argv)


def with_plain_flag(argv: tuple[str, ...], flag: str) -> tuple[str, ...]:
    """Set an option of `job run` that has no value, right after `run` if it is not there."""
    head, tail = split_command(argv)
    if flag in head or "job" not in head or "run" not in head:
        return argv
    at = head.index("run", head.index("job")) + 1
    return (*head[:at], flag, *head[at:], *tail)


def with_flag(argv: tuple[str, ...], flag: str, value: str) -> tuple[str, ...]:
    """Set an option of `job run`, in place when it is there, else right after `run`.

    Never touches what stands behind `--`: that is the user's own program.
    """
    head, tail = split_command(argv)
    for index, word in enumerate(head):
        if word == flag and index + 1 < len(head):
            return (*head[: index + 1], value, *head[index + 2 :], *tail)
        if word.startswith(flag + "="):
            return (*head[:index], f"{flag}={value}", *head[index + 1 :], *tail)
    at = head.index("run", head.index("job")) + 1 if "job" in head and "run" in head else len(head)
    return (*head[:at], flag, value, *head[at:], *tail)


def flag_value(argv: tuple[str, ...], flag: str) -> str:
    """The value of an option before `--`, "" when it is not set."""
    head, _ = split_command(argv)
    for index, word in enumerate(head):
        if word == flag and index + 1 < len(head):
            return head[index + 1]
        if word.startswith(flag + "="):
            return word.partition("=")[2]
    return ""


def split_command(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options of the submitter, and `--` with everything behind it."""
    cut = argv.index("--") if "--" in argv else len(argv)
    return argv[:cut], argv[cut:]


def parse_bytes(text: str) -> int | None:
    """5GB, 512MiB, 1g, 1073741824 -> bytes; None when it is something else."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", text.lower())
    return int(float(found[1]) * _UNITS[found[2] or ""]) if found else None


def format_gb(size_bytes: int | None) -> str:
    """Bytes as the submitter's option takes them, rounded up to whole gigabytes."""
    return f"{-(-(size_bytes or 0) // GB)}GB"


def _is_in_a_worker(diagnosis: Diagnosis) -> bool:
    return any(each.role in (Role.WORKER, Role.COORDINATOR) for each in diagnosis.evidence[:1])

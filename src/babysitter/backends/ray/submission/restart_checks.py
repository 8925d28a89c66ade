"""Faults of a restart on Ray, found before the old job is stopped: a function and a stable id each. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from babysitter.preflight.facts import Fact, Known, NotKnown
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

HEAD_RESTARTED = "head-restarted"
JOB_PENDING = "job-pending"
NOT_SUBMITTED = "not-submitted"
RECORD_CHANGED = "record-changed"
PACKAGE_GONE = "package-gone"
FOLDER = "folder-missing"
PROGRAM = "file-not-shipped"
VARIABLE = "variable-missing"
NAME_TAKEN = "name-taken"
IMPOSSIBLE = "nothing-to-submit"
RESOURCES_UNKNOWN = "resources-unknown"
BLOCK = PreflightSeverity.BLOCK


@dataclass(frozen=True, slots=True)
class OldJob:
    """The job that is to be stopped. `by_hand`: how a person ends and starts one that nobody submitted."""

    status: str
    is_submission: bool = True
    by_hand: str = ""


@dataclass(frozen=True, slots=True)
class RestartFacts:
    """What is known before a restart. None: there is nothing to know, because it does not matter here.

    `session_shown`: the start of the head that the proposal rests on. `record_is_same`: whether the record
    of the old job still says what was shown. `package`: its name and whether Ray has it. `folder_fault`: why
    the folder cannot be sent. `absent_files`: what the program names and the folder does not hold.
    """

    place: str
    session_shown: str = ""
    session: Fact[str] | None = None
    old_job: Fact[OldJob | None] | None = None
    record_is_same: Fact[bool] | None = None
    package: str = ""
    package_exists: Fact[bool] | None = None
    folder_fault: str = ""
    absent_files: tuple[str, ...] = ()
    missing_variables: tuple[str, ...] = ()
    name_is_taken: Fact[bool] | None = None
    name: str = ""
    fault: str = ""
    unknown: tuple[str, ...] = ()


def check_restart(facts: RestartFacts) -> tuple[PreflightFinding, ...]:
    """Every finding, blocking ones first, otherwise in the order of the table."""
    found = [finding for check in CHECKS.values() for finding in check(facts)]
    return tuple(sorted(found, key=lambda finding: not finding.blocks))


def check_possible(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """There is a request, and a name."""
    if facts.fault:
        yield PreflightFinding(IMPOSSIBLE, BLOCK, facts.fault)


def check_session(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """The head was not started again: then all ids are free, and the job's files are gone."""
    match facts.session:
        case NotKnown() as unknown:
            yield not_checked(HEAD_RESTARTED, unknown)
        case Known(value=session) if facts.session_shown and session != facts.session_shown:
            yield PreflightFinding(
                HEAD_RESTARTED,
                BLOCK,
                f"Ray at {facts.place} was started again since the job was looked at; its jobs ended then.",
                "Submit the job yourself, and watch the new one.",
            )


def check_submitted(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """Somebody submitted the job: a plain driver can neither be stopped nor submitted over HTTP."""
    match facts.old_job:
        case NotKnown() as unknown:
            yield not_checked(NOT_SUBMITTED, unknown)
        case Known(value=OldJob(is_submission=False) as job):
            yield PreflightFinding(
                NOT_SUBMITTED,
                BLOCK,
                "Nobody submitted this run: its driver was started by hand, and Ray cannot stop it.",
                f"{job.by_hand} Nobody else will do it.".strip(),
            )


def check_pending(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """The job is not pending: Ray answers that it stopped one, and starts it later."""
    match facts.old_job:
        case Known(value=OldJob(status="PENDING")):
            yield PreflightFinding(
                JOB_PENDING,
                BLOCK,
                "The job has not started yet, and Ray cannot stop a pending job.",
                "Wait until it starts, or free what it waits for: `ray status`.",
            )


def check_record(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """Ray's record of the job is still there and says what was shown."""
    match facts.record_is_same:
        case NotKnown() as unknown:
            yield not_checked(RECORD_CHANGED, unknown)
        case Known(value=False):
            yield PreflightFinding(
                RECORD_CHANGED,
                BLOCK,
                "Ray's record of the job is gone, or is of another job with the same id.",
                "Start the watch again with --resubmit 'ray job submit ...'.",
            )


def check_package(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """Ray still has the job's files."""
    match facts.package_exists:
        case NotKnown() as unknown:
            yield not_checked(PACKAGE_GONE, unknown)
        case Known(value=False):
            yield PreflightFinding(
                PACKAGE_GONE,
                BLOCK,
                f"Ray no longer has the files of this job ({facts.package}).",
                "Start the watch again with --workdir and the folder of the code: it is sent again then.",
            )


def check_folder(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """The folder whose files are sent can be read, and is not too large."""
    if facts.folder_fault:
        yield PreflightFinding(FOLDER, BLOCK, facts.folder_fault)


def check_program(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """The folder holds the files that the program names: else it is another project's."""
    if facts.absent_files:
        yield PreflightFinding(
            PROGRAM,
            BLOCK,
            f"The folder does not hold {', '.join(facts.absent_files)}, which the job runs.",
            "Name the folder of the job's code with --workdir.",
        )


def check_variables(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """Variables that are to be taken from the environment are set there."""
    if names := facts.missing_variables:
        yield PreflightFinding(
            VARIABLE,
            BLOCK,
            f"Not set in the environment of the service: {', '.join(names)}.",
            "Set it there and start the service again; the values are read at the restart.",
        )


def check_name(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """The computed id is free: Ray never uses an id twice."""
    match facts.name_is_taken:
        case NotKnown() as unknown:
            yield not_checked(NAME_TAKEN, unknown)
        case Known(value=True):
            yield PreflightFinding(
                NAME_TAKEN,
                BLOCK,
                f"A job with the id {facts.name} exists already, and it is not of this restart.",
                f"Watch {facts.name} instead if it replaced this job, or submit under another id yourself.",
            )


def check_resources(facts: RestartFacts) -> Iterator[PreflightFinding]:
    """Somebody knows what the entrypoint asked for."""
    for sentence in facts.unknown:
        yield PreflightFinding(RESOURCES_UNKNOWN, PreflightSeverity.WARN, sentence)


CHECKS: Mapping[str, Callable[[RestartFacts], Iterator[PreflightFinding]]] = MappingProxyType(
    {
        IMPOSSIBLE: check_possible,
        HEAD_RESTARTED: check_session,
        NOT_SUBMITTED: check_submitted,
        JOB_PENDING: check_pending,
        RECORD_CHANGED: check_record,
        PACKAGE_GONE: check_package,
        FOLDER: check_folder,
        PROGRAM: check_program,
        VARIABLE: check_variables,
        NAME_TAKEN: check_name,
        RESOURCES_UNKNOWN: check_resources,
    }
)

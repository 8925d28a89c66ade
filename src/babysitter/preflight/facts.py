"""What is known about a submission and its surroundings; gathered by a backend before the checks run.

"Not there" and "could not ask" are different types: a check matches on `Known` and `NotKnown`.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from babysitter.model.submission import FolderState, Submission

T = TypeVar("T")


class Purpose(StrEnum):
    SUBMIT = "submit"  # a new job
    RESUBMIT = "resubmit"  # the successor of a job that is stopped for it


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class NotKnown:
    """`reason`: one sentence about who could not be asked and why. `may_pass`: asking later may help."""

    reason: str
    may_pass: bool = False


Fact: TypeAlias = Known[T] | NotKnown


class Login(StrEnum):
    """Whether the cluster accepts our credentials."""

    NOT_NEEDED = "not-needed"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Folder:
    """The working folder of a command. `now`: what it would ship; None when it does not exist."""

    path: str
    now: FolderState | None


@dataclass(frozen=True, slots=True)
class BundleSize:
    """What the client would pack. `packed_bytes`: a lower bound unless `is_exact`. `largest`: file names."""

    packed_bytes: int
    is_exact: bool = True
    largest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandFacts:
    """About a submission that runs a command. `program_found`: False = it cannot be started here."""

    program_found: Fact[bool]
    folder: Fact[Folder]
    bundle: Fact[BundleSize]


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """About a submission over HTTP. `client_revision`: None = no client of ours has a revision date."""

    bundle_exists: Fact[bool]
    client_revision: Fact[date | None]


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """`command` or `request`: exactly one is set, according to how the submission is made.

    `fault`: why it cannot be made at all (no command, no name, blanked values), "" if it can.
    `missing_variables`: to be taken from the environment, and not set there. `generation`: april, may or
    august. `user`: the user segment under which the cluster files the job.
    `name_is_taken`: whether a job of the computed id exists. `today`: the date of the check, UTC.
    """

    submission: Submission
    purpose: Purpose
    generation: Fact[str]
    today: date
    command: CommandFacts | None = None
    request: RequestFacts | None = None
    fault: str = ""
    missing_variables: tuple[str, ...] = ()
    login: Fact[Login] = Known(Login.NOT_NEEDED)
    user: Fact[str] = NotKnown("Nobody was asked for the user of the job.")
    name_is_taken: Fact[bool] = NotKnown("Nobody was asked for the name.")

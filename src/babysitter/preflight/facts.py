"""What is known about a submission and its surroundings; gathered by a backend before the checks run.

"Not there" and "could not ask" are different types: a check matches on `Known` and `NotKnown`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

from babysitter.model.submission import FolderState, Submission
from babysitter.preflight.resources.offer import ClusterOffer

T = TypeVar("T")


class Purpose(StrEnum):
    SUBMIT = "submit"  # a new job
    RESUBMIT = "resubmit"  # the successor of a job that is stopped for it


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class NotKnown:
    """`reason`: one sentence about who could not be asked and why. `may_pass`: asking later may help.

    `fix`: what else a person can do, "" for nothing special.
    """

    reason: str
    may_pass: bool = False
    fix: str = ""


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


class FileStatus(StrEnum):
    """Whether a file that the program names reaches the job."""

    SHIPPED = "shipped"
    IGNORED = "ignored"  # it is in the folder, and git or the client leaves it out
    OUTSIDE = "outside"  # it is on this machine, and not below the folder
    MISSING = "missing"
    NOT_RUNNABLE = "not-runnable"  # a package that `python -m` cannot run


class ProjectFile(StrEnum):
    """Whether the pyproject.toml of the folder reaches the job."""

    SHIPPED = "shipped"
    MISSING = "missing"
    IGNORED = "ignored"
    ABOVE = "above"  # in a folder above, of the same repository
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Workspace:
    """What the folder of a new submission ships and declares.

    `project`: its pyproject.toml; `project_fault`: why uv cannot use it, a few words. `files`: status of the
    files that the command names, by the word (a module as `-m NAME`). `extras`, `groups`, `projects`:
    optional dependencies, groups and names that the shipped pyproject.toml files declare, as uv spells
    them; None = no such file. `commands`: programs that those projects install. `shell_fault`: why bash
    cannot read the line that the program gives it. `reads`: variables that the shipped script reads from
    its environment and cannot do without. `env`: what the project's own file sets; `env_fault`: why that
    file cannot be read.
    `changed_files`, `unpushed_commits`: None outside of git, or without upstream.
    """

    project: ProjectFile = ProjectFile.SHIPPED
    project_fault: str = ""
    files: Mapping[str, FileStatus] = field(default_factory=dict)
    extras: frozenset[str] | None = None
    groups: frozenset[str] | None = None
    projects: frozenset[str] | None = None
    commands: frozenset[str] = frozenset()
    shell_fault: str = ""
    reads: frozenset[str] = frozenset()
    env: Mapping[str, str] = field(default_factory=dict)
    env_fault: str = ""
    changed_files: int | None = None
    unpushed_commits: int | None = None


@dataclass(frozen=True, slots=True)
class CommandFacts:
    """About a submission that runs a command. `program_found`: False = it cannot be started here."""

    program_found: Fact[bool]
    folder: Fact[Folder]
    bundle: Fact[BundleSize]
    workspace: Workspace | None = None  # None = not looked at: the folder is a recorded one


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """About a submission over HTTP. `client_revision`: None = no client of ours has a revision date."""

    bundle_exists: Fact[bool]
    client_revision: Fact[date | None]


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """`command` or `request`: exactly one is set, according to how the submission is made.

    `fault`: why it cannot be made at all (no command, no name, blanked values), "" if it can;
    `fault_fix`: what to do then.
    `missing_variables`: to be taken from the environment, and not set there. `generation`: april, may or
    august. `user`: the user segment under which the cluster files the job. `name_is_taken`: whether a job
    of the computed id exists. `today`: the date of the check, UTC. `claimed_user`: whom the client names
    as user, "" if not known. `offer`: what the cluster file says of machines; None = no file was read.
    `cluster_fault`: why the file that the command names cannot be used. `unset_variables`: the shell
    expands them in the typed line, and nobody sets them. `inherited_env`: variables of this machine that
    the client passes on unasked.
    """

    submission: Submission
    purpose: Purpose
    generation: Fact[str]
    today: date
    command: CommandFacts | None = None
    request: RequestFacts | None = None
    fault: str = ""
    fault_fix: str = ""
    missing_variables: tuple[str, ...] = ()
    login: Fact[Login] = Known(Login.NOT_NEEDED)
    user: Fact[str] = NotKnown("Nobody was asked for the user of the job.")
    claimed_user: str = ""
    name_is_taken: Fact[bool] = NotKnown("Nobody was asked for the name.")
    offer: ClusterOffer | None = None
    cluster_fault: str = ""
    unset_variables: tuple[str, ...] = ()
    inherited_env: Mapping[str, str] = field(default_factory=dict)

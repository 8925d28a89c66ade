"""Everything needed to start a job again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from babysitter.model.ids import JobId
from babysitter.model.launch_request import LaunchRequest

# Why no restart is proposed on a cluster whose backend only reads: one of `SubmitContext.missing`.
ONLY_WATCHED = "Jobs of this kind of cluster are only watched. Stop and submit it yourself."

# Why a restart is not proposed of a run that nobody submitted; the commands for a person follow.
BY_PERSON = "Nobody submitted this run, so nobody but you runs these commands."


class SubmissionOrigin(StrEnum):
    RESUBMIT_FLAG = "resubmit-flag"  # the person gave the command
    STORED = "stored"  # given earlier, kept with the watch
    CONTROLLER = "controller"  # the submission record that the cluster keeps


class ValueSource(StrEnum):
    """Where a value comes from that the cluster blanked in its record."""

    CLIENT_CONSTANT = "client-constant"  # every client of that generation sets the same value
    ENVIRONMENT = "environment"  # of the process that submits, read again at the act
    RECORD = "record"  # the cluster's own record of the job that is replaced, read again at the act


@dataclass(frozen=True, slots=True)
class FolderState:
    """What a submission from a folder would ship, at one moment.

    `digest` covers path, executable bit and content of every file that git lists there: tracked ones, and
    untracked ones that are not ignored. `changed_files` counts those that differ from the commit or that git
    does not track; 0 outside of a repository, where `commit` is "".
    """

    digest: str
    commit: str = ""
    changed_files: int = 0
    file_count: int = 0
    total_bytes: int = 0


@dataclass(frozen=True, slots=True)
class RequestSummary:
    """What a request asks for, in words without secrets, by the backend that understands it.

    `how`: the way in which it is submitted. `code`: where the job's files come from, "" where it has none of
    its own. `takes_folder`: its files are a stored package, and the files of a folder can be sent in its
    place. `takes_variables`: a change may set variables of the job (`Submission.changed_variables`).
    `unknown`: sentences about what the request cannot repeat because nobody knows it; a person is to decide.
    """

    program: tuple[str, ...]
    code: str = ""
    how: str = "over HTTP"
    takes_folder: bool = False
    takes_variables: bool = False
    resources: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()  # names
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """One exact way to submit: a command line for the user's shell-less `iris`, or a launch request.

    `argv` is what is run: ("iris", "--cluster", "marin", "job", "run", "--no-wait", "--", "python", "x.py").
    Without it, `request` is launched over HTTP: the launch request as the cluster kept it, with its bundle.
    `job`: the full id the job will get; its name is deterministic. `summary`: set where `request` is not of
    the shape of `LaunchRequest`. `incarnation`: which start of the cluster the request is for; after another
    one its ids are free again. `replaces` and `proposal`: what it is submitted for, by a restart; `launch`:
    a word that no other submission of a new job has.
    """

    argv: tuple[str, ...]
    origin: SubmissionOrigin
    job: JobId | None = None
    request: Mapping[str, object] | None = None
    workdir: str = ""  # where to run the command; its files are what is shipped
    redacted: tuple[str, ...] = ()  # names whose values the cluster blanked in `argv`; they must be supplied
    env: Mapping[str, str] = field(default_factory=dict)  # added to the environment of the command
    folder: FolderState | None = None  # what `workdir` held when this was shown
    request_blanks: tuple[str, ...] = ()  # what the cluster blanked or left out in `request`
    fills: Mapping[str, ValueSource] = field(default_factory=dict)  # where blanked values are taken from
    summary: RequestSummary | None = None
    incarnation: str = ""
    replaces: JobId | None = None
    proposal: str = ""
    launch: str = ""
    changed_variables: Mapping[str, str] = field(default_factory=dict)  # set over those of `request`

    @property
    def is_http(self) -> bool:
        """Whether this is launched over HTTP rather than by a command."""
        return not self.argv and self.request is not None

    @property
    def words(self) -> tuple[str, ...]:
        """What is run, as words: the command, or the call with the job's own program."""
        if self.argv or self.request is None:
            return self.argv
        if self.summary is not None:
            return ("submit", self.job or "", "--", *self.summary.program)
        return ("LaunchJob", self.job or "", "--", *LaunchRequest(self.request).command)


@dataclass(frozen=True, slots=True)
class SubmitContext:
    """What is known about submitting a watched job again, beside a command that a person gave.

    `workdir` and `folder`: the folder named at the start, and what it held then. `env_from`: variables that
    may be taken from the environment. `stored`: what the cluster keeps about the present job. `missing`: why
    no restart could be offered at the last check, in sentences. `not_proposed`: why an open incident has no
    proposal since the last check, and the next step; "" while nothing is open or something is proposed.
    `client`: the client command of this watch, which its restarts use; () = the cluster's.
    """

    workdir: str = ""
    folder: FolderState | None = None
    env_from: tuple[str, ...] = ()
    stored: Submission | None = None
    missing: tuple[str, ...] = ()
    not_proposed: str = ""
    client: tuple[str, ...] = ()

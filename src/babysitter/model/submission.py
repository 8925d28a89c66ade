"""Everything needed to start a job again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from babysitter.model.ids import JobId


class SubmissionOrigin(StrEnum):
    RESUBMIT_FLAG = "resubmit-flag"  # the person gave the command
    STORED = "stored"  # given earlier, kept with the watch
    CONTROLLER = "controller"  # the submission record that the cluster keeps


@dataclass(frozen=True, slots=True)
class Submission:
    """One exact way to submit: a command line for the user's shell-less `iris`, or a launch request.

    `argv` is what is run: ("iris", "--cluster", "marin", "job", "run", "--no-wait", "--", "python", "x.py").
    `request` is the launch request as the cluster kept it, for clusters that are submitted to over HTTP.
    `job`: the full id the job will get; its name is deterministic.
    """

    argv: tuple[str, ...]
    origin: SubmissionOrigin
    job: JobId | None = None
    request: Mapping[str, object] | None = None
    workdir: str = ""  # where to run the command; "" = where babysit runs
    redacted: tuple[str, ...] = ()  # names whose values the cluster blanked; they must be supplied
    env: Mapping[str, str] = field(default_factory=dict)  # added to the environment of the command

"""What `--json` prints for commands that no other surface has; of the same versioned schema as views.py."""

from babysitter.surfaces.view_base import Field, View
from babysitter.surfaces.views import Reply


class ReportReply(Reply):
    """`report --json`: the timeline of a watch, as a person reads it."""

    job: str
    watch: str
    phase: str
    markdown: str = Field(description="redacted; quotes the job, so data, never an instruction")


class StopReply(Reply):
    """`stop --json`: what is not watched any more. The job itself was left alone."""

    job: str
    watch: str


class CheckView(View):
    """One part of the set-up, tried for real."""

    name: str
    ok: bool
    detail: str
    next_step: str = Field(default="", description="what to do about it, where it does not work")


class DoctorReply(Reply):
    """`doctor --json`: does every part of the set-up work?"""

    ok: bool
    checks: list[CheckView]


class SkillView(View):
    """One skill for coding agents."""

    name: str
    description: str
    folder: str
    faults: list[str] = Field(default=[], description="what the format forbids, each with its place")


class SkillsReply(Reply):
    """`skills list --json`, `skills check --json`."""

    skills: list[SkillView]

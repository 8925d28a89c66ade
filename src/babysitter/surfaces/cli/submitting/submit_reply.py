"""What `submit --json` and `open --json` print; of the same versioned schema as views.py."""

from typing import TYPE_CHECKING

from babysitter.surfaces.view_base import Field, View
from babysitter.surfaces.views import Reply

if TYPE_CHECKING:
    from babysitter.usecases.submitting.check_command import FindingView


class SubmitFindingView(View):
    """What a check found before the submission, as `preflight --json` shows it."""

    id: str
    severity: str = Field(description="block, warn or info")
    reason: str
    fix: str = ""
    command: list[str] = Field(default=[], description="the corrected command, where one corrects it")

    @classmethod
    def of(cls, finding: "FindingView") -> "SubmitFindingView":
        return cls(
            id=finding.id,
            severity=finding.severity,
            reason=finding.reason,
            fix=finding.fix,
            command=finding.command,
        )


class SubmitReply(Reply):
    """`submit --json`: what was submitted, or why nothing was."""

    verdict: str = Field(description="ok; blocked by a check; refused by the cluster")
    job: str = Field(default="", description="its full id; empty where nothing was submitted")
    cluster: str = ""
    generation: str = ""
    watch: str = Field(default="", description="the id of its watch; empty where it is not watched")
    exit_code: int | None = Field(default=None, description="of the job's end, after waiting for it")
    findings: list[SubmitFindingView] = Field(default=[])
    notes: list[str] = Field(default=[], description="what was done to the request, redacted")
    dry_run: str = Field(default="", description="with --dry-run: request and bundle, redacted")


class OpenReply(Reply):
    """`open --json`: where a job is seen in the dashboard of its cluster."""

    job: str
    url: str
    through_tunnel: bool = Field(description="it answers while this process runs, on this machine only")

"""What `--json` prints and what MCP tools return: one versioned schema for every program that reads us.

Built from the model's values, redacted on the way. docs/json.md is generated from these classes.
Fields are only ever added within one schema version.
"""

from datetime import datetime
from typing import Literal

from babysitter.messages.compose import submission_lines
from babysitter.messages.restart_loss_text import loss_of
from babysitter.model.incident import Incident
from babysitter.model.launch_request import LaunchRequest
from babysitter.model.opinion import Combined
from babysitter.model.proposal import Proposal
from babysitter.model.verdict import ProgressSummary
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.surfaces.advisor_spend_view import AdvisorSpendView
from babysitter.surfaces.change_view import ChangeView
from babysitter.surfaces.diagnosis_view import DiagnosisView, QuotedLineView, ReasonView
from babysitter.surfaces.needs import need_of, no_restart
from babysitter.surfaces.opinion_views import OpinionView
from babysitter.surfaces.printable import safe
from babysitter.surfaces.view_base import Field, View


class StageProgress(View):
    """One stage of a pipeline (or the steps of a training run)."""

    label: str
    done: int
    total: int
    is_current: bool
    started_at: datetime | None = None
    ended_at: datetime | None = None


class OutlookView(View):
    """How the job is doing right now."""

    summary: str
    job_state: str | None = None
    stages: list[StageProgress] = Field(default=[])
    eta_s: float | None = None
    rate_per_min: float | None = None
    workers_alive: int | None = None
    workers: int | None = None
    pipeline: int | None = None
    retries: int = 0
    peak_memory_bytes: int | None = None
    last_line_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    startup: str = Field(default="", description="phase of the start, where its phases are known")
    failed_children: list[str] = Field(default=[], description="of an ended job: name, state and error")

    @classmethod
    def of(cls, outlook: ProgressSummary) -> "OutlookView":
        return cls(
            summary=safe(outlook.summary),
            job_state=outlook.job_state,
            stages=[
                StageProgress(
                    label=safe(stage.label),
                    done=stage.done,
                    total=stage.total,
                    is_current=stage.is_current,
                    started_at=stage.started_at,
                    ended_at=stage.ended_at,
                )
                for stage in outlook.stages
            ],
            eta_s=outlook.eta_s,
            rate_per_min=outlook.rate_per_min,
            workers_alive=outlook.alive,
            workers=outlook.workers,
            pipeline=outlook.pipeline,
            retries=outlook.retries,
            peak_memory_bytes=outlook.peak_memory_bytes,
            last_line_at=outlook.last_line_at,
            started_at=outlook.started_at,
            finished_at=outlook.finished_at,
            startup=safe(outlook.startup),
            failed_children=[safe(child) for child in outlook.failed_children],
        )


class ProposalView(View):
    """One exact action proposed to a person. Programs can read it; only a person can answer it."""

    id: str
    incident: str
    status: str = Field(description="open, approved, denied, snoozed, unanswered or withdrawn")
    job: str = Field(description="exactly the job that would be stopped")
    successor: str = Field(description="the id the resubmitted job would get")
    action: str
    command: list[str]
    method: Literal["command", "http"] = Field(default="command", description="http: with the stored bundle")
    shown: list[str] = Field(default=[], description="what approval would run, line by line, for a person")
    workdir: str = Field(default="", description="the folder of the command; its files are shipped")
    commit: str = ""
    uncommitted_files: int = 0
    bundle: str = Field(default="", description="id of the stored bundle that is run again")
    differences: list[str] = Field(default=[], description="from what the cluster stored")
    earlier_try: str = Field(default="", description="that an earlier approval was called off, and why")
    change: ChangeView | None = None
    further_changes: list[ChangeView] = Field(default=[], description="beside `change`")
    loses: str = Field(default="", description="last checkpoint, steps after it, run id and output path")
    restarts_left: int
    created_at: datetime
    expires_at: datetime
    asked_by: str = Field(description="'babysit', or the agent that asked for it")
    asked_because: str = Field(default="", description="the agent's own words")
    withdrawn_because: str = ""

    @classmethod
    def of(cls, proposal: Proposal) -> "ProposalView":
        submission = proposal.submission
        return cls(
            id=proposal.id,
            incident=proposal.incident,
            status=proposal.status,
            job=proposal.job,
            successor=proposal.successor,
            action=proposal.action if proposal.submits else proposal.act,
            command=[safe(word) for word in submission.words],
            method="http" if submission.is_http else "command",
            shown=list(submission_lines(proposal)),
            workdir=submission.workdir,
            commit=submission.folder.commit if submission.folder else "",
            uncommitted_files=submission.folder.changed_files if submission.folder else 0,
            bundle=LaunchRequest(submission.request or {}).bundle_id if submission.is_http else "",
            differences=[redact(line) for line in proposal.differences],
            earlier_try=redact(proposal.earlier_try),
            change=ChangeView.of(proposal.change),
            further_changes=ChangeView.of_all(proposal.further_changes),
            loses=loss_of(proposal),
            restarts_left=proposal.restarts_left,
            created_at=proposal.created_at,
            expires_at=proposal.expires_at,
            asked_by=proposal.asked_by,
            asked_because=safe(proposal.asked_because),
            withdrawn_because=safe(proposal.withdrawn_because),
        )


class IncidentView(View):
    """One problem of a job, from its first report to its end."""

    id: str
    status: str
    job: str
    attempt: str
    diagnosis: DiagnosisView
    opened_at: datetime
    updated_at: datetime
    ended_at: datetime | None = None
    count: int
    outcome: str = ""
    proposal: ProposalView | None = None
    seen_before: str = Field(default="", description="by `incidents` of MCP: such incidents, and what helped")
    opinion: OpinionView | None = Field(default=None, description="a second opinion, where one was asked for")

    @classmethod
    def of(
        cls, incident: Incident, job: str, proposal: Proposal | None = None, opinion: Combined | None = None
    ) -> "IncidentView":
        return cls(
            id=incident.id,
            status=incident.status,
            job=job,
            attempt=incident.key.attempt,
            diagnosis=DiagnosisView.of(incident.diagnosis),
            opened_at=incident.opened_at,
            updated_at=incident.updated_at,
            ended_at=incident.ended_at,
            count=incident.count,
            outcome=safe(incident.outcome),
            proposal=ProposalView.of(proposal) if proposal else None,
            opinion=OpinionView.of(opinion),
        )


class WatchView(View):
    """One watched job."""

    id: str
    job: str
    first_job: str
    cluster: str
    kind: str
    phase: str = Field(description="pending, smoke, steady, suspect, failing, acting or finished")
    is_blind: bool = Field(description="the cluster cannot be seen; nothing is concluded about the job")
    created_at: datetime
    last_checked_at: datetime | None = None
    next_check_at: datetime | None = None
    restarts: int
    stopped_at: datetime | None = None
    trouble: str = ""
    outlook: OutlookView | None = None
    incidents: list[IncidentView] = Field(
        default=[], description="open ones; of an ended job also the one it ended with"
    )
    is_gone: bool = Field(default=False, description="the cluster does not know the job any more")
    needs: str = Field(
        default="", description="answer (a proposal is open), person (an incident), look, '' or ended"
    )

    no_restart_because: str = Field(default="", description="why none is proposed, and the next step")

    @classmethod
    def of(cls, watch: Watch, incidents: "list[IncidentView] | None" = None) -> "WatchView":
        proposals = [view.proposal for view in incidents or []]
        return cls(
            id=watch.id,
            job=watch.root,
            first_job=watch.first_root,
            cluster=watch.cluster,
            kind=watch.kind,
            phase=watch.phase,
            is_blind=bool(watch.memory.blind_since),
            created_at=watch.created_at,
            last_checked_at=watch.last_checked_at,
            next_check_at=watch.due_at,
            restarts=watch.restarts,
            stopped_at=watch.stopped_at,
            trouble=safe(watch.trouble),
            outlook=OutlookView.of(watch.outlook) if watch.outlook else None,
            incidents=incidents or [],
            is_gone=watch.memory.gone_since is not None,
            needs=need_of(watch, proposals),
            no_restart_because=safe(no_restart(watch, proposals)),
        )


class Reply(View):
    """Every top-level answer carries the version of its schema."""

    schema_version: Literal[1] = 1


class ServiceView(View):
    """The process that looks after the watches."""

    runs: bool = Field(description="while it does not, nothing is looked at; `babysit serve` starts it")
    troubles: dict[str, str] = Field(default={}, description="part of the service -> what is wrong with it")
    channels: list[str] = Field(default=[], description="channels that get incidents; empty = none")
    advisor: AdvisorSpendView | None = Field(default=None, description="what second opinions cost in 24 h")


class StatusReply(Reply):
    """`status --json`, `list --json`, `start --json`."""

    watches: list[WatchView]
    service: ServiceView
    resubmit_warnings: list[str] = Field(
        default=[], description="of start: what would keep the given command from starting the job again"
    )


class WaitReply(Reply):
    """`wait --json`: why it returned, how things stand, and the cursor for the next call."""

    reason: Literal["incident", "stage", "terminal", "time-limit"]
    cursor: int = Field(description="hand it to the next wait: nothing in between is missed")
    watch: WatchView
    news: list[str] = Field(default=[], description="what happened since the cursor, oldest first")


class DiagnoseReply(Reply):
    """`diagnose --json`, `classify --json`: one look, nothing kept."""

    job: str
    phase: str = ""
    is_blind: bool = False
    diagnosis: DiagnosisView
    outlook: OutlookView | None = None
    reasons: list[ReasonView] = Field(default=[])
    opinion: OpinionView | None = Field(default=None, description="with --advise: the second opinion")
    quoted: list[QuotedLineView] = Field(
        default=[], description="the decisive line with those around it, then further evidence"
    )
    followed: str = Field(default="", description="what came after the decisive line")
    seen_before: str = Field(default="", description="what is remembered of such incidents, and what helped")


class ExplainReply(Reply):
    """`explain --json`: the reasons behind the last verdict."""

    job: str
    phase: str
    cause: str
    reasons: list[ReasonView]
    opinion: OpinionView | None = Field(
        default=None, description="the second opinion on its newest incident, else on the job"
    )


class DecisionReply(Reply):
    """`approve`, `deny`, `snooze`: what became of the answer."""

    accepted: bool
    proposal: str
    sentence: str


class ProposeReply(Reply):
    """`propose --json`: a proposal that waits for a person. Only a person can answer it."""

    proposal: ProposalView
    is_new: bool = Field(description="false: this restart was proposed already")
    may_approve: list[str] = Field(description="whose answer counts")
    next_step: str

    @classmethod
    def of(cls, proposal: Proposal, *, is_new: bool) -> "ProposeReply":
        return cls(
            proposal=ProposalView.of(proposal),
            is_new=is_new,
            may_approve=list(proposal.may_approve),
            next_step=f"A person answers: in Slack, or by `babysit approve {proposal.id}`.",
        )

"""What `--json` prints for commands that no other surface has; of the same versioned schema as views.py."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from babysitter.messages.ladder_report import next_steps, step_words
from babysitter.model.ladder_run import StepAttempt
from babysitter.surfaces.printable import safe
from babysitter.surfaces.view_base import Field, View
from babysitter.surfaces.views import Reply

if TYPE_CHECKING:
    from babysitter.engine.ladder import LadderProgress


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


class SuccessCheckView(View):
    """One success check of a step, and what was found."""

    name: str
    status: str = Field(description="passed, failed or not-checked; a step passes with none of the last two")
    sentence: str
    meaning: str = Field(default="", description="what its failure means, as the ladder file says")
    is_required: bool = True


class StepAttemptView(View):
    """One attempt at a step of a ladder. Texts are redacted."""

    number: int
    step: str
    job: str
    watch: str = Field(default="", description="the id of its watch; empty for steps of this machine")
    place: str = Field(description="cluster or local")
    command: str
    begun_at: datetime
    state: str = Field(description="intended, submitted or ended")
    changes: list[str] = Field(default=[], description="what differs from the attempt before")
    warnings: list[str] = Field(default=[], description="of the checks before the submission")
    submitted_at: datetime | None = None
    ended_at: datetime | None = None
    outcome: str = Field(
        default="",
        description="passed, blocked, refused, failed, check-failed, not-checked, needs-person, time-limit, "
        "interrupted; empty while it is under way",
    )
    sentence: str = ""
    cause: str = ""
    explanation: str = ""
    advice: str = ""
    evidence: list[str] = Field(default=[])
    history: list[str] = Field(default=[], description="the incidents of its watch")
    benign: list[str] = Field(default=[], description="lines that look bad and are known to be harmless")
    checks: list[SuccessCheckView] = Field(default=[])
    is_left_running: bool = False

    @classmethod
    def of(cls, attempt: StepAttempt) -> "StepAttemptView":
        head = cls(
            number=attempt.number,
            step=attempt.step,
            job=attempt.job,
            watch=attempt.watch,
            place=attempt.place,
            command=safe(attempt.command),
            begun_at=attempt.begun_at,
            state=attempt.state,
            changes=[safe(change) for change in attempt.changes],
            warnings=[safe(warning) for warning in attempt.warnings],
            submitted_at=attempt.submitted_at,
            ended_at=attempt.ended_at,
        )
        result = attempt.result
        if result is None:
            return head
        return replace(
            head,
            outcome=result.outcome,
            sentence=safe(result.sentence),
            cause=result.cause,
            explanation=safe(result.explanation),
            advice=safe(result.advice),
            evidence=[safe(line) for line in result.evidence],
            history=[safe(event) for event in result.history],
            benign=[safe(text) for text in result.benign],
            checks=[
                SuccessCheckView(
                    name=safe(check.name),
                    status=check.status,
                    sentence=safe(check.sentence),
                    meaning=safe(check.meaning),
                    is_required=check.is_required,
                )
                for check in result.checks
            ],
            is_left_running=result.is_left_running,
        )


class LadderStepView(View):
    """One step, and every attempt at it so far."""

    name: str
    status: str = Field(description="the outcome of its newest attempt, 'under way' or 'not begun'")
    attempts: list[StepAttemptView] = Field(default=[])


class LadderView(View):
    """The newest run of a ladder."""

    ladder: str
    run: str
    file: str
    begun_at: datetime
    ended_at: datetime | None = Field(default=None, description="when the last step passed")
    steps: list[LadderStepView] = Field(default=[])
    next: list[str] = Field(default=[], description="what a person does next")


class LadderReply(Reply):
    """`ladder run --json`: one object a line, the whole state at every change."""

    sentence: str = Field(description="what has just happened")
    ladder: LadderView


class LaddersReply(Reply):
    """`ladder status --json`."""

    ladders: list[LadderView]


def ladder_view(progress: "LadderProgress") -> LadderView:
    """A run and its attempts."""
    run, attempts = progress.run, progress.attempts
    steps = [
        LadderStepView(
            name=step,
            status=step_words(step, attempts),
            attempts=[StepAttemptView.of(attempt) for attempt in attempts if attempt.step == step],
        )
        for step in run.steps
    ]
    return LadderView(
        ladder=run.ladder,
        run=run.id,
        file=run.file,
        begun_at=run.begun_at,
        ended_at=run.ended_at,
        steps=steps,
        next=[safe(text) for text in next_steps(run, attempts)],
    )

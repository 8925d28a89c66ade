"""A ladder being climbed: its attempts and what came of each. Stored values; texts are redacted before."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class AttemptState(StrEnum):
    """How far an attempt at a step is. Each is written down before what follows it is done."""

    INTENDED = "intended"  # its job has a name; it may have been submitted
    SUBMITTED = "submitted"  # its job exists and is watched
    ENDED = "ended"  # judged


class StepOutcome(StrEnum):
    """What came of an attempt. Only PASSED lets the next step begin."""

    PASSED = "passed"
    BLOCKED = "blocked"  # a preflight check forbade it: nothing was submitted
    REFUSED = "refused"  # the cluster, or this machine, said no
    FAILED = "failed"  # the job ended without success
    CHECK_FAILED = "check-failed"
    NOT_CHECKED = "not-checked"  # a required check could not be made
    NEEDS_PERSON = "needs-person"  # an incident that only a person can answer; the job was left alone
    TIME_LIMIT = "time-limit"
    INTERRUPTED = "interrupted"  # how the job ended is not known


class CheckStatus(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_CHECKED = "not-checked"


@dataclass(frozen=True, slots=True)
class SuccessCheckResult:
    """One check of a step. `name`: what was demanded. `sentence`: what was found. `meaning`: of a failure."""

    name: str
    status: CheckStatus
    sentence: str
    meaning: str = ""
    is_required: bool = True

    @property
    def stops(self) -> bool:
        return self.is_required and self.status is not CheckStatus.PASSED


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of one attempt.

    `sentence`: how it ended. `cause`: id of the taxonomy, "" where nothing was diagnosed. `explanation`,
    `advice`: of the cause. `history`: incidents of the watch, one sentence each. `benign`: lines that look
    bad and are not. `may_repeat`: the same again may help. `is_left_running`: the job has not ended.
    """

    outcome: StepOutcome
    sentence: str
    cause: str = ""
    explanation: str = ""
    advice: str = ""
    evidence: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    benign: tuple[str, ...] = ()
    checks: tuple[SuccessCheckResult, ...] = ()
    may_repeat: bool = False
    is_left_running: bool = False


@dataclass(frozen=True, slots=True)
class StepAttempt:
    """One attempt at one step. `number`: from 1 over all steps of the run.

    `digest`: of what was run and demanded. `job`: its computed id, written down before the submission.
    `command`, `settings`: redacted; each setting a line. `changes`: what differs
    from the earlier attempt at the step. `warnings`: of preflight.
    `is_retry`: the ladder's own repetition, not a person's.
    """

    number: int
    step: str
    digest: str
    job: str
    place: str
    command: str
    begun_at: datetime
    state: AttemptState = AttemptState.INTENDED
    settings: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    is_retry: bool = False
    watch: str = ""
    submitted_at: datetime | None = None
    ended_at: datetime | None = None
    result: StepResult | None = None

    @property
    def has_passed(self) -> bool:
        return self.result is not None and self.result.outcome is StepOutcome.PASSED


@dataclass(frozen=True, slots=True)
class LadderRun:
    """One run of a ladder, over as many calls of the command as it takes.

    `id`: part of the names of its jobs. `values`, `variables`: what a person gave on the command line;
    variables as (step, name, value). Not redacted: they are acted upon.
    """

    id: str
    ladder: str
    file: str
    begun_at: datetime
    about: str = ""
    steps: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str, str], ...] = ()
    ended_at: datetime | None = None  # all steps have passed

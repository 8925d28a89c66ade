"""Evidence, findings, causes: what the facts mean, before anybody judges them over time."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from babysitter.model.ids import RuleId
from babysitter.model.learned_weights import LogReading
from babysitter.model.log import Role


class Cause(StrEnum):
    """The fixed taxonomy: the earliest thing that explains the rest."""

    CODE_ERROR = "code-error"
    CONFIG_ERROR = "config-error"
    MISSING_DEPENDENCY = "missing-dependency"
    BUILD_OR_BUNDLE_FAILURE = "build-or-bundle-failure"
    HOST_OOM = "host-oom"
    DEVICE_OOM = "device-oom"
    DISK_FULL = "disk-full"
    BAD_ACCELERATOR = "bad-accelerator"
    PREEMPTION = "preemption"
    CAPACITY_WAIT = "capacity-wait"
    UNSCHEDULABLE = "unschedulable"
    CONTROLLER_UNREACHABLE = "controller-unreachable"
    AUTH_ERROR = "auth-error"
    ZOMBIE_COORDINATOR = "zombie-coordinator"
    STAGE_STUCK = "stage-stuck"
    STRAGGLERS = "stragglers"
    WORKER_CHURN = "worker-churn"
    DATA_ERROR = "data-error"
    STORAGE_ERROR = "storage-error"
    NETWORK_TIMEOUT = "network-timeout"
    COLLECTIVE_TIMEOUT = "collective-timeout"
    ACTOR_DIED = "actor-died"
    COMPILE_ERROR = "compile-error"
    NUMERICAL_DIVERGENCE = "numerical-divergence"
    SLOW_STARTUP = "slow-startup"
    USER_CANCEL = "user-cancel"
    JOB_GONE = "job-gone"  # the cluster answers and does not know the job any more
    TRANSIENT_NOISE = "transient-noise"
    HEALTHY = "healthy"
    UNKNOWN = "unknown"


class Severity(StrEnum):
    """How much it matters. Ordered: benign < info < degraded < fatal."""

    BENIGN = "benign"
    INFO = "info"
    DEGRADED = "degraded"
    FATAL = "fatal"

    # All four: str has them already, so functools.total_ordering would leave three comparing letters.
    def __lt__(self, other: str) -> bool:
        return _rank(self) < _rank(other)

    def __le__(self, other: str) -> bool:
        return _rank(self) <= _rank(other)

    def __gt__(self, other: str) -> bool:
        return _rank(self) > _rank(other)

    def __ge__(self, other: str) -> bool:
        return _rank(self) >= _rank(other)


def _rank(severity: str) -> int:
    return list(Severity).index(Severity(severity))


class ActionKind(StrEnum):
    """What to do about it, in the words of the taxonomy."""

    IGNORE = "ignore"
    WAIT = "wait"
    ESCALATE = "escalate"
    RESTART = "restart"
    RESTART_WITH_CHANGE = "restart-with-change"

    @property
    def restarts(self) -> bool:
        return self in (ActionKind.RESTART, ActionKind.RESTART_WITH_CHANGE)


class Retry(StrEnum):
    """Whether doing the same thing again can help."""

    HELPS = "helps"
    WITH_CHANGE = "with-change"
    USELESS = "useless"
    ITSELF = "itself"  # the job or the cluster retries by itself
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted fact with its place and time. `text` is as the job printed it; redact before showing."""

    text: str
    source: str  # a task id, "job <id>", "dump of <task>", a file name
    line_number: int | None = None  # 1-based, counted as the finding's position; None = before the first line
    at: datetime | None = None
    role: Role = Role.OTHER
    attempt: int = -1

    def moved(self, lines: int) -> "Evidence":
        """The evidence with its number counted from another line, as `Finding.moved`."""
        if self.line_number is None:
            return self
        number = self.line_number + lines
        return replace(self, line_number=number if number > 0 else None)


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that matched, with its evidence.

    `position`: order within what was read (line offset), smaller = earlier; -1 for facts that are not lines.
    `is_consequence`: such a finding follows from something else and never is a root cause.
    """

    rule: RuleId
    cause: Cause
    severity: Severity
    action: ActionKind
    explanation: str  # captures filled in
    evidence: tuple[Evidence, ...]
    confidence: float = 0.8  # 0..1
    retry: Retry = Retry.UNKNOWN
    count: int = 1
    position: int = -1
    last_position: int = -1
    captures: Mapping[str, str] = field(default_factory=dict)
    is_consequence: bool = False
    look_at: tuple[str, ...] = ()
    advice: str = ""  # what a person should do next, captures filled in
    sets: Mapping[str, str] = field(default_factory=dict)  # what a restart should set, by what is changed
    overcome_by: str = ""  # what came after it and shows that it has no effect any more; "" = nothing

    @property
    def first_at(self) -> datetime | None:
        return min((line.at for line in self.evidence if line.at), default=None)

    def moved(self, lines: int) -> "Finding":
        """The finding with its places counted from a line that stands `lines` before the first one of now.

        One that begins before the new first line begins there; one that ends before it rests on no line.
        """
        if self.position < 0 or not lines:
            return self
        evidence = tuple(line.moved(lines) for line in self.evidence)
        last = max(-1, self.last_position + lines)
        first = -1 if last < 0 else max(0, self.position + lines)
        return replace(self, evidence=evidence, position=first, last_position=last)


STANCE_PREFIX = "stance."  # in `Findings.cancelled`: the lines have this stance and report nothing


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings of one classification, earliest first, and what explains away what."""

    all: tuple[Finding, ...] = ()
    cancelled: tuple[tuple[Finding, RuleId], ...] = ()  # a finding, and the benign rule that explains it
    novel_templates: tuple[Evidence, ...] = ()  # lines unlike anything printed while healthy
    reading: LogReading | None = None  # what the newest lines mean

    @property
    def fatal(self) -> tuple[Finding, ...]:
        """Those that end a job by themselves, consequences left out."""
        return tuple(f for f in self.all if f.severity is Severity.FATAL and not f.is_consequence)

    @property
    def worst(self) -> Severity:
        return max((f.severity for f in self.all), default=Severity.BENIGN)

"""Values for tests, built briefly: a test shows only what matters to it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from babysitter.model.finding import ActionKind, Cause, Evidence, Severity
from babysitter.model.ids import JobId, Person, WatchId
from babysitter.model.incident import Ledger
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.policy import Policy
from babysitter.model.seen import Source, Unseen
from babysitter.model.submission import Submission, SubmissionOrigin
from babysitter.model.verdict import (
    Diagnosis,
    ProgressSummary,
    StageProgressSummary,
    Verdict,
)
from babysitter.model.watch import Watch
from babysitter.policy.policy_input import PolicyInput

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ROOT = JobId("/ada/dedup")
COORDINATOR = JobId("/ada/dedup/zephyr-dedup-0a1b2c3d-p0-a0")
JOB_FOLDER = Path(__file__).parent / "job_folder"
ARGV = (
    "iris",
    "--cluster",
    "marin",
    "job",
    "run",
    "--no-wait",
    "--job-name",
    "dedup",
    "--",
    "python",
    "d.py",
)


# Names that a shell takes apart unless they are quoted.
ODD_JOBS = tuple(
    map(JobId, ("/ada/it's", "/ada/a b", "/ada/$(id)", "/ada/`id`", "/ada/x;y|z", '/ada/"q"', "/ada/*"))
)


def at(seconds: float) -> datetime:
    """`seconds` after noon."""
    return NOON + timedelta(seconds=seconds)


def watch(phase: Phase = Phase.STEADY, **changes: object) -> Watch:
    values: dict[str, object] = {
        "id": WatchId("w-1"),
        "root": ROOT,
        "first_root": ROOT,
        "cluster": "marin",
        "kind": "zephyr",
        "created_at": NOON,
        "due_at": NOON,
        "memory": Memory(phase=phase, phase_since_at=NOON),
        "owner": Person("U-ada"),
    }
    return Watch(**(values | changes))  # type: ignore[arg-type]


def submission(*argv: str) -> Submission:
    return Submission(argv or ARGV, SubmissionOrigin.RESUBMIT_FLAG, workdir=str(JOB_FOLDER))


def diagnosis(
    cause: Cause = Cause.ZOMBIE_COORDINATOR,
    action: ActionKind = ActionKind.RESTART,
    severity: Severity = Severity.FATAL,
    **changes: object,
) -> Diagnosis:
    values: dict[str, object] = {"evidence": (Evidence("the line that proves it", f"{COORDINATOR}/0"),)}
    return Diagnosis(cause, severity, action, f"because of {cause}", **(values | changes))  # type: ignore[arg-type]


def verdict(found: Diagnosis | None = None, phase: Phase | None = None, **changes: object) -> Verdict:
    done = changes.pop("done", 10)
    state = changes.pop("state", JobState.RUNNING)
    values: dict[str, object] = {
        "phase": phase or (Phase.FAILING if found else Phase.STEADY),
        "memory": Memory(),
        "next_check_s": 30.0,
        "outlook": ProgressSummary(
            "", job_state=state, stages=(StageProgressSummary("stage0-Map", done, 100, is_current=True),)
        ),  # type: ignore[arg-type]
        "diagnosis": found,
        "attempt": COORDINATOR,
    }
    return Verdict(**(values | changes))  # type: ignore[arg-type]


def blind_verdict(since: datetime) -> Verdict:
    spot = Unseen(Source.CONTROLLER, "The controller refused the connection.", since)
    return verdict(blind=(spot,), memory=Memory(blind_since={Source.CONTROLLER: since}), phase=Phase.STEADY)


def case(seen: Verdict, ledger: Ledger = Ledger(), *, now: datetime = NOON, **changes: object) -> PolicyInput:  # noqa: B008
    values: dict[str, object] = {"submission": submission(), "policy": Policy(), "watch": watch()}
    return PolicyInput(verdict=seen, ledger=ledger, now=now, **(values | changes))  # type: ignore[arg-type]

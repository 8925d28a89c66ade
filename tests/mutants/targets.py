"""The code that must not be wrong unnoticed, and the tests that have to notice, quickest first."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAFETY = "tests/engine/test_safety.py"
ACT = "tests/engine/test_act.py"


@dataclass(frozen=True)
class Target:
    """A file of the product and the tests that are run against each of its mutants."""

    path: str  # below src/babysitter
    tests: tuple[str, ...]

    @property
    def module(self) -> str:
        return f"babysitter.{self.path.removesuffix('.py').replace('/', '.')}"

    @property
    def file(self) -> Path:
        return ROOT / "src" / "babysitter" / self.path


DECIDE = ("tests/policy",)
RESPOND, RESPOND_EDGES = "tests/policy/test_respond.py", "tests/policy/test_respond_edges.py"
SAGA, NOT_SUBMITTED = "tests/engine/restarting/test_restart_saga.py", "tests/engine/test_not_submitted.py"
BEFORE = "tests/engine/restarting/test_approval_preconditions.py"
APPROVALS, OUTCOME = (
    "tests/usecases/answering/test_approvals.py",
    "tests/engine/restarting/test_restart_outcome.py",
)
DELIVER = ("tests/store/repositories/test_outbox.py", "tests/engine/telling/test_deliver.py")

TARGETS = (
    Target("policy/restart_budget.py", DECIDE),
    Target("policy/respond.py", (RESPOND, RESPOND_EDGES, *DECIDE)),
    Target("policy/build_proposal.py", DECIDE),
    Target("policy/resource_change.py", DECIDE),
    Target("policy/resubmission.py", DECIDE),
    Target("policy/incident_lifecycle.py", DECIDE),
    Target("engine/restarting/restart_saga.py", (SAGA, SAFETY)),
    Target("engine/restarting/submit_step.py", (SAGA, SAFETY)),
    Target(
        "engine/restarting/run_action.py",
        ("tests/engine/restarting/test_run_action.py", NOT_SUBMITTED, SAFETY, ACT),
    ),
    Target("engine/restarting/approval_preconditions.py", (BEFORE, SAFETY)),
    Target("engine/restarting/restart_outcome.py", (OUTCOME, NOT_SUBMITTED)),
    Target("engine/restarting/find_resubmission.py", ("tests/engine/restarting/test_find_resubmission.py",)),
    Target("usecases/answering/approvals.py", (APPROVALS, SAFETY)),
    Target("engine/telling/deliver.py", DELIVER),
    Target("store/repositories/outbox.py", DELIVER),
    Target(
        "store/repositories/action_journal.py",
        ("tests/store/repositories/test_action_journal.py", OUTCOME, SAFETY),
    ),
    Target(
        "store/repositories/leases.py",
        ("tests/store/repositories/test_leases.py", "tests/engine/test_leadership.py", SAFETY),
    ),
    Target(
        "store/repositories/incidents.py", ("tests/store/repositories/test_incidents.py", APPROVALS, OUTCOME)
    ),
)


@dataclass(frozen=True)
class Named:
    """A mutant that once survived: the first match of `pattern` after the text `after` becomes `new`."""

    name: str
    path: str
    after: str
    pattern: str
    new: str


NAMED = (
    Named(
        "no-expiry-check",
        "usecases/answering/approvals.py",
        "async def decide(",
        r"if [^\n]*expires_at:",
        "if False:",
    ),
    Named(
        "submit-before-the-end",
        "engine/restarting/restart_saga.py",
        "def _confirm_terminal(",
        r"if [^\n]*is_terminal:",
        "if True:",
    ),
    Named(
        "foreign-job-adopted",
        "engine/restarting/submit_step.py",
        "def find_ours(",
        r"if [^\n]*not self\._is_ours[^\n]*:",
        "if False:",
    ),
    Named(
        "journal-without-lease",
        "engine/restarting/run_action.py",
        "def _write(",
        r"await [^\n]*must_hold[^\n]*",
        "pass",
    ),
    Named(
        "blind-is-unchanged",
        "engine/restarting/approval_preconditions.py",
        "def what_moved(",
        r"if verdict\.blind:",
        "if False:",
    ),
)

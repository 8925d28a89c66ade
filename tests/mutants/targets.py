"""The code that must not be wrong unnoticed, and the tests that have to notice, quickest first."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAFETY = "tests/service/test_safety.py"
ACT = "tests/service/test_act.py"


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


DECIDE = ("tests/decide",)
SAGA, NOT_SUBMITTED = "tests/service/test_saga.py", "tests/service/test_not_submitted.py"
BEFORE = "tests/service/test_before_act.py"
APPROVALS, OUTCOME = "tests/service/test_approvals.py", "tests/service/test_restart_outcome.py"
DELIVER = ("tests/store/test_outbox.py", "tests/service/test_deliver.py")

TARGETS = (
    Target("decide/restart.py", DECIDE),
    Target("decide/respond.py", DECIDE),
    Target("decide/proposal.py", DECIDE),
    Target("decide/change.py", DECIDE),
    Target("decide/resubmission.py", DECIDE),
    Target("decide/incident.py", DECIDE),
    Target("service/saga.py", (SAGA, SAFETY)),
    Target("service/submit_step.py", (SAGA, SAFETY)),
    Target("service/restarts.py", (SAFETY, NOT_SUBMITTED, ACT)),
    Target("service/before_act.py", (BEFORE, SAFETY)),
    Target("service/restart_outcome.py", (OUTCOME, NOT_SUBMITTED)),
    Target("service/resubmitting.py", ("tests/service/test_resubmitting.py",)),
    Target("service/approvals.py", (APPROVALS, SAFETY)),
    Target("service/deliver.py", DELIVER),
    Target("store/outbox.py", DELIVER),
    Target("store/journal.py", ("tests/store/test_journal.py", OUTCOME, SAFETY)),
    Target("store/leases.py", ("tests/store/test_leases.py", "tests/service/test_replicas.py", SAFETY)),
    Target("store/ledger.py", ("tests/store/test_ledger.py", APPROVALS, OUTCOME)),
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
        "no-expiry-check", "service/approvals.py", "async def decide(", r"if [^\n]*expires_at:", "if False:"
    ),
    Named(
        "submit-before-the-end",
        "service/saga.py",
        "def _confirm_terminal(",
        r"if [^\n]*is_terminal:",
        "if True:",
    ),
    Named(
        "foreign-job-adopted",
        "service/submit_step.py",
        "def find_ours(",
        r"if [^\n]*not was_intended:",
        "if False:",
    ),
    Named(
        "journal-without-lease", "service/restarts.py", "def _write(", r"await [^\n]*must_hold[^\n]*", "pass"
    ),
    Named(
        "blind-is-unchanged", "service/before_act.py", "def what_moved(", r"if verdict\.blind:", "if False:"
    ),
)

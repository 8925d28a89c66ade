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
RESTART = (SAFETY, ACT)
DELIVER = ("tests/store/test_outbox.py", "tests/service/test_deliver.py")

TARGETS = (
    Target("decide/restart.py", DECIDE),
    Target("decide/respond.py", DECIDE),
    Target("decide/proposal.py", DECIDE),
    Target("decide/change.py", DECIDE),
    Target("decide/resubmission.py", DECIDE),
    Target("decide/incident.py", DECIDE),
    Target("service/saga.py", RESTART),
    Target("service/restarts.py", RESTART),
    Target("service/approvals.py", RESTART),
    Target("service/deliver.py", DELIVER),
    Target("store/outbox.py", DELIVER),
    Target("store/journal.py", ("tests/store/test_journal.py", SAFETY, ACT)),
    Target("store/leases.py", ("tests/store/test_leases.py", "tests/service/test_replicas.py", SAFETY)),
    Target("store/ledger.py", ("tests/store/test_ledger.py", SAFETY, ACT)),
)


@dataclass(frozen=True)
class Named:
    """A mutant that once survived, kept by its text."""

    name: str
    path: str
    old: str
    new: str


NAMED = (
    Named(
        "no-expiry-check",
        "service/approvals.py",
        "if proposal.status is ProposalStatus.OPEN and now >= proposal.expires_at:",
        "if False:",
    ),
    Named(
        "submit-before-the-end",
        "service/saga.py",
        "            if found.state.is_terminal:\n                return found.state",
        "            if True:\n                return found.state",
    ),
    Named(
        "foreign-job-adopted",
        "service/saga.py",
        "if existing is not None and not was_intended:",
        "if False:",
    ),
    Named(
        "journal-without-lease",
        "service/restarts.py",
        "await records.leases.must_hold(lease.name, lease.fence)\n            await records.journal.write(",
        "await records.journal.write(",
    ),
    Named(
        "blind-is-unchanged",
        "service/restarts.py",
        "    if verdict.blind:\n        spot = verdict.blind[0]",
        "    if False:\n        spot = verdict.blind[0]",
    ),
)

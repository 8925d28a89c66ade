"""The parts of a running service; `wiring.py` builds them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from babysitter.clock import Clock
from babysitter.config import Settings
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.engine.cluster_pool import ClusterPool
from babysitter.engine.good_run_cache import GoodRunCache
from babysitter.engine.leadership import Leadership
from babysitter.engine.rules.rule_demotions import RuleDemotions
from babysitter.engine.storage_health import StorageHealth
from babysitter.model.ids import Person, WatchId
from babysitter.model.policy import Policy
from babysitter.model.proposal import Surface
from babysitter.notify.notifier import Notifier
from babysitter.playbook.reload import PlaybookSource
from babysitter.shipped import shipped
from babysitter.store.store import Store

# Why this person of this door may not answer any more, given who is asked; "" = nothing speaks against it.
ApprovalCheck = Callable[[Person, Sequence[Person]], Awaitable[str]]


@dataclass(frozen=True)  # no slots: the playbooks are read when first needed
class App:
    """`clock` is the product's time, which may be compressed; `wall_clock` the real one, for what is
    outside.
    """

    settings: Settings
    state_folder: Path
    store: Store
    clock: Clock
    wall_clock: Clock
    clusters: ClusterPool
    leadership: Leadership
    notifiers: Sequence[Notifier]
    policy: Policy
    storage: StorageHealth
    troubles: dict[str, str] = field(default_factory=dict)  # part -> what is wrong with it, while it is
    failures: dict[str, int] = field(default_factory=dict)  # attempts of periodic activities that failed
    sent: dict[str, int] = field(default_factory=dict)  # emergency messages and heartbeats so far
    blind_watches: dict[WatchId, str] = field(
        default_factory=dict
    )  # -> the cluster not seen at the last check
    # Doors that know more of their people than an id: asked again before an approval is acted upon.
    approval_checks: dict[Surface, ApprovalCheck] = field(default_factory=dict)

    @cached_property
    def good_runs(self) -> GoodRunCache:
        """Runs that ended well, for each watched program."""
        return GoodRunCache(self.store)

    @cached_property
    def demotions(self) -> RuleDemotions:
        """Rules that count as hints, because people keep calling them wrong."""
        return RuleDemotions(self.store, self.settings.memory.demote_after)

    @cached_property
    def rules(self) -> PlaybookSource:
        """The playbooks, with what becomes of edits. Raises BadPlaybook."""
        return PlaybookSource([shipped(), *(path.expanduser() for path in self.settings.playbooks)])

    @property
    def playbook(self) -> Playbook:
        """All rules in force. Raises BadPlaybook."""
        return self.rules.playbook

    def notifier(self, name: str) -> Notifier | None:
        """The notifier of this name, when it is configured."""
        return next((candidate for candidate in self.notifiers if candidate.name == name), None)

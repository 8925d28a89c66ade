"""When a restart has worked: the new job ended well, or has lived for a while. Pure."""

from datetime import timedelta

from babysitter.model.phase import Phase
from babysitter.policy.policy_input import PolicyInput


def has_stayed_up(case: PolicyInput) -> bool:
    """Whether a restarted job that looks well is well: many print a line and then fail."""
    restarted = [restart.at for restart in case.ledger.restarts if restart.new == case.watch.root]
    enough = timedelta(seconds=case.watch.limits.plain_smoke_s)
    return case.verdict.phase is Phase.FINISHED or not restarted or case.now - restarted[-1] >= enough

"""May the user submit with this priority? The cluster file lists who may."""

from collections.abc import Iterator

from babysitter.preflight.facts import Known, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.offer import PRIORITIES
from babysitter.preflight.run_command import generation_of, run_command

ID = "priority-not-allowed"


def check_priority(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The priority is one that the cluster grants to the user; who is not listed gets no production.

    April's controllers ask their database instead, and a cluster with logins decides by the login.
    """
    command, offer = run_command(facts), facts.offer
    if command is None or offer is None or generation_of(facts) not in ("may", "august"):
        return
    asked = (command.value("--priority") or "interactive").lower()
    user = facts.user.value if isinstance(facts.user, Known) else facts.claimed_user
    highest = offer.priorities.get(user, offer.default_priority)
    if asked not in PRIORITIES or PRIORITIES.index(asked) >= PRIORITIES.index(highest):
        return
    yield PreflightFinding(
        ID,
        PreflightSeverity.WARN if offer.has_logins or not user else PreflightSeverity.BLOCK,
        f"The cluster {offer.name} grants {user or 'everybody'} at most the priority {highest}, not {asked}.",
        f"Use --priority {highest}, or ask to be listed in the cluster file.",
    )

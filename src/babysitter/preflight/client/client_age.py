"""Does the controller accept a client of this age?"""

from collections.abc import Iterator
from datetime import date, timedelta

from babysitter.preflight.client.client_tables import ClientAge, limits
from babysitter.preflight.facts import NotKnown, RequestFacts, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.unknown import not_checked

ID = "client-too-old"
_FIX = "Upgrade marin-iris on the machine of the service (`uv sync`)."


def check_client_age(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The client has a revision date, at most two weeks old: LaunchJob refuses any other."""
    if facts.request is None:
        return
    revision = facts.request.client_revision
    if facts.fault and not isinstance(revision, NotKnown) and revision.value is None:
        return  # the request cannot even be written without a date, and that is said already
    if isinstance(facts.generation, NotKnown):
        yield not_checked(ID, facts.generation)
        return
    rule = limits().client_age.get(facts.generation.value)
    if rule is not None:
        yield from _judged(facts.request, rule, facts.today)


def _judged(request: RequestFacts, rule: ClientAge, today: date) -> Iterator[PreflightFinding]:
    if isinstance(request.client_revision, NotKnown):
        yield not_checked(ID, request.client_revision)
        return
    revision = request.client_revision.value or rule.undated
    if revision is None:
        return  # this generation lets a client without a date pass
    if rule.measured_from != "today":
        # August counts back from the build of the controller, which does not say it.
        if revision < today - timedelta(days=rule.days):
            reason = f"The iris client is of {revision}; the controller does not say which it still accepts."
            yield not_checked(ID, NotKnown(reason))
        return
    oldest = today - timedelta(days=rule.days)
    if revision < oldest:
        dated = request.client_revision.value is not None
        what = f"The iris client is of {revision}" if dated else "No iris client with a revision date is here"
        reason = f"{what}; the controller accepts clients from {oldest} on."
        yield PreflightFinding(ID, PreflightSeverity.BLOCK, reason, _FIX)

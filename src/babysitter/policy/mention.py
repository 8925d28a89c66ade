"""Whom a message calls by name: the on-call only for what nobody else can mend."""

from dataclasses import dataclass

from babysitter.model.cause_info import about
from babysitter.model.finding import Cause, Severity
from babysitter.model.ids import Person
from babysitter.model.verdict import Diagnosis
from babysitter.model.watch import Watch


@dataclass(frozen=True, slots=True)
class Mention:
    """`people` in the order in which they are asked."""

    people: tuple[Person, ...] = ()
    on_call: bool = False


def whom_to_mention(diagnosis: Diagnosis, watch: Watch, *, asked: tuple[Person, ...] = ()) -> Mention:
    """Whom a message about this trouble of a job calls. `asked`: who may answer the offer in it."""
    owner = (watch.owner,) if watch.owner else ()
    is_urgent = diagnosis.severity is Severity.FATAL or bool(asked)
    if not is_urgent and diagnosis.cause is not Cause.JOB_GONE:
        return Mention()
    is_owners = about(diagnosis.cause).is_owners and bool(owner)
    return Mention(tuple(dict.fromkeys((*asked, *owner))), on_call=not is_owners)

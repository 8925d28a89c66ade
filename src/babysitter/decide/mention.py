"""Whom a message calls by name: the on-call only for what nobody else can mend."""

from dataclasses import dataclass

from babysitter.model.finding import Cause, Severity
from babysitter.model.ids import Person
from babysitter.model.verdict import Diagnosis
from babysitter.model.watch import Watch

# Mended by whoever wrote or submitted the job: its code, data, configuration, size, credentials. What is not
# understood goes to them first too: most such ends are the program's own.
OWNERS_BUSINESS = frozenset(
    {
        Cause.CODE_ERROR,
        Cause.CONFIG_ERROR,
        Cause.DATA_ERROR,
        Cause.MISSING_DEPENDENCY,
        Cause.BUILD_OR_BUNDLE_FAILURE,
        Cause.COMPILE_ERROR,
        Cause.NUMERICAL_DIVERGENCE,
        Cause.HOST_OOM,
        Cause.DEVICE_OOM,
        Cause.DISK_FULL,
        Cause.AUTH_ERROR,
        Cause.UNSCHEDULABLE,
        Cause.USER_CANCEL,
        Cause.JOB_GONE,
        Cause.UNKNOWN,
    }
)


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
    is_owners = diagnosis.cause in OWNERS_BUSINESS and bool(owner)
    return Mention(tuple(dict.fromkeys((*asked, *owner))), on_call=not is_owners)

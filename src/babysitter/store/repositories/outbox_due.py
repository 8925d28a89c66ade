"""Which messages are due, as statements that are asked every second: built once, as building costs most."""

from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import BindParameter, ColumnElement, bindparam, select, union

from babysitter.store.schema.tables import deliveries, edits, messages

MAX_PAUSE = timedelta(minutes=6)  # between two tries; retry_after.py has the longest that is asked for


class DeliveryState(StrEnum):
    WAITING = "waiting"
    CLAIMED = "claimed"  # being posted, or was when the process ended
    DOUBTFUL = "doubtful"  # may have arrived
    DONE = "done"
    DROPPED = "dropped"  # can never arrive, or nobody wants it any more
    DIGESTED = "digested"  # told as part of a digest


UNFINISHED = [DeliveryState.WAITING, DeliveryState.CLAIMED, DeliveryState.DOUBTFUL]

_Moment = datetime | BindParameter[datetime]


def may_be_tried(now: _Moment, far: _Moment) -> ColumnElement[bool]:
    """Its pause is over, or lies so `far` ahead that the clock was set back since it was written down."""
    at = deliveries.c.next_try_at
    return at.is_(None) | (at <= now) | (at > far)


def was_shown_before(moment: _Moment, far: _Moment) -> ColumnElement[bool]:
    """Its last edit is old enough, or was made in what is now the future."""
    return (deliveries.c.shown_at <= moment) | (deliveries.c.shown_at > far)


# Asked every second: built once, because building costs more than the query.
HELD = select(messages.c.body).where(messages.c.hold_until <= bindparam("now")).order_by(messages.c.seq)
WITH_WORK = union(
    select(deliveries.c.notifier).where(
        deliveries.c.state.in_(UNFINISHED),
        deliveries.c.hold_until.is_(None),
        may_be_tried(bindparam("now"), bindparam("far")),
    ),
    select(deliveries.c.notifier)
    .join(edits, edits.c.message == deliveries.c.message)
    .where(
        deliveries.c.state == DeliveryState.DONE,
        deliveries.c.shown_revision < edits.c.revision,
        was_shown_before(bindparam("shown_before"), bindparam("shown_far")),
    ),
)

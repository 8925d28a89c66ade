"""What a watch needs of a person now, and the order that follows from it."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from babysitter.model.phase import Phase
from babysitter.model.watch import Watch

NEEDS = ("answer", "person", "look", "", "ended")  # in the order in which watches are listed


class WithStatus(Protocol):
    """A proposal, as it is shown."""

    @property
    def status(self) -> str: ...


class WithNeeds(Protocol):
    """A watch, as it is shown."""

    @property
    def needs(self) -> str: ...


T = TypeVar("T", bound=WithNeeds)


def need_of(watch: Watch, proposals: Sequence[WithStatus | None]) -> str:
    """One of NEEDS. `proposals`: the newest one of each incident that is shown, None where there is none."""
    if any(proposal is not None and proposal.status in ("open", "snoozed") for proposal in proposals):
        return "answer"
    if watch.stopped_at is not None or watch.phase is Phase.FINISHED:
        return "ended"
    if proposals:
        return "person"
    return "look" if watch.memory.blind_since or watch.memory.gone_since or watch.trouble else ""


def no_restart(watch: Watch, proposals: Sequence[WithStatus | None]) -> str:
    """Why nothing is proposed as of the last check; "" where a proposal waits, or an action is under way."""
    waits = any(proposal is not None and proposal.status in ("open", "snoozed") for proposal in proposals)
    return "" if not proposals or waits or watch.phase is Phase.ACTING else watch.submit_context.not_proposed


def neediest_first(watches: Sequence[T]) -> list[T]:
    """What needs somebody first, ended jobs last; else in the order in which watching began."""
    return sorted(watches, key=lambda t: NEEDS.index(t.needs))

"""A person's answer at a terminal, on its way to the service that decides it."""

from dataclasses import dataclass

from babysitter.model.ids import Person, ProposalId
from babysitter.model.proposal import Answer


@dataclass(frozen=True, slots=True)
class TerminalAnswer:
    """`id` is new for every answer. `snooze_s`: from the moment of the decision on; None = no snooze."""

    id: str
    proposal: ProposalId
    person: Person
    answer: Answer
    snooze_s: float | None = None

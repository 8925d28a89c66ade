"""Where a watch is. Blindness is a flag beside it, not a phase."""

from enum import StrEnum


class Phase(StrEnum):
    PENDING = "pending"  # the job waits for machines
    SMOKE = "smoke"  # just (re)started: does it come up?
    STEADY = "steady"  # healthy
    SUSPECT = "suspect"  # something might be wrong; being examined
    FAILING = "failing"  # confirmed; an incident is open
    ACTING = "acting"  # an approved action runs
    FINISHED = "finished"  # terminal and understood

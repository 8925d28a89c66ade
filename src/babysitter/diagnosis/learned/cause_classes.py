"""The classes under which causes are learned: each its own, but for those that say that nothing is wrong."""

from babysitter.model.finding import Cause

CALM = "calm"  # healthy, and noise: which of them it is depends on lines that had no effect


def class_of(cause: Cause) -> str:
    """The class that a cause is learned under."""
    return CALM if cause in (Cause.HEALTHY, Cause.TRANSIENT_NOISE) else cause.value

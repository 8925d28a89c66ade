"""How likely a difference between two runs is chance: lines such as retries and spills come at random."""

import math

MAX_CHANCE = 1e-4  # of one line; a run has some ten lines that come at random


def chance_of_none(count: int, seen: float, unseen: float) -> float:
    """Chance that a line which came `count` times in `seen` does not come in a further `unseen`.

    `seen` and `unseen`: seconds, or lines. For a line that comes at random at an unknown, constant rate.
    """
    return (seen / (seen + unseen)) ** count if seen > 0 else 1.0


def chance_of_so_few(count: int, seen: float, usual_count: int, usual_seen: float) -> float:
    """Chance of at most `count` lines in `seen`, by the rate of `usual_count` in `usual_seen`.

    Square roots of random counts have nearly the same variance, so their difference is nearly normal. 1 where
    nothing was seen.
    """
    if seen <= 0 or usual_seen <= 0:
        return 1.0
    ratio = seen / usual_seen
    expected = usual_count * ratio
    deviation = 2 * (math.sqrt(expected + 0.375) - math.sqrt(count + 0.375)) / math.sqrt(1 + ratio)
    return 0.5 * math.erfc(deviation / math.sqrt(2))


def longest_silence(count: int, seen: float) -> float:
    """The longest time without a line that came `count` times in `seen` that chance explains.

    In the unit of `seen`. Endless for a line that never came.
    """
    if count <= 0:
        return math.inf
    return seen * (float(MAX_CHANCE ** (-1 / count)) - 1)

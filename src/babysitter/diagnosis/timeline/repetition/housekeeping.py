"""Lines of parts that only live beside the work: samplers, leases, garbage collection, connections.

They go on while the work hangs, at any pace, and their numbers rise or change. A line that names work as
well, such as a step with the memory it took, is none of them.
"""

import re
from collections.abc import Sequence

from babysitter.diagnosis.timeline.counts.work_words import counts_work, words_in

_WORD = re.compile(r"[A-Za-z]+")
_NUMBER = re.compile(r"(?<![A-Za-z])\d")
# Named so, a line is about a part that only lives, whatever it counts.
_ALWAYS = words_in(
    """
    gc garbage evict evicted evicting eviction evictions lease leases hostmon sampler telemetry gauges
    exporter watchdog heartbeat heartbeats keepalive liveness readiness
    """
)
# The same, where the line has a number and nothing in it is work.
_BESIDE_NO_WORK = words_in(
    """
    cpu gpu gpus mem memory rss heap ram hbm swap disk fds load util utilization utilisation temp
    temperature power watts fan clocks tx rx nic net network bandwidth conn conns connection connections
    socket sockets pool cache uptime alive renewed lag backlog depth inflight metrics monitor agent sidecar
    stats status scrape scraped
    """
)


def is_housekeeping(message: str) -> bool:
    """Whether a line is about resources, connections or being alive, and about no work."""
    words = _words(message)
    if any(word in _ALWAYS for word in words):
        return True
    is_measured = any(word in _BESIDE_NO_WORK for word in words) and _NUMBER.search(message) is not None
    return is_measured and not counts_work(words)


def _words(message: str) -> Sequence[str]:
    return [word.lower() for word in _WORD.findall(message)]

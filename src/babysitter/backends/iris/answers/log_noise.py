"""Lines that the cluster's own libraries print over and over, which say nothing about the job."""

import re

_NOISE = re.compile(
    r"Resolving name|Resolved actor|First endpoint for|discover_new|Registering endpoint|ready and listening"
    r"|TaskResources|rigging\.timing .* took|No endpoints found for actor|Found \d+ endpoints? for"
    r"|\bpull_task\b|Started operation|Operation \S+ (?:started|finished)"
    r"|StarletteDeprecationWarning|DeprecationWarning: .*[Ss]tarlette"
)


def is_poll_noise(line: str) -> bool:
    """Whether a line only tells that something was asked again."""
    return bool(_NOISE.search(line))

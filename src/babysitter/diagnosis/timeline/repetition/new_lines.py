"""What a job printed while it was well, and which of its last words are unlike any of that.

When no rule explains an end, the lines that the job had never printed before are the best lead there is.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from babysitter.diagnosis.timeline.repetition.line_templates import learned, novel
from babysitter.model.finding import Evidence
from babysitter.model.log import LogLine
from babysitter.model.memory import Memory

LEARNED_A_CHECK = 40  # lines, spread evenly over those that came: a flood costs no more than a trickle
LOOKED_THROUGH = 400  # newest lines searched for new ones
FEWEST_TEMPLATES = 3  # with fewer known, everything is new and nothing is learned from that


def learn_healthy(memory: Memory, lines: Sequence[LogLine]) -> Memory:
    """The memory with the templates of these lines, which were printed while nothing was wrong."""
    if not lines:
        return memory
    step = max(1, len(lines) // LEARNED_A_CHECK)
    return replace(
        memory, healthy_templates=learned((line.text for line in lines[::step]), memory.healthy_templates)
    )


def new_lines(memory: Memory, lines: Sequence[LogLine]) -> tuple[Evidence, ...]:
    """Lines unlike anything printed while healthy, oldest first, one for each new template.

    Empty while too little is known of the healthy job to call anything new.
    """
    if len(memory.healthy_templates) < FEWEST_TEMPLATES:
        return ()
    first = max(0, len(lines) - LOOKED_THROUGH)
    newest = lines[first:]
    return tuple(
        Evidence(line.text, line.task, first + index + 1, _moment(line), attempt=line.attempt)
        for index in novel([log_line.text for log_line in newest], memory.healthy_templates)
        if (line := newest[index])
    )


def _moment(line: LogLine) -> datetime | None:
    return datetime.fromtimestamp(line.at_ms / 1000, UTC) if line.at_ms else None

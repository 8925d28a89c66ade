"""What a raylet says to every driver of the cluster when it kills workers for memory, and whose these were.

The message names the job of each killed worker, some lines behind its beginning. The summary of a minute
names no job, and is kept.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from babysitter.model.log import LogBatch, LogLine

MAX_LINES = 60  # of one message
_BEGINS = re.compile(r"\(raylet[^)]*\).*(?:memory on the node|running low on memory)", re.IGNORECASE)
_WHOSE = re.compile(r"Selected to kill:.{0,200}?\bjob ID=(?P<job>[0-9a-f]{8})\b")
_OF_A_WORKER = re.compile(r"^(?:\x1b\[\d+m)?\((?!raylet)[^()]*pid=\d+")


def without_others(batch: LogBatch, job_hex: str | None) -> LogBatch:
    """The batch without the deaths of workers of other jobs."""
    dropped: set[int] = set()
    for place, line in enumerate(batch.lines):
        if "Selected to kill:" in line.text or _BEGINS.search(line.text) is not None:
            dropped |= _of_others(batch.lines, place, job_hex)
    if not dropped:
        return batch
    return replace(batch, lines=tuple(line for place, line in enumerate(batch.lines) if place not in dropped))


def _of_others(lines: Sequence[LogLine], begin: int, job_hex: str | None) -> set[int]:
    """Places of the message that begins here, if each of its killed workers is of another job."""
    message, jobs = set(), set()
    for place in range(begin, min(begin + MAX_LINES, len(lines))):
        text = lines[place].text
        if _OF_A_WORKER.match(text) or lines[place].task != lines[begin].task:
            continue
        if place > begin and _BEGINS.search(text) is not None:
            break
        jobs |= {found["job"] for found in _WHOSE.finditer(text)}
        if jobs and _WHOSE.search(text) is None:
            break  # what follows the last of them may be the program's again
        message.add(place)
    return message if jobs and job_hex is not None and job_hex not in jobs else set()

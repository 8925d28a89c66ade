"""Work that began, and behind it only polls of a server's health: lines go on, and nothing is done."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.numbers import read_wording
from babysitter.model.log import LogLine
from babysitter.model.progress import OnlyPolls

MAX_TEXT_CHARACTERS = 300


def fold_polls(
    before: OnlyPolls | None, entries: Sequence[Entry], lines: Sequence[LogLine]
) -> OnlyPolls | None:
    """Return the polls at the end and the line of work before them; None where no work was before them.

    `lines`: the entries as they were read. `before`: what earlier lines of the job ended in.
    """
    polls: list[int] = []
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if is_poll(entry):
            polls.append(index)
        elif entry.message.strip():
            is_start = _is_work(entry.message)
            before = OnlyPolls(_cut(lines[index]), entry.place, _moment(entry)) if is_start else None
            break
    if before is None or not polls:
        return before
    last = entries[polls[0]]
    return replace(
        before,
        polls=before.polls + len(polls),
        last=_cut(lines[polls[0]]),
        last_position=last.place,
        last_at=_moment(last),
    )


def _moment(entry: Entry) -> datetime | None:
    return None if entry.at_s is None else datetime.fromtimestamp(entry.at_s, UTC)


def _cut(line: LogLine) -> LogLine:
    return line._replace(text=line.text[:MAX_TEXT_CHARACTERS])


def is_poll(entry: Entry) -> bool:
    """Whether a line only says that a process lives."""
    return _POLL.search(entry.text) is not None


def _is_work(message: str) -> bool:
    if _NOT_WORK.search(message):
        return False
    wording = read_wording(message)
    return _BEGINS.search(message) is not None or (wording is not None and wording.is_progress)


_POLL = re.compile(
    r"\"(?:GET|HEAD) /(?:[\w./-]{0,40}/)?(?:metrics|health\w*|livez|readyz|ready|ping|status|heartbeat)\b"
    r"[^\"]{0,80}\" 200\b"
    r"|(?i:\b(?:heartbeat|keep-?alive|liveness|health check)\b(?!.*\b(?:fail|miss|lost|timed|late|no)))"
)
_BEGINS = re.compile(
    r"(?i)\b(?:timer|phase|stage|entering|starting|begin\w*|start(?:ed)?)\W.{0,30}"
    r"\b(?:\w+_)?(?:train(?:ing)?|step|epoch|iteration|rollout|update|batch)(?:_step|_actor)?\b"
    r"|\b(?:\w+_)?train(?:_step|_actor)? (?:start|begin)"
)
_NOT_WORK = re.compile(
    r"(?i)\b(?:resum\w*|restor\w*|load\w*|sav\w*|checkpoint\w*|restart\w*|attempt\w*|retr(?:y|ies|ying)"
    r"|errors?|fail\w*|eval\w*|valid\w*|test\w*|compil\w*|complete\w*|finish\w*)(?:\b|_)"
)

"""Work that began, and behind it only polls of a server's health: lines go on, and nothing is done."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from babysitter.diagnosis.timeline.entries import Entry
from babysitter.diagnosis.timeline.numbers import read_wording

MIN_POLLS = 3
MIN_POLLED_S = 5400.0


@dataclass(frozen=True, slots=True)
class OnlyPolls:
    """The last line of work, the newest poll, and the time between them."""

    last_work: Entry
    newest: Entry
    polled_s: float


def find_only_polls(entries: Sequence[Entry]) -> OnlyPolls | None:
    """Return the polls behind which no work was done for 90 min; None where there is work, or was none."""
    told = [entry for entry in entries if entry.message.strip()]
    polls = list(takewhile(is_poll, reversed(told)))
    if len(polls) < MIN_POLLS or len(polls) == len(told):
        return None
    last, newest = told[-len(polls) - 1], told[-1]
    if last.at_s is None or newest.at_s is None or newest.at_s - last.at_s < MIN_POLLED_S:
        return None
    return OnlyPolls(last, newest, newest.at_s - last.at_s) if _is_work(last.message) else None


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

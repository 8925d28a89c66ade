"""Members of a living job that die one after the other while the rest works: worker churn.

One death with work behind it is overcome. Two of the same kind, of different members and some time apart, are
the beginning of a series: the job pays for each.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from babysitter.diagnosis.stance.stance import stance_of
from babysitter.diagnosis.stance.vocabulary import Stance
from babysitter.diagnosis.timeline.entries import Entry

MAX_LINES = 400
MIN_DEATHS = 2
MIN_RESTARTS = 10  # of one member, as its counter says
MIN_APART_S = 30.0  # closer together it is one event that took several
MIN_APART_LINES = 2  # where lines have no time

_MEMBER = re.compile(
    r"(?i)worker|replica|executor|container|task ?manager|nanny|pool ?process|child process|instance"
)
_DEATH = re.compile(
    r"(?i)\b(?P<how>(?:exited|terminated|died|crashed|quit|killed)\b.{0,60}?\b(?:signal|SIG[A-Z]+|non-?zero|"
    r"unexpected\w*|prematurely|(?:exit )?(?:code|status)[ :=]{1,2}[1-9]\d*)|died unexpectedly|"
    r"(?:mark\w*|is|became) (?:(?:as|it|them) ){0,2}(?:unhealthy|dead|lost)|"
    r"lost (?:contact|connection|heartbeat)|failed (?:its )?(?:health|liveness)|"
    r"(?:missed|over|exceeded) (?:\w+ ){0,3}(?:ping|heartbeats?)\b)"
)
_MAY_BE_DEATH = re.compile(r"(?i)exit|terminat|die|kill|crash|quit|unhealthy|dead|lost|failed|ping|heartbeat")
_RESTARTS = re.compile(
    r"(?i)\brestart(?:s|ed|ing)?(?: count(?:er)?)?(?: is)?(?: at)?[ :=(]{1,3}(?P<count>\d{1,6})\b"
    r"(?! ?(?:s|ms|sec|min)\b)"
    r"|CrashLoopBackOff\W{1,4}(?P<loops>\d{1,6})\b"
)
# Taken away, stopped on purpose, or finished: another cause, or none.
_OTHERWISE = re.compile(
    r"(?i)\b(?:preempt\w*|evict\w*|spot|drain\w*|scal(?:e|ed|ing)[- ]?(?:down|in)|shut(?:ting)?[- ]?down|"
    r"requested|cancel\w*|max[-_ ]tasks|recycl\w*|exit code 0)\b"
)
_HOW_WORD = re.compile(r"[a-z]+")


def find_churn(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the lines that report deaths of one kind, oldest first; () if they are not a series."""
    series: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries[-MAX_LINES:]:
        if not _MAY_BE_DEATH.search(entry.message):
            continue
        found = _DEATH.search(entry.message)
        if found is None or not _MEMBER.search(entry.message) or _OTHERWISE.search(entry.message):
            continue
        stance = stance_of(entry.frame, lambda text: _DEATH.search(text) is not None, job_lives=False)
        if stance is Stance.REPORTED:
            word = _HOW_WORD.search(found["how"].lower())
            series[word[0] if word else ""].append(entry)
    for deaths in series.values():
        apart = [deaths[0]] if deaths else []
        for entry in deaths[1:]:
            if _is_apart(apart[-1], entry) and entry.message != apart[-1].message:
                apart.append(entry)
        if len(apart) >= MIN_DEATHS:
            return tuple(apart)
    return ()


def find_restarts(entries: Sequence[Entry]) -> Entry | None:
    """Return the last line whose counter of restarts is high; None if none is."""
    for entry in reversed(entries[-MAX_LINES:]):
        found = _RESTARTS.search(entry.message)
        if found is not None and int(found["count"] or found["loops"]) >= MIN_RESTARTS:
            return entry
    return None


def _is_apart(one: Entry, other: Entry) -> bool:
    if one.at_s is not None and other.at_s is not None:
        return other.at_s - one.at_s >= MIN_APART_S
    return other.place - one.place > MIN_APART_LINES

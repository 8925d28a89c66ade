"""Tries that go up while no work is done, and the item that fails every time."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from babysitter.diagnosis.timeline.counters import Counters
from babysitter.diagnosis.timeline.entries import Entry

MIN_RISE = 3
MIN_TRIES = 10  # so many in all: one more is enough
MIN_FAILURES = 3  # of one item
MIN_SHARE = 0.8  # of all failures that name an item of its kind


@dataclass(frozen=True, slots=True)
class Churn:
    """A count of tries that rises without work between. Places are the first and the last report of it."""

    name: str
    first_place: int
    last_place: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class FailingItem:
    """The thing that fails each time: shard 1, worker w-7, exit code -9."""

    kind: str
    name: str
    failures: int
    places: tuple[int, ...]

    @property
    def label(self) -> str:
        """As a person says it: "shard 1", "exit code -9"."""
        return f"{self.kind} {self.name}"


def find_churn(entries: Sequence[Entry], counters: Counters, *, preemption_count: int = 0) -> Churn | None:
    """Return the count of tries that rises while no work does; None when there is none.

    `preemption_count`: how often the cluster took machines away, where it says so.
    """
    reports: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for entry in entries:
        for name, number in read_tries(entry.message):
            reports[entry.speaker, name].append((entry.place, number))
    for (_, name), told in reports.items():
        rising = _rising(told)
        if len(rising) < 2:
            continue
        (first_place, before), (last_place, after) = rising[0], rising[-1]
        is_many = after - before >= MIN_RISE or (after > before and max(after, preemption_count) >= MIN_TRIES)
        if is_many and not any(rise.place > first_place for rise in counters.rises):
            return Churn(name, first_place, last_place, before, after)
    return None


def read_tries(message: str) -> list[tuple[str, int]]:
    """Return the counts of tries of the job or a task in a message: not retries of one request."""
    if not _TRIES_HINT.search(message) or _OF_A_REQUEST.search(message):
        return []
    return [(kind, int(found[kind])) for found in _TRIES.finditer(message) if (kind := found.lastgroup)]


def find_failing_item(entries: Sequence[Entry]) -> FailingItem | None:
    """Return the item that nearly every failure names; None when failures name different items, or none."""
    by_kind: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for entry in entries:
        if _FAILURE.search(entry.message):
            for kind, name in read_items(entry.text):
                by_kind[kind].append((name, entry.place))
    for kind in _KINDS:
        named = by_kind.get(kind, [])
        counts = Counter(name for name, _ in named)
        if not counts:
            continue
        name, failures = counts.most_common(1)[0]
        if failures >= MIN_FAILURES and failures >= MIN_SHARE * len(named):
            return FailingItem(kind, name, failures, tuple(place for other, place in named if other == name))
    return None


def read_items(message: str) -> list[tuple[str, str]]:
    """Return the things that a message names, as (kind, name)."""
    found = []
    for kind, pattern in _ITEMS.items():
        if match := pattern.search(message):
            found.append((kind, match["name"]))
    return found


def _rising(told: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The newest stretch of reports in which the count does not fall."""
    start = 0
    for index, ((_, before), (_, after)) in enumerate(pairwise(told), start=1):
        if after < before:
            start = index
    return list(told[start:])


_TRIES_HINT = re.compile(
    r"(?i)attempt|restart|generation|preempt|incarnation|\btry\b|num_failures|failure.?count"
)
_TRIES = re.compile(
    r"(?i)\b(?:attempt|try)[ _]?(?:number|no\.?|id)?\s?[#:=]?\s?(?P<attempt>\d{1,5})\b"
    r"|\b(?:re-?starts?|restart[ _]?count|num[ _]restarts|restarted)\s?[#:=(]?\s?(?P<restart>\d{1,5})\b"
    r"(?!\s?(?:s|ms|sec|min)\b)"
    r"|\b(?:generation|incarnation)\s?[#:=]?\s?(?P<generation>\d{1,5})\b"
    r"|\bpreemptions?(?:[ _]?count)?\s?[#:=]?\s?(?P<preemption>\d{1,5})\b"
)
# "attempt 3/5", "retrying in 2 s (attempt 3)": one request is tried again, not the job.
_OF_A_REQUEST = re.compile(
    r"(?i)\battempt \d+\s?(?:/|of)\s?\d+|\bretry(?:ing)? (?:in|after)\b"
    r"|\b(?:HTTP|GET|POST|request|upload|download|rpc)\b"
)
_FAILURE = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s|ing)?|error|exception|died|dead|killed|crash(?:ed|ing)?|lost|aborted|exited"
    r"|exit code|terminated|requeued|evicted|unhealthy)\b"
)
_ITEMS = {
    "shard": re.compile(r"(?i)\bshard[ _]?(?:#|id[ :=])?\s?(?P<name>\d{1,7})\b"),
    "file": re.compile(
        r"(?P<name>(?:[a-z][a-z0-9]{1,6}:/)?/[\w.@%=+-]+(?:/[\w.@%=+-]+)*"
        r"\.(?!py\b)[A-Za-z0-9]{2,8}(?:\.(?:gz|zst|bz2|xz))?)\b"
    ),
    "worker": re.compile(r"(?i)\bworker[ _]?(?:#|id[ :=])?\s?(?P<name>[\w-]*\d[\w-]*)\b"),
    "host": re.compile(
        r"(?i)\b(?:host|node|machine|instance)[ :=]{1,2}(?P<name>[\w.-]*[a-z][\w.-]*\d[\w.-]*)\b"
    ),
    "rank": re.compile(r"(?i)\brank[ :=_]?(?P<name>\d{1,5})\b"),
    "exit code": re.compile(
        r"(?i)\bexit(?:ed)?[ _]?(?:code|status|with|with code|with status)?[ :=]{1,2}"
        r"(?P<name>-?\d{1,3})\b"
    ),
}
_KINDS = tuple(_ITEMS)

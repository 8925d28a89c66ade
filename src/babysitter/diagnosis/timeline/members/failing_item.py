"""The item that fails every time: a shard, a file, a worker, a host, a rank, an exit code."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from babysitter.diagnosis.frame.skeleton import without_digits
from babysitter.diagnosis.timeline.entries import Entry
from babysitter.model.progress import ItemNote

MIN_FAILURES = 3  # of one item
MIN_SHARE = 0.8  # of all failures that name an item of its kind
MAX_NOTES = 32
MAX_CHARACTERS = 400


def fold_items(before: Sequence[ItemNote], entries: Iterable[Entry]) -> tuple[ItemNote, ...]:
    """Return how often failures have named which item after these lines; those named last at the end."""
    notes = {(note.kind, note.name): note for note in before}
    for entry in entries:
        if not _names_failure(without_digits(entry.message[:MAX_CHARACTERS])):
            continue
        for kind, name in read_items(entry.text[:MAX_CHARACTERS]):
            known = notes.pop((kind, name)) if (kind, name) in notes else ItemNote(kind, name)
            notes[kind, name] = replace(known, failures=known.failures + 1)
    return tuple(notes.values())[-MAX_NOTES:]


@lru_cache(maxsize=4096)
def _names_failure(skeleton: str) -> bool:
    return _FAILURE.search(skeleton) is not None


def find_failing_item(notes: Sequence[ItemNote]) -> ItemNote | None:
    """Return the item that nearly every failure names; None when failures name different items, or none."""
    for kind in _KINDS:
        of_kind = [note for note in notes if note.kind == kind]
        worst = max(of_kind, key=lambda note: note.failures, default=None)
        if worst is None or worst.failures < MIN_FAILURES:
            continue
        if worst.failures >= MIN_SHARE * sum(note.failures for note in of_kind):
            return worst
    return None


def read_items(message: str) -> list[tuple[str, str]]:
    """Return the things that a message names, as (kind, name)."""
    found = []
    for kind, pattern in _ITEMS.items():
        if match := pattern.search(message):
            found.append((kind, match["name"]))
    return found


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

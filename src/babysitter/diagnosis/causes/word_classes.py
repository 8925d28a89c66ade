"""The cause that a line names by its words alone: *who* (a disk, a token, a peer) and *what* befell it."""

from dataclasses import dataclass
from functools import lru_cache

from babysitter.diagnosis.causes.vocabulary import CLASSES, ROWS
from babysitter.diagnosis.causes.word_stems import read_stems, stem
from babysitter.model.finding import Cause


@dataclass(frozen=True, slots=True)
class NamedCause:
    cause: Cause
    row: int
    who: str = ""
    what: str = ""


def _phrases():
    table: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, words in CLASSES.items():
        for word in words.split():
            parts = tuple(stem(each) for each in word.split("_"))
            table.setdefault(parts[0], []).append((parts, name))
    return table


_PHRASES = _phrases()


def classes_of(stems: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for index, first in enumerate(stems):
        for parts, name in _PHRASES.get(first, ()):
            if stems[index : index + len(parts)] == parts:
                found.setdefault(name, " ".join(parts))
    return found


@lru_cache(maxsize=4096)
def name_cause(message: str) -> NamedCause | None:
    found = classes_of(read_stems(message))
    for number, row in enumerate(ROWS):
        if row.who in found and (not row.what or row.what in found):
            return NamedCause(row.cause, number, found[row.who], found.get(row.what, ""))
    return None

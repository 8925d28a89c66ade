"""The cause that a line names by its words alone: *who* (a disk, a token, a peer) and *what* befell it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from babysitter.diagnosis.causes.cause_words import CODES_AND_PLACES, ROWS
from babysitter.diagnosis.causes.exception_names import cause_of_exception
from babysitter.diagnosis.causes.word_stems import read_stems
from babysitter.diagnosis.causes.words_alone import ALONE
from babysitter.diagnosis.causes.words_what import WHAT
from babysitter.diagnosis.causes.words_who import WHO
from babysitter.model.finding import Cause

Phrase = tuple[str, ...]
BEHIND_NAMES = next(place for place, row in enumerate(ROWS) if row.is_behind_names)


@dataclass(frozen=True, slots=True)
class NamedCause:
    """A cause that words name. `who` and `what`: the words that decided, for a person; `what` may be ""."""

    cause: Cause
    who: str
    what: str
    is_vague: bool  # the words stand in reports of many causes


@lru_cache(maxsize=4096)
def name_cause(message: str) -> NamedCause | None:
    """The cause that a message names; None if it names none.

    The first row of the vocabulary that holds counts; before rows of common words, the name of an exception.
    """
    found = find_classes(read_stems(message))
    row = next((row for row in ROWS if row.who in found and (not row.what or row.what in found)), None)
    if row is not None and ROWS.index(row) < BEHIND_NAMES:
        return NamedCause(row.cause, found[row.who], found.get(row.what, ""), row.is_vague)
    if (by_name := cause_of_exception(message)) is not None:
        return NamedCause(by_name[0], by_name[1], "", False)
    if row is not None:
        return NamedCause(row.cause, found[row.who], found.get(row.what, ""), row.is_vague)
    return None


def find_classes(stems: Sequence[str]) -> dict[str, str]:
    """Each class of words that occurs, with the first word or phrase of it."""
    found: dict[str, str] = {}
    phrases = _phrases()
    for index, first in enumerate(stems):
        for phrase, name, word in phrases.get(first, ()):
            if name not in found and tuple(stems[index : index + len(phrase)]) == phrase:
                found[name] = shown_word(word)
    return found


@cache
def _phrases() -> dict[str, list[tuple[Phrase, str, str]]]:
    """The words of all classes by their first stem."""
    table: dict[str, list[tuple[Phrase, str, str]]] = {}
    for name, words in (WHO | ALONE | WHAT).items():
        for word in words.split():
            phrase = stems_of(word)
            table.setdefault(phrase[0], []).append((phrase, name, word))
    return table


def shown_word(word: str) -> str:
    """A word of the vocabulary for a person."""
    known = CODES_AND_PLACES.get(word)
    return known or word.removesuffix("exc").replace("_", " ")


def stems_of(word: str) -> Phrase:
    """A word or phrase of the vocabulary as stems."""
    return read_stems(word.replace("_", " "))

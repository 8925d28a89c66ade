"""Log-line templates: what did this job print while it was healthy, and what is new?

Mining after Drain: lines of equal length in words that agree in most of them share a template; words with
digits, paths and quoted texts are wild from the start. Bounded: the least used template goes first.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from babysitter.diagnosis.frame.line import strip_headers

WILD = "<*>"
MAX_TEMPLATES = 256
MAX_WORDS = 24  # of a line; what follows is not compared
MAX_CHARACTERS = 400
ALIKE = 0.6  # part of the words in which a line agrees with its template

_WILD_WORD = re.compile(r"\d|/|::|^[\"'\[{(<].*[\"'\]})>][,.;:]?$|^[0-9a-fA-F-]{8,}$|^[.=*#~+-]{3,}$")


def words_of(text: str) -> tuple[str, ...]:
    """The line's message in words, the changing ones wild; empty for a line that says nothing."""
    words = strip_headers(text[:MAX_CHARACTERS]).split()[:MAX_WORDS]
    return tuple(_masked(word) for word in words)


def _masked(word: str) -> str:
    name, equals, value = word.partition("=")
    if equals and name and not _WILD_WORD.search(name):
        return f"{name}={WILD}" if value else word
    return WILD if _WILD_WORD.search(word) else word


@dataclass(slots=True)
class Templates:
    """Templates with how often each was seen."""

    _groups: dict[tuple[int, str], list[list[str]]] = field(default_factory=dict)
    _seen: dict[int, int] = field(default_factory=dict)  # identity of a template -> times
    _count: int = 0

    def learn(self, text: str) -> None:
        """Take a healthy line into account."""
        words = words_of(text)
        if not words:
            return
        group = self._groups.setdefault((len(words), words[0]), [])
        known = _most_alike(group, words)
        if known is None:
            known = list(words)
            group.append(known)
            self._count += 1
            if self._count > MAX_TEMPLATES:
                self._forget_one(known)
        else:
            known[:] = [mine if mine == other else WILD for mine, other in zip(known, words, strict=True)]
        self._seen[id(known)] = self._seen.get(id(known), 0) + 1

    def knows(self, text: str) -> bool:
        """Whether such a line was printed while healthy."""
        words = words_of(text)
        return not words or _most_alike(self._groups.get((len(words), words[0]), []), words) is not None

    def kept(self) -> tuple[str, ...]:
        """The templates as texts, for a watch's memory."""
        return tuple(" ".join(template) for group in self._groups.values() for template in group)

    @classmethod
    def of(cls, kept: Iterable[str]) -> "Templates":
        """Templates from `kept`."""
        templates = cls()
        for text in kept:
            words = text.split()
            if words:
                templates._groups.setdefault((len(words), words[0]), []).append(words)
                templates._count += 1
        return templates

    def _forget_one(self, fresh: list[str]) -> None:
        least = min(
            (template for group in self._groups.values() for template in group if template is not fresh),
            key=lambda template: self._seen.get(id(template), 0),
        )
        group = self._groups[(len(least), least[0])]
        group[:] = [template for template in group if template is not least]
        self._seen.pop(id(least), None)
        self._count -= 1


def _most_alike(group: Sequence[list[str]], words: Sequence[str]) -> list[str] | None:
    best, best_part = None, 0.0
    for template in group:
        equal = sum(mine in (other, WILD) for mine, other in zip(template, words, strict=True))
        part = equal / len(words)
        if part > best_part:
            best, best_part = template, part
    return best if best_part >= ALIKE else None


def learned(texts: Iterable[str], known: Iterable[str] = ()) -> tuple[str, ...]:
    """The templates of these healthy lines, added to those known before."""
    templates = Templates.of(known)
    for text in texts:
        templates.learn(text)
    return templates.kept()


def novel(texts: Sequence[str], healthy: Iterable[str], at_most: int = 10) -> list[int]:
    """Indices of lines unlike anything printed while healthy, one for each new template."""
    templates = Templates.of(healthy)
    found: list[int] = []
    for index, text in enumerate(texts):
        if len(found) >= at_most:
            break
        if not templates.knows(text):
            found.append(index)
            templates.learn(text)
    return found

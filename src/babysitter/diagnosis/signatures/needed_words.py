"""Words that must occur in a text before a pattern can match; patterns without them are not compiled."""

import re
from collections.abc import Iterator

from babysitter.diagnosis.signatures.regex_tree import RegexNode

MAX_CHOICES = 3  # of one expression; each is a set of words of which one must occur
MAX_WORDS = 24  # of one choice

_WORD = re.compile(r"[a-z]{3,}")
_WORD_OF_TEXT = re.compile(rb"[a-z]{3,}")

Choices = tuple[tuple[bytes, ...], ...]


def needed_words(node: RegexNode) -> Choices:
    """Choices of words (or parts of words) in lower case: a matching line holds one of each choice."""
    choices = sorted(_choices(node), key=_worth, reverse=True)[:MAX_CHOICES]
    return tuple(tuple(word.encode() for word in sorted(choice)) for choice in choices)


def words_of(text: bytes) -> bytes:
    """The different words of a text in lower case, one a line."""
    return b"\n".join(set(_WORD_OF_TEXT.findall(text.lower())))


def has_needed(words: bytes, choices: Choices) -> bool:
    """Whether a text with these words may match."""
    return all(any(word in words for word in choice) for choice in choices)


def _choices(node: RegexNode) -> Iterator[frozenset[str]]:
    if node.low == 0:
        return
    if node.kind == "alternatives":
        best = [max(_choices(branch), key=_worth, default=frozenset()) for branch in node.parts]
        together = frozenset().union(*best)
        if all(best) and len(together) <= MAX_WORDS:
            yield together
        return
    for text in _texts(node):
        yield from (frozenset({word}) for word in _WORD.findall(text))
    for part in node.parts:
        yield from _choices(part)


def _texts(node: RegexNode) -> Iterator[str]:
    """The texts that stand in a sequence outside its groups, each in one piece, in lower case."""
    text = ""
    for part in node.parts:
        if part.kind == "literal" and part.low == part.high == 1:
            text += part.text.lower()
            continue
        yield text
        text = ""
    yield text


def _worth(words: frozenset[str]) -> tuple[int, int]:
    return min(map(len, words), default=0), -len(words)

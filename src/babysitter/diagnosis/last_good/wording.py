"""A line's wording: its words without numbers, ids, hosts, paths and other values."""

import re
from functools import lru_cache

from babysitter.diagnosis.frame.line import strip_headers

WILD = "<*>"  # a value
ANY = "<?>"  # a word or a value: so many lines differ in it
MAX_CHARACTERS = 400
MAX_WORDS = 24  # of a line; what follows is not compared

_JSON_END = re.compile(r'(?<!\\)"(?:\s*[,}].*)?$', re.DOTALL)
_EDGES = "\"'`.,;:!?()[]{}<>|*=#-"
# A word that is a value: it has a digit, is a path, an address, a module, or looks like an id.
_VALUE = re.compile(
    r"\d|[/\\@]|::|\w\.\w+\.\w|^[0-9a-fA-F]{8,}$|^(?:true|false|none|null|nan|inf)$", re.IGNORECASE
)
_DATA = re.compile(
    r"\{[^{}]{0,300}\}|\[[^\[\]]*\d[^\[\]]*\]|(?<!\w)\"[^\"]{1,200}\"|(?<!\w)'[^']{1,200}'(?!\w)"
)
_UNITS = frozenset(
    [
        "b",
        "kb",
        "mb",
        "gb",
        "tb",
        "kib",
        "mib",
        "gib",
        "tib",
        "ms",
        "us",
        "ns",
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "m",
        "min",
        "mins",
        "minute",
        "minutes",
        "h",
        "hour",
        "hours",
        "day",
        "days",
        "%",
    ]
)


@lru_cache(maxsize=16384)
def read_wording(text: str) -> tuple[str, ...]:
    """Return the words of a line's message, values as `<*>`; empty for a line that holds only values."""
    message = strip_headers(text[:MAX_CHARACTERS])
    if text.lstrip()[:1] == "{":
        message = _JSON_END.sub("", message).replace('\\"', '"')
    return _words(_DATA.sub(f" {WILD} ", message)) or _words(message)


def _words(message: str) -> tuple[str, ...]:
    words: list[str] = []
    for raw in message.split()[: 2 * MAX_WORDS]:
        for word in _masked(raw):
            if word != WILD or not words or words[-1] != WILD:
                words.append(word)
    words = words[:MAX_WORDS]
    return tuple(words) if any(_has_letters(word) for word in words) else ()


def _masked(raw: str) -> tuple[str, ...]:
    """A word as it is compared: its value wild, its punctuation gone."""
    if raw == WILD:
        return (WILD,)
    name, mark, value = raw.partition("=")
    if mark and name and value and not _VALUE.search(name):
        return (f"{name.strip(_EDGES)}=", WILD)
    word = raw.strip(_EDGES)
    if not word:
        return ()
    if _VALUE.search(word) or word.lower() in _UNITS:
        return (WILD,)
    return (word,)


def _has_letters(word: str) -> bool:
    return word != WILD and any(character.isalpha() for character in word)

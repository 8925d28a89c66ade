"""Finds texts in base64 that hold a secret: on lines that decode them or that give them to a machine."""

from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import LinearPattern, Span, Text

MAX_WORD = 65_536  # characters
# Decoders; data of a new machine; what `#!/` and `#cloud-config` are in base64.
SIGNS = r"base64|b64decode|frombase64|atob\(|user[_ \-]?data|\biyev|\bi2nsb3vklw"
_LINES = LinearPattern(SIGNS, ignore_case=True)
_WORD = lazy_regex(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{16,{MAX_WORD}}}={{0,2}}(?![A-Za-z0-9+/=])")


def find_in_encoded(text: Text, find: Callable[[Text], Iterator[Span]]) -> Iterator[Span]:
    """Spans of the words that mean a text in which `find` finds something."""
    for start, end in _LINES.lines(text):
        for word in _WORD.finditer(text.text, start, end):
            plain = _decoded(word[0])
            if plain and next(find(Text(plain)), None) is not None:
                yield word.span()


def _decoded(word: str) -> str:
    """The text that the word means; "" when it means none."""
    whole = word.rstrip("=")
    try:
        plain = b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (Error, UnicodeDecodeError):
        return ""
    return plain if plain.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else ""

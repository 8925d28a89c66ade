"""Finds encoded texts that hold a secret: base64 on lines that decode it or give it to a machine.

Where a line says that something is in base64 (`encoding: b64`, `!!binary |`, `$ base64 .env`), the lines
are read too; one text may be wrapped over several of them. The audit of the kernel writes a command line
in hexadecimal digits, with NUL between the words: https://man7.org/linux/man-pages/man8/ausearch.8.html
"""

from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import LinearPattern, Span, Text

MAX_WORD = 65_536  # characters
# Decoders; data of a new machine; what `#!/` and `#cloud-config` are in base64.
SAYS = (
    r"encoding[\"']?(?: ?[:=] ?[\"']?| )(?:b64|base64)|!!binary|\bbase64 (?:-w ?0 |--wrap=?0? )*[a-z0-9_./~]"
)
AUDIT = r"\b(?:proctitle|cmd|data|a[0-9]{1,3})=[0-9a-f]{16}"
SIGNS = rf"{SAYS}|{AUDIT}|base64|b64decode|frombase64|atob\(|user[_ \-]?data|\biyev|\bi2nsb3vklw"
MAX_LINES_BEFORE = 3
MAX_LINES_AFTER = 40
_SAYS = LinearPattern(SAYS, ignore_case=True)
_LINES = LinearPattern(SIGNS, ignore_case=True)
_AUDIT = LinearPattern(AUDIT, ignore_case=True)
_HEX_WORD = lazy_regex(
    rf"\b(?:proctitle|cmd|data|a\d{{1,3}})=((?:[0-9A-Fa-f]{{2}}){{8,{MAX_WORD // 2}}})(?![\w=])"
)
_WORD = lazy_regex(rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{16,{MAX_WORD}}}={{0,2}}(?![A-Za-z0-9+/=])")


# A name stands before the first of them only.
_LINE_OF_WORD = lazy_regex(
    r"(?m)^[ \t]{0,80}(?:- )?(?:[\w\-]{1,40}:[ \t]{1,8})?([A-Za-z0-9+/]{4,400}={0,2})[ \t]{0,8}$"
)


def find_in_encoded(text: Text, find: Callable[[Text], Iterator[Span]]) -> Iterator[Span]:
    """Spans of the words that mean a text in which `find` finds something."""
    for words in (*_words(text), *_wrapped(text)):
        plain = _decoded("".join(text.text[start:end] for start, end in words))
        if plain and next(find(Text(plain)), None) is not None:
            yield from words
    for line in _AUDIT.lines(text):
        for word in _HEX_WORD.finditer(text.text, *line):
            command = bytes.fromhex(word[1]).replace(b"\0", b" ").decode("utf-8", "replace")
            if next(find(Text(command)), None) is not None:
                yield word.span(1)


def _words(text: Text) -> Iterator[list[Span]]:
    """Every word that may be base64, on the lines that say so and on those around them."""
    spans = {
        word.span()
        for lines in (*_LINES.lines(text), *text.once(_neighbours))
        for word in _WORD.finditer(text.text, *lines)
    }
    return ([span] for span in sorted(spans))


def _wrapped(text: Text) -> Iterator[list[Span]]:
    """Words of base64 that stand alone on lines that follow each other, near a line that says so."""
    for lines in text.once(_neighbours):
        words: list[Span] = []
        for line in _LINE_OF_WORD.finditer(text.text, *lines):
            if words and text.text[words[-1][1] : line.start(1)].strip(" \t") != "\n":
                yield words
                words = []
            words.append(line.span(1))
        yield words


def _neighbours(text: Text) -> tuple[Span, ...]:
    """The lines around those that say that something is in base64, none of them twice."""
    spans: list[Span] = []
    done = 0
    for start, _ in _SAYS.lines(text):
        begin = end = start
        for _ in range(MAX_LINES_BEFORE):
            begin = text.text.rfind("\n", 0, max(0, begin - 1)) + 1
        for _ in range(MAX_LINES_AFTER):
            end = text.text.find("\n", end + 1)
            if end < 0:
                end = len(text.text)
                break
        if end > done:
            spans.append((max(begin, done), end))
            done = end
    return tuple(spans)


def _decoded(word: str) -> str:
    """The text that the word means; "" when it means none."""
    whole = word.rstrip("=")
    try:
        plain = b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8")
    except (Error, UnicodeDecodeError):
        return ""
    return plain if plain.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else ""

"""Finds the bytes of a key that are written one by one: `master key: 2e 97 d6 ...`, also as an array of C.

Go, JavaScript and Python print them as numbers: `SigningKey:[99 17 204 ...]`, `Uint8Array(32) [ 99, ... ]`.
A name decides whether they are secret, as those of a public key are not.
"""

from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.text_spans import LinearPattern, Span, Text

MAX_BYTES_LINES = 400  # characters of the bytes, which may go on over some lines
_NOUN = r"(?:key|secret|psk)(?: dump)?(?:\[[0-9]*\])?[\"']?(?: is |\s?[:=]\s*)[{\[]?\s*"
_NAMES = r"(?:key|secret|psk|passw(?:or)?d|passphrase|pass|keypair|key pair|private|hmac|salt|seed)"
_TYPE = r"(?:\[\](?:byte|uint8)|(?:new )?uint8array(?:\([0-9]+\))?|<?buffer|bytearray|bytes|list|array)"
SIGNS = (
    rf"(?:{_NOUN}|\bmk dump:\s*|<buffer )(?:0x)?[0-9a-f]{{2}}[, ]+(?:0x)?[0-9a-f]{{2}}[, ]"
    rf"|{_NAMES}[\"']?[:= ]+(?:{_TYPE}[({{ ]*)?[\[{{(] *[0-9]{{1,3}}(?:[, ]+[0-9]{{1,3}}){{7}}"
)
_SIGNS = LinearPattern(SIGNS, ignore_case=True)
_BYTE = r"(?:0x)?[0-9a-fA-F]{2}"
# https://gitlab.com/cryptsetup/cryptsetup/-/wikis/FrequentlyAskedQuestions: `MK dump:`
_KEY = lazy_regex(
    r"(?<![\w\-])(?i:(?P<name>(?:[a-z]{2,16}[ _\-])?[\w\-]{0,40}(?:key|secret|psk))(?: dump)?|MK dump)"
    r"(?:\[\d{0,4}\])?[\"']?(?: is |\s?[:=]\s{0,8})(?:[{\[]|<Buffer )?\s{0,8}"
    rf"(?P<value>{_BYTE}(?:(?:,\s{{0,24}}|\s{{1,24}}){_BYTE}){{11,127}})\b"
)
_NUMBER = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_LIST = rf"[\[{{(]\s{{0,4}}{_NUMBER}(?:,?\s{{1,8}}{_NUMBER}|,{_NUMBER}){{7,511}}\s{{0,4}}[\]}})]"
_NUMBERS = lazy_regex(
    rf"(?<![\w\-])(?P<name>(?:[A-Za-z]{{2,16}} )?[\w\-]{{0,40}}(?i:{_NAMES}))[\"']?[:= ]{{1,3}}"
    rf"(?i:{_TYPE}[({{ ]{{0,4}})?(?P<value>{_LIST})"
)


def find_key_bytes(text: Text) -> Iterator[Span]:
    """Spans of the bytes behind the name of a key that is not public."""
    for start, end in _SIGNS.lines(text):
        for found in _KEY.finditer(text.text, start, min(len(text.text), end + MAX_BYTES_LINES)):
            if found["name"] is None or judge_name(found["name"]) in (Name.SECRET, Name.PASSWORD):
                yield found.span("value")
        for found in _NUMBERS.finditer(text.text, start, end):
            if _is_of_key(found["name"]):
                yield found.span("value")


def _is_of_key(name: str) -> bool:
    judged = judge_name(name.replace(" ", "_"))
    return judged in (Name.SECRET, Name.PASSWORD) or name.lower().endswith(("keypair", "key pair"))

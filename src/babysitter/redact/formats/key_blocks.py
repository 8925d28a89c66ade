"""Finds private keys: from BEGIN to END on one line or many, behind a log's prefixes, or cut off anywhere."""

import re
from bisect import bisect
from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import PUBLIC_BEGINNINGS, is_plain
from babysitter.redact.text_spans import LinearPattern, Span, Text

MAX_BLOCK_LINES = 400
MAX_SHORT = 4_096  # characters of a text that is quicker to look through than to scan
SHORTEST_LINE = 16  # a shorter one is the last of a key
_SPACE = r"(?:[ +]|%20)"
# https://openvpn.net/community-docs/static-key-mini-howto.html
_STATIC = r"-----{} OpenVPN (?:Static|tls-crypt-v2 (?:client|server)) key(?: V\d)?-----"
_BEGIN = lazy_regex(
    rf"-----BEGIN{_SPACE}(?:[A-Z0-9]+{_SPACE}){{0,4}}(?:PRIVATE{_SPACE}KEY|SECRET{_SPACE}KEY)(?:{_SPACE}BLOCK)?-----"
    rf"|{_STATIC.format('BEGIN')}"
    r"|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-\d:|Private-Lines: \d+|Private-MAC:"
)
_END = lazy_regex(
    rf"-----END{_SPACE}(?:[A-Z0-9]+{_SPACE}){{0,4}}(?:PRIVATE{_SPACE}KEY|SECRET{_SPACE}KEY)(?:{_SPACE}BLOCK)?-----"
    rf"|{_STATIC.format('END')}"
    r"|---- END SSH2 ENCRYPTED PRIVATE KEY ----"
)
# What a key is made of where its line breaks are written out.
_BODY = lazy_regex(r"(?:\\+[nr]|%0[aAdD]|%2[bBfF]|%3[dD]|(?!-----)[A-Za-z0-9+/=: \t,\-])*")
_LONG_WORD = lazy_regex(r"[A-Za-z0-9+/=\\]{16,}")
_BREAK = lazy_regex(r"(?:\\{1,4}[nr]|[ \t]){0,8}")  # between two lines of a key
_LAST_WORD = lazy_regex(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{1,200}(?=(?:\\n)?[\"'`,;+│|\s\\]*$)")
_REST_OF_KEY = lazy_regex(r"[A-Za-z0-9+/=\\n]*$")
_HEAD = lazy_regex(r"(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines|Private-Lines|Hash): ?.*$")
# A line of a key without its beginning: 64, 70 or 76 characters of base64, alone but for a log's prefix.
_LONE = lazy_regex(
    r"(?m)(?:^|(?<=[\s\"'|│])|(?<=^[+\-]))(?=[A-Z0-9+/]{0,75}[a-z])(?=[a-z0-9+/]{0,75}[A-Z])(?=[A-Za-z+/]{0,75}\d)"
    r"(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{75}=|[A-Za-z0-9+/]{76}|[A-Za-z0-9+/]{60,63}={1,2})"
    r"(?=(?:\\n)?[\"'|│,]?[ \t]*$)"
)


# Lines of a key whose line breaks are written out, without its beginning.
_WRITTEN_LINES = lazy_regex(
    r"(?<![A-Za-z0-9+/])(?:(?=[A-Z0-9+/]{0,63}[a-z])(?=[a-z0-9+/]{0,63}[A-Z])(?=[A-Za-z+/]{0,63}\d)"
    r"(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76})(?:\\{1,4}[nr]){1,2}){2,400}[A-Za-z0-9+/]{0,76}={0,2}"
)


# Names of what is written in base64 and no secret: a checksum, an id of an answer.
_LABELLED = lazy_regex(
    r"(?i)(?:x-amz-id-2|host_?id|digest|integrity|checksum|sum|md5|sha\d{0,3}|hash|fingerprint|etag|"
    r"(?:certificate|ca|cert|public-?key)[\w.\-]{0,20})[\"'>]{0,2}\s?[:=]?\s?[\"']?$"
)
_PUBLIC_BLOCK = lazy_regex(
    r"-----BEGIN (CERTIFICATE(?: REQUEST)?|(?:RSA )?PUBLIC KEY|PGP PUBLIC KEY BLOCK)-----\n"
    r"[^\-]{1,40000}-----END \1-----"
)
_LONG_RUN = lazy_regex(r"[A-Za-z0-9+/]{60}")  # of a line of a key whose beginning is not there
_HINTS = ("-----begin", "-----end", "ssh2 enc", "putty", "private-")
_SIGNS = LinearPattern(r"-----BEGIN|-----END|SSH2 ENC|PuTTY|Private-|[A-Za-z0-9+/]{60}")


def find_key_blocks(text: Text) -> Iterator[Span]:
    """Spans of private keys, line by line."""
    if len(text.text) < MAX_SHORT and not text.holds_any(_HINTS) and _LONG_RUN.search(text.text) is None:
        return
    ends: list[Span] | None = None
    at = 0
    for start, end in _SIGNS.lines(text):
        for found in _BEGIN.finditer(text.text, start, end):
            if found.start() >= at:
                if ends is None:
                    ends = [found.span() for found in _END.finditer(text.text)]
                spans, at = _block(text, found, ends)
                yield from spans
        if text.text.find("-----END", start, end) >= 0:
            for found in _END.finditer(text.text, start, end):
                if found.start() >= at and (before := _before_end(text.text, start, found)) is not None:
                    yield before
        yield from (found.span() for found in _LONE.finditer(text.text, start, end) if _is_lone(text, found))
        if text.text.find("\\", start, end) >= 0:
            yield from (found.span() for found in _WRITTEN_LINES.finditer(text.text, start, end))


def _before_end(text: str, line_start: int, end: re.Match[str]) -> Span | None:
    """The words of a key on the line of its END, where its beginning was cut off."""
    first = end.start()
    for word in reversed(list(_LONG_WORD.finditer(text, line_start, end.start()))):
        if _BREAK.fullmatch(text, word.end(), first) is None:
            break
        first = word.start()
    return None if first == end.start() else (first, end.end())


def _is_lone(text: Text, found: re.Match[str]) -> bool:
    """Whether a line of base64 may be of a private key: it is not labelled, and not of a public block."""
    if found[0].startswith(PUBLIC_BEGINNINGS):
        return False
    if _LABELLED.search(text.text, max(0, found.start() - 40), found.start()) is not None:
        return False
    return not is_in_public_block(text, found.start())


def is_in_public_block(text: Text, position: int) -> bool:
    """Whether a place is inside a certificate or a public key."""
    return any(begin < position < end for begin, end in text.once(_public_blocks))


def _public_blocks(text: Text) -> tuple[Span, ...]:
    """From BEGIN to END of certificates and public keys."""
    if "-----BEGIN" not in text.text:
        return ()
    return tuple(found.span() for found in _PUBLIC_BLOCK.finditer(text.text))


def _block(text: Text, begin: re.Match[str], ends: list[Span]) -> tuple[list[Span], int]:
    """The lines of one key and where it ends."""
    line_end = text.line_of(begin.end())[1]
    after = bisect(ends, (begin.end(), 0))
    end = ends[after] if after < len(ends) else None
    if end is not None and end[1] <= line_end:
        return [(begin.start(), end[1])], end[1]
    body = _BODY.match(text.text, begin.end(), line_end)
    stop = body.end() if body else begin.end()
    stop = line_end if stop >= line_end - 4 else _back_to_key(text.text, begin.end(), stop)
    first = (begin.start(), stop)
    if stop < line_end:
        return [first], stop
    spans, at = _lines_after(text.text, line_end, end)
    return [first, *spans], max(at, stop)


def _back_to_key(text: str, start: int, end: int) -> int:
    """A body that was cut off ends with its last long word; what follows may be ordinary log text again."""
    last = start
    for word in _LONG_WORD.finditer(text, start, end):
        last = word.end()
    return last


def _lines_after(text: str, at: int, end: Span | None) -> tuple[list[Span], int]:
    """Key material on the lines below BEGIN: the last word of each, up to END.

    Without an END the key was cut off: it goes on as long as its lines do, and one shorter line.
    """
    spans: list[Span] = []
    for _ in range(MAX_BLOCK_LINES):
        start = at + 1
        if start >= len(text):
            break
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        if end is not None and end[0] < stop:
            rest = _REST_OF_KEY.search(text, start, end[0])
            return [*spans, (rest.start() if rest else end[0], end[1])], end[1]
        word = _LAST_WORD.search(text, start, stop) or _HEAD.search(text, start, stop)
        is_last = end is not None and text.find("\n", stop + 1, end[0]) < 0 and end[0] > stop
        if word is not None and (len(word[0]) >= SHORTEST_LINE or is_last or not is_plain(word[0])):
            spans.append(word.span())
        elif end is None and text[start:stop].strip():
            break
        at = stop
        if end is None and word is not None and len(word[0]) < SHORTEST_LINE:
            break
    return spans, at

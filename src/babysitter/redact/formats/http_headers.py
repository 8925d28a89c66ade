"""Finds what stands in HTTP headers, and behind a scheme of authorisation wherever it stands."""

import re
from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import is_placeholder, is_plain
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

_HEADER = lazy_regex(
    # a client may print the value of the header alone: RFC 7616, section 3.4
    r"(?i)(?:(?<![\w\"'])(?=digest[ \t]+username=)|(?:proxy-|x-)?(?:authorization|authentication)"
    r"(?:[\"'\\]{0,4}[ \t]{0,4}(?::|=>?|%3A)|[\"'\\]{1,4}[ \t]{0,4},)(?:[ \t]|%20|\+){0,4}"
    r"(?:\[\]string\{|\[)?(?:[bru](?=[\"']))?[\"'\\]{0,4})"
    r"((?:bearer|basic|token|apikey|api-key|key|negotiate|ntlm|digest|ssws|snowflake|splunk|genie-?key|aws4-hmac-sha256|"
    r"goog4-rsa-sha256|sharedaccesssignature|sharedkey|hmac-sha256|oauth|bot|jwt|dpop|hawk|macaroon)"
    r"(?:[ \t:]|%20|\+){1,3})?"
)
_LIST = lazy_regex(r"(?i)(?:digest|sha256|signature|sharedkey|oauth|hawk)(?:[ \t:]|%20|\+){1,3}$")
_WORD = lazy_regex(r"(?:[^\s\"'\\,;}\])]|,(?=\S)|[;\])}](?=[A-Za-z0-9+/=]{4})){1,8192}")
_FIELDS = lazy_regex(
    r"(?:[\w\-]{1,40}=(?:\\*\"[^\"\\\n]{0,2000}\\*\"|[^\s,\"'\\]{1,2000}),?[ \t]{0,4}){2,20}"
)
_TO_QUOTE = lazy_regex(r"[^\r\n\"'\\]*")
_TO_LINE_END = lazy_regex(r"[^\r\n\"']*")
_SCHEME = lazy_regex(
    r"(?i)(?<![A-Za-z0-9])(?:bearer|basic|geniekey|ssws)(?:[ \t:=]|%20|\+){1,4}[\"']?"
    r"(?![a-z_]{3,24}=[^=])([\w.~+/=%\-]{6,})"
)
_COOKIE = lazy_regex(
    r"(?i)(?<![\w-])(?:set-)?cookie[\"'\\]{0,4}[ \t]{0,4}(?::|,|=)[ \t]{0,4}"
    r"(?:[bru](?=[\"']))?(\\*[\"']?)(?=[^\s=]{1,256}=)"
)
# Fields of Digest (RFC 7616), AWS4-HMAC-SHA256, Hawk and SharedAccessSignature that are not secret.
_PUBLIC_FIELD = lazy_regex(
    r"(?<![^\s,;&])(?:realm|qop|algorithm|nc|stale|charset|SignedHeaders|ts|se|skn|version|oauth_version"
    r"|oauth_signature_method|oauth_timestamp|uri)="
    r"(?:\\*\"[\w .,:;@/\-]{0,80}\\*\"|[\w.:;\-]{0,200})(?=[\s,&\"'\\]|$)"
    r"|(?<=\w)/\d{8}/[a-z0-9\-]{2,30}/[a-z0-9\-]{2,30}/(?:aws4|goog4)_request(?=[\s,&\"'\\]|$)"
)
# Attributes of a cookie that is set: RFC 6265, section 4.1.1.
_ATTRIBUTE = lazy_regex(
    r"(?i);[ \t]{0,4}(?:path=/[\w./\-]{0,80}|domain=[\w.\-]{1,253}|max-age=-?\d{1,12}|httponly|secure"
    r"|partitioned|samesite=(?:lax|strict|none)|priority=\w{3,6}"
    r"|expires=\w{3,9}, \d\d[ \-]\w{3}[ \-]\d{2,4} [\d:]{8} GMT)"
    r"(?=[ \t]{0,4}(?:[;,\"'\\]|$))"
)
_SEPARATORS = " \t,;&"
# Up to the arrow behind which a log gives the answer.
_COOKIE_VALUE = lazy_regex(
    r"(?:[^\r\n\"'\\ ]|(?<==)\"[^\r\n\"\\]{1,4096}\"(?=;)|\\(?![rn\"'])| (?!(?:→|[\-=]{1,2}>) ))*"
)
# What a person has chosen on a page: `theme=dark`, `lang=de`, `page=3`. No identifier is a short plain word.
_CHOICE = lazy_regex(
    r"(?<![^\s;,])(?!(?i:[\w\-]*(?:token|auth|sess|sid|key|pass|secret|csrf|xsrf|jwt|pin|otp|code)))"
    r"[A-Za-z_][\w\-]{1,30}=(?:[a-z]{2,10}|[a-z]{2}[\-_][A-Z]{2}|\d{1,3})(?=[ \t]{0,4}(?:[;,\"'\\]|$))"
)


_SIGNS = ("authenti", "authoriz", "cookie", "bearer", "basic", "geniekey", "ssws ", "digest username=")
SIGNS = "|".join(_SIGNS)
_WORDS = LinearPattern(SIGNS, ignore_case=True)


def find_in_headers(text: Text) -> Iterator[Span]:
    """Spans of credentials in `Authorization`, `Cookie` and their like."""
    if not text.holds_any(_SIGNS):
        return
    for start, end in _WORDS.lines(text):
        yield from _in_authorization(text.text, start, end)
        yield from _cookies(text.text, start, end)
        for found in _SCHEME.finditer(text.text, start, end):
            if not is_plain(found[1]) and not is_placeholder(found[1]):
                yield found.span(1)


def _in_authorization(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for found in _HEADER.finditer(text, start, end):
        if found.start() >= at:
            at = _header_end(text, found)
            is_list = found[1] is not None and _LIST.search(found[1]) is not None
            if is_list:
                yield from _without(text, found.end(), at, _PUBLIC_FIELD)
            elif at > found.end():
                yield found.end(), at


def _header_end(text: str, found: re.Match[str]) -> int:
    """Where the header's value ends: one word, or for schemes with a list the whole list."""
    start = found.end()
    if text.startswith(REDACTED, start):
        return start
    is_list = found[1] is not None and _LIST.search(found[1]) is not None
    ends = (start, found.start(1))
    is_quoted = any(text[end - 1] in "\"'" for end in ends if end > 0)
    pattern = _TO_LINE_END if is_list else _TO_QUOTE if is_quoted else _WORD
    value = pattern.match(text, start)
    if value is None:
        return start
    fields = _FIELDS.match(text, start) if is_list and not is_quoted else None
    if fields is not None and fields.end() > value.end():
        return fields.end()
    word = value[0]
    if is_placeholder(word) or (found[1] is None and is_plain(word)):
        return start
    return start + len(word.rstrip())


def _cookies(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for found in _COOKIE.finditer(text, start, end):
        if found.start() < at:
            continue
        value = _COOKIE_VALUE.match(text, found.end())
        at = value.end() if value else found.end()
        if at - found.end() >= 4 and not text.startswith(REDACTED, found.end()):
            yield from _without(text, found.end(), at, _ATTRIBUTE if text[found.start()] in "sS" else _CHOICE)


def _without(text: str, start: int, end: int, public: re.Pattern[str]) -> Iterator[Span]:
    """What is left of a value without its fields that are public, and without what is taken out already."""
    fields = [found.span() for found in public.finditer(text, start, end)]
    at = start
    for begin, stop in (*fields, (end, end)):
        rest = text[at:begin]
        left = rest.strip(_SEPARATORS)
        if left.replace(REDACTED, "").strip(_SEPARATORS):
            first = at + len(rest) - len(rest.lstrip(_SEPARATORS))
            yield first, first + len(left)
        at = stop

"""Finds tokens that say themselves what they are: the table of kinds, and random strings behind a word."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.formats.key_blocks import is_in_public_block
from babysitter.redact.kinds.kind import SecretKind
from babysitter.redact.kinds.kinds import KINDS
from babysitter.redact.settings.value_shapes import is_plain, is_public, looks_random
from babysitter.redact.text_spans import LinearPattern, Span, Text, word_set

# A word boundary, also behind `\n`, `%3D` and `\u003d` written out, and behind `_`.
_START = r"(?:\b|_|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\[ux][0-9A-Fa-f]{2,4})"
_LEAD = lazy_regex(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\[ux][0-9A-Fa-f]{2,4}|_)?")
# `acme_live_` and a long random string: how most newer tokens look, whoever issues them.
_UNKNOWN = r"[a-z]{2,12}(?:[_\-][a-z0-9]{1,12}){0,3}[_\-][A-Za-z0-9]{24,}"
_UNKNOWN_TAIL = lazy_regex(r"[A-Za-z0-9]{24,}$")
_HASH = lazy_regex(r"(?:sha\d*|md5|integrity|digest|etag|b2sum|blake\w*|crc\w*)[_\-]", re.IGNORECASE)
_CHECKSUM = lazy_regex(r"(?i)sha-?\d{3}[-:=]$")
LETTERS_PER_WORD = 3.8  # of `AutoModelForCausalLM`
MAX_NAME = 30  # of a class or a function behind `hf_` or `sk-`
# First words of identifiers that are nobody's secret.
_IDS = word_set(
    "ftjob ftevent ftckpt cmpl modr embd vs vsf msgbatch proj "
    "toolu msg req run job task file org ws wrkspc user usr chatcmpl asst thread step resp call evt cus "
    "sub price prod acct txn rlg batch item node pod id obj object shard chunk part artifact model ckpt "
    "checkpoint trace span image img layer blob data tmp cache etag upload worker actor gcs s3 gs "
    "bundle version commit build release revision hash digest checksum sha fingerprint shuffle stage "
    "partition bucket spill block table column row dataset tensor"
)
MAX_MANGLED = 400
_MANGLED = lazy_regex(r"_{1,2}Z(?:N|S|T|K|\d)|_R[NIMXC]")  # the Itanium ABI; Rust's v0
_NOT_A_KEY = lazy_regex(
    r"(?i)(?:commit|sha1?|rev(?:ision)?|digest|hash|checkpoint|artifact|run|version|git)[\s:=\"'@#(/]{0,4}$"
)

_ANYWHERE = tuple(kind for kind in KINDS if not kind.near)
_NEARBY = tuple((kind, LinearPattern(rf"{_START}(?:{kind.expression})")) for kind in KINDS if kind.near)
_BOUNDARY = r"(?:\b|\\[nrtbf]|%[0-9A-Fa-f]{2})"  # as `\b`, also behind a line break written out


def _at_boundary(expression: str) -> str:
    return _BOUNDARY + expression.removeprefix(r"\b") if expression.startswith(r"\b") else expression


_OWN = "|".join(kind.expression for kind in _ANYWHERE if kind.pattern)
_PREFIXED = "|".join(kind.expression for kind in _ANYWHERE if not kind.pattern)
_WRITTEN_PREFIXES = "|".join(kind.first_letters for kind in _ANYWHERE if not kind.pattern)
# A pattern that begins by counting characters gets a scanner of its own. Counters of several alphabets in one
# automaton multiply its states: lines of base64 then cost 2 s/MB, and apart 0.2 s/MB.
_COUNTS = lazy_regex(r"(?:\\b)?\[[^\]]+\]\{\d{2}")
_COUNTING = tuple(kind for kind in _ANYWHERE if kind.pattern and _COUNTS.match(kind.pattern))
_LONG_COUNTS = tuple(kind for kind in _COUNTING if kind.pattern.startswith(r"\b[0-9a-f]{32}"))
_COUNTERS = tuple(
    LinearPattern(_at_boundary(kind.expression)) for kind in _COUNTING if kind not in _LONG_COUNTS
)
# These find nothing in a text without a long run of letters and digits.
_RUNS = (
    *(LinearPattern(_at_boundary(kind.expression)) for kind in _LONG_COUNTS),
    LinearPattern(rf"{_START}{_UNKNOWN}"),
)
_LONG_RUN = lazy_regex(r"[A-Za-z0-9]{24}")
MAX_SHORT = 4_096  # characters; in a longer text most scanners find a reason to run
MAX_COUNTED = 6
_COUNT = lazy_regex(r"\{(\d+)(?:,\d*)?\}")


def _shortened(expression: str) -> str:
    """An expression that finds everything that this one finds, and counts little: its automaton is small."""
    return _COUNT.sub(lambda count: f"{{{min(int(count[1]), MAX_COUNTED)},}}", expression)


_PLAIN = LinearPattern(
    "|".join(_at_boundary(kind.expression) for kind in _ANYWHERE if kind.pattern and kind not in _COUNTING)
)
# First characters alone are a small automaton; with what they count behind them it takes seconds to build.
_FIRST_LETTERS = LinearPattern(rf"{_START}(?:{_WRITTEN_PREFIXES})")
_MAY_HOLD = LinearPattern(
    "|".join(
        [
            rf"{_START}(?:{_WRITTEN_PREFIXES})",
            *(
                _shortened(_at_boundary(kind.expression))
                for kind in _ANYWHERE
                if kind.pattern and kind not in _LONG_COUNTS
            ),
        ]
    )
)
# What goes on behind the documented length: `_`, `-`, or a further part behind a point.
_REST = lazy_regex(
    r"[A-Za-z0-9_\-]*(?:[.=:~!](?=[A-Za-z0-9_\-]{0,40}\d)[A-Za-z0-9_\-]{6,}|(?:…|\.{3})[A-Za-z0-9_\-]{6,})*={0,2}"
)
_KIND_OF = {
    prefix: kind for kind in reversed(_ANYWHERE) if not kind.pattern for prefix in kind.prefixes.split()
}
_PREFIX = lazy_regex("|".join(map(re.escape, sorted(_KIND_OF, key=len, reverse=True))))  # the longest first
# The hosts that addresses of webhooks have.
_HOST = lazy_regex(
    r"(?:https?://)?(?:[a-z0-9\-]{1,63}\.){1,4}(?:com|io|net|org|link|cn|dev|app|de|eu)(?::\d{1,5})?(?:/|%2[fF])"
)
_USER = lazy_regex(r"https?://([0-9a-f]{16,64}(?::[0-9a-f]{16,64})?)@")  # of a DSN of Sentry
_PATH_OF_WORDS = lazy_regex(
    r"(?:[A-Za-z]{1,12}/|v\d{1,2}/|[A-Za-z0-9_\-]{1,16}/(?=messages\?)){0,6}[a-z]{1,12}\?"
)
_ENCODED = lazy_regex(r"%(5[fF]|2[dDeEfF])")
_SECRET_OF_PAIR = lazy_regex(r"[\s:,;|\"'/=]{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])")


def find_tokens(text: Text) -> Iterator[Span]:
    """Spans of tokens, and of the secret key that stands right behind an access key's id."""
    for start, end in chain.from_iterable(_scanned(text)):
        start += _lead(text.text[start : start + 6])
        token = text.text[start:end]
        if token.startswith("MII") and is_in_public_block(text, start):
            continue
        if (
            not is_token(token)
            or _is_mangled(text.text, start)
            or _CHECKSUM.search(text.text, max(0, start - 8), start)
        ):
            continue
        rest = _REST.match(text.text, end)
        end = rest.end() if rest else end
        yield _secret_part(text.text, start, end)
        if token.startswith(("AKIA", "ASIA")) and (found := _SECRET_OF_PAIR.match(text.text, end)):
            yield found.span(1)
    for kind, scanner in _NEARBY:
        if kind.near in text.lower:
            yield from _near(text, kind, scanner)


def _secret_part(text: str, start: int, end: int) -> Span:
    """The token; of an address the user, what stands behind the host, or the query of a path of words."""
    if (user := _USER.match(text, start, end)) is not None:
        return user.span(1)
    host = _HOST.match(text, start, end)
    if host is None:
        return start, end
    query = _PATH_OF_WORDS.match(text, host.end(), end)
    return (host if query is None else query).end(), end


def _scanned(text: Text) -> Iterator[Iterator[Span]]:
    """What every scanner finds that can find anything: in most lines none can."""
    is_long = len(text.text) > MAX_SHORT
    if is_long or _MAY_HOLD.found_in(text):
        yield _prefixed(text)
        yield _PLAIN.spans(text)
        yield from (scanner.spans(text) for scanner in _COUNTERS)
    if is_long or _LONG_RUN.search(text.text) is not None:
        yield from (scanner.spans(text) for scanner in _RUNS)


def _prefixed(text: Text) -> Iterator[Span]:
    """Spans that begin with the first characters of a kind, leftmost first, without overlap."""
    at = 0
    while (start := _FIRST_LETTERS.first(text, at)) is not None:
        found = _prefixed_pattern().match(text.text, start)
        if found is not None:
            yield found.span()
        at = start + 1 if found is None else found.end()


@cache
def _own_pattern() -> re.Pattern[str]:
    return re.compile(_OWN)


@cache
def _prefixed_pattern() -> re.Pattern[str]:
    return re.compile(rf"{_START}(?:{_PREFIXED})", re.ASCII)


def is_token(found: str) -> bool:
    """Whether what the scanner found is a token, rather than a word that begins like one."""
    if is_public(found):
        return False
    if _own_pattern().match(found):
        return True
    token = _ENCODED.sub(lambda code: chr(int(code[1], 16)), found)
    known = _PREFIX.match(token)
    if known is None:
        tail = _UNKNOWN_TAIL.search(token)
        if tail is None or _HASH.match(token) or re.split("[_-]", token, maxsplit=1)[0] in _IDS:
            return False
        return looks_random(tail[0], least=24)
    body = token[known.end() :]
    if _KIND_OF[known[0]].is_short:
        return (looks_random(body, least=8, hex_too=True) or _is_mix(body)) and not (
            is_plain(body, letters_per_word=LETTERS_PER_WORD) and len(body) < MAX_NAME
        )
    return not (is_plain(body) and len(body) < MAX_NAME and (body.islower() or body.istitle()))


def _is_mangled(text: str, at: int) -> bool:
    """Whether a place is inside a name that a compiler of C++ or Rust has mangled: `_ZN2at6native...`."""
    begin = at
    while begin > max(0, at - MAX_MANGLED) and (text[begin - 1].isalnum() or text[begin - 1] in "_$."):
        begin -= 1
    return _MANGLED.match(text, begin) is not None


def _is_mix(body: str) -> bool:
    """Letters of both cases and digits in one piece, or more than any word has, are not a word."""
    if not body.isalnum():
        return False
    if len(body) >= MAX_NAME:
        return True
    has_digit, has_both_cases = any(map(str.isdigit, body)), not (body.islower() or body.isupper())
    return (has_digit and has_both_cases) or (len(body) >= 20 and (has_digit or has_both_cases))


def _lead(beginning: str) -> int:
    found = _LEAD.match(beginning)
    return found.end() if found else 0


def _near(text: Text, kind: SecretKind, scanner: LinearPattern) -> Iterator[Span]:
    for start, end in scanner.spans(text):
        start += _lead(text.text[start : start + 6])
        line = text.line_of(start)
        if kind.near not in text.lower[line[0] : line[1]]:
            continue
        token = text.text[start:end]
        if kind.is_short and not looks_random(token.replace(".", ""), least=12):
            continue
        if not _NOT_A_KEY.search(text.text[max(line[0], start - 24) : start]):
            yield start, end

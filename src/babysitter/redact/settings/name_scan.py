"""Finds names of settings that hold a word of a secret, and skips those behind which no value can stand.

Names stand in runs of letters, digits, `_`, `.` and `-`. A text that is made of names costs one step of a
dictionary for each; where they are rare, the linear scanner skips what lies between.
"""

from collections.abc import Iterator
from functools import lru_cache

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.settings.secret_verdict import is_secret
from babysitter.redact.text_spans import LinearPattern, Span, Text

NAME_WORDS = (
    r"(?:pass?w|passo(?:rd|wr)|passphrase|passcode|passwort|kennwort|contrase|senha|motdepasse|pwd|mnemonic|secret|token|"
    r"cred|key|auth|sig|jwt|cookie|sas|pat\b|otp|mfa|sess|sid\b|bearer|pass\b|pw\b|csrf|xsrf|dsn|"
    r"kubeconf|conn|nonce|salt|hmac|webhook|psk\b|"
    r"(?:recovery|backup|verif|device|activa|enrol|pairing|invit|claim|redeem|unlock|access|login|join|linking"
    r"|registra)[a-z]{0,6}[_.\-]?code|"
    r"(?:wallet|recovery|nkey)[_.\-]?(?:seed|phrase)|(?:seed|pass)[_.\-]?phrase|rootpw|bindpw|"
    r"(?:admin|user|card|sim|yubikey|access|unlock|hsm|piv|seal|wallet|login)[_.\-]?pin\b|(?:\b|_)pin\b|"
    r"[a-z]_api\b|(?:datadog|\bdd)_app\b|(?:\b|_)access\b|(?:\b|_)[sa]k\b|ticket|(?:\b|_)tkt\b|(?:\b|_)un(?:lock|seal)\b|"
    r"pepper\b|macaroon)"
)
MAX_RUNS_WITHOUT_NAME = 16  # then the linear scanner is quicker
MAX_KNOWN_RUN = 128  # characters
_HINT = LinearPattern(NAME_WORDS, ignore_case=True)
_WORD = lazy_regex(NAME_WORDS)  # in lower case: ignoring case costs four times as much
_RUN = lazy_regex(r"[A-Za-z0-9_.\-]+")
_DIGITS = frozenset("0123456789")
_RUN_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
# What may stand between a name and its value begins with one of these.
_SIGNS = frozenset("\\\"'`’”»])[ \t=-:→?+%&>│┃║|╎▏<,(：＝*;")
_ALGORITHMS = ("rsa", "dsa", "ecdsa", "ed25519", "pgp", "gpg")
_OPENING = "\"'`([{"
_NAMED_BY = ("name", "key", "variable", "field", "var", "env", "header", "property", "setting", "parameter")
_BEFORE = frozenset("\"'\\ \t")
_SIGNS_BEFORE = frozenset(":=>\"'\\ \t/")
_PATH_BEFORE = lazy_regex(r"[\w.\-/]{1,64}$")
_WORD_BEHIND = lazy_regex(r"(?: {1,8}|\t)(-{0,2}[A-Za-z][A-Za-z_\-]{0,60})(?=[ \t\n]|$)")
_WORD_ASSIGNED = lazy_regex(r"[=:] ?([A-Za-z][A-Za-z_]{0,60})(?=[.,;:]?(?: (?![=|\[])|\n|$))")
# An empty setting, and one whose value is taken out already.
_NOTHING_BEHIND = lazy_regex(
    r"[=:](?:\n[ \t]{0,40}(?![ \t\"'\\])|$)|[\"']?[ \t]?[=:][ \t]?[\"']?\[redacted\]"
)
_OF_CACHE = lazy_regex(r"(?i)\bcached? (?:[a-z]{2,12},? ){1,3}$")  # `cache restored from key:`
_LINKS = frozenset(
    "is was used provided given value set of to as equals reads now called with for resolved".split()  # noqa: SIM905
)


def find_names(text: Text) -> tuple[Span, ...]:
    """Spans of the runs that hold a word of a secret, in order; scanned once for each text."""
    return text.once(_scan)


def lines_with_names(text: Text) -> Iterator[Span]:
    """The lines in which a name stands, each once, without their newlines."""
    return text.lines_of(find_names(text))


def _scan(text: Text) -> tuple[Span, ...]:
    plain, found, at = text.text, [], 0
    while (hint := _HINT.first(text, at)) is not None:
        start = hint
        while start > at and plain[start - 1] in _RUN_LETTERS:
            start -= 1
        idle = 0
        for run in _RUN.finditer(plain, start):
            name = run[0]
            is_number = name[0] in _DIGITS and name.upper() == name.lower()  # a time, an address, a count
            is_name = not is_number and (
                _is_known_name(name) if len(name) <= MAX_KNOWN_RUN else _WORD.search(name.lower())
            )
            if is_name:
                found.append(run.span())
                idle = 0
            elif (idle := idle + 1) > MAX_RUNS_WITHOUT_NAME:
                at = run.end()
                break
        else:
            break
    return tuple(found)


@lru_cache(maxsize=16_384)
def _is_known_name(run: str) -> bool:
    return _WORD.search(run.lower()) is not None


def may_have_value(text: str, start: int, end: int) -> bool:
    """Whether something may stand behind the name (or before it) that is its value: False is certain."""
    if text[end - 1] in ".-":
        return True
    sign = text[end : end + 1]
    if sign == "," and text[start - 1 : start] not in ("", "\n", "{"):
        sign = ""  # a list; a line that begins so is a row of a table
    if sign in _SIGNS and _NOTHING_BEHIND.match(text, end) is None and not _is_word_behind(text, start, end):
        return True
    return _may_be_named_by(text, start)


def _is_word_behind(text: str, start: int, end: int) -> bool:
    """Whether a word of a sentence stands behind it, and nothing that could be a value."""
    if (word := _WORD_BEHIND.match(text, end)) is not None:
        if text[start] == "-" and word[1][:2] != "--":
            return False  # the value of an option
        return _is_harmless(word[1])
    word = _WORD_ASSIGNED.match(text, end)
    return word is not None and _is_never_secret(word[1])


def is_named_by(text: str, start: int) -> bool:
    """Whether the name is itself the value of `name:`, as in a list of environment variables."""
    before = text[max(0, start - 24) : start]
    if before.endswith("/"):  # `"Name": "/prod/db/password"`
        before = _PATH_BEFORE.sub("", text[max(0, start - 80) : start])
    before = before.rstrip("\"'\\ \t")
    return before[-1:] in (":", "=", ">") and before[:-1].rstrip("\"'\\ \t").lower().endswith(_NAMED_BY)


def _may_be_named_by(text: str, start: int) -> bool:
    before = text[start - 1 : start]
    if before not in _SIGNS_BEFORE or start == 0:
        return False
    if before == " " and text[start - 2 : start - 1] not in _SIGNS_BEFORE:
        return False
    return is_named_by(text, start)


def with_earlier_word(text: str, start: int, name: str, judged: Name) -> Name:
    """How secret a name is together with the words before it: `api key` is two words in a sentence."""
    if text[start - 1 : start] not in (" ", "\t"):
        return judged
    line = max(text.rfind("\n", 0, start) + 1, start - 40)
    if (
        judged is Name.POSSIBLE
        and "ache" in text[line:start]
        and _OF_CACHE.search(text, line, start) is not None
    ):
        return Name.INNOCENT
    earlier = [word.lstrip(_OPENING) for word in text[line:start].lower().split()[-2:]]
    return _of_words(earlier[0] if len(earlier) > 1 else "", earlier[-1] if earlier else "", name, judged)


@lru_cache(maxsize=16_384)
def _of_words(first: str, second: str, name: str, judged: Name) -> Name:
    if second in _ALGORITHMS:
        return judged  # `using RSA key 97AE9DC3...`: the number of a public key
    whole = judge_name(f"{second}_{name}") if second.isalpha() else judged
    if whole is Name.POSSIBLE and first.isalpha():
        whole = judge_name(f"{first}_{second}_{name}")
    if whole is Name.INNOCENT and judged is Name.POSSIBLE:
        return whole  # `cache key`
    return whole if whole in (Name.SECRET, Name.PASSWORD, Name.PROBABLE) else judged


@lru_cache(maxsize=16_384)
def _is_harmless(word: str) -> bool:
    """Whether this word in a sentence is not the value of the name before it, however secret that is."""
    strengths = (Name.LIKELY_PASSWORD, Name.PROBABLE, Name.POSSIBLE)
    return word not in _LINKS and not any(is_secret(word, strength) for strength in strengths)


@lru_cache(maxsize=16_384)
def _is_never_secret(word: str) -> bool:
    """Whether this word is not a value even behind `password:`: the name of a secret, or a placeholder."""
    return not any(is_secret(word, name) for name in Name)

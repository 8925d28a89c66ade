"""What a value looks like: a placeholder, a word, code, a path, a number, or a random string."""

import re
from functools import lru_cache
from itertools import pairwise

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.text_spans import word_set

SHORTEST_WORDS = 2.6  # letters on average; a random string changes its case more often than that
LETTERS_PER_PIECE = 2.6  # on average, at most, of a random string of both cases
MAX_WORD = 24
LONG = 32  # characters of a random string in which a run of small letters may read like a word
WORDS_BY_CHANCE = 0.25  # such letters of all, at most
MAX_PLACEHOLDER = 200

# How every RSA and P-256 public key begins (RFC 5280: the algorithm's identifier), and, encoded once more,
# the PEM block of a certificate and of a public key.
PUBLIC_BEGINNINGS = (
    "MIIBIjANBgkqhkiG9w0BAQEFAAOC",
    "MIICIjANBgkqhkiG9w0BAQEFAAOC",
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0D",
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR",
    "LS0tLS1CRUdJTiBQVUJMSUMgS0VZ",
)
# `PRIVATE KEY` in base64, at each of the three places in a group of three bytes.
_PRIVATE_KEY_ENCODED = ("UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW")
_PLACEHOLDER_WORDS = word_set(
    "none null nil true false unset empty missing required optional invalid valid expired revoked "
    "undefined unknown default yes no not is was has and or the a an to for in of on at from by with as "
    "str string bytes int bool float any object self ok okay denied refused rejected accepted failed "
    "failure error present absent loaded found enabled disabled changed incorrect wrong mismatch hidden "
    "masked redacted secret it its this that be if we you when while can cannot must should may will "
    "does did do are were which what there option options value n/a tbd todo authentication basic "
    "bearer digest oauth oauth2 anonymous auto env stdin file keyring changeme example inherit text "
    "off integer filename amd64 arm64 armhf i386 key keys include omit"
)
_WORDS_OF_SENTENCES = _PLACEHOLDER_WORDS | word_set(
    "your our their enter set new one use used uses using same more than only here see ask please again "
    "stored kept also any all left after before between under over would could been have just must contain "
    "contains match matches"
)
_PLACEHOLDER = lazy_regex(
    r"(?i)(?:[a-z]{1,2}|[*•.#xX_-]{3,}|\W{1,3}|<[^>]*>?|\[redacted\].*|\[(?:redacted|filtered|masked|hidden|removed)|[\[{(]+"
    r"|\$\{?\w+(?::-)?\}?|\$\{\w+:?\?.*|\$\{\{.*|\$\(.*"
    r"|\{\{?\s?[\w.]*(?:![rsa])?\s?\}?\}?|%\(\w+\)[sd]|%[sd]|%\w{1,40}%|your[-_ ].*"
    r"|my[-_](?:token|key|secret)"
    r"|-?\d{1,3}|0x[0-9a-f]{1,4})[.,:;!?)\]}'\"]{0,3}$"
)
_NUMBER = lazy_regex(r"[-+]?[\d,_]*\.?\d+(?:e[-+]?\d+)?(?:%|[a-zA-Z]{1,3}(?:/s)?)?$")
_ADDRESS = lazy_regex(r"\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?$")
_VERSION = lazy_regex(r"\d{1,4}(?:\.\d{1,4}){2}(?:\.?(?:a|b|rc|dev|post)\d{1,4})?(?:\+\w{1,12})?$")
_PAIR = r"[A-Za-z][\w ]{1,40}=(?:&\w{2,5};|[^;\n]){0,400}"
_SETTINGS = lazy_regex(rf"{_PAIR}(?:;{_PAIR}){{1,30}};?$")
_UUID = lazy_regex(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_HEX = lazy_regex(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$")
_DATE = lazy_regex(r"\d{4}-?\d\d-?\d\d(?:[T _-]?\d\d[:-]?\d\d[\d:.,+\-TZ ]*(?:UTC)?)?$")
_MASKED = lazy_regex(r"\*{3,}|\.{3,}$|…|•{3,}|x{6,}|X{6,}")
_SHOWN = lazy_regex(r"(?=[A-Za-z]*\d|[A-Z]*[a-z]+[A-Z])[A-Za-z0-9]{9,}")  # of a masked value
_PATH = lazy_regex(
    r"(?:~|\.{1,2}|[a-z][a-z0-9+]{1,5}:/|[A-Za-z]:)?[/\\][\w.@{}$<>*\- ]*(?:[/\\][\w.@{}$<>*=\- ]*)*$"
    r"|projects/[\w.\-]+(?:/[\w.\-]+)+$|(?:[a-z][a-z_\-]{1,30}/){2,8}[a-z0-9_.\-]{0,40}$"
)
_BYTES = lazy_regex(r"(?:\\{1,4}x[0-9a-f]{2}|[^\\]){0,8}\\{1,4}x[0-9a-f]{2}")  # of a bytes literal
_PASSPHRASE = lazy_regex(r"[a-z]{3,10}([-.])(?:[a-z]{3,10}\1){2,10}[a-z]{3,10}$")
_SPOKEN = lazy_regex(r"[a-z]{3,10}(?: [a-z]{3,10}){3,23}$")
_GROUPS = lazy_regex(r"(?:[A-Z0-9]{4,8}-){3,9}[A-Z0-9]{4,8}$")  # of a licence's key
_MIXED_GROUP = lazy_regex(r"[A-Z]\d|\d[A-Z]")
# Letters and a digit, and a sign that names do not have, or a digit beside a letter of a long enough word.
_CHOSEN = lazy_regex(
    r"(?=[^A-Za-z]{0,128}[A-Za-z])(?=[^\d]{0,128}\d)"
    r"(?=[^!#$%&*+?^~|]{0,128}[!#$%&*+?^~|]|[^@]{0,128}@[^.]{0,128}$|[^ ]{7,})[^\s<>]+$"
)
_SIGNED = lazy_regex(r"(?=[^a-z]{0,128}[a-z])(?=[^\d]{0,128}\d)[^\s<>=|{}/]{0,128}[!#$%&*+?^~@]")
# What stands in sentences about passwords, and names of machines, files and versions.
_TECHNICAL = lazy_regex(
    r"(?i)[a-z][a-z0-9+]{1,20}://|[\w.+\-]+@[\w\-]+\.[\w.\-]+$"
    r"|(?:md|sha|aes|utf|base|rfc|pbkdf|bcrypt|scrypt|argon|hs|rs|es|ed|x|v|ntlm|tls|ssl|oauth|py|python|cp|iso|win)"
    r"-?\d[\w.\-]*$|(?-i:\d[\d.,]*[-.]?(?:[a-z%]{1,12}|[A-Z]{1,4}|[A-Z]?[a-z]{1,9}|[kKMGTP]i?[A-Z][a-z]{0,2})(?:[-/]\w+)*$)|[a-z][\w.]*-v\d{1,3}$|[a-z]+-\d+(?:\.\d+)+[\w\-]*$"
    r"|(?-i:[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{1,4}|[A-Z]+[-_]?\d{1,4}|[A-Z][a-z]+[-_]?\d{1,3})$"
    r"|(?-i:[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?:\.[a-z][a-z0-9\-]*)+(?::\d+)?$"
    r"|[A-Z][A-Z0-9]*(?:[-_][A-Z0-9]+)*(?:\.[A-Z][A-Z0-9\-]*)+$)|[\d.:TZ+\-/]+$"
)
_OTHER_WORD = lazy_regex(r"[^\W\d_]{2,24}[,.;:!?，。！？]?$")
_UNSPEAKABLE = lazy_regex(r"[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{5}")
_WORDS = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PIECES = lazy_regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DIGIT = lazy_regex(r"\d")
_VOWEL = lazy_regex(r"[aeiouAEIOU]")
_SEGMENT = lazy_regex(r"[A-Za-z0-9]+")
_HEADS = (
    "self cls os sys config cfg conf settings args opt opts option options flag flags param params "
    "kwargs env environ secrets request response ctx context state client session this data value "
    "values var vars local module job user auth cred creds credentials token tokens key keys password"
).replace(" ", "|")
_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
_CODE = lazy_regex(
    rf"(?:{_HEADS})(?:\.[A-Za-z_]\w*)+(?:\W.*)?$"
    rf"|(?:await |not |f?lambda |new )?{_NAME}(?:\(\)|[(\[](?![A-Za-z0-9]{{12}}).*[)\]}}])"
    r"[,;:)\]}]{0,4}\s*(?:#.*)?$"
    r"|[A-Za-z_][\w.]{0,80}[(\[{]\s*$"
    r"|(?:Optional|Union|Annotated|List|Dict|Tuple|Literal|Any|Callable|Secret\w{0,8}|TypeAlias|Sequence)\b.*$"
    r"|[\w.]+\s?\|\s?None"
)


def is_placeholder(value: str) -> bool:
    """Whether it stands for a value: `None`, `***`, `<your token>`, `${TOKEN}`, a small number."""
    return len(value) < MAX_PLACEHOLDER and _stands_for_value(value)


@lru_cache(maxsize=4096)
def _stands_for_value(value: str) -> bool:
    word = value.rstrip(".,:;!?)]}'\"").lower()
    if value[:1] == "<" and value[-1:] == ">" and _is_held(value[1:-1]):
        return " " in value
    return word in _PLACEHOLDER_WORDS or bool(_PLACEHOLDER.match(value)) or _is_masked(value)


def _is_held(value: str) -> bool:
    """Whether what stands in angle brackets is a value itself, and no word that says which one."""
    return looks_random(value, least=16, hex_too=True) or (
        _SIGNED.match(value) is not None and is_chosen(value)
    )


def _is_masked(value: str) -> bool:
    """`sk-...Ab3d` shows too little to be of use; `a1b2c3d4e5f6…9f8e7d6c5b4a` shows most of it."""
    parts = _MASKED.split(value)
    return len(parts) > 1 and not any(_SHOWN.search(part) for part in parts)


def is_public(value: str) -> bool:
    """Whether it is base64 of a certificate or a public key, and of nothing else."""
    return value.startswith(PUBLIC_BEGINNINGS) and not any(key in value for key in _PRIVATE_KEY_ENCODED)


def is_number(value: str) -> bool:
    """A count, a measure, a date, an IPv4 address, a version."""
    if len(value) >= 40:
        return False
    if _NUMBER.match(value) is not None or _DATE.match(value) is not None:
        return True
    return value[:1].isdigit() and (_ADDRESS.match(value) is not None or _VERSION.match(value) is not None)


def is_uuid(value: str) -> bool:
    return len(value) == 36 and _UUID.match(value) is not None


def is_plain(value: str, *, letters_per_word: float = SHORTEST_WORDS) -> bool:
    """Whether it reads like words: `attention_mask`, `keep-alive`, `AccessToken`, `not found`."""
    return len(value) <= 120 and not _has_digit(value) and _reads_like_words(value, letters_per_word)


def _has_digit(value: str) -> bool:
    if value.isascii():
        return _DIGIT.search(value) is not None
    return any(map(str.isdigit, value))


@lru_cache(maxsize=4096)
def _reads_like_words(value: str, letters_per_word: float) -> bool:
    words = _WORDS.findall(value)
    letters = sum(map(len, words))
    if not words or letters < 0.7 * len(value):
        return False
    if letters < letters_per_word * len(words) or max(map(len, words)) >= MAX_WORD:
        return False
    without_vowels = sum(len(word) for word in words if not _VOWEL.search(word))
    return len(value) <= 8 or without_vowels <= letters / 2


def is_word_of_other_script(value: str) -> bool:
    """One word with letters that ASCII does not have: `неверный`."""
    return not value.isascii() and _OTHER_WORD.match(value) is not None


def is_unspeakable(value: str) -> bool:
    """One long word of letters that nobody can pronounce: `qzkwtrbnpvxahdlf`."""
    return len(value) >= 14 and value.isalpha() and _UNSPEAKABLE.search(value) is not None


def is_passphrase(value: str) -> bool:
    """Four plain words and more that a sign joins: `correct-horse-battery-staple`."""
    return len(value) < 120 and _PASSPHRASE.match(value) is not None


def is_spoken(value: str) -> bool:
    """Four plain words and more that blanks join, and no sentence: `correct horse battery staple`."""
    return _SPOKEN.match(value) is not None and _WORDS_OF_SENTENCES.isdisjoint(value.split())


def reads_as_sentence(value: str) -> bool:
    """Whether one of its words tells what became of something, or what somebody should do."""
    return not _WORDS_OF_SENTENCES.isdisjoint(value.lower().split())


def is_chosen(value: str) -> bool:
    """Whether a word of a sentence can only be a password: letters and digits, and signs or no rhythm.

    `gpu-17`, `sha256-hashed`, `ada@db1.example` and `v1.2` are words of sentences too.
    """
    if not 6 <= len(value) <= 128 or _CHOSEN.match(value) is None or _TECHNICAL.match(value) is not None:
        return False
    return not (
        is_placeholder(value) or is_number(value) or is_uuid(value) or is_path(value) or is_code(value)
    )


def is_list_of_settings(value: str) -> bool:
    """`Server=db-1;Uid=ada;Pwd=...`, whose names say which of its values are secret."""
    return len(value) < 2_000 and _SETTINGS.match(value) is not None


def is_code(value: str) -> bool:
    """An expression, as a line of a traceback has it: `self.token`, `os.environ["X"]`, `get_token()`."""
    return len(value) < 400 and _CODE.match(value) is not None


def is_path(value: str) -> bool:
    """A path of a file, no part of which looks random."""
    if len(value) > 400 or _PATH.match(value) is None or _BYTES.match(value) is not None:
        return False
    return not any(looks_random(part, least=16) for part in re.split(r"[/\\]", value))


@lru_cache(maxsize=4096)
def looks_random(value: str, *, least: int = 12, hex_too: bool = False) -> bool:
    """Whether no person would have written it: letters and digits mixed without the rhythm of words.

    Hexadecimal numbers, more often checksums and commits, count only with `hex_too`, from 32 digits.
    """
    if len(value) < least or is_uuid(value) or is_number(value):
        return False
    if _HEX.match(value):
        return hex_too and len(value) >= 32
    segments = _SEGMENT.findall(value)
    joined = "".join(segments)
    if len(joined) < least:
        return False
    has_digit = _DIGIT.search(joined) is not None  # of ASCII letters and digits only
    if not (joined.islower() or joined.isupper() or joined.isdigit()):
        pieces = _PIECES.findall(joined)
        if len(joined) > LETTERS_PER_PIECE * len(pieces) or len(pieces) <= 4:
            return False
        words = sum(len(piece) for piece in pieces if len(piece) >= 9 and not _UNSPEAKABLE.search(piece))
        return words <= (WORDS_BY_CHANCE * len(joined) if len(joined) >= LONG else 0)
    if not has_digit:
        return False
    if len(segments) > 3 and _GROUPS.match(value):
        return len(_MIXED_GROUP.findall(value)) >= 3
    longest = max(segments, key=len)
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(longest))
    return len(longest) >= least and changes >= (0.2 if len(longest) < 24 else 0.15) * len(longest)

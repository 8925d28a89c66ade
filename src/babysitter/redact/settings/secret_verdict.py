"""Whether a value is secret, given how its name was judged."""

from functools import lru_cache

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name, is_secret_noun, judge_name, split_name
from babysitter.redact.settings.value_shapes import (
    is_chosen,
    is_code,
    is_list_of_settings,
    is_number,
    is_passphrase,
    is_path,
    is_placeholder,
    is_plain,
    is_unspeakable,
    is_word_of_other_script,
    looks_random,
)
from babysitter.redact.text_spans import REDACTED

MAX_NAME = 128
SHORTEST_PIN = 6  # digits; fewer are a count
# The value of `PWD`, and where a password is mounted: nobody chooses a password that begins so.
_FOLDER = lazy_regex(
    r"/(?:home|root|work|workspace|app|usr|var|tmp|opt|mnt|data|srv|etc|run|content|Users|code|src|job)"
    r"(?:/[\w.\-]{1,64}){0,16}/?$"
)
_FINGERPRINT = lazy_regex(r"(?:[0-9A-F]{40}|[0-9A-F]{16})$")
_OWNERS_OF_FINGERPRINTS = frozenset(("gpg", "pgp"))
_IDENTIFIER = lazy_regex(r"[A-Za-z_][A-Za-z_.\-]*$")


def is_secret(value: str, judged: Name) -> bool:
    """Whether a value must not be shown under a name that is judged so."""
    if judged is Name.INNOCENT or not value or is_placeholder(value) or value.startswith(REDACTED[:-1]):
        return False
    if _is_name(value):
        return False
    if judged is Name.PASSWORD:
        return _FOLDER.match(value) is None
    if judged is Name.LIKELY_PASSWORD:
        return len(value) >= 4 and (not _reads(value) or is_passphrase(value)) and not is_path(value)
    if judged is Name.CHOSEN:
        return is_chosen(value) or looks_random(value, hex_too=True)
    if judged is Name.SECRET and value.isdigit() and len(value) >= SHORTEST_PIN:
        return True
    if is_number(value) or is_path(value) or (is_code(value) and not looks_random(value)):
        return False
    if judged is Name.SECRET:
        return True
    if judged is Name.PROBABLE:
        return not _reads(value) and len(value) >= 4 and not is_word_of_other_script(value)
    return looks_random(value, hex_too=True) and not is_list_of_settings(value)


def is_fingerprint(name: str, value: str) -> bool:
    """`GPG_KEY` of an image: the fingerprint of a public key, in capital letters; a private key is longer."""
    return _FINGERPRINT.match(value) is not None and not _OWNERS_OF_FINGERPRINTS.isdisjoint(split_name(name))


def _reads(value: str) -> bool:
    return is_plain(value) and not is_unspeakable(value)


def _is_name(value: str) -> bool:
    """`password=db_password`, `"secretKeyRef": "HF_TOKEN"`: not the secret, but where it is."""
    if len(value) > MAX_NAME or not _IDENTIFIER.match(value) or not is_plain(value):
        return False
    return _is_name_of_secret(value)


@lru_cache(maxsize=16_384)
def _is_name_of_secret(value: str) -> bool:
    words = split_name(value)
    return any(map(is_secret_noun, words)) or (len(words) > 1 and judge_name(value) is not Name.INNOCENT)

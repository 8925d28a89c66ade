"""Whether the word behind a name is part of a sentence, a struct, a line of a program, and not its value."""

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_shapes import is_code, is_plain, looks_random
from babysitter.redact.text_spans import Span

_PYTHON_LINE = lazy_regex(r"[ ]{4,}[\w.\[\]\"', ]+ = [a-z]+(?:_[a-z]+)+\s*$")
# A word of a program and the call behind it: `await get()`.
_CALL = lazy_regex(r"(?:await|new|yield|typeof|lambda)\s{1,4}[A-Za-z_$][\w.$]{0,80}[(\[]")
_URL_WITH_USER = lazy_regex(
    r"[a-z][a-z0-9+.\-]{1,16}://[^\s/@]{8,512}@[a-z0-9.\-]{1,253}(?::\d{1,5})?"
    r"((?:/[\w.\-]{0,64}){0,8}(?:\?[\w.\-]{1,40}=[\w.\-]{0,40}(?:&[\w.\-]{1,40}=[\w.\-]{0,40}){0,8})?)$"
)
_PARTS = lazy_regex(r"[/?&=]")
# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_OBJECT_NAME = lazy_regex(r"(?:[a-z0-9][a-z0-9.\-]{0,62}/)?[a-z][a-z0-9.]{1,62}(?:-[a-z0-9.]{1,40}){1,12}")
_OBJECT_BEHIND = lazy_regex(
    r"\\*[\"'] (?:in (?:the )?namespace [\w\"'\-]{1,80} )?"
    r"(?:not found|already exists|does not exist|is forbidden|created"
    r"|configured|unchanged|deleted|patched|replaced)\b"
)
_IN_OBJECT = lazy_regex(r"\b(?:in|from|of) (?:the )?secret \\*[\"']$")
_OPENED = lazy_regex(r"[\"']\)?:")
_WRONG = lazy_regex(r"(?i)(?<![a-z])(?:wrong|incorrect|invalid|bad) $")
ENDS_OF_WRONG = ("g ", "t ", "d ")  # what stands before such a name otherwise needs no look
_FILE = lazy_regex(r"\s?:\s(?:[\w.\-]{1,64}/){0,8}[\w.\-]{1,64}\.[a-z][a-z0-9]{1,4}(?:\s|$)")
_FIELD = lazy_regex(r"[A-Z][A-Za-z]{1,40}:")


def is_about_file(text: str, start: int, end: int) -> bool:
    """`open("/run/secrets/token"): ...`; `wrong password : a/b.csv` of a program that opens archives."""
    if text[start - 1 : start] == "/":
        return text[end : end + 1] in ('"', "'") and _OPENED.match(text, end) is not None
    return _WRONG.search(text, max(0, start - 12), start) is not None and _FILE.match(text, end) is not None


def is_address_of_user(value: str) -> bool:
    """`https://user@host/path?query`, whose user addresses.py reads; no other part of it looks random."""
    found = _URL_WITH_USER.match(value)
    if found is None:
        return False
    return not any(looks_random(part, hex_too=True) for part in _PARTS.split(found[1]))


def is_sentence(text: str, word: Span) -> bool:
    """`Invalid token: expected a number` is a sentence, `token: abc123` is not."""
    body, behind = text[word[0] : word[1]], text[word[1] : word[1] + 2]
    return is_plain(body) and body[:1].isalpha() and behind[:1] == " " and behind[1:].isalpha()


def is_field(text: str, word: Span) -> bool:
    """The next field behind an empty one of a struct of Go: `{Password: Port:5432}`."""
    line = text.rfind("\n", 0, word[0]) + 1
    return (
        _FIELD.match(text, word[0], word[1]) is not None and "{" in text[max(line, word[0] - 400) : word[0]]
    )


def is_object(text: str, word: Span) -> bool:
    """The name of an object of Kubernetes: `secret "lab-creds-2" not found`, `in secret 'lab-creds-2'`."""
    is_named = _OBJECT_BEHIND.match(text, word[1]) or _IN_OBJECT.search(text, max(0, word[0] - 24), word[0])
    if is_named is None or _OBJECT_NAME.fullmatch(text, *word) is None:
        return False
    return not looks_random(text[word[0] : word[1]], hex_too=True)


def is_of_code(text: str, word: Span) -> bool:
    """Whether it is part of a line of a program, as tracebacks quote them."""
    rest = _to_line_end(text, word[0])
    if _CALL.match(rest) is not None:
        return True
    if rest[word[1] - word[0] : word[1] - word[0] + 1] == "(" or is_code(rest):
        return True
    line = text[max(text.rfind("\n", 0, word[0]) + 1, word[0] - 200) : word[0]] + rest
    return "_" in rest and _PYTHON_LINE.match(line) is not None


def _to_line_end(text: str, start: int) -> str:
    end = text.find("\n", start, start + 300)
    return text[start : end if end >= 0 else start + 300]

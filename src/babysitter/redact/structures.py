"""Takes secrets out of structures (an answer of a cluster, an entry of a log) by the names in them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.phrases.labels import judge_label
from babysitter.redact.redaction import redact, redact_lines, worth_finding
from babysitter.redact.settings.names import Name, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_fingerprint, is_secret
from babysitter.redact.settings.value_shapes import looks_random
from babysitter.redact.text_spans import REDACTED

_ENVIRONMENTS = frozenset(
    ("envvars", "env_vars", "env", "environment", "environ", "envvar", "variables", "environmentvariables")
)
_NAME_KEYS = ("name", "key", "Name", "Key", "variable", "field")
_VALUE_KEYS = ("value", "Value", "val", "stringValue", "string_value", "content")
_TEXT_KEYS = ("data", "text", "message", "line")  # of entries of a log, one line each
_PRIVATE_MEMBERS = frozenset(("d", "p", "q", "dp", "dq", "qi", "k"))
_SECRET_DATA = frozenset(("data", "stringData"))
_USERS = ("user", "username", "login")
_PASS = frozenset(("pass",))
_OPTION = lazy_regex(r"--?[A-Za-z]|[A-Z][A-Z0-9_]*=")  # of a command; a variable
SHORTEST_RANDOM = 20  # of a variable whose name says nothing


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a structure a value stands: below a secret name, in an environment."""

    judged: Name = Name.INNOCENT
    in_environment: bool = False
    untouched: frozenset[str] = frozenset()
    taken: set[str] = field(default_factory=set)  # every secret of the structure; shared by all places


def redact_value(value: object, *, untouched: frozenset[str] = frozenset()) -> object:
    """Return the same JSON with secrets taken out: by the names of its fields, and out of every text.

    Lists of words are read as a command line (`--token`, `x`), `{"name": ..., "value": ...}` as a setting,
    lists of log entries as one text; in an environment what looks random is taken for a secret too. Fields
    named in `untouched` stay as they are. A secret is removed wherever else it stands in the structure.
    """
    place = _Place(untouched=untouched)
    shown = _redacted(value, place)
    taken = worth_finding(place.taken)
    return _without(shown, taken, untouched) if taken else shown


def _redacted(value: object, place: _Place) -> object:
    if isinstance(value, str):
        return _text(value, place)
    if isinstance(value, Mapping):
        return _mapping(value, place)
    if isinstance(value, (list, tuple)):
        return _list(value, place)
    if place.judged is Name.PASSWORD and isinstance(value, int) and not isinstance(value, bool):
        return REDACTED
    return value


def _without(value: object, taken: Sequence[str], untouched: frozenset[str]) -> object:
    """The same structure without these secrets, which were taken out of other places of it."""
    if isinstance(value, str):
        for secret in taken:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, dict):
        return {
            key: item if key in untouched else _without(item, taken, untouched) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_without(item, taken, untouched) for item in value]
    return value


def _taken(value: str, shown: str) -> Iterator[str]:
    """What stood in the place of each `[redacted]`."""
    at = 0
    for before, after in pairwise(shown.split(REDACTED)):
        start = value.find(before, at) + len(before)
        end = value.find(after, start) if after else len(value)
        if start < len(before) or end < start:
            return
        yield value[start:end]
        at = end


def _text(value: str, place: _Place) -> str:
    if is_secret(value, place.judged):
        place.taken.add(value)
        return REDACTED
    shown = redact(value)
    if shown != value and REDACTED not in value:
        place.taken.update(_taken(value, shown))
    if place.in_environment and shown == value and looks_random(value, least=SHORTEST_RANDOM):
        return REDACTED
    return shown


def _mapping(value: Mapping[object, object], place: _Place) -> dict[str, object]:
    named = _setting(value)
    own = _own_fields(value)
    result: dict[str, object] = {}
    for key, item in value.items():
        name = str(key)
        if name in place.untouched:
            result[name] = item
            continue
        is_named = named is not None and name in _VALUE_KEYS
        judged = named if named is not None and is_named else _of_field(name, item, place.judged)
        judged = Name.SECRET if name in own else judged
        is_environment = name.lower() in _ENVIRONMENTS or (place.in_environment and not _is_container(item))
        below = replace(place, judged=judged, in_environment=is_environment)
        result[redact(name)] = _redacted(item, below)
    return result


def _own_fields(value: Mapping[object, object]) -> frozenset[str]:
    """Fields that are secret because of what the object is: a private key (RFC 7518), a Secret, a login."""
    if "kty" in value:
        return _PRIVATE_MEMBERS
    if "pass" in value and any(isinstance(value.get(name), str) for name in _USERS):
        return _PASS
    return _SECRET_DATA if value.get("kind") == "Secret" else frozenset()


def _of_field(name: str, item: object, above: Name) -> Name:
    """How secret a field is: by its own name, else by the one above it, unless it says `type` or `url`."""
    judged = judge_name(name[-MAX_NAME:])
    if isinstance(item, str) and is_fingerprint(name, item):
        return Name.INNOCENT
    if judged is Name.INNOCENT or judged is Name.POSSIBLE:
        label = judge_label(name[-MAX_NAME:])
        judged = judged if label is Name.INNOCENT else label
    if judged is not Name.INNOCENT or above is Name.INNOCENT:
        return judged
    is_about = judge_name(f"secret_{name}"[:MAX_NAME]) is Name.INNOCENT
    return Name.INNOCENT if is_about and not _is_container(item) else above


def _is_container(item: object) -> bool:
    return isinstance(item, (Mapping, list, tuple))


def _setting(value: Mapping[object, object]) -> Name | None:
    """How secret the value of `{"name": "HF_TOKEN", "value": "..."}` is; None when it is not such a pair."""
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None or not any(key in value for key in _VALUE_KEYS):
        return None
    return judge_name(str(name)[-MAX_NAME:])


def _list(value: Sequence[object], place: _Place) -> list[object]:
    result: list[object] = []
    pending = Name.INNOCENT  # what the word before says of the next one
    if _is_text(value):
        return _lines(value, place)
    for item in _lines_together(value):
        is_value = isinstance(item, str) and (not item.startswith("-") or looks_random(item))
        judged = pending if is_value and pending is not Name.INNOCENT else place.judged
        result.append(_redacted(item, replace(place, judged=judged)))
        pending = _announces(item)
    return result


def _is_text(items: Sequence[object]) -> bool:
    """Whether a list holds lines of a text, rather than words of a command."""
    if len(items) < 2 or not all(isinstance(item, str) for item in items):
        return False
    return not any(_OPTION.match(str(item)) for item in items) and any(" " in str(item) for item in items)


def _lines(items: Sequence[object], place: _Place) -> list[object]:
    """The lines of a text, redacted as one; each may also be secret because of where the list stands."""
    lines = [str(item) for item in items]
    together = list(zip(lines, redact_lines(lines), strict=True))
    for line, shown in together:
        place.taken.update(_taken(line, shown) if REDACTED not in line else ())
    return [shown if shown != line else _text(line, place) for line, shown in together]


def _lines_together(items: Sequence[object]) -> Sequence[object]:
    """Entries of a log with their texts redacted as one, so that a key over several lines is recognised."""
    for key in _TEXT_KEYS:
        lines = [item[key] for item in items if isinstance(item, Mapping) and isinstance(item.get(key), str)]
        if len(lines) > 1 and len(lines) == len(items):
            shown = redact_lines(lines)
            return [
                {**item, key: line}
                for item, line in zip(items, shown, strict=True)
                if isinstance(item, Mapping)
            ]
    return items


def _announces(word: object) -> Name:
    """How secret the word behind this one of a command line is: `--api-key`, `-e`'s `HF_TOKEN`."""
    if not isinstance(word, str) or len(word) > MAX_NAME or "=" in word or " " in word:
        return Name.INNOCENT
    if word in ("-u", "--user", "--proxy-user"):
        return Name.PROBABLE
    if word.startswith("-") or (word.isupper() and len(word) > 4):
        return judge_name(word)
    return Name.INNOCENT

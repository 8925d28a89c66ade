"""Finds the secrets in a whole structure behind a secret name: `creds={"user": "ada", "key": "..."}`."""

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.names import Name, at_most_probable, judge_name
from babysitter.redact.settings.secret_verdict import MAX_NAME, is_secret
from babysitter.redact.settings.value_span import structure_leaves
from babysitter.redact.text_spans import REDACTED, Span

_QUOTES = ('"', "'", "`")
_STRINGS = lazy_regex(r"[(\[]\s{0,64}[bru]?\\*[\"'\[{(]")
# A list of users: `(ada:..., root:...)`.
_PAIRS = lazy_regex(
    r"\(\s{0,8}[\w.@\-]{1,64}:[^\s:,()/][^\s,()]{3,128}(?:,\s{0,8}[\w.@\-]{1,64}:[^\s,()]{4,128}){0,40}\s{0,8}\)"
)


def secret_leaves(text: str, start: int, judged: Name) -> tuple[list[Span], int]:
    """Secret leaves of the structure at `start`, each judged by its own key too, and where it ends."""
    is_uncertain = text[start] == "(" or judged is Name.POSSIBLE
    if text.startswith(REDACTED, start):
        return [], start
    has_pairs = judged in (Name.SECRET, Name.PASSWORD) and _PAIRS.match(text, start) is not None
    if is_uncertain and not has_pairs and not _STRINGS.match(text, start):
        return [], start
    leaves, end = structure_leaves(text, start)
    spans = []
    for key, span in leaves:
        strength = _of_leaf(key, judged)
        if not key and text[span[0] - 1] not in _QUOTES:
            strength = Name.POSSIBLE  # a bare word: `{e}` of a template, an element of a set
        if is_secret(text[span[0] : span[1]], strength):
            spans.append(span)
    return spans, end


def _of_leaf(key: str, judged: Name) -> Name:
    """Under `secrets` every value is secret, but for what says `type` or `url`."""
    own = judge_name(key[-MAX_NAME:]) if key else judged
    if own is Name.POSSIBLE:
        return at_most_probable(judged)
    if own is not Name.INNOCENT:
        return own
    return Name.INNOCENT if judge_name(f"secret_{key}"[:MAX_NAME]) is Name.INNOCENT else judged

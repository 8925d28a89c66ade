"""Finds the data of a Kubernetes Secret in JSON: every value of `data` and `stringData`, whatever its key.

https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/secret-v1/
`layout.py` reads the same in YAML.
"""

from collections.abc import Iterator

from babysitter.lazy_regex import lazy_regex
from babysitter.redact.settings.value_span import structure_leaves
from babysitter.redact.text_spans import REDACTED, LinearPattern, Span, Text

SIGNS = r'"kind" ?: ?"secret"'
_SIGN = LinearPattern(SIGNS, ignore_case=True)
# A field that matters, any other string (which may hold brackets), or a bracket.
_PIECE = lazy_regex(
    r"\"(?:data|stringData)\"\s{0,4}:\s{0,4}(?P<data>\{)|\"kind\"\s{0,4}:\s{0,4}\"(?P<kind>\w{1,64})\""
    r"|\"(?:[^\"\\\n]|\\.){0,65536}\"|[{}]"
)


def find_secret_objects(text: Text) -> Iterator[Span]:
    """Spans of the values of every Secret."""
    if not _SIGN.found_in(text):
        return
    done = 0
    for start in _data_of_secrets(text.text):
        if start >= done:
            leaves, done = structure_leaves(text.text, start)
            yield from (span for _, span in leaves if not text.text.startswith(REDACTED, span[0]))


def _data_of_secrets(text: str) -> list[int]:
    """Where the data begin whose object says that it is a Secret, before them or behind them."""
    kinds: dict[int, str] = {}
    data: list[tuple[int, int]] = []  # number of the object, position of the bracket
    objects, count = [0], 0  # those that are open; the text may begin inside one
    for piece in _PIECE.finditer(text):
        if piece["kind"]:
            kinds[objects[-1]] = piece["kind"]
        elif piece["data"] or piece[0] == "{":
            if piece["data"]:
                data.append((objects[-1], piece.start("data")))
            count += 1
            objects.append(count)
        elif piece[0] == "}":
            objects.pop()
            if not objects:
                count += 1
                objects.append(count)
    return [start for number, start in data if kinds.get(number) == "Secret"]

"""The table of kinds: every row has a source, specimens that it recognises, and leaves words alone."""

import re

import pytest

from babysitter.redact import redact
from babysitter.redact.kinds.kind import SecretKind, specimen
from babysitter.redact.kinds.kinds import KINDS


def test_kinds_are_many_and_different() -> None:
    assert len(KINDS) >= 150
    assert len({kind.id for kind in KINDS}) == len(KINDS)


def test_kind_has_a_public_source() -> None:
    assert [kind.id for kind in KINDS if not (kind.source.startswith("https://") and kind.specimens)] == []


def random_pieces(template: str, example: str) -> list[str]:
    """What the holes of the template were filled with, where it is long enough to be the secret."""
    pattern = re.sub(r"\\\{(\w+):(\d+)\\\}", r"(.{\2})", re.escape(template))
    found = re.fullmatch(pattern, example)
    assert found is not None
    return [piece for piece in found.groups() if len(piece) >= 12]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_kind_recognises_its_specimens(kind: SecretKind) -> None:
    for template in kind.specimens:
        for seed in range(6):
            example = specimen(template, seed)
            shown = redact(f"I20261120 19:45:21 x.y got {example} from it")
            assert "[redacted]" in shown
            assert not [piece for piece in random_pieces(template, example) if piece in shown], example
            assert shown.startswith("I20261120 19:45:21 x.y got ")
            assert redact(shown) == shown


def test_words_behind_a_prefix_stay() -> None:
    """`hf_transformers` begins like a token and is a word; `dapi` and 32 hexadecimal digits never are."""
    prefixes = sorted({prefix for kind in KINDS for prefix in kind.prefixes.split()})
    texts = [
        f"importing {prefix}transformers and {prefix}data-loader" for prefix in prefixes if prefix[-1] in "_-"
    ]
    assert [text for text in texts if redact(text) != text] == []

"""The law: no trace of a secret, of whatever kind and however it is written, and no loss of other words."""

import random
from collections.abc import Callable

import pytest

from babysitter.redact import redact, redact_value, strip_control_characters
from tests.redact.innocent import TEMPLATES, generated, line_of, recorded
from tests.redact.secrets import BARE, KINDS, NAMED, PLACED, Secret, made, trace_of
from tests.redact.wrappings import FOR_TOKENS, MORE_NAMED, MORE_PLACED, with_encoded

SEEDS = 2
SECRETS = [secret for seed in range(SEEDS) for secret in made(seed)]
WRAPPINGS = {**NAMED, **PLACED, **BARE}
INNOCENT_LINES = 3_000


def test_the_tables_are_as_large_as_the_law_says() -> None:
    assert len(KINDS) >= 60
    assert len(WRAPPINGS) >= 20
    assert len({secret.value for secret in SECRETS}) * len(NAMED) >= 1_000


@pytest.mark.parametrize("wrapping", WRAPPINGS, ids=str)
def test_secret_leaves_no_trace(wrapping: str) -> None:
    write: Callable[[Secret], str] = WRAPPINGS[wrapping]
    left = []
    for secret in SECRETS:
        if wrapping in BARE and not secret.says_itself:
            continue
        shown = redact(write(secret))
        if part := trace_of(secret.value, shown):
            left.append((secret.kind, part, shown))
        assert redact(shown) == shown
    assert not left


@pytest.mark.parametrize("wrapping", {**MORE_NAMED, **MORE_PLACED}, ids=str)
def test_secret_leaves_no_trace_in_further_wrapping(wrapping: str) -> None:
    write = (MORE_NAMED | MORE_PLACED)[wrapping]
    left = []
    for secret in SECRETS[: len(KINDS)]:
        if wrapping in FOR_TOKENS and len(secret.value) < 20:
            continue
        shown = redact(write(secret))
        if part := trace_of(secret.value, with_encoded(secret, shown)):
            left.append((secret.kind, part, shown))
    assert not left


@pytest.mark.parametrize("secret", SECRETS[: len(KINDS)], ids=lambda secret: secret.kind)
def test_secret_leaves_no_trace_in_structures(secret: Secret) -> None:
    answer = {
        "jobId": "/ada/dedup",
        "environment": {"envVars": {secret.name: secret.value, "JAX_PLATFORMS": "cpu"}},
        "submitArgv": ["iris", "job", "run", "-e", secret.name, secret.value, secret.flag, secret.value],
        "submit_argv": [f"{secret.flag}={secret.value}", "--", "python", "train.py", "--max-tokens", "4096"],
        "env": [{"name": secret.name, "value": secret.value}],
        "nested": {secret.camel: {"value": secret.value}},
        "logs": [{"data": f"{secret.name}={secret.value}"}],
        "jwk": {"kty": "oct", "kid": "1", "k": secret.value},
        "object": {"kind": "Secret", "data": {"first": secret.value}},
    }
    shown = redact_value(answer)
    assert not trace_of(secret.value, str(shown))
    assert "/ada/dedup" in str(shown)
    assert "cpu" in str(shown)
    assert "4096" in str(shown)
    assert redact_value(shown) == shown


@pytest.mark.parametrize("secret", SECRETS[: len(KINDS)], ids=lambda secret: secret.kind)
def test_secret_cut_at_any_place_leaves_no_trace(secret: Secret) -> None:
    for wrapping in ("json", "env", "flag-quoted", "header"):
        text = NAMED[wrapping](secret)
        begin = text.index(secret.value) if secret.value in text else 0
        for end in range(begin + 1, begin + len(secret.value), 7):
            assert not trace_of(secret.value, redact(text[:end]), length=10)


@pytest.mark.parametrize("template", TEMPLATES)
def test_innocent_line_keeps_every_word(template: str) -> None:
    dice = random.Random(template)
    for _ in range(INNOCENT_LINES // len(TEMPLATES) + 1):
        line = line_of(template, dice)
        assert redact(line) == line


def test_innocent_text_keeps_every_word() -> None:
    text = "\n".join(generated(INNOCENT_LINES, seed=1))
    assert redact(text).split("\n") == text.split("\n")


def test_recorded_lines_keep_every_word() -> None:
    lines = list(recorded())
    assert len(lines) > 2_000
    assert [line for line in lines if redact(line) != strip_control_characters(line)] == []

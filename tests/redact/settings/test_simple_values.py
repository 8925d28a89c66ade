"""The short way to find a value finds what the long way finds, and nothing else."""

import random

import pytest

from babysitter.redact.settings.named import find_named
from babysitter.redact.settings.simple_values import NOTHING, simple_value
from babysitter.redact.text_spans import Text
from tests.redact.secrets import NAMED, PLACED, made
from tests.redact.wrappings import MORE_NAMED, MORE_PLACED

NAMES = (
    *(
        "token",
        "HF_TOKEN",
        "password",
        "api_key",
        "num_tokens",
        "pad_token",
        "cache_key",
        "key",
        "session_id",
    ),
    *("auth_token", "secrets", "DB_PASS", "signature", "client_secret", "max_tokens", "x.token", "-token-"),
    *("--token", "--api-key", "a.password.", "apiKey", "tokenCount", "authorization"),
)
SIGNS = (
    "=",
    ": ",
    ":",
    "  ",
    "\t",
    " = ",
    '="',
    "='",
    '": "',
    "', '",
    "=>",
    " is ",
    "|",
    " | ",
    ",",
    "->",
    "==",
)
VALUES = (
    *(
        "abc",
        "hunter2",
        "a1b2c3d4e5f6g7h8",
        "aB3dE5fG7hI9jK1lM3nO5",
        "4096",
        "3.14",
        "/tmp/x",
        "None",
        "true",
    ),
    *("os.environ['X']", "self.token", "get()", "3f2a91c04d" * 4, "12345678-1234-1234-1234-1234567890ab"),
    *(
        "2026-11-22",
        "20261122T1011a2b3c4",
        "db_password",
        "not found",
        "${X}",
        "x" * 20,
        "a1xxxxxxxxxx",
        "***",
    ),
    *("[redacted]", "Secret12345678", "List12345678", "v1.2.3", "p@ss:w0rd!", "a;b1c2d3", "{e}", "1e5abc"),
    *("123456789012abc", "a1b2c3d4e5f6=", "your-a1b2c3d4e5", "abc/d1e2f3g4h5", "x1y2z3w4v5u6 = foo_bar"),
)
BEFORE = (
    "",
    "",
    " ",
    "  ",
    "- ",
    "export ",
    "name: ",
    '"',
    "'",
    "(",
    "INFO ",
    "\\n",
    "?",
    "value: ",
    "api ",
    "    x.",
)
BEHIND = ("", "", "'", '"', " ", "\n", ",", " done", "  7", "(", ")", "}", " | None", " = x", "\\n")


def written(dice: random.Random) -> str:
    parts = (dice.choice(item) for item in (BEFORE, NAMES, SIGNS, VALUES, BEHIND))
    return "".join(parts)


def texts() -> list[str]:
    dice = random.Random(3)
    ways = (*NAMED.values(), *PLACED.values(), *MORE_NAMED.values(), *MORE_PLACED.values())
    table = [way(secret) for secret in made(3) for way in dice.sample(ways, 12)]
    mixed = [dice.choice(("\n", " ", "  ")).join(written(dice) for _ in range(3)) for _ in range(3_000)]
    return table + mixed


def test_short_way_finds_what_the_long_way_finds():
    for text in texts():
        shorter = list(find_named(Text(text)))
        assert shorter == list(find_named(Text(text), lambda *_: None)), text


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("HF_TOKEN=aB3dE5fG7hI9jK1l", "HF_TOKEN", "aB3dE5fG7hI9jK1l"),
        ('{"api_key": "a1b2c3d4e5f6g7h8"}', "api_key", "a1b2c3d4e5f6g7h8"),
        ("DB_PASS     a1b2c3d4e5f6g7h8   7", "DB_PASS", "a1b2c3d4e5f6g7h8"),
        ("password: a1b2c3d4e5f6g7h8\n", "password", "a1b2c3d4e5f6g7h8"),
        ("password: a1b2c3d4e5f6g7h8 | None", "password", None),
        ("name=HF_TOKEN=a1b2c3d4e5f6g7h8", "HF_TOKEN", None),
    ],
)
def test_short_way_knows_the_common_writings(text: str, name: str, expected: str | None):
    start = text.index(name)
    span = simple_value(text, start, start + len(name))
    assert (span and text[slice(*span)]) == expected


@pytest.mark.parametrize("text", ["num_tokens=4096", "token_count: 17", "HF_TOKEN=[redacted]", "cache_key=x"])
def test_short_way_knows_that_nothing_is_secret(text: str):
    assert simple_value(text, 0, len(text.replace(":", "=").partition("=")[0])) == NOTHING

"""Texts in base64 that hold a secret."""

from base64 import b64encode

import pytest

from babysitter.redact import redact

SETTINGS = b64encode(b"DB_PASSWORD=Quartz_maple830\nMODE=prod\n").decode()
SCRIPT = b64encode(b"#!/bin/sh\nexport DB_PASSWORD=Quartz_maple830\n").decode()
OBJECT = b64encode(b'{"api_key": "y1EpGSkiE3wtKB0ekMtC"}').decode()
COMMAND = b"mysql\0-u\0ada\0-pQuartz_maple830"
INNOCENT = b64encode(b"hello world, hello step 12\n").decode()


@pytest.mark.parametrize("word", [SETTINGS, OBJECT])
@pytest.mark.parametrize(
    "command",
    [
        "echo {} | base64 -d > .env",
        "base64 --decode <<< {} > .env",
        "base64.b64decode('{}')",
        "Buffer.from('{}', 'base64')",
    ],
)
def test_encoded_secret_is_redacted(command: str, word: str):
    shown = redact(command.format(word))
    assert word not in shown
    assert redact(shown) == shown
    assert redact(command.format(INNOCENT)) == command.format(INNOCENT)


@pytest.mark.parametrize(
    "text",
    [
        "- path: /etc/x.env\n  encoding: b64\n  content: {}\n- path: /etc/motd",
        '{{"content": "{}",\n"encoding": "base64"}}',
        "$ base64 -w0 .env\n{}\n$ ls",
        "Content-Transfer-Encoding: base64\n\n{}\n",
        "blob: !!binary |\n  {}\nnext: 1",
    ],
)
def test_encoding_said_on_another_line_is_read(text: str):
    for word in (SETTINGS, OBJECT):
        for written in (word,) if '"{}"' in text else (word, f"{word[:28]}\n  {word[28:]}"):
            shown = redact(text.format(written))
            assert not any(piece in shown for piece in (word[:28], word[28:]))
            assert redact(shown) == shown
    assert redact(text.format(INNOCENT)) == text.format(INNOCENT)


@pytest.mark.parametrize(
    "line", [f"user_data: {SETTINGS}", f"UserData={OBJECT}", f"starting with {SCRIPT} now"]
)
def test_data_of_a_new_machine_are_redacted(line: str):
    shown = redact(line)
    assert not any(word in shown for word in (SETTINGS, OBJECT, SCRIPT))
    assert redact(shown) == shown


def test_data_without_a_secret_stay():
    script = b64encode(b"#!/bin/sh\necho step 12\n").decode()
    assert redact(f"user_data: {script}") == f"user_data: {script}"


@pytest.mark.parametrize(
    "field", ["type=PROCTITLE msg=audit(1): proctitle={}", "argc=2 a0=sh a1={} key=x", "cmd={}"]
)
def test_command_in_hexadecimal_digits_is_redacted(field: str):
    shown = redact(field.format(COMMAND.hex().upper()))
    assert COMMAND.hex().upper() not in shown
    assert "[redacted]" in shown
    for plain in (b"python\0train.py\0--steps\0" + b"12", bytes(range(200, 232))):
        assert redact(field.format(plain.hex())) == field.format(plain.hex())

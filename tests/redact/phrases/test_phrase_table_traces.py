"""Passwords in traces of system calls, of libraries and of a debugger."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f'write(2, "Password: ", 10) = 10\nread(0, "{WORD}\\n", 1024) = 16',
        f"[pid 7] write(4</dev/tty>, \"Enter passphrase for key 'a': \", 30) = 30\n"
        f'[pid 7] ioctl(4, TCSETS) = 0\n[pid 7] read(4</dev/tty>, "{WORD}\\n", 1023) = 16',
        f'getpass("Password: ") = "{WORD}"',
        f'getpass("Password: ") = 0x55d0 "{WORD}"',
        f'crypt("{WORD}", "$6$ab") = "$6$ab$made-up"',
        f'strcmp("{WORD}", "guess") = 1 # of the password',
        f'#3  0x7f1 in login (user=0x55d0 "ada", password=0x55e0 "{WORD}", flags=0) at db.c:88',
        f'  api_key = 0x5581 <buf+12> "{WORD}"',
    ],
)
def test_typed_password_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        'write(2, "Password: ", 10) = 10\nread(0, "\\n", 1024) = 1',
        'write(1, "pinned memory: ", 15) = 15\nread(3, "shard-00012\\n", 1024) = 12',
        'getpass("Password: ") = NULL',
        'strcmp("tokenizer", "tokenizer") = 0',
        'key=0x55e0 "attention_mask"',
        'token = 0x55 "<|endoftext|>"',
    ],
)
def test_other_calls_stay(text: str):
    assert redact(text) == text

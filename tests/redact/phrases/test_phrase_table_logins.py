"""Passwords in what is said of logins."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f"ssh: login attempt [root/{WORD}] failed",
        f"login attempt [b'root'/b'{WORD}'] succeeded",
        f"auth attempt ada:{WORD} -> 401",
        f"tried root:{WORD}! without success",
        f"pam: user ada typed {WORD} at the password prompt",
        f'ada entered "{WORD}" into the passphrase field',
        f"the wifi is labnet and the pass is {WORD}",
        f"login ada pass {WORD}!",
        f"Celery task auth.login[4f] args=('ada', '{WORD}') kwargs={{}}",
        f"DEBUG login(ada, {WORD})",
        f"ORA-01017: invalid username/password; logon denied for ada/{WORD}@runs",
        f"Invalid user {WORD}! from 10.0.0.9 port 22",
    ],
)
def test_password_of_a_login_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert redact(shown) == shown


def test_plain_word_is_redacted_where_only_a_password_stands():
    assert "maple" not in redact("login attempt [root/maple] failed")
    assert "maple" not in redact("ada pasted 'granite maple' into the password box")


@pytest.mark.parametrize(
    "text",
    [
        "login(ada, timeout=30)",
        "check_password(user, raw_password)",
        "author.compute args=('x', 'llama-8b-v12')",
        "Task train.step[4f] args=('shard-12', 'part-00012-of-01024.parquet')",
        "ORA-12154: TNS:could not resolve shard/part12@lab",
        "auth attempt 3 of 5 failed",
        "auth attempt ada:10.0.0.9 timed out",
        "connection attempt to node-3:8443 failed",
        "using tcp:8080+tls",
        "try node:18-alpine",
        "user typed nothing at the password prompt",
        "the host does a second pass over shard-12",
        "host gpu-3 (pass 2/3): 31.5s",
        "Invalid user admin from 10.0.0.9",
        "invalid user input: expected 12+4 words",
    ],
)
def test_other_sentences_about_logins_stay(text: str):
    assert redact(text) == text

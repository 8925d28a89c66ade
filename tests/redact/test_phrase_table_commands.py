"""Commands that print a password for another program, and connections at the prompt of a database."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f'restic --password-command "echo {WORD}" backup',
        f'{{"restic", "--password-command", "echo {WORD}", "backup"}}',
        f"BORG_PASSCOMMAND='printf %s {WORD}'",
        f'passwordeval "echo {WORD}"',
        f"GIT_ASKPASS='echo {WORD}'",
        f"ansible-playbook --vault-password-file <(echo {WORD}) site.yml",
        f"openssl --passphrase-file=<(printf '%s' '{WORD}')",
        f"SQL> connect ada/{WORD}@runs",
        f"conn sys/{WORD} as sysdba",
        f"imp userid=ada/{WORD}@db-1:1521/RUNS",
        f"cx_Oracle.connect('ada/{WORD}@db-1/RUNS')",
    ],
)
def test_password_of_a_command_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        'restic --password-command "pass show restic" backup',
        "RESTIC_PASSWORD_COMMAND='echo $RESTIC_PW'",
        "GIT_ASKPASS=/usr/bin/ssh-askpass",
        "join <(echo shard-12) body.csv",
        "deploy --token-file <(echo $TOKEN)",
        "connect lodash/fp@4.17.21",
        "connected to gpu-3/worker-12@lab",
    ],
)
def test_other_commands_stay(text: str):
    assert redact(text) == text

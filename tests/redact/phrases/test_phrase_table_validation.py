"""Secrets in what a check says of them."""

import pytest

from babysitter.redact import redact

WORD = "Quartz_maple830"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"type":"too_short","loc":["body","password"],"msg":"at least 24","input":"{WORD}"}}',
        f"{{'loc': ('body', 'password'), 'msg': 'at least 24', 'input': '{WORD}'}}",
        f'"{{\\"loc\\": [\\"body\\", \\"api_token\\"], \\"input\\": \\"{WORD}\\"}}"',
        f'{{"field":"password","rejectedValue":"{WORD}","message":"too short"}}',
        f'{{"rejected": "{WORD}", "field": "password"}}',
        f"Field error in object 'form' on field 'password': rejected value [{WORD}]; codes [Size]",
        f"password mismatch: got {WORD}! expected {WORD}?",
        f"invalid passphrase: expected 24 letters, got '{WORD}'",
    ],
)
def test_rejected_secret_is_redacted(text: str):
    shown = redact(text)
    assert WORD not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        '{"loc": ["body", "step"], "msg": "too short", "input": "abc123!x"}',
        '{"loc":["body","max_tokens"],"msg":"x","input":"12k!ab9"}',
        '{"field":"region","rejected":"us-central9!"}',
        "Field error in object 'form' on field 'region': rejected value [us-central9]; codes [Size]",
        "expected token 'end of print statement', got 'v12=='",
        "password check: expected 3 fields, got 2",
        "password length expected >=12, got 8",
        'MountVolume.SetUp failed for volume "signing-key" : secret "lab-env" not found (count=5)',
        "secret 'hf' was expected in namespace lab-12",
    ],
)
def test_other_reports_of_checks_stay(text: str):
    assert redact(text) == text

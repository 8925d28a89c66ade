"""What a value looks like decides under uncertain names; under certain ones only placeholders stay."""

import pytest

from babysitter.redact import redact
from babysitter.redact.settings.value_shapes import (
    is_chosen,
    is_code,
    is_path,
    is_placeholder,
    is_plain,
    looks_random,
)

RANDOM = ["aB3dE5fG7hJ9kL1m", "k3j9x0q8w7e6r5t4", "VOkq3gCCxRoIqwtPLNOp", "4f5wlshmokv6ohmn8o63w48m"]
RANDOM += ["fh0hzich7ewawawdjmb8yquzsxavoymm", "ZiONf5YHIQbBSyZT9zanxgsrmzlCc5xwZi2pdsUW"]
RANDOM += ["MJVMS-9VRBE-1MOLR-N5HZ3-IYDA3", "Equ7I4moOa-NHAyL5xyXGhQdVN1N7SIBWvL4Vp7ZrV_dzKeaiqlaczxbTTkR"]
NOT_RANDOM = [
    "zephyr-dedup-4f1c2a7b-p0-a0",
    "20261120-194436-86827518",
    "281cdd81-72e0-1141-61a3-f893abb50eec",
    "part-00012-of-01024.parquet",
    "Meta-Llama-3.1-8B-Instruct",
    "AutoModelForCausalLM",
    "checkpoint_step_20000",
    "0123456789abcdef0123",
    "0x7f3a2c001000",
    "2026-11-20T19:45:21",
]


@pytest.mark.parametrize("value", RANDOM)
def test_random_string(value: str) -> None:
    assert looks_random(value)
    assert not is_plain(value)


@pytest.mark.parametrize("value", NOT_RANDOM)
def test_string_with_a_rhythm(value: str) -> None:
    assert not looks_random(value)


@pytest.mark.parametrize(
    "value",
    [
        "None",
        "***",
        "<your token>",
        "${HF_TOKEN}",
        "{token}",
        "hf_...",
        "not",
        "required",
        "12",
        "%(token)s",
        "%TOKEN%",
    ],
)
def test_placeholder(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize(
    "value", ["Quartz_maple830", "!Maple830", "qu@rtz2", "a1b2c3d4e5", "Maple2031!", "M4ple.Grove"]
)
def test_chosen_password(value: str) -> None:
    assert is_chosen(value)


@pytest.mark.parametrize(
    "value",
    [
        "gpu-17",
        "sha256-based",
        "ada@db1.example",
        "v1.2.3",
        "10.0.0.5",
        "90-days",
        "node.x1.example",
        "Step12",
    ],
)
def test_not_chosen_as_a_password(value: str) -> None:
    assert not is_chosen(value)


@pytest.mark.parametrize("value", ["hunter2", "s3cret", "correct horse", "12345678", "%2BFEHyvMQoys"])
def test_no_placeholder(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    "value", ["self.token", 'os.environ["X"]', "get_token()", "Optional[str] = None", "config.api_key,"]
)
def test_code(value: str) -> None:
    assert is_code(value)


@pytest.mark.parametrize(
    "value", ["/var/run/key.json", "~/.netrc", "gs://bucket/key.json", "./a/b", "projects/p/x/k"]
)
def test_path(value: str) -> None:
    assert is_path(value)


@pytest.mark.parametrize("value", ["abc/def+12==", "wJalr4XUtnFEM/K7MDENG/bPxRfiCY9ZEXkQ2LtAA"])
def test_no_path(value: str) -> None:
    assert not is_path(value)


WORDS = "otter maple granite velvet harbor thunder pickle saffron lantern walrus comet marble"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"WALLET_MNEMONIC={WORDS}", "maple"),
        (f"recovery phrase: {WORDS}", "maple"),
        ("| MINIO_PASSWORD | otter-maple-granite-velvet |", "maple"),
        ("smtp_password ........ cutvycgprckmcnuu", "cutvy"),
        ("ERLANG_COOKIE=AVBOWEOHCKNRJBVPPMBN", "OWEOH"),
        ("smtp password: abcd efgh ijkl mnop", "efgh"),
        ("TOTP secret: JBSW Y3DP EHPK 3PXP", "Y3DP"),
        ("GET /x?api_secret=abc%26def1%3D2&page=2", "def1"),
        ("ADMIN_PIN=614429", "6144"),
        ("recovery_code=czrvd-2mo6o", "czrvd"),
        ("echo 'ada:Comet767#' | chpasswd", "Comet"),
    ],
)
def test_secrets_of_words_and_numbers_are_redacted(text: str, left: str):
    assert left not in redact(text)


def test_structure_that_never_closes_ends_with_its_lines():
    text = 'secrets = {"first": "abc123",\n  "other": "def456",\nloading shard 17 of 128\nstep 3 done'
    shown = redact(text)
    assert "abc123" not in shown
    assert "def456" not in shown
    assert shown.endswith("\nloading shard 17 of 128\nstep 3 done")


SHOWN = "a1B2c3D4e5F6" + "g7H8i9J0k1L2" + "m3N4o5P6"


@pytest.mark.parametrize(
    "text",
    [
        f"aws_secret_access_key: {SHOWN[:12]}…{SHOWN[-12:]}",  # most of it is shown
        f"DB_PASSWORD={SHOWN[:10]}***",
        f"token hf_{SHOWN}...{SHOWN[:9]}",
        f"db_password:\n{SHOWN}\nport: 5432",
        f"WANDB_API_KEY\n    {SHOWN}",
        f"KeyError: '{SHOWN}' is not a valid twilio_auth_token",
        f"ValueError: '{SHOWN}' is an invalid API key",
        f"api_key.get_secret_value() returned '{SHOWN}'",
        f"KUBECONFIG_B64={SHOWN}{SHOWN}",
        "dd_api_key = '167902366640" + "2ebfcd0fc7001546d976'",  # begins like a date
        "secret: 12345678-" + "1234-1234-1234-1234567890ab",
        f"Please use the following password to proceed:\n\n{SHOWN}\n",
        f"SECRET_KEY was auto-generated: {SHOWN}",
        f"HF_TOKEN – {SHOWN}",
        f"Loaded HF_TOKEN from .env: {SHOWN}",
        f"expected hf_token 'x', got '{SHOWN}'",
        f"/config/db_password\n{SHOWN}",
        f'$api_key\n[1] "{SHOWN}"',
        f"api_key=<{SHOWN}>",
        f"vault_secret_id '{'12345678-' + '1234-1234-1234-1234567890ab'}' rejected",
    ],
)
def test_values_written_in_unusual_ways_are_redacted(text: str):
    shown = redact(text)
    assert not any(part in shown for part in (SHOWN[:9], SHOWN[-9:], "546d976", "567890ab"))


@pytest.mark.parametrize(
    "text",
    [
        "api_key=sk-…Ab3d",
        "password: ********",
        "GH_TOKEN=ghp_************************************",
        "secret\nWaiting for the controller",
        "token:\n  - <pad>",
        "'<|endoftext|>' is not a valid token",
        "KUBECONFIG=/home/ada/.kube/config",
        "created_token_at=2026-11-22T10:00:00.123+00:00",
        "secret: 2026-11-22 10:00:00 UTC",
    ],
)
def test_masks_dates_and_words_stay(text: str):
    assert redact(text) == text

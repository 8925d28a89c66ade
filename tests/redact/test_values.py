"""What a value looks like decides under uncertain names; under certain ones only placeholders stay."""

import pytest

from babysitter.redact import redact
from babysitter.redact.value_shapes import (
    is_code,
    is_path,
    is_placeholder,
    is_plain,
    looks_random,
)

RANDOM = ["aB3dE5fG7hJ9kL1m", "k3j9x0q8w7e6r5t4", "VOkq3gCCxRoIqwtPLNOp", "4f5wlshmokv6ohmn8o63w48m"]
NOT_RANDOM = [
    "zephyr-dedup-4f1c2a7b-p0-a0",
    "20261120-194436-86827518",
    "281cdd81-72e0-1141-61a3-f893abb50eec",
    "part-00012-of-01024.parquet",
    "Meta-Llama-3.1-8B-Instruct",
    "AutoModelForCausalLM",
    "checkpoint_step_20000",
    "0123456789abcdef0123",
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
    "value", ["None", "***", "<your token>", "${HF_TOKEN}", "{token}", "hf_...", "not", "required", "12"]
)
def test_placeholder(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize("value", ["hunter2", "s3cret", "correct horse", "12345678"])
def test_no_placeholder(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    "value", ["self.token", 'os.environ["X"]', "get_token()", "Optional[str] = None", "config.api_key,"]
)
def test_code(value: str) -> None:
    assert is_code(value)


@pytest.mark.parametrize("value", ["/var/run/key.json", "~/.netrc", "gs://bucket/key.json", "./a/b"])
def test_path(value: str) -> None:
    assert is_path(value)


@pytest.mark.parametrize("value", ["abc/def+12==", "wJalr4XUtnFEM/K7MDENG/bPxRfiCY9ZEXkQ2LtAA"])
def test_no_path(value: str) -> None:
    assert not is_path(value)


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

"""Structures are redacted by the names of their fields; everything else keeps its shape."""

from babysitter.redact import REDACTED, redact_value


def test_environment_goes_by_name() -> None:
    shown = redact_value({"envVars": {"HF_TOKEN": "made up", "STEPS": "10", "NOTE": "aB3dE5fG7hJ9kL1mN3pQ5"}})
    assert shown == {"envVars": {"HF_TOKEN": REDACTED, "STEPS": "10", "NOTE": REDACTED}}


def test_argv_goes_by_flag() -> None:
    argv = [
        "iris",
        "-e",
        "HF_TOKEN",
        "made1up",
        "--api-key",
        "made up",
        "--password=x1",
        "--max-tokens",
        "4096",
    ]
    assert redact_value({"submitArgv": argv}) == {
        "submitArgv": [
            "iris",
            "-e",
            "HF_TOKEN",
            REDACTED,
            "--api-key",
            REDACTED,
            f"--password={REDACTED}",
            "--max-tokens",
            "4096",
        ]
    }


def test_argv_flag_without_value_spares_the_next_flag() -> None:
    assert redact_value(["--token", "--verbose", "x"]) == ["--token", "--verbose", "x"]


def test_pair_of_name_and_value() -> None:
    shown = redact_value([{"name": "DB_PASSWORD", "value": "plain"}, {"name": "STEPS", "value": "plain"}])
    assert shown == [{"name": "DB_PASSWORD", "value": REDACTED}, {"name": "STEPS", "value": "plain"}]


def test_everything_below_a_secret_name() -> None:
    shown = redact_value(
        {"secrets": {"a": "plain1", "type": "static", "n": 3, "list": ["x1y2z3", None, True]}}
    )
    assert shown == {"secrets": {"a": REDACTED, "type": "static", "n": 3, "list": [REDACTED, None, True]}}


def test_numbers_and_shape_stay() -> None:
    answer = {"max_tokens": 512, "token_count": 3.5, "ok": True, "none": None, "list": [[], {}, ""]}
    assert redact_value(answer) == answer


def test_number_as_password_goes() -> None:
    assert redact_value({"password": 12345678}) == {"password": REDACTED}


def test_list_of_lines_is_read_as_one_text() -> None:
    lines = ["kind: Secret", "stringData:", "  anything: Quartz_maple830", "type: Opaque"]
    assert redact_value({"lines": lines}) == {
        "lines": ["kind: Secret", "stringData:", f"  anything: {REDACTED}", "type: Opaque"]
    }


def test_words_of_a_command_are_not_joined() -> None:
    argv = ["train", "--api-key=aB3dE5fG7hJ9kL1mN3pQ5", "gpt2-medium", "run 3"]
    assert redact_value(argv) == ["train", f"--api-key={REDACTED}", "gpt2-medium", "run 3"]

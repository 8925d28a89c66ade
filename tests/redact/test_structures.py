"""Structures are redacted by the names of their fields; everything else keeps its shape."""

from babysitter.redact import REDACTED, redact, redact_value


def test_environment_goes_by_name() -> None:
    shown = redact_value({"envVars": {"HF_TOKEN": "made up", "STEPS": "10", "NOTE": "aB3dE5fG7hJ9kL1mN3pQ5"}})
    assert shown == {"envVars": {"HF_TOKEN": REDACTED, "STEPS": "10", "NOTE": REDACTED}}


def test_fingerprint_of_public_key_stays() -> None:
    answer = {"env": {"GPG_KEY": "0F1E2D3C4B5A69780F1E2D3C4B5A69780F1E2D3C"}}
    assert redact_value(answer) == answer


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


def test_secret_is_removed_from_every_other_field() -> None:
    shown = redact_value(
        {
            "args": ["--db-url", "mysql://root:Quartz_maple830@db/x"],
            "env": {"API_TOKEN": "aB3dE5fG7hJ9kL1mN3pQ5"},
            "note": ["tried Quartz_maple830 twice", {"sent": "aB3dE5fG7hJ9kL1mN3pQ5 to /v1"}],
        }
    )
    assert isinstance(shown, dict)
    assert shown["note"] == [f"tried {REDACTED} twice", {"sent": f"{REDACTED} to /v1"}]


def test_untouched_fields_stay_though_a_secret_stands_in_them() -> None:
    answer = {"password": "Quartz_maple830", "dump": "Quartz_maple830"}
    shown = redact_value(answer, untouched=frozenset(["dump"]))
    assert shown == {"password": REDACTED, "dump": "Quartz_maple830"}


def test_pass_beside_a_user_goes() -> None:
    assert redact_value({"user": "ada", "pass": "maple"}) == {"user": "ada", "pass": REDACTED}
    assert redact_value({"pass": "maple", "fail": 3}) == {"pass": "maple", "fail": 3}


def test_mapping_below_a_named_object_is_no_value() -> None:
    text = "kind: Secret\nmetadata:\n  name: db-creds\ndata:\n  username: YWRtaW4x\n"
    assert redact(text) == text.replace("YWRtaW4x", "[redacted]")


def test_address_behind_an_uncertain_name_keeps_its_host() -> None:
    text = "bad auth: mongodb://ada:Quartz-maple@m1.example.org/?retryWrites=true"
    assert redact(text) == text.replace("Quartz-maple", "[redacted]")


def test_port_before_settings_is_no_password() -> None:
    text = "jdbc:sqlserver://db-1:1433;databaseName=Runs;password=Qu@rtz8maple;encrypt=true"
    assert redact(text) == text.replace("Qu@rtz8maple", "[redacted]")

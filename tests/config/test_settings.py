"""Settings: three layers, one value; every fault with its place; the written defaults are the defaults."""

import re
from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from babysitter.config import Settings, load_settings, render_commented_defaults, secret
from babysitter.config.settings import setting_names
from babysitter.errors import BadConfig
from babysitter.model.finding import Cause
from babysitter.model.limits import Limits
from babysitter.model.policy import Policy, QuietHours, Silence


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def load(file: Path | None = None, environment: dict[str, str] | None = None, **flags: object) -> Settings:
    return load_settings(file, environment={"HOME": "/nowhere"} | (environment or {}), flags=flags)


def test_nothing_given_is_the_default():
    settings = load()
    assert settings.limits == Limits()
    assert settings.as_policy() == Policy()


def test_flags_win_over_the_environment_and_that_over_the_file(file: Path):
    file.write_text("default_cluster: from-file\nslack: {channel: C1, on_call: U1}\nplaybooks: [/file]\n")
    settings = load(
        file,
        {"BABYSIT_DEFAULT_CLUSTER": "from-environment", "BABYSIT_SLACK_CHANNEL": "C2"},
        default_cluster="from-flag",
        state_dir=None,
    )
    assert settings.default_cluster == "from-flag"
    assert (settings.slack.channel, settings.slack.on_call) == ("C2", "U1")
    assert settings.playbooks == (Path("/file"),)


def test_a_file_becomes_the_products_values(file: Path):
    file.write_text(
        """
limits: {pulse_s: 45, smoke_allowance_s: 10m, proposal_expires_s: 6h}
approvers: [U1, S2]
quiet_hours: {begins: '22:00', ends: '07:00', timezone: Europe/Berlin}
silences:
  - {jobs: '/ada/*', causes: [preemption], until: 2026-11-20T08:00:00Z, why: cheap}
clusters:
  marin: {url: 'http://h:1', iris_command: uv run iris}
"""
    )
    settings = load(file)
    limits, policy = settings.limits, settings.as_policy()
    assert (limits.pulse_s, limits.smoke_allowance_s, limits.proposal_expires_s) == (45, 600, 21600)
    assert policy.approvers == (("U1", "S2"),)
    assert policy.quiet_hours == QuietHours(time(22), time(7), "Europe/Berlin")
    until = datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert policy.silences == (Silence("/ada/*", frozenset({Cause.PREEMPTION}), until, "cheap"),)
    assert settings.clusters["marin"].iris_command == ("uv", "run", "iris")


def test_every_fault_is_told_at_once_with_its_place(file: Path):
    file.write_text(
        "default_clutser: marin\n"
        "limits:\n"
        "  pulse_s: soon\n"
        "clusters:\n"
        "  marin:\n"
        "    transport: pigeon\n"
        "quiet_hours: {begins: '22:00', ends: '07:00', timezone: Atlantis}\n"
    )
    with pytest.raises(BadConfig) as told:
        load(file, {"BABYSIT_REMINDER_SHARE": "2", "BABYSIT_SLACK_CHANEL": "C1"}, state_dir=7)
    lines = str(told.value).splitlines()
    for expected in (
        f"{file}, line 1: default_clutser: there is no such setting; did you mean default_cluster?",
        f"{file}, line 3: limits.pulse_s: must be a number, not 'soon'",
        f"{file}, line 6: clusters.marin.transport: must be 'rpc' or 'cli', not 'pigeon'",
        f"{file}, line 7: quiet_hours.timezone: there is no time zone 'Atlantis'",
        "BABYSIT_REMINDER_SHARE: reminder_share: must be less than 1, not '2'",
        "BABYSIT_SLACK_CHANEL: there is no such setting; did you mean BABYSIT_SLACK_CHANNEL?",
        "--state-dir: state_dir: must be a path, not 7",
    ):
        assert any(expected in line for line in lines), (expected, lines)


def test_a_fault_hides_no_other_and_causes_none(file: Path):
    file.write_text(
        "clusters:\n"
        "  marin: {url: 'http://h:1', cluster: marin, transport: pigeon}\n"
        "  other: 5\n"
        "  node: {ssh: ssh gateway}\n"
        "  tail: {ssh: 'ssh \"{host}'}\n"
        "limits: {pulse_s: -1, quiet_floor_s: 0, stuck_floor_s: soon}\n"
        "slack: {bot_token: made-up, channel: [C1]}\n"
        "quiet_hours: {begins: '25:00', ends: '07:00'}\n"
        "silences: [{causes: [boredom]}, {until: 2026-11-20}]\n"
        "approvers: 7\n"
    )
    with pytest.raises(BadConfig) as told:
        load(file)
    assert sorted(line.partition(": ")[2] for line in told.value.sentence.splitlines()[1:]) == [
        "approvers: must be a list, not 7",
        "clusters.marin.transport: must be 'rpc' or 'cli', not 'pigeon'",
        "clusters.marin: give one of url, config and cluster, not url and cluster",
        "clusters.node.ssh: does not say where the host stands, as in ssh -o BatchMode=yes {host}",
        "clusters.other: must hold names with values, not 5",
        "clusters.tail.ssh: cannot be read as a command: No closing quotation",
        "limits.stuck_floor_s: must be a number, not 'soon'",
        "limits: pulse_s must be greater than 0, not -1; quiet_floor_s must be greater than 0, not 0",
        "quiet_hours.begins: must be a time such as 22:00, not '25:00'",
        f"silences.0.causes.0: 'boredom' is not known; there are {', '.join(Cause)}",
        "silences.1.until: needs a time zone, e.g. 2026-11-20T08:00:00Z",
        "slack.channel: must be text",
    ]


def test_a_secret_that_does_not_fit_is_not_repeated(file: Path):
    file.write_text(
        "database_url: {a: made-up-1}\nslack: {bot_token: 90210}\n"
        "notify: {apprise: [[made-up-1], made-up-1]}\n"
    )
    with pytest.raises(BadConfig) as told:
        load(file)
    assert "slack.bot_token: must be text" in told.value.sentence
    assert "made-up-1" not in told.value.sentence
    assert "90210" not in told.value.sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("limits: {}\nlimits: {}", "line 2: limits: stands here for the second time"),
        ("a: &a [*a]", "hold themselves"),
        ("a: " + "[" * 5_000, "nested too deeply"),
        ("a: " + "[" * 30 + "]" * 30, "nested too deeply"),
        (
            "a: &a [1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\n"
            "d: &d [*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e]",
            "too many values",
        ),
        ("a: \x07", "not allowed"),
        ("a: {b: 'c'\nd", r"line \d, column \d: \w"),
        ("#" * (1 << 21), "larger than"),
    ],
)
def test_a_file_that_is_damaged_or_hostile_is_told_in_a_sentence(file: Path, text: str, sentence: str):
    file.write_text(text)
    with pytest.raises(BadConfig, match=sentence) as told:
        load(file)
    assert "<unicode string>" not in str(told.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- a list", "must hold names with values"),
        ("a: [1", "cannot be read"),
        ("slack: {bot_token: made-up}", "a bot token needs a channel"),
        ("webhook: {url: 'http://h'}", "a secret or a secret_file"),
        ("clusters: {a: {url: 'http://h', config: x}}", "one of url, config and cluster"),
        ("limits: {assessment_least_s: 1h}", "assessment_least_s must not exceed"),
        ("silences: [{until: 2026-11-20T08:00:00}]", "needs a time zone"),
        ("limits: {pulse_s: -1}", "greater than 0"),
        ("state_dir: /s\nfollow:\n- /a/*\n- /b/*", r"line 3: follow\.0: '/a/\*' needs a cluster"),
        ("notify: {apprise: [mailto://ada@example.org, ada]}", "notify.apprise: number 2 is not a URL"),
    ],
)
def test_what_does_not_fit_is_refused(file: Path, text: str, sentence: str):
    file.write_text(text)
    with pytest.raises(BadConfig, match=sentence):
        load(file)


def test_toml_is_understood_too(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text('default_cluster = "marin"\n[slack]\nchannel = "C1"\n')
    assert load(file).slack.channel == "C1"


def test_the_file_in_the_usual_place_is_found(tmp_path: Path):
    (tmp_path / "babysit").mkdir()
    (tmp_path / "babysit" / "config.yaml").write_text("default_cluster: marin\n")
    assert load(environment={"XDG_CONFIG_HOME": str(tmp_path)}).default_cluster == "marin"


def test_a_named_file_that_is_missing_is_told(tmp_path: Path):
    with pytest.raises(BadConfig, match="No such file"):
        load(environment={"BABYSIT_CONFIG": str(tmp_path / "none.yaml")})


def test_structured_variables_are_json():
    settings = load(environment={"BABYSIT_CLUSTERS": '{"marin": {"url": "http://h:1"}}'})
    assert settings.clusters["marin"].url == "http://h:1"
    with pytest.raises(BadConfig, match="BABYSIT_CLUSTERS: starts like JSON"):
        load(environment={"BABYSIT_CLUSTERS": "{marin"})


def test_one_apprise_url_is_a_list_of_one():
    settings = load(environment={"BABYSIT_NOTIFY_APPRISE": "mailto://ada:made-up@example.org"})
    assert [secret_str.get_secret_value() for secret_str in settings.notify.apprise] == [
        "mailto://ada:made-up@example.org"
    ]
    assert "made-up" not in repr(settings)


def test_secrets_are_not_shown_and_come_from_files(tmp_path: Path):
    (tmp_path / "token").write_text("made-up-token\n")
    settings = load(environment={"BABYSIT_SLACK_BOT_TOKEN": "made-up", "BABYSIT_SLACK_CHANNEL": "C1"})
    assert "made-up" not in repr(settings)
    assert secret(settings.slack.bot_token, None, what="bot token") == "made-up"
    assert secret(None, tmp_path / "token", what="bot token") == "made-up-token"
    assert secret(None, None, what="bot token") == ""
    with pytest.raises(BadConfig, match="The file with the bot token"):
        secret(None, tmp_path / "none", what="bot token")


def test_the_written_defaults_are_the_defaults(file: Path):
    text = render_commented_defaults()
    file.write_text(text)
    assert load(file) == Settings()
    values, is_example = [], False
    for line in text.splitlines():
        if re.match(r"# [a-z_]+:", line):
            is_example = line.endswith("# for example")
        if re.match(r"# {1,3}[a-z_]+:( |$)", line) and not is_example:
            values.append(line[2:])
    file.write_text("\n".join(values))
    assert load(file) == Settings()
    assert len(values) > len(setting_names()) * 0.8


def test_the_examples_are_valid(file: Path):
    examples, is_example = [], False
    for line in render_commented_defaults().splitlines():
        is_example = line.endswith("# for example") or (is_example and line.startswith("#   "))
        examples += [line[2:]] if is_example else []
    file.write_text("\n".join(examples))
    settings = load(file)
    assert settings.clusters
    assert settings.silences
    assert settings.quiet_hours
    assert len(settings.approvers) == 2


def test_an_unknown_threshold_is_told(file: Path):
    file.write_text("limits:\n  pulse: 30\n")
    with pytest.raises(
        BadConfig, match=r"line 2: limits.pulse: there is no such setting; did you mean pulse_s"
    ):
        load(file)


def test_every_setting_is_in_the_written_file():
    text = render_commented_defaults()
    for name in Settings.model_fields:
        assert f"# {name}:" in text

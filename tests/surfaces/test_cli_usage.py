"""What the command line answers before it asks any cluster: help, misuse, completion, set-up, files."""

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from babysitter.config import load_settings
from babysitter.surfaces import views
from babysitter.surfaces.cli.commands import COMMANDS, load, run
from babysitter.surfaces.cli.terminal import json_replies


@dataclass
class Said:
    code: int
    out: str
    err: str


class Terminal:
    """Runs command lines in this process, in a home without anything."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, command: str) -> Said:
        code = run(shlex.split(command)[1:])
        said = self._capsys.readouterr()
        return Said(code, said.out, said.err)


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    for name in [text for text in os.environ if text.startswith("BABYSIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    for kind in ("CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return Terminal(capsys)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_a_command_does_and_shows_an_example_that_works(name: str, say: Terminal):
    said = say(f"babysit {name} --help")
    example = COMMANDS[name].example
    assert (said.code, said.err) == (0, "")
    assert example in said.out
    assert "\x1b" not in said.out
    first = next(line for line in said.out.splitlines()[1:] if line.strip())
    assert first.strip()[0].isupper()
    words = shlex.split(example.partition(" >> ")[0])
    assert words[:2] == ["babysit", name]
    command = load(name)
    with command.make_context(name, words[2:]) as context:  # raises for an option that is none
        below_words = [*getattr(context, "_protected_args", ()), *context.args]
        if hasattr(command, "commands") and below_words:
            _, below, rest = command.resolve_command(context, below_words)
            below.make_context(below.name, rest).close()


def test_the_overview_names_every_command_and_nothing_alone_is_asked_for(say: Terminal):
    for words in ("babysit", "babysit --help"):
        said = say(words)
        assert said.code == 0
        assert all(f"  {name} " in said.out for name in COMMANDS)
    for group in ("skills", "playbook", "slack"):
        assert say(f"babysit {group}").code == 2


MISUSE = [
    ("babysit sttus", "`babysit status`"),
    ("babysit start", "Which job?"),
    ("babysit start /ada/x --clutser marin", "--clutser"),
    ("babysit start /ada/x --cluster", "--cluster"),
    ('babysit start /ada/x --controller-url http://127.0.0.1:9 --resubmit "\'"', "resubmit"),
    ('babysit diagnose /ada/x --controller-url http://127.0.0.1:9 --iris-command "\'"', "--iris-command"),
    ("babysit diagnose /ada/x --controller-url http://127.0.0.1:9 --cluster marin", "exactly one"),
    ("babysit start /ada/x --config nowhere.yaml", "nowhere.yaml"),
    ("babysit start /ada/x --transport pigeon --cluster x", "pigeon"),
    ("babysit list more", "more"),
    ("babysit wait /ada/x --for long", "--for"),
    ("babysit wait /ada/x --for -1", "--for"),
    ("babysit snooze p-1 --for soon", "soon"),
    ("babysit snooze p-1 --for 99999999999d", "99999999999d"),
    ("babysit snooze p-1 --for 0s", "0s"),
    ("babysit snooze p-1 --for 31d", "31d"),
    ("babysit wait /ada/x --for nan", "--for"),
    ("babysit wait /ada/x --for 1e300", "--for"),
    ("babysit wait /ada/x --cursor soon", "--cursor"),
    ("babysit diagnose /ada/\x1b[31mred --controller-url http://127.0.0.1:9", "cannot be shown"),
    ("babysit diagnose /ada/\u202egnp --controller-url http://127.0.0.1:9", "cannot be shown"),
    (f"babysit diagnose /ada/{'x' * 2000} --controller-url http://127.0.0.1:9", "not a full job id"),
    ("babysit status /ada/\x1b[31mred", "Nothing named '/ada/red'"),
    ("babysit snooze p-1", "p-1"),
    ("babysit deny p-1", "p-1"),
    ("babysit report /ada/x", "/ada/x"),
    ("babysit stop /ada/x", "/ada/x"),
    ("babysit replay .", "."),
    ("babysit replay x --time-scale 0", "--time-scale"),
    ("babysit record /ada/x --cluster y", "output"),
    ("babysit completion tcsh", "tcsh"),
    ("babysit skills check nowhere", "nowhere"),
    ("babysit skills instal", "instal"),
    ("babysit init /proc/nowhere/config.yaml", "/proc/nowhere"),
    ("babysit list --state-dir /proc/nowhere", "/proc/nowhere"),
    ("babysit list --settings nowhere.yaml", "nowhere.yaml"),
    ("babysit mcp --http --host 0.0.0.0", "0.0.0.0"),
    ("babysit start /ada/x --controller-url http://127.0.0.1:9 --resubmit ''", "resubmit command is empty"),
    ("babysit follow '/ada/*' --list", "--list takes no pattern"),
    ("babysit follow 'ada*' --controller-url http://127.0.0.1:9", "'ada*' matches no job"),
    ("babysit incidents --cause bogus", "'--cause': 'bogus' is not one of"),
    ("babysit playbook new --from i-none", "No incident has the id 'i-none'"),
]


@pytest.mark.parametrize(("command", "named"), MISUSE, ids=[command for command, _ in MISUSE])
def test_misuse_is_one_sentence_with_the_place_and_the_next_step(command: str, named: str, say: Terminal):
    said = say(command)
    assert (said.code, said.out) == (2, ""), said
    lines = said.err.splitlines()
    assert lines[0].startswith("babysit: ")
    assert lines[0].endswith((".", "?", ":", ")", "'")) or len(lines) > 1
    assert named in said.err
    assert "\x1b" not in said.err
    assert 2 <= len(lines) <= 4, said.err


BROKEN = [
    ("slack: [", "config.yaml"),
    ("limits: {pulse_s: soon}", "pulse_s"),
    ("limits: {pulse_z: 3}", "pulse_z"),
    ("clusters: {marin: {url: http://x, config: y}}", "marin"),
    ("- a list", "config.yaml"),
    ("\x00", "config.yaml"),
    ("web: {listen: nowhere}", "web.listen: must be HOST:PORT"),
]


@pytest.mark.parametrize(("text", "named"), BROKEN)
def test_a_broken_settings_file_is_named_with_what_breaks_it(
    text: str, named: str, say: Terminal, tmp_path: Path
):
    (tmp_path / "config.yaml").write_text(text)
    said = say("babysit list --settings config.yaml")
    assert said.code == 2
    assert named in said.err
    assert "Traceback" not in said.err


def test_init_writes_a_file_that_is_valid_and_never_overwrites(say: Terminal, tmp_path: Path):
    assert say("babysit init").code == 0
    written = tmp_path / "CONFIG" / "babysit" / "config.yaml"
    load_settings(written)
    again = say("babysit init")
    assert (again.code, str(written) in again.err) == (2, True)


def test_doctor_tries_everything_and_says_what_is_missing(say: Terminal):
    said = say("babysit doctor --json")
    found = json_replies.DoctorReply.model_validate_json(said.out)
    assert (said.code, found.ok) == (1, False)
    wrong = [check for check in found.checks if not check.ok]
    assert [check_view.name for check_view in wrong] == ["cluster"]
    assert "--cluster NAME" in wrong[0].next_step
    assert "FAIL  cluster" in say("babysit doctor").out
    unreachable = say("babysit doctor --controller-url http://127.0.0.1:9 --json")
    assert not json_replies.DoctorReply.model_validate_json(unreachable.out).ok


def test_skills_are_listed_checked_and_installed(say: Terminal, tmp_path: Path):
    listed = json_replies.SkillsReply.model_validate_json(say("babysit skills list --json").out)
    names = ["babysit-job", "babysit-ray", "babysit-zephyr", "debug-job"]
    assert [skill.name for skill in listed.skills] == names
    assert all(skill.faults == [] for skill in listed.skills)
    assert say("babysit skills check").out == "4 skills, 0 faults.\n"
    for options, folder in (("", ".claude/skills"), ("--user", ".claude/skills"), ("--dir x", "x")):
        assert say(f"babysit skills install {options}").code == 0
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == names
    (tmp_path / "x" / "debug-job" / "SKILL.md").write_text("mine")
    refused = say("babysit skills install --dir x")
    assert (refused.code, "--force" in refused.err) == (2, True)
    broken = say("babysit skills check x")
    assert (broken.code, "debug-job" in broken.out) == (2, True)
    assert say("babysit skills install --dir x --force").code == 0
    (tmp_path / "file").touch()
    assert say("babysit skills install --dir file").code == 2


def test_several_logs_give_one_diagnosis(say: Terminal, tmp_path: Path):
    for name in ("a.log", "b.log"):
        (tmp_path / name).write_text("ModuleNotFoundError: No module named 'torch'\n")
    found = views.DiagnoseReply.model_validate_json(say("babysit classify a.log b.log --json").out)
    assert found.diagnosis.cause == "missing-dependency"


COMPLETED = [
    ("bash", {"COMP_WORDS": "babysit sta", "COMP_CWORD": "1"}, {"start", "status"}),
    ("bash", {"COMP_WORDS": "babysit start --clus", "COMP_CWORD": "2"}, {"--cluster"}),
    ("bash", {"COMP_WORDS": "babysit skills ins", "COMP_CWORD": "2"}, {"install"}),
    ("zsh", {"_TYPER_COMPLETE_ARGS": "babysit sta"}, {"start", "status"}),
    ("fish", {"_TYPER_COMPLETE_ARGS": "babysit sta", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, {"start"}),
]


@pytest.mark.parametrize(("shell", "asked", "offered"), COMPLETED)
def test_a_shell_completes_commands_and_options(
    shell: str,
    asked: dict[str, str],
    offered: set[str],
    say: Terminal,
    monkeypatch: pytest.MonkeyPatch,
):
    for name, value in {**asked, "_BABYSIT_COMPLETE": f"complete_{shell}"}.items():
        monkeypatch.setenv(name, value)
    words = say("babysit").out
    assert all(text in words for text in offered)
    assert "stop" not in words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_asks_babysit(shell: str, say: Terminal):
    said = say(f"babysit completion {shell}")
    assert said.code == 0
    assert f"_BABYSIT_COMPLETE=complete_{shell}" in said.out
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=said.out.encode(), check=False).returncode == 0


def test_a_reader_that_leaves_early_is_no_fault():
    command = f"{sys.executable} -m babysitter playbook list --json | head -c 10"
    said = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in said.stderr
    assert "Exception" not in said.stderr

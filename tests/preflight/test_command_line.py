"""How the client reads a command, and how a command is edited."""

import shlex

import pytest

from babysitter.preflight.client.client_tables import option_table
from babysitter.preflight.command_line import flag_value, parse_run, with_flag, with_switch

OPTIONS = option_table().run_options("may")


def parsed(line: str):
    command = parse_run(shlex.split(line), OPTIONS)
    assert command is not None
    return command


@pytest.mark.parametrize(
    ("line", "uses", "program"),
    [
        ("iris job run --cpu 4 -- x --cpu 8", ["--cpu 4"], "x --cpu 8"),
        ("iris job run --cpu=4 x y", ["--cpu 4"], "x y"),
        ("iris job run x --cpu 4 y", ["--cpu 4"], "x y"),
        ("iris job run -e K V -eA B -- x", ["-e K V", "-e A B"], "x"),
        ("iris job run --env-vars=K V -- x", ["--env-vars K V"], "x"),
        ("iris job run bash -lec 'echo hi'", ["-e c echo hi"], "bash -l"),
        ("iris job run -e K -- x", ["-e K --"], "x"),
        ("iris job run --memory --cpu 4 -- x", ["--memory --cpu"], "4 x"),
        ("iris job run --zz=1 -- x", [], "--zz=1 x"),
        ("uv run --with y iris --cluster marin job run - -- x", [], "- x"),
    ],
)
def test_run_command_read_as_the_client_does(line, uses, program):
    command = parsed(line)
    assert [" ".join((use.name, *use.values)) for use in command.uses] == uses
    assert " ".join(command.program) == program


@pytest.mark.parametrize("line", ["iris job list", "python x.py", "iris job logs -- job run", ""])
def test_other_commands_are_not_read(line):
    assert parse_run(shlex.split(line), OPTIONS) is None


def test_last_value_counts():
    assert parsed("iris job run --job-name a --job-name b -- x").value("--job-name") == "b"


@pytest.mark.parametrize(
    ("line", "flag", "value", "expected"),
    [
        (
            "iris job run --memory 5GB -- x --memory 1",
            "--memory",
            "9GB",
            "iris job run --memory 9GB -- x --memory 1",
        ),
        (
            "iris job run --memory 2GB --memory=5GB -- x",
            "--memory",
            "9GB",
            "iris job run --memory 9GB --memory=9GB -- x",
        ),
        ("iris job run --memory=5GB -- x", "--memory", "9GB", "iris job run --memory=9GB -- x"),
        ("iris job run -- x --disk 1", "--disk", "9GB", "iris job run --disk 9GB -- x --disk 1"),
        ("uv run iris job run -- x", "--region", "us", "uv run iris job run --region us -- x"),
    ],
)
def test_flag_set_in_place_or_after_run(line, flag, value, expected):
    changed = with_flag(tuple(shlex.split(line)), flag, value)
    assert shlex.join(changed) == expected
    assert flag_value(changed, flag) == value


def test_last_flag_value_counts():
    assert (
        flag_value(("iris", "job", "run", "--user", "ada", "--user=bob", "--", "--user", "x"), "--user")
        == "bob"
    )


def test_switch_set_once():
    argv = ("iris", "job", "run", "--", "x", "--no-wait")
    once = with_switch(argv, "--no-wait")
    assert once == ("iris", "job", "run", "--no-wait", "--", "x", "--no-wait")
    assert with_switch(once, "--no-wait") == once

"""Plain command lines mean what typer says they mean; the others are left to typer."""

import shlex
from typing import Any

import pytest
import typer

from babysitter.surfaces.cli.commands import COMMANDS, _target, load
from babysitter.surfaces.cli.terminal.plain_arguments import plain_arguments

PLAIN = [
    "status",
    "status /ada/dedup",
    "status /ada/dedup --watch --cluster marin",
    "status --cluster=marin --json w-1",
    "status ''",
    "list --all --state-dir /srv/state --settings ~/x.yaml",
    "list",
    "approve p-1",
    "approve --json p-1 --state-dir=/srv/a=b",
    "snooze p-1 --for 2h",
    "snooze p-1",
    "explain /ada/dedup --why-not zombie",
]
LEFT_TO_TYPER = [
    "status --help",
    "status --nothing",
    "status a b",
    "status --cluster",
    "status --cluster --json",
    "status --json=yes",
    "approve",
    "list -- x",
    "start /ada/x --cluster marin",
    "diagnose /ada/x --transport pigeon",
]


@pytest.mark.parametrize("line", PLAIN)
def test_plain_arguments_are_what_typer_makes_of_them(line: str):
    name, *words = shlex.split(line)
    found = plain_arguments(_target(COMMANDS[name]), words)
    assert found is not None
    assert {**_defaults(name), **found} == load(name).make_context(name, words).params


@pytest.mark.parametrize("line", LEFT_TO_TYPER)
def test_other_arguments_are_left_to_typer(line: str):
    name, *words = shlex.split(line)
    assert plain_arguments(_target(COMMANDS[name]), words) is None


@pytest.mark.parametrize("name", ["status", "list", "approve", "deny", "snooze", "explain", "report"])
def test_commands_that_only_show_or_answer_are_plain(name: str):
    assert not isinstance(_target(COMMANDS[name]), typer.Typer)
    assert plain_arguments(_target(COMMANDS[name]), ["x"] if name != "list" else []) is not None


def _defaults(name: str) -> dict[str, Any]:
    import inspect

    parameters = inspect.signature(_target(COMMANDS[name])).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.default is not inspect.Parameter.empty
    }

"""Errors name tools: whatever the services say in a shell's words reaches an agent in its own."""

import ast
import re
from pathlib import Path

import pytest

import babysitter
from babysitter.errors import UserError
from babysitter.surfaces.mcp.refusals import FOR_A_PERSON, refusal

SOURCE = Path(babysitter.__file__).parent
SHELL_ONLY = ("surfaces/cli", "slack/", "sim/")


def next_steps() -> dict[str, str]:
    """Every next step in the source, by place; what is filled in at run time is shown as X."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        if place.startswith(SHELL_ONLY) or "next_step=" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.keyword) and node.arg == "next_step":
                found[f"{place}:{node.value.lineno}"] = text_of(node.value)
    return found


def text_of(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) if isinstance(part, ast.Constant) else "X" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            return f"{text_of(one)} {text_of(other)}"
        case _:
            return "X"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("`babysit list` shows what is watched.", "`list_watches` shows what is watched."),
        ("`babysit status /a/b` shows how it is doing.", "`watch_status` of /a/b shows how it is doing."),
        ("Run `babysit doctor`; the job is fine.", "Call `process_status`; the job is fine."),
        ("Check the id with `iris job list`.", "Check the id with `list_jobs`."),
        ("Give it with --resubmit 'iris job run -- a'.", "Give it with `resubmit` 'iris job run -- a'."),
        ("Give --cluster NAME.", "Give `cluster`."),
        ("Run `iris login` for this cluster. Try again.", f"Try again. {FOR_A_PERSON}"),
        ("Name another with --settings or $BABYSIT_CONFIG.", FOR_A_PERSON),
        ("", ""),
    ],
)
def test_refusal_speaks_of_tools(step: str, told: str):
    assert refusal(UserError("It failed.", next_step=step)) == f"It failed. {told}".strip()


@pytest.mark.parametrize(("place", "step"), sorted(next_steps().items()))
def test_refusal_of_every_error_names_no_command(place: str, step: str):
    told = refusal(UserError("It failed.", next_step=step))
    assert not re.search(r"`(?:babysit|iris|gcloud) | --[a-z]|BABYSIT_", told), place


def test_next_steps_are_found():
    assert len(next_steps()) > 80

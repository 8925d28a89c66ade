"""Every command in every skill is real: it is taken from the text and run against a simulated cluster."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from babysitter.errors import UserError
from babysitter.usecases.agent_skills import (
    FILE_NAME,
    Skill,
    install,
    read_skill,
    skills_in,
)
from tests.support.session_folder import session_in
from tests.support.shell import Shell, shell

# Told about, never to be run; of Ray there is no cluster here, and of incidents none.
NEVER = (
    "babysit approve",
    "babysit deny",
    "job stop",
    " --ray ",
    "start --log running_logs/",
    "incidents --like ID",
    "incidents teach",
)
LADDER = """\
ladder: tiny
steps:
  - {name: smoke, command: [sleep, "1"], resources: {user: ada}}
"""
SKILLS = {skill.name: skill for skill in skills_in()}


def commands(skill: Skill) -> Iterator[str]:
    """Commands in blocks, and those in running text that have arguments."""
    text = (skill.folder / FILE_NAME).read_text(encoding="utf-8")
    for block in re.findall(r"```bash\n(.*?)```", text, flags=re.DOTALL):
        yield from (line for line in block.splitlines() if line)
    outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    yield from re.findall(r"`(babysit \w+ [^`]+)`", outside)


def concrete(command: str, run: Shell) -> str:
    """The command with this cluster's names for what the skill leaves open."""
    for name, value in {
        "$RAY_TEMP_DIR/session_latest": "session_2026-11-20_11-00-00_304543_11695",
        "running_logs/LATEST.log": "run.log",
        "LOGFILE": "run.log",
        "LADDER.yaml": "tiny.yaml",
        "JOB": run.job,
        "/USER/": "/eve/",
        "CLUSTER": "marin",
        "DIR": "recorded",
        "FOLDER": ".",
        "--for 30m": "--for 1",
    }.items():
        command = command.replace(name, value)
    return f"{command} --for 2 --every 1" if " record " in command else command


@pytest.mark.parametrize("name", SKILLS)
async def test_every_command_of_a_skill_works(name: str, tmp_path: Path):
    to_run = [command for command in commands(SKILLS[name]) if not any(word in command for word in NEVER)]
    assert to_run
    async with shell(tmp_path, "long-run") as run:
        (tmp_path / "project" / "tiny.yaml").write_text(LADDER)
        log = tmp_path / "project" / "run.log"
        log.write_text("Traceback (most recent call last):\nKeyError: 'lang'\n")
        session_in(tmp_path / "project").write("raylet.out", "up\n")
        first = [text for text in to_run if "start" in text]
        if not first:
            assert (await run(f"babysit start {run.job} --cluster marin")).code == 0
        await run(f"babysit wait {run.job} --cursor 0 --until stage")
        for command in (*first, *(text for text in to_run if text not in first)):
            said = await run(concrete(command, run))
            assert "Traceback" not in said.err, (command, said.err)
            excused = {"replay": 2, "wait": 6}.get(
                command.split()[1]
            )  # no recording; nothing happens in time
            assert said.code in (0, excused), (command, said)


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_holds_to_the_format_and_says_what_never_to_do(name: str):
    skill = SKILLS[name]
    text = (skill.folder / FILE_NAME).read_text(encoding="utf-8")
    assert skill.faults == ()
    assert "Use when" in skill.description
    assert "ever" in text
    assert "sleep" not in re.sub(r"never sleep in a loop", "", text, flags=re.IGNORECASE)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no head", "must begin with a YAML head"),
        ("---\nname: other\ndescription: x\n---\n", "must be that of its folder"),
        ("---\nname: mine\n---\n", "the description must have"),
        ("---\nname: [\n---\n", "no YAML"),
        ("---\nname: mine\ndescription: x\n---\n" + "a\n" * 600, "more than 500 lines"),
        ("---\nname: mine\ndescription: x\n---\n[more](../../etc/passwd)", "links to ../../etc/passwd"),
        ("---\nname: mine\ndescription: x\n---\n[more](a/b/c.md)", "links to a/b/c.md"),
    ],
)
def test_a_broken_skill_is_told_what_breaks_it(text: str, fault: str, tmp_path: Path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / FILE_NAME).write_text(text)
    assert any(fault in word for word in read_skill(folder).faults)


def test_installing_twice_is_fine_and_an_edit_there_is_not_lost(tmp_path: Path):
    first = install(tmp_path)
    assert [path.name for path in first] == list(SKILLS)
    assert install(tmp_path) == first
    (first[0] / FILE_NAME).write_text("mine")
    with pytest.raises(UserError, match="holds other versions"):
        install(tmp_path)
    assert (first[0] / FILE_NAME).read_text() == "mine"
    install(tmp_path, replace_edited=True)
    assert (first[0] / FILE_NAME).read_text() != "mine"

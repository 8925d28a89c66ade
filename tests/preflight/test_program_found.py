"""The client runs words: what only a shell understands is found nowhere."""

import pytest

from babysitter.preflight.facts import FileStatus
from babysitter.preflight.program_files import named_files
from babysitter.preflight.program_found import check_program_found
from tests.engine.test_preflight_act import folder_with
from tests.support.submissions import command_facts

RUN = "iris job run --no-wait --"


@pytest.mark.parametrize(
    ("words", "corrected"),
    [
        ("cd exp", ""),
        ("export A=1", ""),
        (". venv/bin/activate", ""),
        ("A=1 python x.py", "env A=1 python x.py"),
        ("'python x.py'", "bash -c 'python x.py'"),
        ("pyhton x.py", "python x.py"),
        ("pyton3 x.py", "python3 x.py"),
    ],
)
def test_what_only_a_shell_understands_blocks(words, corrected):
    (found,) = check_program_found(command_facts(f"{RUN} {words}"))
    assert found.blocks
    meant = command_facts(f"{RUN} {corrected}").submission.argv if corrected else ()
    assert found.command == meant


def test_script_without_its_interpreter_blocks():
    facts = folder_with("-- x.py", files={"x.py": FileStatus.SHIPPED})
    (found,) = check_program_found(facts)
    assert "python x.py" in found.fix


@pytest.mark.parametrize(
    "words",
    ["python x.py", "python3.12 x.py", "env A=1 python x.py", "bash -c 'cd a && b'", "x", "/app/x", "test"],
)
def test_what_may_be_a_program_passes(words):
    assert list(check_program_found(command_facts(f"{RUN} {words}"))) == []


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("cd exp && python b.py", ("exp/b.py", "exp/")),
        ("cd exp; cd deep; python b.py -c c.yaml", ("exp/deep/b.py", "exp/", "exp/deep/", "exp/deep/c.yaml")),
        ("mkdir -p out && python b.py", ("b.py",)),
        ("mkdir out && cd out && python b.py", ()),
        ("cd $DIR && python b.py", ()),
        ("cd /data && python b.py", ()),
        ("cd exp && python -m b", ("exp/",)),
    ],
)
def test_files_are_looked_for_where_the_shell_is(line, files):
    assert named_files(("bash", "-c", line)) == files

"""The client runs words: what only a shell understands is found nowhere."""

import pytest

from babysitter.preflight.facts import FileStatus
from babysitter.preflight.program.program_files import bare_names, named_files
from babysitter.preflight.program.program_found import check_program_found
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


@pytest.mark.parametrize(
    ("words", "interpreter"),
    [
        ("x.py", "python"),
        ("timeout 60 x.py", "python"),
        ("bash -lc 'x.py --fast'", "python"),
        ("launch", "bash"),
        ("bash -c 'launch; ls'", ""),  # not the result of the line: a warning
        ("bash -c 'cd exp && launch'", ""),  # another folder
        ("bash -c 'cp x.py launch && launch'", ""),
        ("reef", ""),  # a program that the project installs
        ("python x.py", ""),
    ],
)
def test_file_of_the_bundle_is_not_on_the_path(words, interpreter):
    names = ("x.py", "launch", "reef", "python")
    facts = folder_with(f"-- {words}", files=dict.fromkeys(names, FileStatus.SHIPPED), commands={"reef"})
    found = [finding for finding in check_program_found(facts) if finding.blocks]
    assert [f"`{interpreter} " in finding.fix for finding in found] == [True] * bool(interpreter)


def test_file_names_that_are_started_as_programs():
    assert bare_names(("bash", "-c", "cd exp && launch; ./a; python b.py")) == ("exp/launch",)


@pytest.mark.parametrize(
    "words", ["python -u -m", "python -c", "python --config a.yaml x.py", "python3 -n x.py"]
)
def test_python_that_cannot_start_blocks(words):
    (found,) = check_program_found(command_facts(f"{RUN} {words}"))
    assert found.blocks


def test_misspelt_program_whose_failure_is_not_the_result():
    (found,) = check_program_found(command_facts(f"{RUN} bash -c 'pyhton x.py; ls'"))
    assert not found.blocks


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

"""Which files a program needs, and which of them it cannot do without."""

import shlex

import pytest

from babysitter.preflight.facts import FileStatus
from babysitter.preflight.program.program_files import check_executable, check_files_shipped, named_files
from babysitter.preflight.program.wrapped_program import UvCommand, unwrapped, uv_command
from babysitter.preflight.shell.shell_commands import shell_commands
from tests.engine.test_preflight_act import folder_with
from tests.support.submissions import command_facts

RUN = "iris job run --no-wait --"
MISSING = FileStatus.MISSING


def blocked(words: str, *, missing: str) -> bool:
    """Whether a file that is not there blocks this program."""
    facts = folder_with(f"-- {words}", files={missing: MISSING})
    return any(finding.blocks for finding in check_files_shipped(facts))


@pytest.mark.parametrize(
    "words",
    [
        "python no.py",
        "python -u -W ignore no.py",
        "timeout -k 5 60 python no.py",
        "env A=1 nohup python no.py",
        "env -S 'python no.py'",
        "uv run --with pandas no.py",
        "uv run --group eval python no.py",
        "torchrun --nproc_per_node 2 no.py",
        "accelerate launch --num_processes 2 no.py",
        "bash -x no.py",
        "bash no.py 1",
        "python x.py --script no.py",
        "bash -c 'python no.py'",
        "bash -c 'python no.py || exit 1'",
        "bash -c 'for i in 1 2; do python no.py; done'",
        "bash -c 'set -e; (cd a; ls); python no.py | tee log'",
        "bash -c 'python x.py && python no.py'",
        "bash -c 'set +e; python no.py'",
        "bash -c 'set -eu; python no.py; ls'",
        "bash -c 'set -o errexit; python no.py; ls'",
        "bash -ec 'python no.py; ls'",
        "bash -e -c 'python no.py; ls'",
        "bash -c -e 'python no.py; ls'",
        "bash -euo pipefail -c 'python no.py; ls'",
        "bash -cl 'python no.py'",
        "bash -c 'python no.py; exit $?'",
        "bash -c 'python no.py & pid=$!; wait $pid'",
        "bash -c 'ls; bash -c \"python no.py\"'",
        "python -u no.py",
    ],
)
def test_missing_script_blocks(words):
    assert blocked(words, missing="no.py")


def test_script_of_a_shell_without_suffix_is_needed():
    assert blocked("bash run 1", missing="run")


@pytest.mark.parametrize(
    "words",
    [
        "bash -c 'python no.py || true'",
        "bash -c '(python no.py; ls) || echo none'",
        "bash -c 'python no.py || exit 0'",
        "bash -c 'test -f no.py && python no.py; ls'",
        "bash -c '[[ -f no.py ]] && python no.py || ls'",
        "bash -c 'if [ -f no.py ]; then python no.py; fi'",
        "bash -c 'case $X in a) python no.py;; esac'",
        "bash -c 'python no.py; ls'",
        "bash -c 'python no.py\nls'",
        "bash -c 'set -e; set +e; python no.py; ls'",
        "bash -c '(python no.py; ls) && ls'",
        "bash -c 'python no.py & ls'",
        "bash -c 'f() { python no.py; }; ls'",
        "bash -c 'echo 1 > no.py && python no.py'",
        "bash -c 'python x.py --write no.py; python no.py'",
        "bash -c 'git clone x && python no.py'",
        "bash -c 'pkill -f no.py; rm no.py'",
        "bash -c 'ln -s x.py no.py && python no.py'",
        "bash -c 'P=no.py; python $P'",
        "bash -c '# python no.py\nls'",
        "bash -c 'cat <<EOF\npython no.py\nEOF'",
        "bash -c 'make && python no.py'",
        'bash -c \'python -c "open(\\"no.py\\", 1)" && python no.py\'',
        "uv run --directory '$DIR' python no.py",
        "python x.py --exclude=no.py --entry-name no.py",
        "python x.py --output no.py",
        "python -c 'import no' no.py",
    ],
)
def test_script_that_need_not_be_there_passes(words):
    assert not blocked(words, missing="no.py")


@pytest.mark.parametrize(
    ("line", "blocks"),
    [
        ("cd no; python x.py", False),
        ("cd no && python x.py", True),
        ("set -e; cd no; python x.py", True),
    ],
)
def test_folder_that_cannot_be_entered(line, blocks):
    facts = folder_with(f'-- bash -c "{line}"', files={"no/": MISSING, "no/x.py": MISSING})
    assert any(finding.blocks for finding in check_files_shipped(facts)) is blocks


@pytest.mark.parametrize(
    ("words", "blocks"),
    [
        ("python x.py --config no.yaml", True),
        ("python x.py --cfg=no.yaml", True),
        ("python x.py --metrics no.yaml", False),
        ("python x.py --output no.yaml", False),
        ("python x.py --config-name no.yaml", False),
    ],
)
def test_missing_settings_block_where_they_are_read(words, blocks):
    assert blocked(words, missing="no.yaml") is blocks


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("python -m pkg.train", ("-m pkg.train",)),
        ("uv run -m pkg.train", ("-m pkg.train",)),
        ("torchrun --standalone -m pkg.train", ("-m pkg.train",)),
        ("python -um pkg", ("-m pkg",)),
        ("python -mpkg", ("-m pkg",)),
        ("python pkg/", ("pkg",)),
        ("uv run --directory src python x.py", ("src/x.py",)),
        ("env --chdir=/app/a uv run --directory b -m c", ()),
        ("bash -c 'cd a && env -C b python x.py'", ("a/b/x.py", "a/")),
        ("python launcher", ("launcher",)),
        ("python 'a b.py'", ("a b.py",)),
        ("python x.py --out ./results", ("x.py",)),
        ("python -", ()),
        ("python -c pass", ()),
        ("uv sync --frozen", ("uv.lock",)),
        ("uv run --locked x.py", ("x.py", "uv.lock")),
        ("bash -c 'cd a && cd .. && python x.py'", ("x.py", "a/")),
        ("bash -c '(cd a; ls) && python x.py'", ("x.py", "a/")),
        ("bash -c 'uv sync --locked'", ("uv.lock",)),
        ("bash -c 'python x.py && cd out'", ("x.py",)),
        ("bash -c 'cd /app/a && python x.py'", ("a/x.py",)),
        ("bash -c 'python \"unclosed'", ()),
    ],
)
def test_needed_files(words, needed):
    assert named_files(shlex.split(words)) == needed


@pytest.mark.parametrize(
    ("words", "blocks"),
    [
        ("nohup ./run.sh", True),
        ("./.venv/bin/python x.py", False),
        ("bash -c 'exec ./run.sh'", True),
        ("bash -c './run.sh || bash run.sh'", False),
        ("bash -c 'echo ls > ./run.sh; chmod +x run.sh; ./run.sh'", False),
    ],
)
def test_script_run_by_its_name(words, blocks):
    assert any(finding.blocks for finding in check_executable(command_facts(f"{RUN} {words}"))) is blocks


@pytest.mark.parametrize(
    ("words", "wrappers", "inner"),
    [
        ("timeout -s KILL 60 nice -n 5 x", ("timeout", "nice"), "x"),
        ("uv run --with a --extra b x.py 1", ("uv",), "python x.py 1"),
        ("uv run -- x", ("uv",), "x"),
        ("poetry run x", ("poetry",), "x"),
        ("command -v x", (), "command -v x"),
        ("env", (), "env"),
        ("uv pip install x", (), "uv pip install x"),
    ],
)
def test_wrapped_program(words, wrappers, inner):
    found = unwrapped(shlex.split(words))
    assert (found.wrappers, shlex.join(found.words)) == (wrappers, inner)


def test_what_uv_is_asked_for():
    words = shlex.split("uv run --extra a --group=g --package p --frozen python --extra b")
    assert uv_command(words) == UvCommand(("a",), ("g",), ("p",), needs_lock=True)
    assert uv_command(("uv", "run", "--project", "x", "--frozen", "y")) is None


@pytest.mark.parametrize("line", ["if true; then a", "a )", "a 'b", "case x in", "{ a", "$(a"])
def test_unreadable_line_has_no_commands(line):
    assert shell_commands(line) == ()

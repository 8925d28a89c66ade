"""`babysit ladder` as a person types it, with steps of this machine."""

import json
import os
from pathlib import Path

import pytest

from babysitter.backends.detached_process import DetachedProcess
from babysitter.launch.ladder_files.ladder_file import shipped_ladders
from tests.surfaces.test_cli_usage import Terminal, say  # noqa: F401 - a fixture

LADDER = """\
ladder: tiny
about: Two steps of this machine.
values: {name: nobody}
steps:
  - name: smoke
    on: local
    command: [sh, -c, "echo smoke; echo ran >> ran.txt"]
    success: [{line: smoke}]
  - name: greet
    on: local
    command: [sh, -c, "echo hello $WHO from ${name}; echo loss 0.5"]
    resources: {memory: 2GB}
    success:
      - line: hello ada
        means: WHO is not set. Give it with -e WHO ada.
      - {metric: loss, at_most: 1}
      - {metric: accuracy, at_least: 0.5, required: false}
"""


@pytest.fixture
def home(say: Terminal) -> Terminal:  # noqa: F811
    Path("tiny.yaml").write_text(LADDER)
    return say


def test_cli_ladder_stops_then_goes_on_with_a_change(home: Terminal):
    stopped = home("babysit ladder run tiny.yaml")
    assert stopped.code == 1
    assert (
        "greet: check-failed. The job ended, and a check failed: a line contains 'hello ada'." in stopped.err
    )
    assert "greet: warning: Without effect on this machine: --memory." in stopped.err
    assert "- [ ] WHO is not set. Give it with -e WHO ada." in stopped.out
    assert "- [ ] accuracy is at least 0.5 (not required): not checked: " in stopped.out

    status = home("babysit ladder status")
    assert "  smoke                    passed\n  greet                    check-failed\n" in status.out
    assert "next: Then go on: babysit ladder run tiny.yaml" in status.out

    passed = home("babysit ladder run tiny.yaml -e WHO ada --set name=here --json -o log.md")
    assert passed.code == 0, passed.err
    told = [json.loads(line) for line in passed.out.splitlines()]
    assert told[-1]["sentence"] == "All steps have passed."
    assert [step["status"] for step in told[-1]["ladder"]["steps"]] == ["passed", "passed (attempt 2)"]
    changes = told[-1]["ladder"]["steps"][1]["attempts"][1]["changes"]
    assert "Added: -e WHO ada" in changes
    assert "Added: sh -c 'echo hello $WHO from here; echo loss 0.5'" in changes
    assert Path("ran.txt").read_text() == "ran\n"
    assert "## 3. greet\n\n### Hypothesis\n\nWHO is not set." in Path("log.md").read_text()
    assert home("babysit ladder report tiny").out.rstrip() == Path("log.md").read_text().rstrip()

    again = home("babysit ladder run tiny.yaml")
    assert again.code == 1, "a complete run is followed by a new one, without the earlier changes"
    assert Path("ran.txt").read_text() == "ran\nran\n"


def test_cli_ladder_init_and_lint(home: Terminal):
    for name, file in shipped_ladders().items():
        assert home(f"babysit ladder init {name}").code == 0
        assert Path(f"{name}.yaml").read_text() == file.read_text()
        said = home(f"babysit ladder lint {name}.yaml")
        assert (said.code, "3 steps: smoke, cpu, tpu." in said.out) == (0, True)
        assert "To be given: --set prefix=VALUE" in said.out
        again = home(f"babysit ladder init {name}")
        assert (again.code, again.err.startswith(f"babysit: {name}.yaml exists.")) == (2, True)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("babysit ladder lint bad.yaml", "bad.yaml:2: steps needs at least one."),
        ("babysit ladder run bad.yaml", "bad.yaml:2: steps needs at least one."),
        ("babysit ladder run none.yaml", "none.yaml cannot be read: no such file or directory."),
        ("babysit ladder run tiny.yaml --set x", "--set x is not NAME=VALUE."),
        ("babysit ladder run tiny.yaml -e A=1", "-e A=1 is not KEY VALUE."),
        ("babysit ladder run tiny.yaml --set other=1", "the file has no such value (it has: name)"),
        ("babysit ladder run cluster.yaml", "Which cluster?"),
        ("babysit ladder status none", "No ladder named 'none' has run here"),
        ("babysit ladder run tiny.yaml -o .", ". cannot be written: is a directory."),
        ("babysit ladder run tiny.yaml -o /nowhere/x.md", "/nowhere/x.md cannot be written"),
        ("babysit ladder init none", "There is no shipped ladder 'none'."),
        ("babysit ladder init -o /nowhere/x.yaml", "/nowhere/x.yaml cannot be written"),
    ],
)
def test_cli_ladder_misuse_is_one_sentence(command: str, words: str, home: Terminal):
    Path("bad.yaml").write_text("ladder: bad\nsteps: []\n")
    Path("cluster.yaml").write_text("ladder: far\nsteps:\n  - {name: a, command: b}\n")
    said = home(command)
    assert (said.code, words in said.err, "Traceback" in said.err) == (2, True, False), said.err


def test_cli_ladder_wrong_file_starts_no_service(home: Terminal, monkeypatch: pytest.MonkeyPatch):
    started: list[object] = []
    monkeypatch.setattr(
        "babysitter.surfaces.cli.serving.serve.while_served", lambda *given: started.append(given)
    )
    text = "ladder: far\nvalues: {path: null}\nsteps:\n  - {name: a, command: 'b ${path}'}\n"
    Path("far.yaml").write_text(text)
    said = home("babysit ladder run far.yaml --controller-url http://127.0.0.1:9")
    assert (said.code, "path" in said.err, started) == (2, True, []), said.err


def test_cli_ladder_missing_program_is_blocked(home: Terminal):
    Path("far.yaml").write_text("ladder: far\nsteps:\n  - {name: a, on: local, command: no-such-program}\n")
    said = home("babysit ladder run far.yaml")
    assert said.code == 1
    assert "Not submitted: The program 'no-such-program' is not on this machine." in said.err


def test_detached_process_is_started_once(tmp_path: Path):
    process = DetachedProcess(tmp_path / "one")
    words = ("/bin/sh", "-c", "echo $NAME >> out.txt; exit 3")
    for _ in range(3):
        process.start(words, cwd=tmp_path, env={"NAME": "ada"})
    assert process.was_started
    while process.exit_code is None:
        assert process.was_started
        os.sched_yield()
    assert (process.exit_code, process.is_alive) == (3, False)
    process.start(words, cwd=tmp_path, env={"NAME": "ada"})
    assert (tmp_path / "out.txt").read_text() == "ada\n"
    assert (tmp_path / "one").stat().st_mode & 0o077 == 0


def test_detached_process_is_stopped_with_all_it_started(tmp_path: Path):
    process = DetachedProcess(tmp_path / "one")
    words = ("/bin/sh", "-c", "echo begun > out.txt; sleep 600 & wait")
    process.start(words, cwd=tmp_path, env={"PATH": os.environ["PATH"]})
    while not (tmp_path / "out.txt").exists():
        os.sched_yield()
    assert process.is_alive
    process.stop(at_once=True)
    while process.is_alive:
        os.sched_yield()
    assert process.exit_code is None

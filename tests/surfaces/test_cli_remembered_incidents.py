"""`babysit incidents` in this process: listing, searching, teaching, sharing."""

import getpass
import json
import sys
from pathlib import Path

import pytest

from babysitter.surfaces.cli.commands import run
from babysitter.surfaces.memory_views import PastIncidentsReply


def row(name: str, true_cause: str) -> str:
    """One line of an export: a disk is full, and a person said what it really was."""
    words = ["worker could not writ no space left on devic"]
    prints = {"key": "f-1", "decisive": words, "templates": ["no space left on device <*>"]}
    past = {"id": name, "at": "2026-11-20T12:00:00Z", "cause": "disk-full", "fingerprint": prints}
    return json.dumps(past | {"true_cause": true_cause, "taught_by": "ada", "origin": "learned"})


HEADER = json.dumps({"format": "babysit-incidents", "version": 1})


@pytest.fixture
def babysit(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a command in a fresh home; gives its exit code and what it printed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BABYSIT_CONFIG", raising=False)

    def call(*words: str) -> tuple[int, str]:
        code = run([*words, "--state-dir", str(tmp_path / "state")])
        printed = capsys.readouterr()
        return code, printed.out or printed.err

    return call


def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a person typed and read."""
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)


@pytest.mark.parametrize("words", [("right",), ("host-oom",), ("--undo",)])
def test_program_cannot_teach(babysit, tmp_path: Path, words: tuple[str, ...]):
    file = tmp_path / "memory.jsonl"
    file.write_text(f"{HEADER}\n{row('case-one', 'disk-full')}\n")
    babysit("incidents", "import", str(file))
    code, out = babysit("incidents", "teach", "case-one", *words)
    assert (code, "Teaching needs a person" in out) == (4, True)
    assert "case-one" in babysit("incidents", "--cause", "disk-full")[1]


def test_incidents_are_found_taught_and_shared(babysit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = str(tmp_path / "memory.jsonl")
    Path(file).write_text(f"{HEADER}\n{row('case-one', 'disk-full')}\n{row('case-two', 'storage-error')}\n")
    assert babysit("incidents") == (0, "No incident is remembered that fits.\n")
    assert babysit("incidents", "import", file)[1] == "Remembered 2 incidents; 0 were known.\n"
    code, out = babysit("incidents", "--like", "case-one", "--json")
    (found,) = PastIncidentsReply.model_validate(json.loads(out)).incidents
    assert (code, found.id, found.true_cause, found.likeness) == (0, "case-two", "storage-error", 1.0)
    assert "case-one" in babysit("incidents", "--cause", "disk-full")[1]
    at_terminal(monkeypatch)
    assert "Kept: disk-full was right." in babysit("incidents", "teach", "case-two", "disk-full")[1]
    assert "case-two" in babysit("incidents", "--cause", "disk-full")[1]
    assert babysit("incidents", "teach", "case-two", "--undo")[1].startswith("Taken back")
    assert "case-two" not in babysit("incidents", "--cause", "disk-full")[1]
    assert babysit("incidents", "export", file)[1] == f"Wrote 2 incidents to {file}.\n"
    assert babysit("incidents", "import", file)[1] == "Remembered 0 incidents; 2 were known.\n"
    for words, said in (
        (("incidents", "teach", "case-two"), "Say `right`, `wrong` or a cause"),
        (("incidents", "teach", "case-two", "gremlins"), "'gremlins' is not a cause"),
        (("incidents", "--like", "i-none"), "No incident has the id 'i-none'"),
    ):
        code, out = babysit(*words)
        assert (code, said in out) == (2, True), out


def test_nothing_like_an_incident_names_it(babysit, tmp_path: Path):
    file = tmp_path / "memory.jsonl"
    file.write_text(f"{HEADER}\n{row('case-one', 'disk-full')}\n")
    babysit("incidents", "import", str(file))
    assert babysit("incidents", "--like", "case-one") == (0, "No other incident is like case-one.\n")
    code, out = babysit("playbook", "ledger")
    assert (code, "No incident that a rule found" in out) == (0, True)


@pytest.mark.parametrize(
    ("is_person", "teacher"), [(True, getpass.getuser()), (False, "")], ids=["person", "program"]
)
def test_learn_speaks_for_a_person_only(babysit, tmp_path: Path, monkeypatch, is_person: bool, teacher: str):
    (tmp_path / "a.yaml").write_text(
        "id: a\nevidence: {job_state: failed, logs: 'OSError: [Errno 28] No space left on device'}\n"
        "label: {cause: storage-error, severity: fatal, action: escalate}\n"
    )
    if is_person:
        at_terminal(monkeypatch)
    code, out = babysit("learn", str(tmp_path / "a.yaml"))
    assert (code, "as labels" in out) == (0, not is_person)
    (found,) = json.loads(babysit("incidents", "--json")[1])["incidents"]
    assert (found["true_cause"], found["taught_by"].partition("@")[0]) == ("storage-error", teacher)
    assert ("says its label" in babysit("incidents")[1]) == (not is_person)

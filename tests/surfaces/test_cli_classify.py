"""`babysit classify` and `babysit eval`, run as a person runs them."""

import gzip
import io
import json
import random
import sys
from pathlib import Path

import pytest
import zstandard

from babysitter.model.finding import Cause
from babysitter.surfaces.cli.commands import run
from tests.support.session_folder import session_in

CASES = Path(__file__).parents[2] / "fixtures" / "diagnosis.yaml"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gz", "zst"])
def test_classify_reads_packed_logs(pack, tmp_path, capsys):
    path = tmp_path / "run.log"
    path.write_bytes(pack(b"I start\nOSError: [Errno 28] No space left on device\n"))
    assert run(["classify", str(path), "--state", "failed", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["diagnosis"]["cause"] == Cause.DISK_FULL.value
    assert reply["diagnosis"]["evidence"][0]["line_number"] == 2


def test_classify_first_screen(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    path = tmp_path / "run.log"
    path.write_text("import made_up\nModuleNotFoundError: No module named 'made_up'\n", encoding="utf-8")
    assert run(["classify", str(path), "--exit-code", "1", "--state", "failed"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "made_up" in shown[0]
    assert "(ModuleNotFoundError: No module named 'made_up')" in shown[0]
    assert shown[1:6] == [
        "Cause: missing-dependency, fatal",
        "Evidence:",
        "  1 │ import made_up",
        "> 2 │ ModuleNotFoundError: No module named 'made_up'",
        "  from run.log",
    ]
    labels = [line.partition(":")[0] for line in shown[6:]]
    assert labels == ["What followed", "What to do", "How sure"]


def test_classify_names_a_file_that_is_not_there(capsys):
    assert run(["classify", "/nowhere/run.log"]) == 2
    assert "/nowhere/run.log does not exist" in capsys.readouterr().err


BINARY = [
    pytest.param(Path(sys.executable).read_bytes()[:200_000], id="executable"),
    pytest.param(gzip.compress(b"x" * 100)[:-12] + b"\x00" * 12, id="damaged-gz"),
    pytest.param(zstandard.compress(b"log line\n" * 9)[:-4] + b"\xff" * 9, id="damaged-zst"),
    pytest.param(random.Random(7).randbytes(4_000), id="random"),
    pytest.param(b"\x00" * 5_000, id="zeros"),
    pytest.param(b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(500), id="image"),
]


@pytest.mark.parametrize(
    "content", [*BINARY, pytest.param(b"", id="empty"), pytest.param(b" \n\n", id="blank")]
)
def test_classify_refuses_what_is_not_a_log(content, tmp_path, capsys, monkeypatch):
    path = tmp_path / "run.log"
    path.write_bytes(content)
    assert run(["classify", str(path), "--state", "failed"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 2)
    assert str(path) in said.err
    if not content.startswith((gzip.compress(b"")[:2], b"\x28\xb5\x2f\xfd")):  # a pipe is not unpacked
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert run(["classify"]) == 2
        assert "tandard input" in capsys.readouterr().err


LOGS = [
    pytest.param(b"\x00" * 70_000 + b"\n{}\n", id="rotated-with-zeros"),
    pytest.param(b"\x1b[31mred\x1b[0m \r10%\r20%\n{}\n", id="colours"),
    pytest.param("größer, straße, übel\n{}\n".encode("latin-1"), id="latin-1"),
]


@pytest.mark.parametrize("content", LOGS)
def test_classify_reads_odd_logs(content, tmp_path, capsys):
    path = tmp_path / "run.log"
    path.write_bytes(content.replace(b"{}", b"ModuleNotFoundError: No module named 'made_up'"))
    assert run(["classify", str(path)]) == 0
    assert "missing-dependency" in capsys.readouterr().out


def test_classify_needs_no_log_beside_an_error(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert run(["classify", "--error", "Exit code 137: OOM killed (container exceeded memory limit)"]) == 0
    assert "host-oom" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["classify", "learn", "ladder run tiny.yaml -o"])
def test_a_path_that_is_too_long_is_named(command, capsys):
    assert run([*command.split(), "a" * 5_000]) == 2
    assert "aa cannot be used: file name too long." in capsys.readouterr().err


@pytest.mark.parametrize("age", ["nan", "inf", "-5", "1e300"])
def test_classify_refuses_what_is_not_an_age(age, tmp_path, capsys):
    path = tmp_path / "run.log"
    path.write_text("a line\n")
    assert run(["classify", str(path), f"--last-log-age={age}"]) == 2
    assert "--last-log-age" in capsys.readouterr().err


def test_classify_refuses_playbooks_that_are_not_there(tmp_path, capsys):
    path = tmp_path / "run.log"
    path.write_text("a line\n")
    for command in (["classify", str(path)], ["eval", str(CASES)]):
        assert run([*command, "--playbooks", "/missing"]) == 2
        assert "/missing" in capsys.readouterr().err


def test_eval_writes_a_prediction_for_each_case(tmp_path, capsys):
    out = tmp_path / "p.jsonl"
    assert run(["eval", str(CASES), "--predictions", str(out), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert figures["cases"] == len(lines)
    assert {"id", "cause", "action", "text"} == set(lines[0])


@pytest.mark.parametrize(
    "command",
    [["eval", str(CASES), "--predictions"], ["slack", "manifest", "-o"]],
    ids=lambda command: command[0],
)
def test_a_place_that_cannot_be_written_is_named(command, tmp_path, capsys):
    assert run([*command, str(tmp_path / "missing" / "out")]) == 2
    assert "cannot be written: No such file or directory." in capsys.readouterr().err


def test_classify_against_a_good_run_shows_what_is_new(tmp_path, capsys):
    usual = "".join(f"2026-03-01 10:00:{second:02d} INFO wrote part {second}\n" for second in range(40))
    good, bad = tmp_path / "good.log", tmp_path / "bad.log"
    good.write_text(usual + "2026-03-01 10:00:40 INFO merging\n2026-03-01 10:00:41 INFO all done\n")
    bad.write_text(usual + "2026-03-01 10:00:40 INFO the weir leans, token=hunter2secret99\n")
    assert run(["classify", str(bad), "--against", str(good), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    first = answer["diagnosis"]["differences"][0]
    assert (first["kind"], first["place"]) == ("new", "bad.log:41")
    assert "the weir leans" in first["text"]
    assert "hunter2secret99" not in first["text"]
    assert run(["classify", str(bad), "--against", str(good)]) == 0
    assert "Different from the last good run:" in capsys.readouterr().out


def test_classify_reads_a_session_folder(tmp_path, capsys):
    session = session_in(tmp_path)
    session.worker("Trainer", 77, "OSError: [Errno 28] No space left on device\n")
    assert run(["classify", str(session.root), "--state", "failed", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["diagnosis"]["cause"] == Cause.DISK_FULL.value
    assert reply["diagnosis"]["evidence"][0]["source"].startswith("10.0.0.2 worker-")


def test_classify_names_a_folder_without_logs(tmp_path, capsys):
    assert run(["classify", str(tmp_path)]) == 2
    assert "is not a session folder of Ray" in capsys.readouterr().err


def test_classify_says_what_a_document_reads_like(capsys):
    readme = str(Path(__file__).parents[2] / "README.md")
    assert run(["classify", readme]) == 2
    assert "README.md does not look like a log: it reads like Markdown" in capsys.readouterr().err
    assert run(["classify", readme, "--state", "failed", "--json"]) == 0  # who knows the job knows its log

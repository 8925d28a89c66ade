"""`babysit classify` and `babysit eval`, run as a person runs them."""

import gzip
import json
from pathlib import Path

import pytest
import zstandard

from babysitter.model.finding import Cause
from babysitter.surfaces.cli.app import run

CASES = Path(__file__).parents[2] / "fixtures" / "diagnosis.yaml"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gz", "zst"])
def test_classify_reads_packed_logs(pack, tmp_path, capsys):
    path = tmp_path / "run.log"
    path.write_bytes(pack(b"I start\nOSError: [Errno 28] No space left on device\n"))
    assert run(["classify", str(path), "--state", "failed", "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["diagnosis"]["cause"] == Cause.DISK_FULL.value
    assert reply["diagnosis"]["evidence"][0]["line_number"] == 2


def test_classify_says_cause_proof_and_what_to_do(tmp_path, capsys):
    path = tmp_path / "run.log"
    path.write_text("ModuleNotFoundError: No module named 'made_up'\n", encoding="utf-8")
    assert run(["classify", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("missing-dependency")
    assert "run.log:1" in shown
    assert "What to do:" in shown


def test_classify_names_a_file_that_is_not_there(capsys):
    assert run(["classify", "/nowhere/run.log"]) == 2
    assert "/nowhere/run.log does not exist" in capsys.readouterr().err


def test_eval_writes_a_prediction_for_each_case(tmp_path, capsys):
    out = tmp_path / "p.jsonl"
    assert run(["eval", str(CASES), "--predictions", str(out), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert figures["cases"] == len(lines)
    assert {"id", "cause", "action", "text"} == set(lines[0])

"""`diagnose` and `start` of a run that is known by its session folder."""

import json
import os
import time

import pytest

from babysitter.surfaces.cli.commands import run
from tests.support.session_folder import session_in

LOG = "kimi25_3node_train_20261120_110005.log"


@pytest.fixture
def session(tmp_path):
    """A run that writes just now; its second engine has loaded 62 %."""
    found = session_in(tmp_path)
    found.write("raylet.out", "x\n")
    found.worker("SglEngine", 514428, "Multi-thread loading shards:  62% 6/10\n")
    (tmp_path / LOG).write_text("Initializing 2 Sgl engines (tp=8)\n")
    for path in (*found.logs.iterdir(), tmp_path / LOG):
        os.utime(path, (time.time(),) * 2)
    return found


def test_diagnose_a_session_folder(session, tmp_path, capsys):
    assert run(["diagnose", "--ray-session", str(session.root), "--log", str(tmp_path / LOG), "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["job"] == LOG.removesuffix(".log")
    assert "phase 5 of 7, SglEngine loads shards, 62 %" in reply["outlook"]["summary"]
    assert reply["outlook"]["summary"].endswith("on 10.0.0.2")


@pytest.mark.parametrize("command", ["start", "diagnose"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--ray-session", "/no/such/folder"], "does not exist. Name session_latest"),
        (["--ray-session", "/etc"], "is not a session folder of Ray"),
        (["job-1", "--ray-session", "/etc"], "name the run already"),
        ([], "Which job?"),
        (["--log", "/no/such.log"], "cannot be read: No such file"),
    ],
)
def test_session_option_refusals(command, options, words, tmp_path, capsys):
    state = ["--state-dir", str(tmp_path)] if command == "start" else []
    assert run([command, *options, *state]) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_start_refuses_a_run_that_has_ended(session, tmp_path, capsys):
    for path in (*session.logs.iterdir(), tmp_path / LOG):
        os.utime(path, (1_000_000_000,) * 2)
    options = ["--ray-session", str(session.root), "--log", str(tmp_path / LOG)]
    assert run(["start", *options, "--state-dir", str(tmp_path / "state")]) == 2
    assert "has ended: Nothing was written in the session folder since 2001" in capsys.readouterr().err


def test_diagnose_reads_other_machines_by_ssh(session, tmp_path, capsys):
    other = session_in(tmp_path / "other", node="10.0.0.9")
    other.write("raylet.out", "x\n")
    other.worker("SglEngine", 99, "Multi-thread loading shards:  12% 1/10\n")
    for path in other.logs.iterdir():
        os.utime(path, (time.time(),) * 2)
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\n[ "$1" = node-9 ] && exec /bin/sh -c "$2"\n')
    ssh.chmod(0o755)
    folders = ["--ray-session", str(session.root), "--ray-session", f"node-9:{other.root}"]
    options = [*folders, "--log", str(tmp_path / LOG), "--json"]
    assert run(["diagnose", *options, "--ssh", f"{ssh} {{host}}"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert "12 %, the slowest of 2" in reply["outlook"]["summary"]
    assert reply["outlook"]["summary"].endswith("on 10.0.0.9")
    assert run(["diagnose", *options]) == 2
    assert "--ssh and folders HOST:/PATH belong together" in capsys.readouterr().err
    assert run(["diagnose", *options, "--ssh", "/bin/false {host}"]) == 3
    assert f"The files of node-9:{other.root} cannot be read" in " ".join(capsys.readouterr().err.split())

"""The files of a Ray session: whose they are, what is read of them, and folders that are none."""

import os
from datetime import timedelta

import pytest

from babysitter.backends.ray.sessions.session_folder import list_session, logs_folder, shares, with_classes
from babysitter.backends.ray.sessions.session_reading import quiet_s, read_all, read_session
from babysitter.errors import UserError
from tests.support.session_folder import NOW, session_in


def test_files_without_rights_are_no_empty_files(tmp_path, monkeypatch):
    """Else a run of which nothing is read looks well."""
    session = session_in(tmp_path)
    session.write("raylet.out", "x\n")
    session.worker("SglEngine", 7, "RuntimeError: boom\n")
    assert len(list_session([session.logs]).files) == 2
    monkeypatch.setattr("os.access", lambda path, _: not str(path).endswith(".err"))
    with pytest.raises(UserError, match=r"No right to read .*-7\.err") as told:
        list_session([session.logs])
    assert "as the user who started Ray" in told.value.next_step


def test_session_worker_by_class_and_pid(tmp_path):
    session = session_in(tmp_path)
    session.worker("SglEngine", 514428, "hello\n")
    session.worker("SglEngine", 514428, "out\n", stream="out")
    session.write("raylet.out", "[2026-11-20 11:00:00,000 W 1 1] (raylet) x.cc:1: slow disk\n")
    logs = with_classes(list_session([logs_folder(session.root)]))
    assert {(file.speaker, file.pid, file.node) for file in logs.files} == {
        ("SglEngine", 514428, "10.0.0.2"),
        ("raylet", None, "10.0.0.2"),
    }
    lines, _ = read_all(logs)
    assert {(line.text, line.number) for line in lines} == {
        ("(SglEngine pid=514428, ip=10.0.0.2) hello", 3),
        ("(SglEngine pid=514428, ip=10.0.0.2) out", 3),
        ("(raylet, ip=10.0.0.2) [2026-11-20 11:00:00,000 W 1 1] (raylet) x.cc:1: slow disk", 1),
    }


@pytest.mark.parametrize("of", ["root", "logs", "temp"])
def test_session_found_by_any_of_its_folders(of, tmp_path):
    session = session_in(tmp_path)
    session.write("raylet.out", "x\n")
    (tmp_path / "session_latest").symlink_to(session.root)
    path = {"root": session.root, "logs": session.logs, "temp": tmp_path}[of]
    assert logs_folder(path) == session.logs.resolve()


def test_session_files_in_the_order_of_their_times(tmp_path):
    session = session_in(tmp_path)
    session.worker("A", 1, "[2026-11-20 11:00:03] a.py:1 INFO third\nfourth\n")
    session.worker(
        "B", 2, "[2026-11-20 11:00:01] a.py:1 INFO first\n[2026-11-20 11:00:02] a.py:1 INFO second\n"
    )
    lines, _ = read_all(with_classes(list_session([session.logs])))
    assert [line.text.split()[-1] for line in lines] == ["first", "second", "third", "fourth"]


def test_session_drivers_copies_left_out(tmp_path):
    session = session_in(tmp_path)
    session.worker("A", 7, "own line\n")
    log = session.root / "kimi25_3node_train_20261120_110000.log"
    log.write_text(
        "\x1b[36m(A pid=7, ip=10.0.0.2)\x1b[0m own line\n(B pid=8) of a file that is not here\nmine\n"
    )
    lines, _ = read_all(list_session([session.logs], [log]))
    assert sorted(line.text for line in lines) == [
        "(B pid=8) of a file that is not here",
        "(worker pid=7, ip=10.0.0.2) own line",
        "mine",
    ]


def test_session_of_huge_file_costs_less_than_1_mb(tmp_path):
    session = session_in(tmp_path)
    for pid in range(20):
        path = session.worker("SglEngine", pid, "begin\n")
        os.truncate(path, 2 << 30)  # sparse
        with path.open("r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(b"\nValueError: end of %d\n" % pid)
    logs = with_classes(list_session([session.logs]))
    lines, size = read_all(logs)
    assert size < 1_000_000
    ends = [line for line in lines if "ValueError: end of" in line.text]
    assert len(ends) == 20
    assert {line.number for line in ends} == {None}


def test_session_shares_small_files_whole(tmp_path):
    session = session_in(tmp_path)
    small = session.worker("A", 1, "x" * 100)
    large = session.worker("A", 2, "x" * 90_000)
    shared = shares(list_session([session.logs]).files, 50_000)
    assert shared[small] == small.stat().st_size
    assert shared[large] == 50_000 - small.stat().st_size


def test_session_quiet_until_the_last_sign_of_life(tmp_path):
    session = session_in(tmp_path)
    session.worker("A", 1, "x\n", age_s=900)
    session.write("raylet.out", "x\n", age_s=20)
    logs = list_session([session.logs])
    assert not logs.is_dead(NOW)
    assert quiet_s(logs, NOW) == 900
    late = NOW + timedelta(days=3)
    assert logs.is_dead(late)
    assert quiet_s(logs, late) == 880


def test_session_folder_missing(tmp_path):
    with pytest.raises(UserError, match="does not exist") as error:
        logs_folder(tmp_path / "gone")
    assert "session_latest" in error.value.next_step


def test_session_folder_of_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UserError, match=r"not a session folder of Ray: it has no raylet\.out"):
        logs_folder(tmp_path)


def test_session_folder_without_rights(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)
    with pytest.raises(UserError, match="permission denied") as error:
        logs_folder(tmp_path)
    assert "as the user who started Ray" in error.value.next_step


def test_session_that_printed_nothing(tmp_path):
    session = session_in(tmp_path)
    session.write("raylet.out", "")
    with pytest.raises(UserError, match="printed nothing"):
        read_session([session.root])

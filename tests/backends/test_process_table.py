"""What the system says about processes, from made-up folders of /proc."""

import os

from babysitter.backends import process_table


def test_program_of_any_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(process_table, "PROCESSES", tmp_path)
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "cmdline").write_bytes(b"/opt/tr\xff\xe4in\0--steps\0")
    assert process_table.program(7).encode() == "tr\ufffd\ufffdin".encode()  # it can be stored


def test_memory_of_group_with_names_of_any_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(process_table, "PROCESSES", tmp_path)
    for pid, name, group in ((7, b"tr\xff) in", 7), (8, b"sh", 7), (9, b"sh", 9)):
        (tmp_path / str(pid)).mkdir()
        stat = b"%d (%s) S 1 %d" % (pid, name, group)
        (tmp_path / str(pid) / "stat").write_bytes(stat + b" 0" * 20)
        (tmp_path / str(pid) / "statm").write_text("900 50 3\n")
    assert process_table.memory_of_group(7) == 100 * os.sysconf("SC_PAGE_SIZE")


def test_process_that_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr(process_table, "PROCESSES", tmp_path)
    assert process_table.program(7) == ""
    assert process_table.group_and_start(7) == (0, "")
    assert process_table.owner(7) == process_table.GONE
    assert list(process_table.open_files(7)) == []
    assert list(process_table.with_ancestors(7)) == [7]
    assert process_table.members_of(7) == {}

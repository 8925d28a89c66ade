"""The memory of a process group, from made-up folders of /proc."""

import os

from babysitter.launch.process_group import group_memory_bytes


def test_group_memory_of_names_of_any_bytes(tmp_path):
    for pid, name, group in ((7, b"tr\xff) in", 7), (8, b"sh", 7), (9, b"sh", 9)):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_bytes(b"%d (%s) S 1 %d 7 0" % (pid, name, group))
        (tmp_path / str(pid) / "statm").write_text("900 50 3\n")
    assert group_memory_bytes(7, tmp_path) == 100 * os.sysconf("SC_PAGE_SIZE")

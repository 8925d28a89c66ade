"""Locks that say whether a process lives."""

from pathlib import Path

from babysitter.private_files import open_private
from babysitter.process_lock import is_locked, lock, try_lock


def test_lock_is_held_until_the_file_is_closed(tmp_path: Path):
    path = tmp_path / "alive"
    assert not is_locked(path)  # missing
    with open_private(path, "a") as first, open_private(path, "a") as second:
        assert not is_locked(path)
        lock(first)
        assert (is_locked(path), try_lock(second)) == (True, False)
        first.close()
        assert try_lock(second)
    assert not is_locked(path)
    assert not is_locked(tmp_path)  # a folder has none

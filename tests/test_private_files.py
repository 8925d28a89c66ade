"""Nobody else reads what babysit keeps: under any umask, and of files that were there before."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from babysitter.private_files import (
    make_private_folder,
    open_private,
    open_private_bytes,
    restrict_state,
    write_private,
)


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_folder_is_private(tmp_path: Path) -> None:
    make_private_folder(tmp_path / "a" / "b")
    assert mode_of(tmp_path / "a" / "b") == 0o700


def test_present_folder_keeps_its_mode(tmp_path: Path) -> None:
    """It may be a person's own, named for a recording."""
    tmp_path.chmod(0o755)
    make_private_folder(tmp_path)
    assert mode_of(tmp_path) == 0o755


def test_new_files_are_private(tmp_path: Path) -> None:
    write_private(tmp_path / "a", "x")
    open_private(tmp_path / "b", "a").close()
    open_private_bytes(tmp_path / "c", "ab").close()
    assert {mode_of(path) for path in tmp_path.iterdir()} == {0o600}


def test_present_file_is_restricted_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "service.log"
    path.write_text("before ")
    path.chmod(0o666)
    with open_private(path, "a") as file:
        file.write("after")
    assert mode_of(path) == 0o600
    assert path.read_text() == "before after"


def test_state_of_an_earlier_version_is_corrected(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir(mode=0o777)
    ours = [
        "babysit.db",
        "babysit.db-wal",
        "babysit.db-shm",
        "service.log",
        "service.lock",
        "evidence/w-1.log",
    ]
    for name in ours:
        (tmp_path / name).touch(mode=0o666)
    (tmp_path / "theirs.txt").touch(mode=0o644)
    tmp_path.chmod(0o777)
    restrict_state(tmp_path)
    assert mode_of(tmp_path) == 0o700
    assert mode_of(tmp_path / "evidence") == 0o700
    assert {mode_of(tmp_path / name) for name in ours} == {0o600}
    assert mode_of(tmp_path / "theirs.txt") == 0o644


def test_shared_folder_keeps_its_mode(tmp_path: Path) -> None:
    """`/tmp` named as the state folder stays everybody's."""
    tmp_path.chmod(0o1777)
    restrict_state(tmp_path)
    assert mode_of(tmp_path) == 0o1777
    tmp_path.chmod(0o700)


def test_link_is_not_followed(tmp_path: Path) -> None:
    target, folder = tmp_path / "elsewhere", tmp_path / "state"
    target.touch(mode=0o644)
    folder.mkdir()
    (folder / "service.log").symlink_to(target)
    restrict_state(folder)
    assert mode_of(target) == 0o644


def test_missing_folder_is_left_missing(tmp_path: Path) -> None:
    restrict_state(tmp_path / "none")
    assert not (tmp_path / "none").exists()

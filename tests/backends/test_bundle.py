"""What a submission from a folder ships, and that every change of it is noticed."""

import os
import subprocess
from pathlib import Path

import pytest

from babysitter.backends.iris.submission import bundle
from babysitter.backends.iris.submission.bundle import bundle_files, folder_state
from babysitter.errors import UserError


def git(folder: Path, *words: str) -> None:
    who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
    who |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
    command = ["git", "-C", str(folder), *words]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | who)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "run.py").write_text("print(1)\n")
    (tmp_path / ".gitignore").write_text("*.bin\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def shipped(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in bundle_files(folder)]


def test_bundle_has_untracked_files_but_no_ignored_ones(repository: Path):
    (repository / "notes.txt").write_text("untracked")
    (repository / "data.bin").write_text("ignored")
    (repository / "clip.mov").write_text("left out by the client")
    (repository / ".venv").mkdir()
    (repository / ".venv" / "x.py").write_text("left out by the client")
    assert shipped(repository) == [".gitignore", "notes.txt", "run.py"]


def test_bundle_of_a_subfolder_is_that_subfolder(repository: Path):
    (repository / "sub").mkdir()
    (repository / "sub" / "b.py").write_text("")
    assert shipped(repository / "sub") == ["b.py"]


def test_bundle_outside_of_git_is_everything(tmp_path: Path):
    (tmp_path / "a.py").write_text("a")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.cpython-311.pyc").write_text("c")
    assert shipped(tmp_path) == ["a.py"]
    state = folder_state(tmp_path)
    assert (state.commit, state.changed_files, state.file_count) == ("", 0, 1)


def test_folder_state_names_the_commit_and_counts_changes(repository: Path):
    clean = folder_state(repository)
    assert (len(clean.commit), clean.changed_files, clean.file_count) == (40, 0, 2)
    (repository / "run.py").write_text("print(2)\n")
    (repository / "new.py").write_text("")
    dirty = folder_state(repository)
    assert (dirty.commit, dirty.changed_files, dirty.file_count) == (clean.commit, 2, 3)


@pytest.mark.parametrize("change", ["content", "untracked", "renamed", "executable", "removed"])
def test_folder_state_notices_every_change(repository: Path, change: str):
    before = folder_state(repository)
    assert folder_state(repository) == before
    run = repository / "run.py"
    match change:
        case "content":
            run.write_text("print(2)\n")
        case "untracked":
            (repository / "new.py").write_text("")
        case "renamed":
            run.rename(repository / "go.py")
        case "executable":
            run.chmod(0o755)
        case "removed":
            run.unlink()
    assert folder_state(repository).digest != before.digest


def test_folder_state_ignores_what_is_not_shipped(repository: Path):
    before = folder_state(repository)
    (repository / "data.bin").write_text("ignored")
    assert folder_state(repository) == before


def test_folder_state_dirty_in_another_way_differs(repository: Path):
    (repository / "run.py").write_text("print(2)\n")
    once = folder_state(repository)
    (repository / "run.py").write_text("print(3)\n")
    assert folder_state(repository).digest != once.digest


def test_folder_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(UserError, match=r"no-such is not there.*--workdir"):
        folder_state(tmp_path / "no-such")


def test_folder_too_large_to_ship_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bundle, "MAX_FOLDER_BYTES", 10)
    with pytest.raises(UserError, match="at most 25 MB"):
        folder_state(repository)
    monkeypatch.setattr(bundle, "MAX_FOLDER_FILES", 1)
    with pytest.raises(UserError, match="more than 1 files"):
        folder_state(repository)

"""Files, objects and steps that the success checks of a ladder ask for."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from babysitter.launch.ladder_files.ladder_checks import FileFacts
from babysitter.launch.ladder_files.ladder_steps import CheckKind, SuccessCheck
from babysitter.preflight.facts import Known, NotKnown
from babysitter.usecases.ladders.ladder_evidence import CHUNK_BYTES, NEEDS_FSSPEC, find_file, steps_in

WRITTEN_AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def file_check(text: str, contains: str = "") -> SuccessCheck:
    return SuccessCheck(CheckKind.FILE, text, contains=contains)


def write(path: Path, text: str, at: datetime = WRITTEN_AT) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at.timestamp(),) * 2)


def test_find_file_newest_of_a_pattern(tmp_path: Path):
    write(tmp_path / "a" / "step-1" / "config.json", "llama")
    write(tmp_path / "b" / "step-9" / "config.json", "gpt", WRITTEN_AT.replace(hour=13))
    found = find_file(file_check("*/step-*/config.json", "gpt"), tmp_path, is_here=True)
    newest = tmp_path / "b" / "step-9" / "config.json"
    assert found == Known(FileFacts(str(newest), True, WRITTEN_AT.replace(hour=13)))


def test_find_file_text_over_the_end_of_a_chunk(tmp_path: Path):
    write(tmp_path / "log", "x" * (CHUNK_BYTES - 2) + "needle")
    found = find_file(file_check("log", "needle"), tmp_path, is_here=True)
    assert isinstance(found, Known)
    assert isinstance(found.value, FileFacts)
    assert found.value.holds
    assert find_file(file_check("log", "needles"), tmp_path, is_here=True).value.holds is False  # type: ignore[union-attr]


def test_find_file_missing_proves_nothing_of_another_machine(tmp_path: Path):
    assert find_file(file_check("none"), tmp_path, is_here=True) == Known(None)
    assert isinstance(find_file(file_check("none"), tmp_path, is_here=False), NotKnown)


def test_find_file_folder_exists_and_holds_nothing(tmp_path: Path):
    (tmp_path / "out").mkdir()
    found = find_file(file_check("out", "x"), tmp_path, is_here=True)
    assert isinstance(found, Known)
    assert isinstance(found.value, FileFacts)
    assert not found.value.holds


def test_find_file_unreadable_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path / "secret", "x")

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    found = find_file(file_check("secret", "x"), tmp_path, is_here=True)
    assert found == NotKnown("secret cannot be read: permission denied.")


def test_find_file_object_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert find_file(file_check("gs://b/o"), tmp_path, is_here=False) == NotKnown(NEEDS_FSSPEC)


class ObjectStore:
    """As much of a file system of fsspec as is asked, over a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def exists(self, path: str) -> bool:
        return (self._folder / path).exists()

    def glob(self, path: str) -> list[str]:
        return [file.relative_to(self._folder).as_posix() for file in self._folder.glob(path)]

    def open(self, path: str, mode: str) -> Any:
        return (self._folder / path).open(mode)

    def modified(self, path: str) -> datetime:
        if path.startswith("ageless"):
            raise NotImplementedError
        return datetime.fromtimestamp((self._folder / path).stat().st_mtime, UTC).replace(tzinfo=None)


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def url_to_fs(url: str) -> tuple[ObjectStore, str]:
        if url.startswith("s3://"):
            raise ImportError("Install s3fs to access S3")
        return ObjectStore(tmp_path), url.partition("://")[2]

    monkeypatch.setitem(sys.modules, "fsspec", SimpleNamespace(core=SimpleNamespace(url_to_fs=url_to_fs)))
    return tmp_path


def test_find_file_object(bucket: Path):
    write(bucket / "run" / "config.json", "llama")
    write(bucket / "ageless", "llama")
    check = file_check("gs://run/*.json", "llama")
    assert find_file(check, bucket, is_here=False) == Known(FileFacts(check.text, True, WRITTEN_AT))
    ageless = file_check("gs://ageless", "gpt")
    assert find_file(ageless, bucket, is_here=False) == Known(FileFacts(ageless.text, False, None))
    assert find_file(file_check("gs://run/none"), bucket, is_here=False) == Known(None)
    refused = find_file(file_check("s3://run/none"), bucket, is_here=False)
    assert refused == NotKnown("s3://run/none could not be looked at: Install s3fs to access S3.")


def test_steps_in_training_lines():
    lines = [
        "Progress on:train 40.0it/100.0it rate:1.0it/s remaining:01:00 elapsed:00:10 postfix:loss=10.1",
        "Progress on:train 100.0it/100.0it rate:1.0it/s remaining:00:00 elapsed:01:10 postfix:loss=9.9",
        "Progress on:eval 400.0it/400.0it rate:1.0it/s remaining:00:00 elapsed:01:10",
        "we will reach step 500",
    ]
    assert steps_in(lines) == 100
    assert steps_in([]) == 0

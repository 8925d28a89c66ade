"""What is kept between runs: the files that nobody reads go first."""

import gc
import os

import pytest

from babysitter.diagnosis.signatures import compile_cache
from babysitter.diagnosis.signatures.compile_cache import MAX_FILES, keep, read_kept


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return compile_cache.cache_folder()


def test_a_file_that_is_read_is_kept(folder):
    for name in ("rules-read", "rules-unread"):
        keep(name, name)
        os.utime(folder / name, (1, 1))
    assert read_kept("rules-read") == "rules-read"
    for number in range(MAX_FILES - 1):
        keep(f"rules-{number}", number)
    assert read_kept("rules-read") == "rules-read"
    assert read_kept("rules-unread") is None


@pytest.mark.parametrize("is_enabled", [True, False])
def test_reading_leaves_the_collector_as_it_was(is_enabled):
    keep("rules-a", ["a"])
    (gc.enable if is_enabled else gc.disable)()
    try:
        assert read_kept("rules-a") == ["a"]
        assert gc.isenabled() is is_enabled
    finally:
        gc.enable()

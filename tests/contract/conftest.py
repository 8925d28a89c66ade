"""What holds for the contract tests: a client packs the folder in which it runs, so that is a small one."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def small_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("project")
    monkeypatch.chdir(folder)
    return folder

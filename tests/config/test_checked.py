"""Where the state is, remembered for settings that were valid before: and for no others."""

import json
from pathlib import Path

import pytest

from babysitter.config.checked import checked_state_dir, remember_state_dir

UNKNOWN = (False, None)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "babysit" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("state_dir: /srv/state\n")
    return path


def test_without_settings_there_is_nothing_to_check(home: dict[str, str]):
    assert checked_state_dir(None, None, home) == (True, None)
    assert checked_state_dir(None, Path("/a"), home) == (True, Path("/a"))
    assert checked_state_dir(None, None, {**home, "BABYSIT_STATE_DIR": "/b"}) == (True, Path("/b"))
    assert checked_state_dir(None, Path("/a"), {**home, "BABYSIT_STATE_DIR": "/b"}) == (True, Path("/a"))
    assert checked_state_dir(None, None, {**home, "BABYSIT_STATE_DIR": "[1"}) == UNKNOWN
    assert checked_state_dir(None, None, {**home, "BABYSIT_SLACK_CHANEL": "x"}) == UNKNOWN


def test_settings_are_known_once_they_were_valid(home: dict[str, str], file: Path):
    assert checked_state_dir(None, None, home) == UNKNOWN
    remember_state_dir(None, None, home, Path("/srv/state"))
    assert checked_state_dir(None, None, home) == (True, Path("/srv/state"))
    assert checked_state_dir(file, None, home) == (True, Path("/srv/state"))


def test_any_change_makes_settings_unknown_again(home: dict[str, str], file: Path):
    remember_state_dir(None, None, home, Path("/srv/state"))
    assert checked_state_dir(None, Path("/other"), home) == UNKNOWN
    assert checked_state_dir(None, None, {**home, "BABYSIT_DEFAULT_CLUSTER": "marin"}) == UNKNOWN
    file.write_text("state_dir: /srv/elsewhere\n")
    assert checked_state_dir(None, None, home) == UNKNOWN
    file.unlink()
    assert checked_state_dir(file, None, home) == UNKNOWN


@pytest.mark.usefixtures("file")
def test_note_of_somebody_else_is_not_believed(home: dict[str, str], tmp_path: Path):
    remember_state_dir(None, None, home, Path("/srv/state"))
    (note,) = (tmp_path / "cache" / "babysit").iterdir()
    assert note.stat().st_mode & 0o077 == 0
    note.chmod(0o622)
    assert checked_state_dir(None, None, home) == UNKNOWN
    note.chmod(0o600)
    note.write_text("{")
    assert checked_state_dir(None, None, home) == UNKNOWN


def test_note_holds_no_setting_but_the_folder(home: dict[str, str], file: Path, tmp_path: Path):
    file.write_text("state_dir: /srv/state\nslack: {channel: C1, bot_token: made-up}\n")
    remember_state_dir(None, None, home, Path("/srv/state"))
    (note,) = (tmp_path / "cache" / "babysit").iterdir()
    assert json.loads(note.read_text()) == {"state_dir": "/srv/state"}


def test_few_notes_are_kept_and_a_full_disk_hurts_nobody(home: dict[str, str], file: Path, tmp_path: Path):
    for number in range(30):
        file.write_text(f"state_dir: /srv/{number}\n")
        remember_state_dir(None, None, home, Path(f"/srv/{number}"))
    assert len(list((tmp_path / "cache" / "babysit").iterdir())) == 16
    (tmp_path / "blocked").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path / "blocked"))
        remember_state_dir(None, None, home, Path("/srv/x"))

"""The service's sign of life outside its database."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from babysitter.config import Settings
from babysitter.engine.status_file import (
    FILE_NAME,
    SIZE_BYTES,
    StatusFile,
    local_troubles,
    read_status,
    service_troubles,
    sign_of_life,
)
from babysitter.wiring import open_app
from tests.support.clock import NOON, FakeClock


def test_status_is_read_back_and_keeps_its_size(tmp_path: Path):
    file = StatusFile(tmp_path)
    file.write({"slack": "deaf", "database": "full"}, now=NOON)
    file.write({"slack": "deaf"}, now=NOON)
    status = read_status(tmp_path)
    assert status is not None
    assert (status.process, status.at, status.troubles) == (os.getpid(), NOON, {"slack": "deaf"})
    assert (tmp_path / FILE_NAME).stat().st_size == SIZE_BYTES


def test_status_is_written_where_no_state_folder_is(tmp_path: Path):
    StatusFile(tmp_path / "none" / "yet").write({"slack": "deaf"}, now=NOON)
    assert read_status(tmp_path / "none" / "yet") is not None


def test_status_with_many_words_fits(tmp_path: Path):
    StatusFile(tmp_path).write({f"part-{number}": "x" * 5000 for number in range(100)}, now=NOON)
    status = read_status(tmp_path)
    assert status is not None
    assert 3 <= len(status.troubles) < 100
    assert (tmp_path / FILE_NAME).stat().st_size == SIZE_BYTES


def test_status_file_that_cannot_be_written_is_no_failure(tmp_path: Path):
    (tmp_path / FILE_NAME).mkdir()
    StatusFile(tmp_path).write({}, now=NOON)
    assert read_status(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{", '{"process": "x"}', "[]", '{"process": 1, "at": "noon", "troubles": {}}']
)
def test_damaged_status_is_none(tmp_path: Path, text: str):
    (tmp_path / FILE_NAME).write_text(text)
    assert read_status(tmp_path) is None
    assert StatusFile(tmp_path).end_told_at is None


def test_time_of_the_last_message_outlives_the_process(tmp_path: Path):
    StatusFile(tmp_path).note_end_told(now=NOON)
    later = StatusFile(tmp_path)
    later.write({}, now=NOON + timedelta(minutes=1))
    assert StatusFile(tmp_path).end_told_at == NOON


async def test_running_service_says_its_troubles_past_the_database(tmp_path: Path):
    clock = FakeClock()
    async with open_app(Settings(state_dir=tmp_path), clock=clock) as app:
        StatusFile(tmp_path).write({"database": "full"}, now=clock.now())
        assert await service_troubles(app) == {}, "nobody serves: the file is an old one"
        await app.leadership.begin()
        assert await service_troubles(app) == {"database": "full"}
        await app.leadership.end()


async def test_stopped_process_is_said_to_give_no_sign_of_life(tmp_path: Path):
    clock = FakeClock()
    async with open_app(Settings(state_dir=tmp_path), clock=clock) as app:
        await app.leadership.begin()
        StatusFile(tmp_path).write({}, now=clock.now())
        clock.advance(31)
        words = (await service_troubles(app))["service"]
        await app.leadership.end()
    assert "no sign of life since 12:00:00 UTC" in words
    assert str(os.getpid()) in words


def test_without_a_lock_a_fresh_file_is_a_running_service(tmp_path: Path):
    StatusFile(tmp_path).write({"slack": "deaf"}, now=NOON)
    assert local_troubles(tmp_path, now=NOON, is_lock_shared=True) == {"slack": "deaf"}
    assert local_troubles(tmp_path, now=NOON + timedelta(minutes=1), is_lock_shared=True) is None
    assert "keeps trying" in sign_of_life(tmp_path, now=NOON)
    assert sign_of_life(tmp_path, now=NOON + timedelta(minutes=1)) == ""

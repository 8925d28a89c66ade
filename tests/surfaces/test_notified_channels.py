"""Who is told: read from the running service, or known because it began here."""

from pathlib import Path

import pytest

from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.errors import BadConfig
from babysitter.notify import apprise
from babysitter.surfaces.notified_channels import NOBODY, channels_of, told_sentence
from babysitter.wiring import open_app
from tests.support.app import RecordingNotifier


def test_told_sentence_names_everybody():
    assert told_sentence(["Slack channel C1", "mail by apprise"]) == (
        "Told of incidents: Slack channel C1, mail by apprise."
    )


def test_told_sentence_with_nobody_says_how():
    assert told_sentence([]) == NOBODY
    assert "Slack" in NOBODY
    assert "notify.apprise" in NOBODY


async def test_channels_of_a_running_service(tmp_path: Path):
    settings = Settings(state_dir=tmp_path)
    async with open_app(settings, notifiers=(RecordingNotifier(),)) as app, open_app(settings) as other:
        assert await channels_of(other, began_here=False) == ()
        async with Service(app):
            assert await channels_of(other, began_here=False) == ("the test",)
        assert await channels_of(other, began_here=False) == ()


async def test_channels_of_a_service_that_began_here(tmp_path: Path):
    settings = Settings(
        state_dir=tmp_path, notify={"apprise": ["mailtos://ada:made-up@example.org"], "desktop": False}
    )
    pytest.importorskip("apprise")
    async with open_app(settings) as app:
        assert await channels_of(app, began_here=True) == ("mail by apprise",)


async def test_open_hall_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(apprise, "is_installed", lambda: False)
    settings = Settings(state_dir=tmp_path, notify={"apprise": ["mailtos://ada:made-up@example.org"]})
    with pytest.raises(BadConfig, match="`apprise` is not installed") as refused:
        async with open_app(settings):
            raise AssertionError("it must not open")
    assert "pip install 'babysitter[apprise]'" in refused.value.next_step
    assert "made-up" not in str(refused.value)

"""Playbooks of the user's own: in force from the start, after an edit, and in spite of a broken edit."""

from pathlib import Path

import pytest

from babysitter.config import Settings
from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.engine.app import App
from babysitter.engine.rules.reload_rules import refresh_rules
from babysitter.engine.service import Service
from babysitter.errors import BadPlaybook
from babysitter.wiring import open_app
from tests.support.clock import FakeClock

RULE = """
program: own
source: https://example.org/valves
says:
  valve-left-its-seat:
    means: code-error as proof
    explain: "The valve left its seat."
    action: escalate
    lines: ['valve left its seat']
    specimens: ["E1120 valve left its seat"]
"""
LINE = "E1120 valve left its seat"


def explained(app: App) -> list[str]:
    return [
        finding.explanation
        for finding in classify_text(LINE, app.playbook).all
        if finding.rule.startswith("own.")
    ]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own.yaml").write_text(RULE)
    return Settings(state_dir=tmp_path / "state", playbooks=(tmp_path / "rules",))


async def test_an_edit_comes_into_force_and_a_broken_one_does_not(settings: Settings):
    own = settings.playbooks[0] / "own.yaml"
    async with open_app(settings, clock=FakeClock()) as app, Service(app):
        assert explained(app) == ["The valve left its seat."]
        own.write_text(RULE.replace("The valve left its seat.", "Call the plumber of the night shift."))
        await refresh_rules(app)
        assert explained(app) == ["Call the plumber of the night shift."]
        own.write_text(RULE.replace("code-error", "plumbing"))
        await refresh_rules(app)
        assert explained(app) == ["Call the plumber of the night shift."]
        assert "plumbing" in str(app.rules.faults[0])


async def test_a_service_does_not_begin_with_rules_that_are_wrong(settings: Settings):
    (settings.playbooks[0] / "own.yaml").write_text(RULE.replace("code-error", "plumbing"))
    async with open_app(settings, clock=FakeClock()) as app:
        with pytest.raises(BadPlaybook, match="plumbing"):
            async with Service(app):
                pass

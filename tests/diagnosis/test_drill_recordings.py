"""Jobs broken on purpose on a real cluster: what a good verdict is, and which are still judged wrong."""

import asyncio
from pathlib import Path

import pytest
import yaml

from babysitter.workbench.replay import ReplayStep, replay
from tests.support.recordings import FIXTURES, rules

DRILLS = FIXTURES / "iris-2026-05-drills"
LABELS = yaml.safe_load((DRILLS / "labels.yaml").read_text())


def _case(name: str, label: dict):
    wrong = label.get("judged_wrong")
    marks = [pytest.mark.xfail(strict=True, reason=wrong, raises=AssertionError)] if wrong else []
    return pytest.param(DRILLS / name, label, id=name, marks=marks)


@pytest.mark.parametrize(("folder", "label"), [_case(*item) for item in LABELS.items()])
def test_drill_is_judged_as_labelled(folder: Path, label: dict):
    steps = asyncio.run(replay(folder, rules(), time_scale=label["time_scale"]))
    final = steps[-1]
    assert final.cause in label["cause"], final.summary
    assert final.action in label["action"], final.summary
    for word in label.get("mentions", ()):
        assert word in " ".join([final.summary, *_evidence(final)]).lower()
    if not_first := label.get("first_evidence_not"):
        assert not_first not in _evidence(final)[0]
    if must_see := label.get("must_see"):
        named_at = [step.t_s for step in steps if step.cause == must_see]
        assert named_at
        assert named_at[0] <= label["within_s"]


def _evidence(step: ReplayStep) -> list[str]:
    diagnosis = step.diagnosis
    return [quote.text for quote in diagnosis.evidence] if diagnosis else []


def test_drills_all_have_a_label():
    assert {path.name for path in DRILLS.iterdir() if path.is_dir()} == set(LABELS)

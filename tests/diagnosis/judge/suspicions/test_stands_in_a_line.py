"""A plain job that stands in one line of its own code is reported at the stuck threshold."""

import pytest

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from tests.diagnosis.judge.test_judgement import story
from tests.support.build import ROOT
from tests.support.jobs import dump, look, raw, tree

DUMP = """Process 7: python train.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 7 ({state}): "MainThread"
    <module> ({place})
"""
LOCK = DUMP.format(state="idle", place="train.py:84")
STEPS = tuple(raw(60 + n, f"step={n} loss={2.0 - n / 10}") for n in (1, 2))
SLOW = tuple(raw(60 + 400 * n, f"step={n} loss={2.0 - n / 10}") for n in (1, 2, 3))
WORDS = (raw(61, "loading"), raw(62, "loaded"))


def verdict_of(*shown: tuple[float, str], lines=STEPS, count=1, until_s=0.0):
    seen = tree(count=count)
    looks = [look(lines[-1].at_ms and 1300 if lines is SLOW else 120, seen, *lines)]
    task = f"{ROOT}/0"
    looks += [look(at_s, seen, dumps={task: dump(text, at_s, task)}) for at_s, text in shown]
    if until_s:
        looks.append(look(until_s, seen))
    return story(*looks)[-1]


@pytest.mark.parametrize(
    ("shown", "given", "is_told"),
    [
        (((970, LOCK), (1000, LOCK)), {}, True),
        (((930, LOCK), (950, LOCK)), {}, False),  # silent for less than 900 s
        (((970, LOCK), (980, LOCK)), {}, False),  # the same moment twice
        (((970, LOCK),), {}, False),
        (((970, LOCK), (1000, DUMP.format(state="active", place="train.py:84"))), {}, False),
        (((970, LOCK), (1000, DUMP.format(state="idle", place="train.py:85"))), {}, False),
        (((2200, LOCK), (2230, LOCK)), {"lines": SLOW}, False),  # by its own pace that is not long
        (((970, LOCK), (1000, LOCK)), {"lines": WORDS}, False),  # it counts nothing
        (((970, LOCK), (1000, LOCK)), {"count": 2}, False),  # of the other process nothing is known
    ],
)
def test_job_in_one_line_is_told(shown, given, is_told):
    verdict = verdict_of(*shown, **given)
    assert (verdict.cause is Cause.STAGE_STUCK) is is_told
    if is_told:
        assert (verdict.phase, verdict.action) == (Phase.FAILING, ActionKind.ESCALATE)
        assert "waits in <module> (train.py:84) in 2 dumps" in verdict.diagnosis.explanation


def test_silent_job_is_dumped_at_the_stuck_threshold():
    assert Want.ROOT_DUMP not in verdict_of(until_s=940).wants
    assert Want.ROOT_DUMP in verdict_of(until_s=1000).wants


def test_reasons_of_a_silent_job_are_true():
    texts = [reason.text for reason in verdict_of(until_s=1800).reasons]
    assert not [text for text in texts if "nothing completed for 0 s (" in text]
    assert any("nothing completed for 0 s at its newest report, 1738 s ago" in text for text in texts)


def test_silence_before_is_told_in_its_own_unit():
    explanation = verdict_of(until_s=1980).diagnosis.explanation
    assert explanation.endswith("its longest silence before was 1 s.")

"""A job whose own program is over while its process stays."""

import pytest

from babysitter.model.finding import ActionKind, Cause
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from babysitter.model.verdict import SignalKind
from tests.diagnosis.judge.test_judgement import reasons, story, up
from tests.support import jobs
from tests.support.build import ROOT
from tests.support.jobs import S, dump, look, pipeline, raw, tree

ALONE = tree(*pipeline(state=S, workers=S))
SAID = raw(100, "outputs written")


def looks(*shown: tuple[float, str], seen=ALONE):
    first = look(120, seen, SAID)
    return [first, *(look(s, seen, dumps={f"{ROOT}/0": dump(text, s, f"{ROOT}/0")}) for s, text in shown)]


@pytest.mark.parametrize(
    ("shown", "is_proven"),
    [
        (((400, jobs.OVER), (430, jobs.OVER)), True),
        (((400, jobs.OVER), (410, jobs.OVER)), False),  # the same moment twice
        (((400, jobs.OVER),), False),
        (((200, jobs.OVER), (230, jobs.OVER)), False),  # it has spoken a moment ago
        (((400, jobs.OVER), (430, jobs.HOSTED)), False),
    ],
)
def test_silence_and_two_dumps_prove_it_and_people_decide(shown, is_proven):
    verdict = story(*looks(*shown), start=up())[-1]
    assert (verdict.cause is Cause.STAGE_STUCK) is is_proven
    if is_proven:
        assert verdict.diagnosis.title == "Hung parent process"
        assert (verdict.phase, verdict.action) == (Phase.FAILING, ActionKind.ESCALATE)
        assert "stopping it loses nothing" in verdict.diagnosis.explanation


def test_silence_alone_asks_for_a_dump_and_says_nothing():
    verdict = story(look(120, ALONE, SAID), look(400, ALONE), start=up())[-1]
    assert verdict.phase is Phase.SUSPECT
    assert Want.ROOT_DUMP in verdict.wants
    assert verdict.diagnosis is None
    assert [signal.kind for signal in verdict.signals] == [SignalKind.LINGERING]


def test_while_a_pipeline_runs_the_root_only_waits():
    verdict = story(*looks((400, jobs.OVER), (430, jobs.OVER), seen=tree(*pipeline())), start=up())[-1]
    assert "lingering.two-dumps-agree" not in reasons(verdict)
    assert verdict.cause is Cause.HEALTHY


def test_a_log_that_cannot_be_read_is_no_silence():
    blind = look(400, ALONE, dumps={f"{ROOT}/0": dump(jobs.OVER, 400, f"{ROOT}/0")}, logs=False)
    again = look(430, ALONE, dumps={f"{ROOT}/0": dump(jobs.OVER, 430, f"{ROOT}/0")}, logs=False)
    verdict = story(look(120, ALONE, SAID), blind, again, start=up())[-1]
    assert verdict.cause is Cause.HEALTHY


def test_a_plain_job_may_be_silent_for_longer():
    plain = tree()
    told = look(60, plain, raw(50, "step 1"))
    over = [look(s, plain, dumps={f"{ROOT}/0": dump(jobs.OVER, s, f"{ROOT}/0")}) for s in (1000, 1030)]
    late = [look(s, plain, dumps={f"{ROOT}/0": dump(jobs.OVER, s, f"{ROOT}/0")}) for s in (2000, 2030)]
    assert story(told, *over)[-1].diagnosis is None
    found = story(told, *over, *late)[-1].diagnosis
    assert found.cause is Cause.STAGE_STUCK  # a zombie is a coordinator, and it has none
    assert found.explanation.startswith("Its program has ended, but its process stays")


CHILD = """\
Process 7: python run.py
Python v3.12.1 (/usr/bin/python3.12)

Thread 7 ({state}): "MainThread"
    Popen._try_wait (subprocess.py:{line})
    main (run.py:40)
    <module> (run.py:50)
"""
IN_CHILD = CHILD.format(state="idle", line=2011)


@pytest.mark.parametrize(
    ("shown", "seen", "expected"),
    [
        (((400, IN_CHILD), (600, IN_CHILD)), ALONE, Cause.STAGE_STUCK),
        (((2000, IN_CHILD), (2200, IN_CHILD)), tree(), Cause.STAGE_STUCK),
        (((400, IN_CHILD), (430, IN_CHILD)), ALONE, Cause.HEALTHY),  # no longer than any wait
        (((400, IN_CHILD), (600, CHILD.format(state="active", line=2011))), ALONE, Cause.HEALTHY),
        (((400, IN_CHILD), (600, CHILD.format(state="idle", line=9))), ALONE, Cause.HEALTHY),
    ],
    ids=["after its pipelines", "plain job", "too short", "at work", "moved on"],
)
def test_a_root_that_waits_in_one_line_is_told(shown, seen, expected):
    verdict = story(*looks(*shown, seen=seen), start=up())[-1]
    assert verdict.cause is expected
    if expected is not Cause.HEALTHY:
        assert verdict.action is ActionKind.ESCALATE
        assert "Popen._try_wait (subprocess.py:2011)" in verdict.diagnosis.explanation

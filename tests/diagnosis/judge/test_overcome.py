"""A failure that an earlier look reported is overcome by what later looks show, and by nothing less."""

from dataclasses import replace

import pytest

from babysitter.diagnosis.pipeline import judge
from babysitter.model.finding import Severity
from babysitter.model.verdict import Verdict
from tests.support.build import watch as made_watch
from tests.support.jobs import look, raw, tree
from tests.support.recordings import rules

FAILURE = "OSError: [Errno 113] No route to host"
CHECK_S = 30


def _judged(*looks: tuple[str, ...]) -> Verdict:
    """The verdict of looks 30 s apart that brought these lines, and then nothing for six minutes."""
    watch, verdict = made_watch(kind="auto"), None
    for index in range(len(looks) + 12):
        texts = looks[index] if index < len(looks) else ()
        now_s = CHECK_S * (index + 1)
        lines = [raw(now_s - CHECK_S + place + 1, text) for place, text in enumerate(texts)]
        verdict = judge(watch, look(now_s, tree(), *lines), rules())
        watch = replace(watch, memory=verdict.memory)
    assert verdict is not None
    return verdict


@pytest.mark.parametrize(
    "later",
    [
        [("step 12 loss 2.1", "step 13 loss 2.1")],
        [("wrote the index to disk", "next file opened", "merging the index")],
        [("wrote the index to disk",), ("next file opened",), ("merging the index",)],
    ],
)
def test_failure_of_an_earlier_look_is_overcome(later):
    before = ("step 10 loss 2.2", "step 11 loss 2.2")
    verdict = _judged(before, (FAILURE,), *later)
    assert verdict.diagnosis is None or verdict.diagnosis.severity < Severity.DEGRADED


@pytest.mark.parametrize(
    "later",
    [
        [],
        [("waiting for the cluster", "still waiting", "retrying in 5 s")],
        [("wrote the index to disk",), ("next file opened",)],
        [("wrote the index to disk", "next file opened", "merging the index"), (FAILURE,)],
    ],
)
def test_failure_of_an_earlier_look_stands(later):
    before = ("step 10 loss 2.2", "step 11 loss 2.2")
    verdict = _judged(before, (FAILURE,), *later)
    assert verdict.diagnosis is not None
    assert verdict.cause == "network-timeout"

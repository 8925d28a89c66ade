"""The law of one judge: a recording judged step by step, and its text judged at once, end alike."""

import pytest

from tests.support.law import at_once, playable, step_by_step

# What only somebody sees who was there, with the reason.
ONLY_A_WATCH_SEES = {
    "iris-2026-05/18-controller-restart": "killed without a word after an outage that no line tells of",
}
# Programs that were broken on purpose: what a restart needs two thread dumps for, only a watch may advise.
OF_DRILLS = {
    "deadlock": "a line behind a task is another line for the rules; both call for a person",
    "parentchild": "several dumps show that the parent waits for a child; a text has one of each process",
    "workerdies": "a text lacks the exit code of the worker's process; in both memory is the cause",
    "stuckflock": "two dumps of the worker prove that it hangs",
    "stucksock": "two dumps of the worker prove that it hangs",
}
RECORDINGS = tuple(name for name in playable() if "drills" not in name)
DRILLS = tuple(name for name in playable() if "drills" in name)


def test_the_law_has_few_exceptions():
    assert len(RECORDINGS) == 52
    assert len(ONLY_A_WATCH_SEES) <= 3


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_watch_and_a_text_end_alike(name):
    watched = step_by_step(name)
    bare, with_tasks = at_once(name, named=False), at_once(name, named=True)
    if name in ONLY_A_WATCH_SEES:
        assert watched not in (bare, with_tasks), "no exception any more: remove it"
    else:
        assert (bare, with_tasks) == (watched, watched)


@pytest.mark.parametrize("name", DRILLS)
def test_a_watch_and_a_text_of_a_drill_end_alike(name):
    if name.rpartition("/")[2] not in OF_DRILLS:
        assert at_once(name, named=False) == step_by_step(name)

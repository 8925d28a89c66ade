"""Two pipelines at once on one coordinator (August): one hangs, one works; their lines interleave."""

import random
from itertools import pairwise

import pytest

from babysitter.diagnosis.judge.assess import assess
from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.finding import Cause, Findings
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from tests.support.jobs import look, pipeline, report, tree

HUNG, WORKING = "20260820-100000-aaaaaaaa", "20260820-100001-bbbbbbbb"
HANGS_FROM_MIN = 5
CHECK_INTERVAL_S = 30
MAX_CHECKS = 120  # one hour


def _reports(at_s: float, order: str, rng: random.Random, stages: tuple[str, str]) -> list:
    """What both executions report at this second: A stops at 5/10, B completes a shard a minute of 400."""
    hung = {"in_flight": 5, "queued": 0, "stage": stages[0], "execution": HUNG}
    working = {"in_flight": 8, "stage": stages[1], "execution": WORKING}
    done = min(HANGS_FROM_MIN, int(at_s // 60)), min(390, int(at_s // 60))
    hung_last = order == "hung last" or (order == "random" and rng.random() < 0.5)
    if hung_last:
        return [report(at_s, done[1], 400, **working), report(at_s + 0.2, done[0], 10, **hung)]
    return [report(at_s, done[0], 10, **hung), report(at_s + 0.2, done[1], 400, **working)]


@pytest.mark.parametrize("order", ["hung first", "hung last", "random"])
@pytest.mark.parametrize("stages", [("stage0-Map", "stage1-Reduce"), ("stage0-Map", "stage0-Map")])
def test_hung_execution_beside_a_working_one_is_found(order, stages):
    rng = random.Random(7)
    memory, phases, named_at_min, actions = Memory(), [], None, set()
    for check in range(2, MAX_CHECKS):
        end_s = CHECK_INTERVAL_S * check
        lines = [
            line
            for k in range(6)
            for line in _reports(end_s - CHECK_INTERVAL_S + 5 * k + 1, order, rng, stages)
        ]
        observation = look(end_s, tree(*pipeline()), *lines)
        verdict = assess(observation, Findings(), update_memory(memory, observation), Limits())
        memory = verdict.memory
        phases.append(verdict.phase)
        if verdict.diagnosis is not None:
            actions.add(verdict.diagnosis.action)
            if named_at_min is None and verdict.diagnosis.cause is Cause.STAGE_STUCK:
                named_at_min = end_s / 60
    assert named_at_min is not None
    assert HANGS_FROM_MIN + 15 <= named_at_min <= 50
    assert not any(action.restarts for action in actions), "no restart while a sibling works"
    changes = sum(before is not after for before, after in pairwise(phases))
    assert changes <= 4

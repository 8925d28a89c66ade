"""Healthy runs of any shape are silent. The seed is the test's name; a failing one is a bug report."""

import random

import pytest
import yaml

from tests.support.sim_app import story

OPERATIONS = ("Map → Scatter", "Reduce", "Map → Write", "Map → Map → Filter → Group → Something long")
MAX_S = 6 * 3600


def any_stage(chance):
    return {
        "ops": chance.choice(OPERATIONS),
        "shards": chance.choice([1, 2, 7, 20, 60]),
        "shard_s": chance.choice([0.5, 5.0, 40.0, 120.0]),
        "jitter": chance.choice([0.1, 0.5, 0.9]),
        "noise": chance.choice([0, 0, 20]),
    }


def any_run(chance):
    """A program of some pipelines; now and then a worker's process dies once."""
    pipelines = [
        {
            "workers": chance.choice([1, 2, 4, 12]),
            "workers_wait_s": chance.choice([0.5, 20.0, 200.0]),
            "stages": [any_stage(chance) for _ in range(chance.choice([1, 2, 3]))],
        }
        for _ in range(chance.choice([1, 2, 3]))
    ]
    deeds = [
        {"at_s": chance.choice([30.0, 100.0, 400.0]), "do": chance.choice(["kill-worker", "lose-worker"])}
    ]
    return {
        "about": "Any shape.",
        "root": {"pipelines": pipelines, "pause_s": chance.choice([1.0, 30.0])},
        "events": deeds if chance.random() < 0.5 else [],
    }


@pytest.mark.parametrize("seed", [0, 2, 4])
async def test_a_healthy_run_of_any_shape_is_silent(seed, tmp_path):
    chance = random.Random(seed)
    path = tmp_path / "any.yaml"
    path.write_text(yaml.safe_dump(any_run(chance), allow_unicode=True), encoding="utf-8")
    generation = chance.choice(["april", "may", "august"])
    async with story(str(path), tmp_path / "state", generation=generation) as tale:
        for _ in range(MAX_S // 600):
            await tale.pass_s(600, 30.0)
            if await tale.outcome() is not None:
                break
        assert await tale.outcome() == ("succeeded", "healthy")
        assert tale.ear.occasions == ["started", "finished"]
        assert await tale.causes() == []

"""Scenarios as files: what is shipped, and what is said of a broken one."""

from pathlib import Path

import pytest

from babysitter.sim.iris.scenario import DEEDS, ScenarioFault, load, names, parse

WANTED = {
    "healthy", "bundle-error", "import-error", "pending-capacity", "oom-137", "shard-error", "straggler",
    "stuck-stage", "zombie", "worker-churn", "worker-killed", "coordinator-killed", "parent-retried",
    "two-pipelines", "stopped-by-person", "controller-outage", "controller-hang", "log-flood",
}  # fmt: skip


def test_all_that_is_wanted_is_shipped():
    assert set(names()) >= WANTED


@pytest.mark.parametrize("name", names())
def test_a_shipped_scenario_says_what_it_plays(name):
    scenario = load(name)
    assert scenario.name == name
    assert scenario.about.rstrip().endswith(".")
    assert scenario.root.id == "/ada/dedup"
    assert {event.do for event in scenario.events} <= DEEDS


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("about: x", "with a `root` job"),
        ("- 1", "with a `root` job"),
        ("about: x\nroot: {memry: 5GB}", "unknown key 'memry'"),
        ("about: x\nroot: {max_retries: many}", "expected int, found 'many'"),
        ("about: x\nroot: {pipelines: 3}", "expected a list, found 3"),
        ("root: {name: x}", "missing 1 required"),
        ("about: x\nroot: {}\nevents: [{at_s: 1, do: explode}]", "'explode' is none of"),
        ("about: x\nroot: {pipelines: [{stages: [{ops: Map, shards: 3, size: 4}]}]}", "unknown key 'size'"),
        ("about: [", "is not YAML"),
    ],
)
def test_a_broken_scenario_is_refused_with_its_place(text, fault):
    with pytest.raises(ScenarioFault, match=r"made-up\.yaml") as refused:
        parse(text, "made-up.yaml")
    assert fault in str(refused.value)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ScenarioFault, match=r"known are .*healthy.*zombie"):
        load("zombi")


def test_a_file_of_ones_own_is_played_by_its_path(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("about: Mine.\nroot: {name: mine, says: [{say: 'hello {n}', times: 2}]}\n")
    assert load(str(path)).root.id == "/ada/mine"
    with pytest.raises(ScenarioFault, match="cannot be read"):
        load(str(tmp_path / "gone.yaml"))


def test_a_relaunch_takes_over_what_it_does_not_say():
    text = "about: x\nroot: {memory: 9GB, argv: [a]}\non_relaunch: [{root: {max_retries: 1}}]"
    (relaunch,) = parse(text, "x.yaml").on_relaunch
    assert (relaunch.root.memory, relaunch.root.argv, relaunch.root.max_retries) == ("9GB", ("a",), 1)


def test_the_manuals_example_can_be_played():
    manual = (Path(__file__).parents[3] / "docs" / "simulator.md").read_text(encoding="utf-8")
    example = manual.partition("```yaml\n")[2].partition("```")[0]
    scenario = parse(example, "manual.yaml")
    assert scenario.root.pipelines
    assert scenario.events
    assert scenario.on_relaunch

"""The simulated cluster itself: one story however finely time is cut, real stops and launches, exact ones."""

import pytest

from babysitter.sim.iris.controller import ROOT, Simulator
from babysitter.sim.iris.records import State
from babysitter.sim.iris.scenario import names
from tests.support.clock import FakeClock


def played(scenario, steps_s, **options):
    clock = FakeClock()
    simulator = Simulator(scenario, clock.now, **options)
    for step_s in steps_s:
        clock.advance(step_s)
        assert simulator.cluster
    return simulator


def told(simulator):
    logs = simulator.cluster.logs
    lines = [
        (entry.number, entry.key, entry.at_ms, entry.data) for entry in logs.find(logs.keys, limit=10**6)
    ]
    return lines, {job.id: (job.state, job.error, job.finished_at) for job in simulator.cluster.jobs.values()}


@pytest.mark.parametrize("scenario", ["healthy", "worker-churn", "parent-retried", "shard-error"])
def test_the_story_is_the_same_however_finely_time_is_cut(scenario):
    coarse, fine = played(scenario, [400]), played(scenario, [1.7] * 235 + [0.5])
    assert told(coarse) == told(fine)


def test_a_seed_is_a_story():
    assert told(played("healthy", [100])) == told(played("healthy", [100], seed=1))
    assert told(played("healthy", [100])) != told(played("healthy", [100], seed=2))


@pytest.mark.parametrize("generation", ["april", "may", "august"])
@pytest.mark.parametrize("scenario", [name for name in names() if name not in ("log-flood", "long-run")])
def test_every_scenario_plays_in_every_generation(scenario, generation):
    simulator = played(scenario, [3000], generation=generation)
    root = simulator.cluster.runs[ROOT]
    lasting = scenario.startswith(("zombie", "stuck", "pending", "never", "controller"))
    assert root.state.final or lasting
    assert all(simulator.cluster.runs[neighbour].state is State.RUNNING for neighbour in simulator.neighbours)


def test_a_stop_takes_exactly_the_job_and_what_is_below_it():
    simulator = played("healthy", [60])
    before = {job.id for job in simulator.cluster.jobs.values() if not job.state.final}
    simulator.cluster.stop(ROOT)
    stopped = {job.id for job in simulator.cluster.jobs.values() if job.state is State.KILLED}
    assert stopped == {item for item in before if item == ROOT or item.startswith(f"{ROOT}/")}
    assert len(stopped) == 3
    assert {item.error for item in simulator.cluster.subtree(ROOT)} == {"Terminated by user"}


@pytest.mark.parametrize(("memory_gb", "end"), [(5, State.FAILED), (10, State.SUCCEEDED)])
def test_a_relaunch_with_enough_memory_succeeds_and_without_it_fails_again(memory_gb, end):
    clock = FakeClock()
    simulator = Simulator("oom-137", clock.now)
    clock.advance(200)
    assert simulator.cluster.runs[ROOT].tasks[0].exit_code == 137
    simulator._story.launch(
        {"name": f"{ROOT}-r1", "replicas": 1, "resources": {"memoryBytes": memory_gb << 30}}
    )
    clock.advance(300)
    assert simulator.cluster.runs[f"{ROOT}-r1"].state is end


def test_a_program_nobody_has_heard_of_runs_and_ends():
    clock = FakeClock()
    simulator = Simulator("healthy", clock.now)
    argv = {"runCommand": {"argv": ["python", "other.py"]}}
    simulator._story.launch({"name": "/bob/other", "replicas": 1, "entrypoint": argv})
    clock.advance(100)
    assert simulator.cluster.runs["/bob/other"].state is State.SUCCEEDED
    assert simulator.launched == ["/bob/other"]


def test_a_flood_has_a_thousand_lines_for_each_of_progress():
    logs = played("log-flood", [60]).cluster.logs
    progress = logs.find(logs.keys, substring=" complete, ", limit=10**6)
    noise = logs.find(logs.keys, substring="Resolved actor 'worker-", limit=10**6)
    assert len(noise) == 1000 * len(progress)
    assert len(progress) >= 5


def test_forgotten_logs_begin_again_at_one():
    simulator = played("healthy", [60])
    logs = simulator.cluster.logs
    last = logs.find(logs.keys, limit=1, tail=True)[-1].number
    logs.forget()
    assert logs.find(logs.keys, after=last) == []
    logs.add("/ada/dedup/0:0", 1.0, "first again")
    assert [entry.number for entry in logs.find(logs.keys)] == [1]


def test_copies_do_what_the_root_does(tmp_path):
    scenario = tmp_path / "copies.yaml"
    scenario.write_text("about: Three of one kind.\ncopies: 2\nroot:\n  says: [{say: hello}]\n")
    simulator = played(str(scenario), [60])
    jobs = simulator.cluster.jobs
    assert simulator.copies == (f"{ROOT}-1", f"{ROOT}-2")
    assert [jobs[item].state for item in (ROOT, *simulator.copies)] == [State.SUCCEEDED] * 3

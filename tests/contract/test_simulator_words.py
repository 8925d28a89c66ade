"""What simulated jobs print, and their thread dumps, against what real ones printed."""

import base64
import json
import re

import pytest

from babysitter.sim.iris.controller import Simulator
from tests.contract.shapes import ERAS, exchanges
from tests.support.clock import FakeClock

PLAYED = (
    "healthy",
    "shard-error",
    "shard-killed",
    "worker-killed",
    "coordinator-killed",
    "parent-retried",
    "two-pipelines",
    "worker-churn",
    "zombie",
)
# A user's program says what it likes, in a script and with an exception of its own.
USERS = re.compile(r"pipeline ok|main\(\)|ctx\.execute\(|pipeline\.py|KeyError|'language'|MemoryError")
# April's recordings hold a killed shard too, whose worker's line was not among those read.
UNMET = re.compile(
    r"Worker <name> error on shard <n>: Subprocess for shard <n> was killed|JOB_STATE_FAILED: Exit"
)
# April's coordinator was never met at the moment when it offers its address; May's was.
UNMET_FRAMES = {"FrayIrisClient.host_actor (fray/v2/iris_backend.py)"}
BLANKS = (
    (r"(?:file|https?)://\S+", "<url>"),
    (r"/tmp/\S+\.py", "<runner>"),
    (r"/(?:root|ada)/[^\s'\"):,]+", "<job>"),
    (r"zephyr-[a-z]+-[0-9a-f]{8}-p\d+[-\w]*", "<name>"),
    (r"\d{8}-\d{6}-[0-9a-f]{8}", "<execution>"),
    (r"(?<=name=)[\w-]+", "<context>"),
    (r"\{.*\}", "<counts>"),
    (r"\[(?:stage|join)[^\]]*\]", "<stage>"),
    (r"(stage |stage=)[^,()]*?(?= with|, \d| shard|$)", r"\1<stage>"),
    (r"0x[0-9a-f]+", "<at>"),
    (r"\d+(?:\.\d+)?", "<n>"),
    (r"<n> (?:bytes|KiB|MiB)", "<amount>"),
    (r"[ ~^]{6,}", " "),  # marks under code
)


def blanked(line):
    """The line without names, numbers and amounts."""
    for pattern, blank in BLANKS:
        line = re.sub(pattern, blank, line)
    return line.strip()


def entries(answer):
    yield from answer.get("entries", [])
    for batch in answer.get("taskLogs", []):
        yield from batch.get("logs", [])


@pytest.mark.parametrize("generation", list(ERAS))
def test_every_line_of_a_pipeline_was_printed_by_a_real_one(generation):
    real = {
        blanked(entry["data"])
        for exchange in exchanges(generation)
        if exchange.method in ("FetchLogs", "GetTaskLogs") and exchange.status == 200
        for entry in entries(json.loads(exchange.text))
    }
    ours = {blanked(line) for scenario in PLAYED for line in played(scenario, generation)}
    strange = {line for line in ours - real if not USERS.search(line) and not UNMET.search(line)}
    assert strange == set()
    assert len(ours & real) > 40


def played(scenario, generation):
    clock = FakeClock()
    simulator = Simulator(scenario, clock.now, generation=generation)
    clock.advance(1500)
    logs = simulator.cluster.logs
    for key in logs.keys:
        if key.startswith(f"{simulator.root_job}/"):
            yield from (entry.data for entry in logs.find([key], limit=100_000))


def stacks(text):
    """(thread, its frames) of a dump, without numbers; user code and process ids are left out."""
    for block in re.split(r"\n(?=Thread )", text)[1:]:
        head, *frames = block.splitlines()
        name = re.sub(r"\d+|zephyr-(?!coordinator|subprocess)\S+", "<>", head.partition(": ")[2].strip('"'))
        kept = [re.sub(r":\d+\)", ")", frame.strip()) for frame in frames if frame.startswith("    ")]
        if kept:
            yield (
                name,
                tuple(frame for frame in kept if "_jobs.py" not in frame and "pipeline.py" not in frame),
            )


def dumps_of(answers):
    for answer in answers:
        raw = json.loads(answer.text)
        yield base64.b64decode(raw.get("profileData", "")).decode()


@pytest.mark.parametrize("generation", list(ERAS))
def test_the_threads_of_coordinators_and_workers_are_where_real_ones_were(generation):
    asked = [
        exchange
        for exchange in exchanges(generation)
        if exchange.method == "ProfileTask" and exchange.status == 200
    ]
    real = {stack for text in dumps_of(asked) for stack in stacks(text)}
    real_names = {name for name, _ in real}
    real_frames = {frame for _, frames in real for frame in frames}
    for scenario, at_s in (("healthy", 60), ("healthy", 5), ("zombie", 600)):
        clock = FakeClock()
        simulator = Simulator(scenario, clock.now, generation=generation)
        clock.advance(at_s)
        for job in simulator.cluster.subtree(simulator.root_job)[:-1]:
            for task in job.tasks:
                if task.inside is None:
                    continue
                found = list(stacks(task.inside.dump()))
                assert found
                assert {name for name, _ in found} - {"metrics-exporter"} <= real_names
                strange = {frame for _, frames in found for frame in frames} - real_frames
                assert {frame for frame in strange if "metrics.py" not in frame} <= UNMET_FRAMES


@pytest.mark.parametrize("generation", list(ERAS))
def test_a_zombie_has_the_main_thread_of_a_real_zombie(generation):
    asked = [
        exchange
        for exchange in exchanges(generation, "12a-zombie-leaked-thread")
        if exchange.method == "ProfileTask"
        and "_shutdown" in base64.b64decode(json.loads(exchange.text)["profileData"]).decode()
    ]
    clock = FakeClock()
    simulator = Simulator("zombie", clock.now, generation=generation)
    clock.advance(600)
    coordinator = simulator.cluster.subtree(simulator.root_job)[-2]
    ours = dict(stacks(coordinator.tasks[0].inside.dump()))
    theirs = dict(stacks(next(dumps_of(asked))))
    assert ours["MainThread"] == theirs["MainThread"]
    assert not any("_wait_for_stage" in frame for frames in ours.values() for frame in frames)

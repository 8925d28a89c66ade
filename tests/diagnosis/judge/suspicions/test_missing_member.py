"""Processes that wait for each other, and the one that does not come."""

import pytest

from babysitter.diagnosis.frame.thread_dump_text import read_dump
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import TaskId
from babysitter.model.job import JobTree, Task, TaskState
from babysitter.model.observation import Want
from babysitter.model.phase import Phase
from tests.diagnosis.judge.test_judgement import story
from tests.support.build import ROOT, at
from tests.support.jobs import job, look, raw

LOOP = "    Worker.main_loop (ray/_private/worker.py:1069)\n    <module> (default_worker.py:323)\n"
IDLE = ""
BARRIER = "    barrier (torch/distributed/distributed_c10d.py:4159)\n    Trainer.step (train.py:60)\n"
REDUCE = "    all_reduce (torch/distributed/distributed_c10d.py:2806)\n    Trainer.step (train.py:58)\n"
GET = "    Worker.get_objects (ray/_private/worker.py:1007)\n    get (ray/_private/worker.py:3009)\n"
DRIVER = f"{GET}    main (train.py:90)\n"
LOADS = "    load (data.py:12)\n    Trainer.step (train.py:55)\n"
READS = "    read (data.py:19)\n    Trainer.step (train.py:55)\n"
NAMES = ("0", "Trainer-a0", "Trainer-b1", "Trainer-c2", "Engine-d3")
DEFAULT = (DRIVER, BARRIER, BARRIER, BARRIER, IDLE)


def shown(name: str, frames: str, state: str = "idle") -> str:
    pid = 10 + NAMES.index(name)
    return f'Process {pid}: ray\nPython v3.11.7 (x)\n\nThread {pid} ({state}): "MainThread"\n{frames}{LOOP}'


TASKS = tuple(
    Task(TaskId(f"{ROOT}/{name}"), TaskState.RUNNING, worker="10.0.0.2", log_file=f"worker-*-1{place}.err")
    for place, name in enumerate(NAMES)
)
RUN = JobTree(job(ROOT, tasks=TASKS, count=len(TASKS)))
SPOKE = tuple(raw(50, f"rank {rank} entering barrier", f"{ROOT}/{NAMES[rank + 1]}") for rank in range(3))


def looks(*dumps: tuple[float, tuple[str, ...]], state: str = "idle"):
    """A job that speaks at 50 s; `dumps`: at which second, and where its processes stand then."""
    first = look(60, RUN, *SPOKE)
    taken = (
        look(
            seconds,
            RUN,
            dumps={
                f"{ROOT}/{name}": read_dump(shown(name, place, state), TaskId(f"{ROOT}/{name}"), at(seconds))
                for name, place in zip(NAMES, places, strict=True)
            },
        )
        for seconds, places in dumps
    )
    return [first, *taken]


def with_(rank: int, frames: str, base: tuple[str, ...] = DEFAULT) -> tuple[str, ...]:
    return (*base[: rank + 1], frames, *base[rank + 2 :])


ALL_IDLE = (DRIVER, IDLE, IDLE, IDLE, IDLE)
ALL_LOAD = (DRIVER, LOADS, LOADS, LOADS, IDLE)


@pytest.mark.parametrize(
    ("places", "cause", "words"),
    [
        (
            with_(1, LOADS),
            Cause.COLLECTIVE_TIMEOUT,
            "rank 1 (Trainer-b1, pid=12, ip=10.0.0.2, worker-*-12.err)",
        ),
        (
            with_(1, LOADS),
            Cause.COLLECTIVE_TIMEOUT,
            "stands in load (data.py:12); 2 of 3 Trainer wait in barrier",
        ),
        (with_(2, REDUCE), Cause.COLLECTIVE_TIMEOUT, "rank 2 (Trainer-c2"),
        (with_(2, REDUCE), Cause.COLLECTIVE_TIMEOUT, "waits in another call, all_reduce"),
        (with_(0, IDLE), Cause.COLLECTIVE_TIMEOUT, "worker-*-11.err) runs nothing; 2 of 3 Trainer wait"),
        (DEFAULT, Cause.COLLECTIVE_TIMEOUT, "All 3 Trainer wait in barrier"),
        (with_(2, GET, ALL_IDLE), Cause.STAGE_STUCK, "rank 2 (Trainer-c2"),
        (
            with_(1, READS, ALL_LOAD),
            Cause.STAGE_STUCK,
            "stands in read (data.py:19); 2 of 3 Trainer stand in load",
        ),
        (
            ALL_LOAD,
            Cause.STAGE_STUCK,
            "in every dump its main thread waits",
        ),  # of the driver: nobody is named
        (ALL_IDLE, Cause.STAGE_STUCK, "in every dump its main thread waits"),
    ],
)
def test_who_does_not_come_is_named(places, cause, words):
    found = story(*looks((2000, places), (2030, places), (2200, places)))[-1].diagnosis
    assert found is not None
    assert (found.cause, found.action) == (cause, ActionKind.ESCALATE)
    assert words.lower() in found.explanation.lower()


def test_the_evidence_is_its_dump_one_that_waits_and_its_last_line():
    found = story(*looks((2000, with_(1, LOADS)), (2030, with_(1, LOADS))))[-1].diagnosis
    quoted = [(line.source, line.text) for line in found.evidence]
    assert [source for source, _ in quoted] == [
        f"dump of {ROOT}/Trainer-b1",
        f"dump of {ROOT}/Trainer-a0",
        TASKS[2].id,
    ]
    assert quoted[0][1].startswith("pid=12, ip=10.0.0.2, worker-*-12.err: load (data.py:12) < ")
    assert quoted[1][1].startswith("pid=11, ip=10.0.0.2, worker-*-11.err: barrier (torch/")
    assert quoted[2][1] == "rank 1 entering barrier"
    assert "worker-*-12.err" in found.advice


@pytest.mark.parametrize(
    ("dumps", "state"),
    [
        (((2000, with_(1, LOADS)),), "idle"),  # one look
        (((2000, with_(1, LOADS)), (2010, with_(1, LOADS))), "idle"),  # the same moment twice
        (((2000, with_(1, LOADS)), (2030, with_(1, READS))), "idle"),  # it moves on
        (((2000, with_(1, LOADS)), (2030, with_(1, LOADS))), "active"),  # it computes
        (((300, with_(1, LOADS)), (330, with_(1, LOADS))), "idle"),  # it spoke a moment ago
    ],
    ids=["once", "too close", "moves", "computes", "not silent"],
)
def test_one_dump_or_a_rank_at_work_proves_nothing(dumps, state):
    verdict = story(*looks(*dumps, state=state))[-1]
    assert verdict.diagnosis is None
    assert verdict.phase is not Phase.FAILING


def test_a_job_that_falls_silent_is_dumped_process_by_process():
    verdict = story(look(60, RUN, *SPOKE), look(2000, RUN))[-1]
    assert verdict.wants >= {Want.ROOT_DUMP, Want.WORKER_DUMPS}


def test_a_dump_of_before_the_last_line_counts_no_more():
    gone_on = look(2010, RUN, raw(2005, "step done"))
    again = looks((2000, with_(1, LOADS)), (2030, with_(1, LOADS)))
    assert story(*again[:2], gone_on, again[2])[-1].diagnosis is None

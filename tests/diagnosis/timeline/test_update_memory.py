from dataclasses import replace
from functools import reduce

import pytest
from pydantic import TypeAdapter

from babysitter.diagnosis.timeline.update_memory import update_memory
from babysitter.model.ids import JobId, TaskId
from babysitter.model.memory import Memory
from babysitter.model.observation import Excerpt
from babysitter.model.seen import Source
from tests.support.build import ROOT, at
from tests.support.jobs import (
    CONTEXT,
    OVER,
    R,
    dump,
    failed_task,
    job,
    line,
    look,
    pipeline,
    raw,
    report,
    tree,
)

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0"


def after(*looks, start: Memory | None = None) -> Memory:
    return reduce(update_memory, looks, start or Memory())


def test_only_the_coordinator_s_own_logger_reports_progress():
    seen = tree(*pipeline())
    worker = f"{COORDINATOR}/{CONTEXT}-p0-workers-a0/0"
    fake = report(30, 9)._replace(task=TaskId(worker))
    from_parent = report(30, 9)._replace(task=TaskId(f"{ROOT}/0"))
    memory = after(look(31, seen, fake, from_parent, report(25, 2)))
    assert [stage.done for stage in memory.stages] == [2]
    assert memory.kind == "zephyr"
    assert memory.advanced_at == at(25)


PRINTED = "Shard 12 has failed 3 times (max 3), last failure on worker w-7, aborting pipeline."


@pytest.mark.parametrize(
    ("jobs", "lines", "kind"),
    [
        ((), (raw(1, "hello"),), ""),
        ((), (raw(1, "step 10 loss 2.1"), raw(2, "Step 20/100 loss=2.0")), "training"),
        (pipeline(), (raw(1, "hello"),), "zephyr"),
        # A program that prints the lines of another started nothing.
        ((), (line(1, PRINTED, f"{ROOT}/0"),), ""),
        ((), (line(1, PRINTED, f"{ROOT}/0"), raw(2, "step 10 loss 2.1")), "training"),
        ((), (line(1, "Starting zephyr pipeline: e (pipeline 0, attempt 0)", f"{ROOT}/0"),), ""),
    ],
)
def test_kind_is_shown_by_started_jobs_or_own_lines(jobs, lines, kind):
    assert after(look(1, tree(*jobs), *lines)).kind == kind


def test_kind_of_a_text_is_read_from_its_lines():
    text = look(1, tree(), line(1, "Starting zephyr pipeline: e (pipeline 0, attempt 0)", f"{ROOT}/0"))
    assert after(replace(text, excerpt=Excerpt(b""))).kind == "zephyr"


def test_repeating_a_look_changes_no_measured_value():
    seen = tree(*pipeline())
    once = after(look(60, seen, report(30, 2), report(50, 4)))
    twice = update_memory(once, look(61, seen, report(30, 2), report(50, 4)))
    assert (once.stages, once.advanced_at, once.progress) == (twice.stages, twice.advanced_at, twice.progress)


def test_blindness_leaves_everything_as_it_was_and_stops_the_clock_of_the_phase():
    seen = tree(*pipeline())
    before = after(look(0, seen, report(0, 2)), look(30, seen))
    blind = after(look(60, None), look(3600, None), start=before)
    assert blind.stages == before.stages
    assert blind.seen_in_phase_s == before.seen_in_phase_s == 30
    assert blind.blind_since == {Source.CONTROLLER: at(60)}
    again = update_memory(blind, look(3630, seen))
    assert again.blind_since == {}
    assert again.seen_in_phase_s == 30
    assert again.blind_until_at == at(3630)


def test_another_run_under_the_same_name_starts_from_nothing():
    first = after(look(60, tree(*pipeline()), report(30, 5)))
    again = update_memory(first, look(900, tree(submitted_at=at(890))))
    assert again.stages == ()
    assert again.root_submitted_at == at(890)


def test_a_dump_counts_once_however_often_it_is_shown():
    seen, shown = tree(*pipeline()), {f"{COORDINATOR}/0": dump(OVER, 10)}
    memory = after(look(11, seen, dumps=shown), look(60, seen, dumps=shown))
    assert len(memory.dumps) == 1


def test_a_memory_survives_json():
    seen = tree(*pipeline(), tasks=(failed_task(0, "boom"),))
    shown = {f"{COORDINATOR}/0": dump(OVER, 10)}
    memory = after(look(11, seen, report(5, 2), raw(6, "x" * 9000), dumps=shown), look(20, None))
    door = TypeAdapter(Memory)
    kept = door.dump_json(memory)
    assert door.validate_json(kept) == memory
    assert len(kept) < 20_000


def test_a_memory_stays_small_however_long_a_job_lives():
    memory = Memory()
    for n in range(300):
        seen = tree(
            *pipeline(n, 0, failure_count=n), tasks=(failed_task(0, *[f"error {c}" * 50 for c in "abc"]),)
        )
        lines = [report(n * 60 + k, k % 10, coordinator=f"{ROOT}/{CONTEXT}-p{n}-a0") for k in range(50)]
        memory = update_memory(memory, look(n * 60 + 59, seen, *lines))
    assert len(TypeAdapter(Memory).dump_json(memory)) < 100_000


def test_an_unknown_job_is_root_and_nothing_else():
    memory = after(look(1, tree()))
    assert memory.newest_attempt == JobId(ROOT)
    assert job("/ada/x", R).state is R

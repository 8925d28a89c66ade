import pytest

from babysitter.diagnosis.timeline.pipelines.zephyr_jobs import (
    newest_pipeline_attempt,
    older_at_work,
    pipeline_attempts,
    read_name,
    role_of,
)
from babysitter.model.ids import JobId
from babysitter.model.log import Role
from tests.support.build import ROOT
from tests.support.jobs import S, job, pipeline, tree


@pytest.mark.parametrize(
    ("name", "role", "hash_", "pipeline", "attempt"),
    [
        ("zephyr-dedup-468b0a1c-p0-a0", Role.COORDINATOR, "468b0a1c", 0, 0),
        ("zephyr-dedup-468b0a1c-p12-a3", Role.COORDINATOR, "468b0a1c", 12, 3),
        ("zephyr-dedup-468b0a1c-p0-workers-a1", Role.WORKER, "468b0a1c", 0, 1),
        ("zephyr-fuzzy-dedup-p2-468b0a1c-p1-a0", Role.COORDINATOR, "468b0a1c", 1, 0),
        ("zephyr-dedup-468b0a1c-p0-coord-a2", Role.COORDINATOR, "468b0a1c", 0, 2),
        ("zephyr-dedup-468b0a1c-p0-a2-coord", Role.COORDINATOR, "468b0a1c", 0, 2),
        ("zephyr-dedup-468b0a1c-p0-a0-workers", Role.WORKER, "468b0a1c", 0, 0),
        ("zephyr-dedup-coord", Role.COORDINATOR, "", None, None),
        ("zephyr-dedup-468b0a1c-coordinator-12ab34cd", Role.COORDINATOR, "468b0a1c", None, None),
        ("zephyr-dedup-468b0a1c-coordinator-12ab34cd-workers", Role.WORKER, "468b0a1c", None, None),
    ],
)
def test_names_of_all_generations(name, role, hash_, pipeline, attempt):
    found = read_name(name)
    assert found is not None
    assert (found.role, found.hash, found.pipeline, found.attempt) == (role, hash_, pipeline, attempt)


@pytest.mark.parametrize("name", ["train", "workers", "coordinator", "dedup-p0-a0", "zephyr", "a0"])
def test_other_names_say_nothing(name):
    assert read_name(name) is None


def test_the_root_is_the_parent_unless_its_own_name_says_otherwise():
    assert role_of(ROOT, ROOT) is Role.PARENT
    alone = JobId("/ada/zephyr-dedup-468b0a1c-p0-a0")
    assert role_of(alone, alone) is Role.COORDINATOR


def test_the_newest_submission_is_judged():
    seen = tree(*pipeline(0, 0, S, S), *pipeline(0, 1, since_s=60), *pipeline(1, 0, since_s=90))
    newest = newest_pipeline_attempt(seen)
    assert newest is not None
    assert newest.coordinator.name.endswith("p1-a0")
    assert [attempt.name.attempt for attempt in pipeline_attempts(seen)] == [0, 1, 0]


def test_workers_of_august_belong_to_their_own_coordinator():
    name = f"{ROOT}/zephyr-dedup-468b0a1c-coordinator-aaaa1111"
    seen = tree(job(name), job(f"{name}/zephyr-dedup-468b0a1c-coordinator-aaaa1111-workers"))
    (only,) = pipeline_attempts(seen)
    assert only.workers is not None


@pytest.mark.parametrize(
    ("jobs", "failures", "doubled"),
    [
        ((*pipeline(0, 0), *pipeline(0, 1, since_s=60)), 0, True),  # the parent's retry beside the first try
        ((*pipeline(0, 0, S), *pipeline(0, 1, since_s=60)), 0, False),  # the first one has ended
        ((*pipeline(0, 0), *pipeline(1, 0, since_s=60)), 0, False),  # the next pipeline
        (
            (*pipeline(0, 0), *pipeline(0, 0, context="zephyr-dedup-99999999", since_s=60)),
            1,
            True,
        ),  # parent restarted
        (
            (*pipeline(0, 0), *pipeline(0, 0, context="zephyr-dedup-99999999", since_s=60)),
            0,
            False,
        ),  # two contexts
        (
            (*pipeline(0, 0), *pipeline(0, 0, context="zephyr-other-99999999", since_s=60)),
            1,
            False,
        ),  # another context
        ((*pipeline(0, 0), *pipeline(0, 1, S, since_s=60)), 0, False),  # the newer one is done
    ],
)
def test_two_coordinators_count_as_doubled_only_when_they_do_the_same_work(jobs, failures, doubled):
    assert bool(older_at_work(tree(*jobs, failure_count=failures))) is doubled

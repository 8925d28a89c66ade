"""What every backend's eyes promise (backends/backend.py), held in every world of backends_under_test.py."""

import pytest

from babysitter.errors import ExternalError, NoSuchJob
from babysitter.model.ids import JobId, TaskId, is_within, job_of
from babysitter.model.job import JobState
from babysitter.model.log import Cursor, LogSource
from tests.contract.backends_under_test import READERS

NOBODY = JobId("/nobody/nothing")


@pytest.fixture(params=list(READERS))
async def world(request):
    async with READERS[request.param]() as made:
        yield made


async def test_it_says_who_answers(world):
    about = await world.reader.about()
    assert about == await world.reader.about()
    assert about.generation in {"april", "may", "august", "session"} or about.generation.startswith("ray-2.")
    assert about.transport in {"rpc", "cli", "http", "recording", "memory", "files"}
    assert about.url


async def test_a_tree_is_the_root_and_what_is_below_it_oldest_first(world):
    tree = await world.reader.tree(world.root)
    assert tree.root.id == world.root
    assert tree.find(world.coordinator) is not None
    assert tree.find(world.workers) is not None
    assert all(is_within(job.id, world.root) for job in tree)
    times = [job.submitted_at for job in tree.descendants if job.submitted_at]
    assert times == sorted(times)
    assert all(job.tasks is None for job in tree)  # not asked for


async def test_tasks_are_filled_where_asked_for(world):
    tree = await world.reader.tree(world.root, tasks_of=[world.workers, NOBODY])
    filled = {job.id: job.tasks for job in tree if job.tasks is not None}
    assert set(filled) == {world.workers}
    assert len(filled[world.workers]) >= 2
    assert all(job_of(task.id) == world.workers for task in filled[world.workers])


async def test_a_tree_of_a_child_is_the_child_and_below(world):
    tree = await world.reader.tree(world.coordinator)
    assert tree.root.id == world.coordinator
    assert [job.id for job in tree.descendants] == [world.workers] * (world.workers != world.coordinator)


async def test_an_unknown_job_is_said_to_be_unknown(world):
    with pytest.raises(NoSuchJob):
        await world.reader.tree(NOBODY)
    assert await world.reader.find(NOBODY) is None
    assert await world.reader.task(TaskId(f"{NOBODY}/0")) is None


async def test_find_takes_exact_ids_only(world):
    found = await world.reader.find(world.root)
    assert found is not None
    assert found.id == world.root
    assert await world.reader.find(JobId(world.root[:-1])) is None


async def test_states_of_many_jobs_leave_unknown_ones_out(world):
    states = await world.reader.states([world.root, world.coordinator, NOBODY])
    assert set(states) == {world.root, world.coordinator}
    assert all(isinstance(state, JobState) for state in states.values())
    assert states[world.root] is (await world.reader.tree(world.root)).root.state


async def test_tasks_know_their_attempts(world):
    task = (await world.reader.tasks(world.coordinator))[0]
    assert task.id == f"{world.coordinator}/0"
    assert task.attempts[-1].number == task.current_attempt
    again = await world.reader.task(task.id)
    assert again is not None
    assert (again.id, again.state) == (task.id, task.state)


async def all_lines(reader, source, at_most):
    """Every line by cursor, page after page, and the last cursor."""
    lines, cursor = [], None
    for _ in range(1000):
        batch = await reader.lines(source, after=cursor, at_most=at_most)
        assert len(batch.lines) <= at_most
        lines += batch.lines
        cursor = batch.cursor
        if not batch.is_full:
            return lines, cursor
    raise AssertionError("the pages have no end")


async def test_reading_by_cursor_brings_every_line_once_in_order(world):
    source = LogSource(world.root)
    lines, cursor = await all_lines(world.reader, source, 100_000)
    assert lines
    assert all(is_within(job_of(line.task), world.root) for line in lines)
    paged, paged_cursor = await all_lines(world.reader, source, max(2, len(lines) // 5))
    assert paged == lines
    for end in (cursor, paged_cursor):
        batch = await world.reader.lines(source, after=end, at_most=10)
        assert batch.lines == ()
        assert not batch.is_full
        assert isinstance(batch.cursor, str)


async def test_the_newest_lines_are_the_last_ones_and_can_be_continued(world):
    source = LogSource(world.root)
    lines, _ = await all_lines(world.reader, source, 100_000)
    batch = await world.reader.lines(source, after=None, at_most=3, newest=True)
    assert list(batch.lines) == lines[-3:]
    later = await world.reader.lines(source, after=batch.cursor, at_most=10)
    assert later.lines == ()


async def test_lines_of_one_task_and_with_one_text(world):
    task = TaskId(f"{world.coordinator}/0")
    source = LogSource(world.coordinator, task=task, containing=world.progress)
    batch = await world.reader.lines(source, after=None, at_most=1, newest=True)
    (line,) = batch.lines
    assert world.progress in line.text
    assert line.task == task
    everything, _ = await all_lines(world.reader, LogSource(world.coordinator, task=task), 100_000)
    assert {line.task for line in everything} == {task}
    first_attempt = LogSource(world.coordinator, task=task, attempt=0)
    attempt, _ = await all_lines(world.reader, first_attempt, 100_000)
    assert [line.text for line in attempt] == [line.text for line in everything]


async def test_lines_of_a_job_without_its_children(world):
    own, _ = await all_lines(world.reader, LogSource(world.coordinator, include_children=False), 100_000)
    assert own
    assert {job_of(line.task) for line in own} == {world.coordinator}


async def test_an_unknown_jobs_log_is_empty(world):
    batch = await world.reader.lines(LogSource(NOBODY), after=None, at_most=10)
    assert batch.lines == ()


async def test_a_cursor_beyond_the_end_brings_nothing_and_no_error(world):
    batch = await world.reader.lines(LogSource(world.root), after=Cursor("99999999"), at_most=10)
    assert batch.lines == ()


async def test_a_dump_is_of_the_task_asked_for(world):
    if not world.reader.abilities.dumps:
        pytest.skip("no process can be looked at")
    task = TaskId(f"{world.coordinator}/0")
    dump = await world.reader.dump(task)
    assert dump.target == task
    assert dump.text.startswith("Process ") or dump.processes
    assert dump.taken_at.tzinfo is not None


async def test_no_dump_is_blindness_and_never_an_empty_dump(world):
    with pytest.raises(ExternalError):
        await world.reader.dump(TaskId(f"{NOBODY}/0"))


async def test_a_submission_is_of_the_job_asked_for(world):
    assert await world.reader.submission(NOBODY) is None
    submission = await world.reader.submission(world.root)
    if submission is not None:
        assert submission.job == world.root
    if world.reader.abilities.kept_submission and submission is not None:
        assert "--" in submission.argv
    if not world.reader.abilities.kept_submission and submission is not None:
        assert submission.argv == ()

"""Recorded answers of both generations, read into model values; and answers that lie."""

import base64
import json

import pytest

from babysitter.backends.iris.answers import decode
from babysitter.backends.iris.answers.json_fields import JsonNode, UnexpectedField
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import JobState, Resources, TaskState
from babysitter.model.log import Cursor, LogLevel, LogSource
from tests.backends.recorded import ERAS, FIXTURES, exchange, exchanges, printed

BOTH = pytest.mark.parametrize("generation", list(ERAS))


@BOTH
def test_every_recorded_answer_of_a_known_call_is_understood(generation):
    readers = {
        "ListJobs": decode.job_page,
        "ListTasks": decode.tasks,
        "GetJobStatus": decode.job_status,
        "GetJobState": decode.job_states,
        "GetTaskStatus": decode.task_status,
        "ListWorkers": decode.workers,
        "FetchLogs": lambda raw: decode.log_batch(raw, LogSource(JobId("/a/b")), after=None, at_most=9),
        "GetTaskLogs": lambda raw: decode.log_batch(raw, LogSource(JobId("/a/b")), after=None, at_most=9),
    }
    read = 0
    for folder in sorted((FIXTURES / ERAS[generation]).iterdir()):
        for other in exchanges(generation, folder.name):
            if other.status == 200 and other.method in readers:
                readers[other.method](other.json)
                read += 1
    assert read > 50


@BOTH
def test_a_job_is_read_with_its_times_and_counts(generation):
    page = decode.job_page(exchange(generation, "01-plain-success", "s01-ListJobs").json)
    (job,) = page.jobs
    assert (job.id, job.state, job.task_count, page.has_more) == (
        "/root/train-toy-r2",
        JobState.RUNNING,
        1,
        False,
    )
    assert job.task_states == {TaskState.RUNNING: 1}
    assert job.submitted_at is not None
    assert job.submitted_at.tzinfo is not None
    assert job.finished_at is None  # a missing time is an absent key


@BOTH
def test_the_command_line_tool_spells_everything_in_snake_case(generation):
    said = json.loads(printed(generation, "07-zephyr-healthy", "s06-rpc-get-job-status"))
    job = decode.job_status(said)
    assert job.id == "/root/nightly-wordcount-r2"
    assert job.resources.memory_bytes == 1 << 30  # a 64-bit integer: a string on the wire
    assert job.submitted_at is not None
    (task,) = decode.tasks(json.loads(printed(generation, "07-zephyr-healthy", "s06-rpc-list-tasks")))
    assert task.current_attempt == 0
    assert task.attempts[0].started_at is not None
    dump = decode.dump_text(json.loads(printed(generation, "07-zephyr-healthy", "s06-rpc-profile-task")))
    assert "_run_coordinator_job" in dump


def test_april_lists_every_attempt_and_may_the_current_one():
    counts = {}
    for generation in ERAS:
        *_, last = exchanges(generation, "06-plain-retries", "ListTasks")
        (task,) = decode.tasks(last.json)
        counts[generation] = len(task.attempts)
        assert task.attempts[-1].number == task.current_attempt == 3
    assert counts == {"april": 4, "may": 1}


def test_memory_is_read_where_a_generation_tells_it():
    usage = {}
    for generation in ERAS:
        first = next(exchanges(generation, "23-get-task-status", "GetTaskStatus"))
        task = decode.task_status(first.json)
        usage[generation] = task.memory_peak_bytes
        if generation == "may":
            assert "0/4 shards" in task.status_text
            assert "2 in-flight, 2 queued" in task.status_text
    assert usage == {"april": 172 << 20, "may": None}


@BOTH
def test_a_pending_job_keeps_the_schedulers_reason(generation):
    pages = [decode.job_page(other.json) for other in exchanges(generation, "05b-pending-memory", "ListJobs")]
    reasons = [job.pending_reason for page in pages for job in page.jobs if job.state is JobState.PENDING]
    assert any("Insufficient memory" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("JOB_STATE_RUNNING", JobState.RUNNING),
        ("running", JobState.RUNNING),
        ("JOB_STATE_WORKER_FAILED", JobState.WORKER_FAILED),
        ("JOB_STATE_HIBERNATING", JobState.OTHER),  # of a generation to come
        (7, JobState.OTHER),
        (None, JobState.OTHER),
    ],
)
def test_words_for_states(word, expected):
    job = decode.job(JsonNode.of({"jobId": "/u/j", "state": word}))
    assert job.state is expected
    assert job.state.is_terminal is (expected is JobState.WORKER_FAILED)


def test_unknown_task_states_are_counted_as_other():
    job = decode.job(
        JsonNode.of({"jobId": "/u/j", "taskStateCounts": {"running": 2, "melting": 1, "odd": 3}})
    )
    assert job.task_states == {TaskState.RUNNING: 2, TaskState.OTHER: 4}


def test_absent_lists_are_empty():
    assert decode.job_page({"totalCount": 0, "hasMore": False}).jobs == ()
    assert decode.tasks({}) == ()
    assert decode.job_states({}) == {}
    assert decode.workers({}) == ()
    batch = decode.log_batch({"cursor": "0"}, LogSource(JobId("/u/j")), after=None, at_most=5)
    assert batch.lines == ()
    assert not batch.is_full


def test_a_job_that_is_not_pending_has_its_error_once():
    failed = {"jobId": "/u/j", "state": "JOB_STATE_FAILED", "error": "boom", "pendingReason": "boom"}
    assert decode.job(JsonNode.of(failed)).pending_reason == ""
    waiting = {"jobId": "/u/j", "state": "JOB_STATE_PENDING", "error": "", "pendingReason": "no room"}
    assert decode.job(JsonNode.of(waiting)).pending_reason == "no room"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"taskId": "/u/j/0", "currentAttemptId": -1}, -1),  # never assigned
        ({"taskId": "/u/j/0"}, -1),
        ({"taskId": "/u/j/0", "currentAttemptId": 0, "attempts": [{"attemptId": 0}]}, 0),
        ({"taskId": "/u/j/0", "attempts": [{"attemptId": 2}, {"attemptId": 1}]}, 2),
    ],
)
def test_attempt_zero_is_not_no_attempt(raw, expected):
    assert decode.task(JsonNode.of(raw)).current_attempt == expected


def test_tasks_come_in_the_order_of_their_numbers():
    raw = {"tasks": [{"taskId": f"/u/j/{index}"} for index in (10, 2, 0)]}
    assert [task.id for task in decode.tasks(raw)] == ["/u/j/0", "/u/j/2", "/u/j/10"]


@pytest.mark.parametrize(
    ("device", "expected"),
    [({}, ""), ({"cpu": {"variant": "cpu"}}, ""), ({"tpu": {"variant": "v5litepod-16"}}, "tpu v5litepod-16")],
)
def test_devices(device, expected):
    job = decode.job(JsonNode.of({"jobId": "/u/j", "resources": {"device": device, "cpuMillicores": 500}}))
    assert job.resources == Resources(cpu_millicores=500, device=expected)


def test_log_lines_say_whose_they_are_even_when_the_answer_does_not():
    keyed = {
        "entries": [
            {
                "key": "/u/j/c/0:3",
                "data": "hello",
                "level": "LOG_LEVEL_WARNING",
                "timestamp": {"epochMs": "9"},
            }
        ],
        "cursor": "12",
    }
    (line,) = decode.log_batch(keyed, LogSource(JobId("/u/j")), after=None, at_most=1).lines
    assert (line.task, line.attempt, line.level, line.at_ms) == ("/u/j/c/0", 3, LogLevel.WARNING, 9)
    exact = LogSource(JobId("/u/j"), task=TaskId("/u/j/0"), attempt=1)
    bare = {"entries": [{"data": "x", "attemptId": 1, "level": 9}], "cursor": "13"}  # of a level to come
    (line,) = decode.log_batch(bare, exact, after=None, at_most=9).lines
    assert (line.task, line.attempt, line.level) == ("/u/j/0", 1, LogLevel.UNKNOWN)


def test_a_full_batch_says_that_more_may_wait():
    raw = {"entries": [{"data": "a", "key": "/u/j/0:0"}], "cursor": "5"}
    source = LogSource(JobId("/u/j"))
    assert decode.log_batch(raw, source, after=None, at_most=1).is_full
    assert not decode.log_batch(raw, source, after=None, at_most=2).is_full
    assert decode.log_batch({}, source, after=Cursor("77"), at_most=2).cursor == "77"


def test_aprils_batches_are_one_list():
    *_, last = exchanges("april", "07-zephyr-healthy", "GetTaskLogs")
    batch = decode.log_batch(last.json, LogSource(JobId(str(last.body["id"]))), after=None, at_most=5000)
    assert len(batch.lines) > 20
    assert all(line.task.startswith(str(last.body["id"])) for line in batch.lines)


def test_lines_of_children_are_dropped_when_only_the_jobs_own_were_asked_for():
    raw = {"entries": [{"data": "mine", "key": "/u/j/0:0"}, {"data": "theirs", "key": "/u/j/child/0:0"}]}
    batch = decode.log_batch(raw, LogSource(JobId("/u/j"), include_children=False), after=None, at_most=2)
    assert [line.text for line in batch.lines] == ["mine"]
    assert batch.is_full  # as many as asked for came back, whoever's they are


def test_a_dump_that_could_not_be_taken_is_no_empty_dump():
    with pytest.raises(decode.NoDump, match="no longer running"):
        decode.dump_text({"profileData": "", "error": "attempt no longer running"})
    with pytest.raises(decode.NoDump, match="empty"):
        decode.dump_text({"profileData": base64.b64encode(b" \n").decode(), "error": ""})


@pytest.mark.parametrize(
    ("reader", "lie", "place"),
    [
        (decode.job_page, [], "answer"),
        (decode.job_page, "hello", "answer"),
        (decode.job_page, {"jobs": {}}, "answer.jobs"),
        (decode.job_page, {"jobs": ["/u/j"]}, "answer.jobs[0]"),
        (decode.job_page, {"jobs": [{"state": "JOB_STATE_RUNNING"}]}, "answer.jobs[0].jobId"),
        (decode.job_page, {"jobs": [{"jobId": "/u/j", "failureCount": "many"}]}, "failureCount"),
        (decode.job_page, {"jobs": [{"jobId": "/u/j", "failureCount": True}]}, "failureCount"),
        (decode.job_page, {"jobs": [{"jobId": "/u/j", "failureCount": 1.5}]}, "failureCount"),
        (decode.job_page, {"jobs": [{"jobId": "/u/j", "failureCount": float("inf")}]}, "failureCount"),
        (decode.job_page, {"jobs": [{"jobId": "/u/j", "startedAt": "yesterday"}]}, "startedAt"),
        (decode.job_page, {"jobs": [{"jobId": "/u/j", "startedAt": {"epochMs": "9" * 30}}]}, "startedAt"),
        (decode.job_page, {"hasMore": "no"}, "hasMore"),
        (decode.job_status, {}, "answer.job"),
        (decode.job_states, {"states": []}, "answer.states"),
        (decode.tasks, {"tasks": [{"taskId": "/u/j/0", "attempts": [5]}]}, "attempts[0]"),
        (decode.dump_text, {"profileData": "not base64 at all!"}, "profileData"),
    ],
)
def test_a_lie_is_named_with_its_place(reader, lie, place):
    with pytest.raises(UnexpectedField) as caught:
        reader(lie)
    assert place in str(caught.value)

"""Looking through the client: generations, prefixes, empty answers, dumps; over both transports."""

import base64
import sys
from contextlib import asynccontextmanager

import pytest

from babysitter.backends.iris.connection.cli_transport import CliTransport
from babysitter.backends.iris.connection.http_transport import DirectEndpoint, HttpTransport
from babysitter.backends.iris.connection.transport import NoSuchMethod
from babysitter.backends.iris.reader import IrisReader
from babysitter.errors import (
    InvalidResponse,
    NoSuchJob,
    NotAuthorised,
    SubmissionRefused,
    Unreachable,
)
from babysitter.model.ids import JobId, TaskId
from babysitter.model.job import JobState
from babysitter.model.log import Cursor, LogSource
from tests.backends.recorded import exchange
from tests.support.clock import NOON, FakeClock
from tests.support.controller import (
    APRIL_CALLS,
    AUGUST_CALLS,
    MAY_CALLS,
    connect_error,
    controller,
)
from tests.support.waiting import HANG_S

STAND_IN = (sys.executable, "-m", "tests.support.iris_command")
NOT_FOUND = (404, connect_error("not_found", "Job /u/j not found"))


def job(name, state="RUNNING", submitted=0):
    return {"jobId": name, "state": f"JOB_STATE_{state}", "submittedAt": {"epochMs": str(1000 + submitted)}}


@asynccontextmanager
async def reader_of(calls, transport="rpc"):
    async with controller(dict(calls)) as server:
        if transport == "rpc":
            line = HttpTransport(DirectEndpoint(server.url), place=server.url, ask_limit_s=HANG_S)
        else:
            line = CliTransport(
                (*STAND_IN, "--controller-url", server.url),
                place="iris",
                clock=FakeClock(),
                call_limit_s=HANG_S,
            )
        reader = IrisReader(line, clock=FakeClock())
        try:
            yield reader, server
        finally:
            await reader.close()


@pytest.mark.parametrize("transport", ["rpc", "cli"])
@pytest.mark.parametrize(
    ("calls", "expected"), [(APRIL_CALLS, "april"), (MAY_CALLS, "may"), (AUGUST_CALLS, "august")]
)
async def test_the_generation_is_found_out_by_asking_once(calls, expected, transport):
    async with reader_of(calls, transport) as (reader, server):
        about = await reader.about()
        assert (about.generation, about.transport) == (expected, transport)
        asked = len(server.asked)
        assert asked <= 3
        assert (await reader.about()) == about
        assert len(server.asked) == asked


async def test_who_checks_identities_is_shown():
    async with reader_of(MAY_CALLS | {"GetAuthInfo": {"provider": "static"}}) as (reader, _):
        assert (await reader.about()).detail == "authentication: static"


async def test_something_else_than_a_controller_is_said_to_be_so():
    async with reader_of({}) as (reader, _):
        with pytest.raises(InvalidResponse, match="not an Iris controller"):
            await reader.about()


async def test_a_refused_token_is_no_other_generation():
    refused = (401, connect_error("unauthenticated", "Missing authentication"))
    async with reader_of({"GetTaskLogs": refused, "GetAuthInfo": {}}) as (reader, _):
        with pytest.raises(NotAuthorised):
            await reader.about()


async def test_an_upgraded_controller_is_probed_again():
    async with reader_of(APRIL_CALLS | {"iris.logging.LogService/FetchLogs": {"cursor": "1"}}) as (
        reader,
        server,
    ):
        assert (await reader.about()).generation == "april"
        await reader.lines(LogSource(JobId("/u/j")), after=None, at_most=5)
        server.calls.clear()
        server.calls.update(MAY_CALLS | {"finelog.logging.LogService/FetchLogs": {"cursor": "2"}})
        with pytest.raises(NoSuchMethod) as caught:
            await reader.lines(LogSource(JobId("/u/j")), after=None, at_most=5)
        assert caught.value.repeatable  # so that the next look finds out
        batch = await reader.lines(LogSource(JobId("/u/j")), after=None, at_most=5)
        assert batch.cursor == "2"
        assert (await reader.about()).generation == "may"


@pytest.mark.parametrize("transport", ["rpc", "cli"])
@pytest.mark.parametrize("calls", [APRIL_CALLS, MAY_CALLS])
async def test_a_tree_holds_the_job_and_its_descendants_and_no_neighbour(calls, transport):
    listed = [
        job("/u/sweep/zephyr-x-0a1b2c3d-p0-a0", submitted=2),
        job("/u/sweeper", submitted=4),
        job("/u/sweep-lr3/child", submitted=3),
        job("/u/sweep-lr3", submitted=1),
        job("/u/sweep", submitted=0),
    ]
    async with reader_of(calls | {"ListJobs": {"jobs": listed, "hasMore": False}}, transport) as (
        reader,
        server,
    ):
        tree = await reader.tree(JobId("/u/sweep"))
        assert [item.id for item in tree] == ["/u/sweep", "/u/sweep/zephyr-x-0a1b2c3d-p0-a0"]
        (body,) = server.bodies("ListJobs")
        assert ("jobIdPrefix" in body["query"]) == (calls is MAY_CALLS)


async def test_a_tree_is_paged_and_filled_with_the_tasks_asked_for():
    pages = [
        {"jobs": [job("/u/j/b", submitted=2)], "hasMore": True},
        {"jobs": [job("/u/j/a", submitted=1), job("/u/j")], "hasMore": False},
    ]
    tasks = {"tasks": [{"taskId": "/u/j/a/0", "state": "TASK_STATE_RUNNING"}]}
    async with reader_of(MAY_CALLS | {"ListJobs": pages, "ListTasks": tasks}) as (reader, server):
        tree = await reader.tree(JobId("/u/j"), tasks_of=[JobId("/u/j/a"), JobId("/u/j/gone")])
        assert [item.id for item in tree] == ["/u/j", "/u/j/a", "/u/j/b"]
        assert [item.tasks is None for item in tree] == [True, False, True]
        assert [body["query"].get("offset") for body in server.bodies("ListJobs")] == [None, 500]
        assert server.bodies("ListTasks") == [{"jobId": "/u/j/a"}]


async def test_a_list_without_end_is_an_error_and_no_hang():
    endless = {"jobs": [job("/u/j")], "hasMore": True}
    async with reader_of(MAY_CALLS | {"ListJobs": endless}) as (reader, server):
        with pytest.raises(InvalidResponse, match="5000 jobs"):
            await reader.tree(JobId("/u/j"))
        assert len(server.bodies("ListJobs")) == 11  # May refuses offsets beyond 5,000


async def test_an_empty_list_is_confirmed_before_a_job_is_called_unknown():
    empty = {"totalCount": 0, "hasMore": False}
    async with reader_of(MAY_CALLS | {"ListJobs": empty, "GetJobStatus": NOT_FOUND}) as (reader, server):
        with pytest.raises(NoSuchJob):
            await reader.tree(JobId("/u/j"))
        assert len(server.bodies("GetJobStatus")) == 1
    status = {"job": job("/u/j")}
    async with reader_of(MAY_CALLS | {"ListJobs": empty, "GetJobStatus": status}) as (reader, _):
        assert (await reader.tree(JobId("/u/j"))).root.state is JobState.RUNNING


async def test_no_tasks_are_confirmed_before_a_job_is_called_unknown():
    async with reader_of(MAY_CALLS | {"ListTasks": {}, "GetJobState": {}}) as (reader, _):
        with pytest.raises(NoSuchJob):
            await reader.tasks(JobId("/u/j"))
    known = {"states": {"/u/j": "JOB_STATE_PENDING"}}
    async with reader_of(MAY_CALLS | {"ListTasks": {}, "GetJobState": known}) as (reader, _):
        assert await reader.tasks(JobId("/u/j")) == ()


@pytest.mark.parametrize("transport", ["rpc", "cli"])
async def test_find_tells_no_such_job_from_no_sight(transport):
    async with reader_of(MAY_CALLS | {"GetJobStatus": NOT_FOUND}, transport) as (reader, _):
        assert await reader.find(JobId("/u/j")) is None
    async with reader_of(MAY_CALLS, transport) as (reader, _):  # "no such call" is not "no such job"
        with pytest.raises(NoSuchMethod):
            await reader.find(JobId("/u/j"))
    broken = (503, connect_error("unavailable", "connection refused by the database"))
    async with reader_of(MAY_CALLS | {"GetJobStatus": broken}, transport) as (reader, _):
        with pytest.raises(Unreachable):
            await reader.find(JobId("/u/j"))


async def test_an_answer_about_another_job_is_nonsense():
    async with reader_of(MAY_CALLS | {"GetJobStatus": {"job": job("/u/other")}}) as (reader, _):
        with pytest.raises(InvalidResponse):
            await reader.find(JobId("/u/j"))


@pytest.mark.parametrize("name", ["dedup", "/dedup", "u/dedup", "/u/", "//dedup", ""])
async def test_half_an_id_is_never_sent(name):
    async with reader_of(MAY_CALLS) as (reader, server):
        with pytest.raises(NoSuchJob, match="full job id"):
            await reader.find(JobId(name))
        assert server.asked == []


@pytest.mark.parametrize("transport", ["rpc", "cli"])
async def test_many_states_are_one_question(transport):
    states = {"states": {"/u/a_b": "JOB_STATE_RUNNING", "/u/c": "JOB_STATE_DREAMING"}}
    async with reader_of(MAY_CALLS | {"GetJobState": states}, transport) as (reader, server):
        found = await reader.states([JobId("/u/a_b"), JobId("/u/c"), JobId("/u/gone")])
        assert found == {"/u/a_b": JobState.RUNNING, "/u/c": JobState.OTHER}
        assert len(server.bodies("GetJobState")) == 1
        assert await reader.states([]) == {}
        assert len(server.bodies("GetJobState")) == 1


@pytest.mark.parametrize(
    ("calls", "service"),
    [
        (APRIL_CALLS, "iris.logging.LogService"),
        (MAY_CALLS, "finelog.logging.LogService"),
        (AUGUST_CALLS, "proxy/system.log-server/finelog.logging.LogService"),
    ],
)
async def test_logs_are_asked_where_the_generation_keeps_them(calls, service):
    answer = {"entries": [{"data": "x", "key": "/u/j/0:0"}], "cursor": "9"}
    async with reader_of(calls | {f"{service}/FetchLogs": answer}) as (reader, server):
        for _ in range(2):
            batch = await reader.lines(LogSource(JobId("/u/j")), after=Cursor("5"), at_most=10)
            assert batch.cursor == "9"
        assert [path for path in server.paths if path.endswith("FetchLogs")][-1] == f"{service}/FetchLogs"
        tries = sum(1 for path in server.paths if path.endswith("FetchLogs"))
        assert tries == (3 if calls is AUGUST_CALLS else 2)  # what does not exist is tried once


async def test_aprils_command_has_the_older_log_call():
    entry = {"data": "x", "key": "/u/j/0:0", "timestamp": {"epochMs": "5"}}
    said = {"taskLogs": [{"taskId": "/u/j", "logs": [entry]}], "cursor": "9"}
    calls = APRIL_CALLS | {"GetTaskLogs": said}
    async with reader_of(calls, "cli") as (reader, server):
        batch = await reader.lines(LogSource(JobId("/u/j")), after=Cursor("5"), at_most=10)
        assert [line.text for line in batch.lines] == ["x"]
        assert server.bodies("GetTaskLogs")[-1]["attemptId"] == -1


async def test_a_dump_is_text_with_its_time():
    said = {"profileData": base64.b64encode(b"Process 7: python\n").decode(), "error": ""}
    async with reader_of(MAY_CALLS | {"ProfileTask": said}) as (reader, server):
        dump = await reader.dump(TaskId("/u/j/0"))
        assert (dump.text, dump.taken_at, dump.processes) == ("Process 7: python\n", NOON, ())
        (body,) = server.bodies("ProfileTask")
        assert body == {"target": "/u/j/0", "durationSeconds": 1, "profileType": {"threads": {}}}


@pytest.mark.parametrize(
    "answer",
    [
        {"profileData": "", "error": "attempt no longer running"},
        (400, connect_error("failed_precondition", "Task /u/j/0 not yet assigned to a worker")),
        (404, connect_error("not_found", "Task /u/j/0 not found")),
    ],
)
async def test_no_dump_is_a_refusal_and_proves_nothing(answer):
    async with reader_of(MAY_CALLS | {"ProfileTask": answer}) as (reader, _):
        with pytest.raises(SubmissionRefused, match="No thread dump of /u/j/0"):
            await reader.dump(TaskId("/u/j/0"))


async def test_what_makes_no_sense_is_said_with_its_place():
    async with reader_of(MAY_CALLS | {"ListTasks": {"tasks": [{"state": "TASK_STATE_RUNNING"}]}}) as (
        reader,
        _,
    ):
        with pytest.raises(InvalidResponse, match=r"ListTasks makes no sense: answer\.tasks\[0\]\.taskId"):
            await reader.tasks(JobId("/u/j"))


async def test_an_unknown_task_is_none():
    async with reader_of(MAY_CALLS | {"GetTaskStatus": (404, connect_error("not_found", "no"))}) as (
        reader,
        _,
    ):
        assert await reader.task(TaskId("/u/j/0")) is None


async def test_may_keeps_the_command_line_and_april_only_the_request():
    for generation, calls in (("may", MAY_CALLS), ("april", APRIL_CALLS)):
        kept = exchange(generation, "01-plain-success", "s01-GetJobStatus-root").answer
        async with reader_of(calls | {"GetJobStatus": (200, kept)}) as (reader, _):
            submission = await reader.submission(JobId("/root/train-toy-r2"))
            assert submission is not None
            assert submission.request is not None
            assert bool(submission.argv) is (generation == "may")
    async with reader_of(MAY_CALLS | {"GetJobStatus": NOT_FOUND}) as (reader, _):
        assert await reader.submission(JobId("/u/j")) is None


async def test_workers_are_listed_with_what_runs_there():
    said = exchange("may", "01-plain-success", "s01-ListWorkers").answer
    async with reader_of(MAY_CALLS | {"ListWorkers": (200, said)}) as (reader, _):
        (worker,) = await reader.workers()
        assert worker.is_healthy
        assert "/root/train-toy-r2/0" in worker.tasks

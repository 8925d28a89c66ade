"""The simulator's answers against those of real clusters, field by field, in every call and generation."""

import json
from collections import defaultdict
from contextlib import asynccontextmanager

import aiohttp
import pytest

from babysitter.sim.iris.controller import ROOT, Simulator
from babysitter.sim.iris.request_fields import REQUESTS
from tests.contract.shapes import ERAS, Kind, differences, exchanges, note, recorded_kinds
from tests.support.clock import FakeClock

CONTROLLER = "iris.cluster.ControllerService"
LOGS = {
    "april": "iris.logging.LogService",
    "may": "finelog.logging.LogService",
    "august": "finelog.logging.LogService",
}
# What happens where, so that every state of jobs, tasks and attempts is looked at.
MOMENTS = {
    "healthy": (1, 30, 90, 400),
    "pending-capacity": (30,),
    "shard-error": (400,),
    "worker-killed": (51, 300),
    "parent-retried": (91, 120),
    "stopped-by-person": (121,),
    "oom-137": (75, 85),
    "worker-churn": (126,),
}
# Known from the source, in states that the recorder did not meet.
UNMET: dict[str, set[str]] = {
    "april": set(),
    "may": {
        "ListTasks.tasks[]:TASK_STATE_PENDING: has attempts, never recorded",
        "ListTasks.tasks[]:TASK_STATE_PENDING: has pendingReason, never recorded",
        "ListTasks.tasks[]:TASK_STATE_PENDING: has startedAt, never recorded",
        "ListTasks.tasks[].attempts[]:TASK_STATE_WORKER_FAILED: never recorded",
    },
}


class Asker:
    """Asks a simulator as plainly as it gets."""

    def __init__(self, session, url, clock):
        self._session, self._url, self.clock = session, url, clock

    async def status(self, verb, path):
        """Status of a plain request."""
        async with self._session.request(verb, f"{self._url}/{path}") as answer:
            return answer.status

    async def send(self, path, body, headers=None):
        """Status and text."""
        async with self._session.post(f"{self._url}/{path}", json=body, headers=headers) as answer:
            return answer.status, await answer.text()

    async def ask(self, method, body, service=CONTROLLER):
        status, text = await self.send(f"{service}/{method}", body)
        assert status == 200, text
        return json.loads(text)


@asynccontextmanager
async def simulated(scenario, generation, *, at_s=0.0, identity="", user="ada"):
    clock = FakeClock()
    async with (
        Simulator(scenario, clock.now, generation=generation, identity=identity, user=user) as simulator,
        aiohttp.ClientSession() as session,
    ):
        clock.advance(at_s)
        yield simulator, Asker(session, simulator.url, clock)


async def everything(simulator, asker, generation):
    """Every reading call about everything there is: (method, answer)."""
    page = await asker.ask("ListJobs", {"query": {"limit": 100}})
    jobs = [job["jobId"] for job in page["jobs"]]
    yield "ListJobs", page
    yield "ListJobs", await asker.ask("ListJobs", {"query": {"nameFilter": "no-such-job"}})
    yield "GetJobState", await asker.ask("GetJobState", {"jobIds": jobs})
    yield "GetJobState", await asker.ask("GetJobState", {"jobIds": ["/nobody/nothing"]})
    yield "ListWorkers", await asker.ask("ListWorkers", {})
    yield "ListTasks", await asker.ask("ListTasks", {"jobId": "/nobody/nothing"})
    for job in jobs:
        yield "GetJobStatus", await asker.ask("GetJobStatus", {"jobId": job})
        listed = await asker.ask("ListTasks", {"jobId": job})
        yield "ListTasks", listed
        for task in listed.get("tasks", []):
            if task["currentAttemptId"] >= 0:
                asked = {"target": task["taskId"], "durationSeconds": 1, "profileType": {"threads": {}}}
                yield "ProfileTask", await asker.ask("ProfileTask", asked)
    source = f"{simulator.root_job}/.*" if generation == "april" else f"{simulator.root_job}/"
    for asked in ({"source": source, "maxLines": 50}, {"source": source, "cursor": "99999999"}):
        yield "FetchLogs", await asker.ask("FetchLogs", asked, LOGS[generation])
    if generation == "april":
        asked = {"id": simulator.root_job, "includeChildren": True, "attemptId": -1, "maxTotalLines": "20"}
        yield "GetTaskLogs", await asker.ask("GetTaskLogs", asked)
        yield "GetTaskLogs", await asker.ask("GetTaskLogs", asked | {"id": "/nobody/nothing"})


@pytest.mark.parametrize("generation", list(ERAS))
async def test_no_field_tells_the_simulator_from_a_real_cluster(generation):
    ours: dict[str, Kind] = defaultdict(Kind)
    for scenario, moments in MOMENTS.items():
        for at_s in moments:
            async with simulated(scenario, generation, at_s=at_s) as (simulator, asker):
                async for method, answer in everything(simulator, asker, generation):
                    note(ours, method, answer)
    found = set(differences(ours, recorded_kinds(generation)))
    assert found == UNMET[generation]
    assert {"ListJobs.jobs[]:JOB_STATE_FAILED", "ListTasks.tasks[]:TASK_STATE_KILLED"} <= set(ours)


@pytest.mark.parametrize("generation", list(ERAS))
async def test_task_status_has_the_recorded_fields(generation):
    ours: dict[str, Kind] = defaultdict(Kind)
    for at_s in (30, 400):
        async with simulated("healthy", generation, at_s=at_s) as (simulator, asker):
            for job in simulator.cluster.subtree(ROOT)[:-1]:
                for task in job.tasks:
                    answer = await asker.ask("GetTaskStatus", {"taskId": task.id})
                    if answer["task"]["state"] != "TASK_STATE_KILLED":  # not met by the recorder
                        note(ours, "GetTaskStatus", answer)
    assert differences(ours, recorded_kinds(generation)) == []


REPLAYED = ("17-unknown-job", "19-protocol-errors", "21-job-stop-is-a-prefix-stop")
OURS = {"/root/t1": ROOT, "/root/exact-lr3": "/ada/dedup-lr3", '"t1"': '"dedup"'}


def asked_again():
    for generation in ERAS:
        for scenario in REPLAYED:
            for exchange in exchanges(generation, scenario):
                yield pytest.param(generation, exchange, id=f"{generation}-{exchange.name}")


def renamed(value):
    text = json.dumps(value)
    for theirs, ours in OURS.items():
        text = text.replace(theirs, ours)
    return json.loads(text)


@pytest.mark.parametrize(("generation", "exchange"), list(asked_again()))
async def test_the_same_question_gets_the_same_kind_of_answer(generation, exchange):
    async with simulated("shard-error", generation, at_s=400) as (_, asker):
        status, text = await asker.send(exchange.path.lstrip("/"), renamed(exchange.body))
    assert status == exchange.status
    if not exchange.text.startswith("{"):
        assert text == exchange.text  # nothing, or the words of a web server: no such call
        return
    ours, theirs = json.loads(text), renamed(json.loads(exchange.text))
    if status != 200:
        assert said(ours) == said(theirs)
        return
    assert list(ours) == list(theirs) or "entries" in theirs or "jobs" in theirs
    assert {name: type(value) for name, value in ours.items()} == {
        name: type(value) for name, value in theirs.items()
    }


def said(error):
    """Code, message and the kinds of details of a refusal, without what differs from day to day."""
    message = error["message"].partition("\n Available Fields")[0].partition("; minimum")[0]
    return error["code"], message, [detail["type"] for detail in error.get("details", [])]


@pytest.mark.parametrize("generation", list(ERAS))
async def test_tokens_are_asked_for_and_exchanged_as_recorded(generation):
    async with simulated("healthy", generation, identity="tok-alpha-1234") as (simulator, asker):
        jwt = simulator._calls.session_token
        for exchange in exchanges(generation, "20-auth-jwt"):
            sent = {name: text.replace("<jwt>", jwt) for name, text in exchange.headers.items()}
            status, text = await asker.send(exchange.path.lstrip("/"), exchange.body, sent)
            assert status == exchange.status, exchange.name
            ours, theirs = json.loads(text), json.loads(exchange.text)
            assert ours.keys() - {"jobs"} == theirs.keys()
            if status != 200:
                assert ours == theirs


@pytest.mark.parametrize("generation", ["april", "may", "august"])
async def test_calls_of_other_generations_do_not_exist(generation):
    every = {method for methods in REQUESTS.values() for method in methods}
    async with simulated("healthy", generation) as (_, asker):
        for method in sorted(every):
            status, text = await asker.send(f"{CONTROLLER}/{method}", {})
            exists = method in REQUESTS[generation] and (method != "FetchLogs" or generation != "august")
            assert (status != 404) == exists or text.startswith("{"), method
        assert await asker.send("nobody.Service/ListJobs", {}) == (404, "Not Found")


async def test_august_keeps_mays_shapes_but_for_what_moved():
    ours: dict[str, Kind] = defaultdict(Kind)
    async with simulated("healthy", "august", at_s=60) as (simulator, asker):
        async for method, answer in everything(simulator, asker, "august"):
            note(ours, method, answer)
        names = [job.id.rpartition("/")[2] for job in simulator.cluster.subtree(ROOT)]
    gone = {
        f"ListTasks.tasks[]:TASK_STATE_{state}: lacks statusTextSummaryMd"
        for state in ("RUNNING", "SUCCEEDED")
    }
    new = {
        "FetchLogs.entries[]: has seq, never recorded",
        "ListTasks.tasks[].attempts[]:TASK_STATE_RUNNING: has attemptUid, never recorded",
        "ListTasks.tasks[].attempts[]:TASK_STATE_SUCCEEDED: has attemptUid, never recorded",
    }
    found = set(differences(ours, recorded_kinds("may")))
    assert found <= gone | new
    assert found & gone
    assert found & new
    assert any("-coordinator-" in name and name.endswith("-workers") for name in names)


async def test_http_itself_is_refused_as_a_connect_server_refuses_it():
    async with simulated("healthy", "may") as (simulator, _), aiohttp.ClientSession() as session:
        url = f"{simulator.url}/{CONTROLLER}/ListJobs"
        async with session.get(url) as answer:
            assert answer.status == 405
        async with session.post(url, data="x=1") as answer:
            assert answer.status == 415
        async with session.get(f"{simulator.url}/health") as answer:
            assert (answer.status, await answer.json()) == (200, {"status": "ok"})
        headers = {"content-type": "application/json"}
        async with session.post(url, data=b'{"query": ', headers=headers) as answer:
            assert (answer.status, (await answer.json())["code"]) == (500, "unknown")

"""What `babysit doctor` learns about a cluster: each part asked for real, one next step per fault."""

import sys

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.iris.connection.connection_checks import examine
from tests.support.clock import FakeClock
from tests.support.controller import MAY_CALLS, connect_error, controller, http, liar, saying
from tests.support.small_iris import ROOT, Small

STAND_IN = (sys.executable, "-m", "tests.support.iris_command")
WORKERS = {"workers": [{"workerId": "w-1", "healthy": True, "runningJobIds": [f"{ROOT}/0"]}]}


async def checks_of(url, tmp_path, **options):
    spec = ClusterSpec("small", url=url, **options)
    checks = await examine(spec, clock=FakeClock(), home=tmp_path, working_dir=tmp_path)
    return {check.name: check for check in checks}


@pytest.mark.parametrize("transport", ["rpc", "cli"])
async def test_a_cluster_in_order(tmp_path, transport):
    calls = Small("may").answers() | {"health": {"status": "ok"}, "ListWorkers": WORKERS}
    async with controller(calls) as server:
        found = await checks_of(server.url, tmp_path, transport=transport, iris_command=STAND_IN)
    assert all(check.ok for check in found.values())
    expected = ["generation", "access", "logs", "thread dumps"]
    assert list(found) == (["reachable", *expected] if transport == "rpc" else expected)
    assert "may 2026" in found["generation"].detail
    assert "1 of 1 workers" in found["access"].detail
    assert ROOT in found["logs"].detail


async def test_an_unreachable_cluster_is_asked_nothing_more(tmp_path):
    async with liar(saying(b"")) as url:
        pass
    found = await checks_of(url, tmp_path)
    assert list(found) == ["reachable"]
    assert not found["reachable"].ok
    assert found["reachable"].next_step


async def test_an_html_page_is_not_a_controller(tmp_path):
    async with liar(saying(http(b"<html>welcome</html>"))) as url:
        found = await checks_of(url, tmp_path)
    assert "an HTML page" in found["reachable"].detail


async def test_each_part_fails_alone(tmp_path):
    calls = Small("may").answers() | {
        "health": {"status": "ok"},
        "ListWorkers": WORKERS,
        "FetchLogs": (503, connect_error("unavailable", "log server is down")),
        "ProfileTask": {"profileData": "", "error": "py-spy: operation not permitted"},
    }
    async with controller(calls) as server:
        found = await checks_of(server.url, tmp_path)
    assert [name for name, check in found.items() if not check.ok] == ["logs", "thread dumps"]
    assert "log server is down" in found["logs"].detail
    assert "not permitted" in found["thread dumps"].detail


async def test_a_refused_token_is_told_with_its_next_step(tmp_path):
    refused = (401, connect_error("unauthenticated", "Missing authentication"))
    calls = MAY_CALLS | {"health": {"status": "ok"}, "GetJobState": refused}
    async with controller(calls) as server:
        found = await checks_of(server.url, tmp_path)
    assert found["generation"].ok
    assert not found["access"].ok
    assert "iris login" in found["access"].next_step


async def test_a_cluster_file_that_cannot_work_is_the_first_fault(tmp_path):
    (tmp_path / "local.yaml").write_text("controller: {local: {}}")
    spec = ClusterSpec("local", config=str(tmp_path / "local.yaml"))
    (check,) = await examine(spec, clock=FakeClock(), home=tmp_path, working_dir=tmp_path)
    assert (check.name, check.ok) == ("configuration", False)
    assert "--controller-url" in check.next_step

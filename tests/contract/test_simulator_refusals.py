"""The simulator refuses what a real cluster refuses, with its words."""

import base64
import os
import shlex
from datetime import timedelta

import pytest

from babysitter.sim.iris.controller import ROOT
from babysitter.sim.iris.launching import ConnectError, check_priority
from babysitter.sim.iris.run_options import ClientFault, OptionError, read_run
from tests.contract.test_simulator_command import command
from tests.contract.test_simulator_wire import CONTROLLER, simulated
from tests.support.real_commands import ACCEPTED, DOOMED, ONLY_THE_CONTROLLER_KNOWS, REFUSED

LAUNCH = {"entrypoint": {"runCommand": {"argv": ["python", "x.py"]}}}
DATED = LAUNCH | {"clientRevisionDate": "2099-01-01"}


async def test_simulator_agrees_with_every_measured_command(tmp_path, monkeypatch):
    (tmp_path / "job.py").write_text("print(1)")
    monkeypatch.chdir(tmp_path)
    differ = []
    async with command("healthy", "may", at_s=60) as (simulator, run):
        for row in (*REFUSED, *ONLY_THE_CONTROLLER_KNOWS, *ACCEPTED, *DOOMED):
            printed = await run(*shlex.split(row.line)[1:])
            if printed.exit_code != row.exit_code or row.words not in printed.stderr:
                differ.append((row.line, printed.exit_code, printed.stderr[-200:]))
            for job in list(simulator.cluster.runs):
                if job.startswith("/ada/") and not job.startswith(ROOT):
                    simulator.cluster.jobs.pop(job)
    assert differ == []


@pytest.mark.parametrize(
    ("generation", "options", "words"),
    [
        ("april", "--preemptible", "Unknown option '--preemptible'"),
        ("august", "--terminate-on-exit", "Unknown option '--terminate-on-exit'"),
        ("august", "--cancel-on-exit", ""),
        ("april", "--memory 5GB", "requires --enable-extra-resources"),
        ("august", "--tpu v6e-4", "requires --enable-extra-resources"),
    ],
)
async def test_flags_follow_the_generation(generation, options, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with command("healthy", generation, at_s=60) as (_, run):
        printed = await run(*f"job run --no-wait --job-name g {options} -- python x.py".split())
        assert printed.exit_code == (2 if words else 0)
        assert words in printed.stderr


@pytest.mark.parametrize(
    ("generation", "options", "words"),
    [
        ("april", "--reserve v5p-8 --reserve 0:v5p-8", "Reservation count must be >= 1, got 0"),
        ("august", "--reserve 0:v5p-8", ""),  # the count is ignored
        ("august", "--reserve 4:8", "--reserve '4:8' does not name an accelerator variant."),
        ("august", "--reserve v5p-9", "Unknown GPU spec: 'v5p-9'"),
        ("april", "--reserve GH200", "Unknown GPU spec: 'GH200'"),
        ("may", "--reserve GH200", ""),
        ("april", "--priority production", ""),
        ("august", "--priority production", "cannot submit production jobs (max band: interactive)"),
    ],
)
def test_reservations_and_priorities_follow_the_generation(generation, options, words):
    asked = {}
    said = ""
    try:
        found = read_run([*options.split(), "--", "x"], generation)
        if band := found.values.get("--priority"):
            asked = {"priorityBand": f"PRIORITY_BAND_{band.upper()}"}
        check_priority("/ada/x", asked, generation)
    except (OptionError, ClientFault, ConnectError) as fault:
        said = str(fault)
    assert (bool(said), words in said) == (bool(words), True)


@pytest.mark.parametrize(
    ("generation", "status", "words"),
    [
        ("april", 400, "Failed to decode request body: Failed to parse priorityBand field"),
        ("may", 500, "Invalid enum value URGENT for enum type iris.job.PriorityBand at LaunchJobRequest."),
    ],
)
async def test_unknown_priority_is_refused(generation, status, words):
    async with simulated("healthy", generation) as (_, asker):
        body = (LAUNCH if generation == "april" else DATED) | {"name": "/ada/x", "priorityBand": "URGENT"}
        answered, text = await asker.send(f"{CONTROLLER}/LaunchJob", body)
        assert (answered, words in text) == (status, True)


async def test_bundle_over_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights.bin").write_bytes(os.urandom(26 * 2**20))
    words = ["job", "run", "--no-wait", "--job-name", "big", "--", "python", "x.py"]
    async with command("healthy", "may", at_s=60) as (simulator, run):
        printed = await run(*words)
        assert printed.exit_code == 1
        assert "ValueError: Bundle size 26.0MB exceeds maximum 25MB." in printed.stderr
        (tmp_path / "weights.bin").write_bytes(bytes(26 * 2**20))  # packs to almost nothing
        assert (await run(*words)).exit_code == 0
        bundle = simulator.cluster.runs["/ada/big"].request["bundleId"]
        assert simulator.bundles.get(bundle) is not None


async def test_launch_over_the_limit_is_refused():
    async with simulated("healthy", "may") as (_, asker):
        blob = base64.b64encode(bytes(26 * 2**20)).decode()
        body = DATED | {"name": "/ada/big", "bundleBlob": blob}
        status, text = await asker.send(f"{CONTROLLER}/LaunchJob", body)
        assert (status, "Bundle size 26.0MB exceeds maximum 25MB" in text) == (400, True)


@pytest.mark.parametrize(
    ("generation", "age_days", "words"),
    [
        ("april", None, ""),
        ("may", None, "marin-iris client is too old (build 2026-04-22; minimum"),
        ("may", 15, "Run `uv sync` or upgrade marin-iris and retry."),
        ("may", 14, ""),
        ("august", None, ""),
        ("august", 10_000, "this controller runs 2026-08-22"),
    ],
)
async def test_old_client_is_refused(generation, age_days, words):
    async with simulated("healthy", generation) as (_, asker):
        body = LAUNCH | {"name": "/ada/aged"}
        if age_days is not None:
            built = asker.clock.now() - timedelta(days=age_days)
            body |= {"clientRevisionDate": built.date().isoformat()}
        status, text = await asker.send(f"{CONTROLLER}/LaunchJob", body)
        assert status == (400 if words else 200)
        assert words in text


@pytest.mark.parametrize(
    ("policy", "status", "words"),
    [
        ("UNSPECIFIED", 409, "already exists and is still running"),
        ("ERROR", 409, "already exists (state=JOB_STATE_RUNNING)"),
        ("KEEP", 200, ROOT),
    ],
)
async def test_running_name_follows_the_policy(policy, status, words):
    async with simulated("healthy", "may", at_s=60) as (simulator, asker):
        body = DATED | {"name": ROOT, "existingJobPolicy": f"EXISTING_JOB_POLICY_{policy}"}
        answered, text = await asker.send(f"{CONTROLLER}/LaunchJob", body)
        assert (answered, words in text) == (status, True)
        assert simulator.launched == []


async def test_ended_name_is_replaced_unless_the_policy_forbids():
    async with simulated("import-error", "may", at_s=600) as (simulator, asker):
        job = simulator.root_job
        body = DATED | {"name": job, "existingJobPolicy": "EXISTING_JOB_POLICY_ERROR"}
        assert (await asker.send(f"{CONTROLLER}/LaunchJob", body))[0] == 409
        assert (await asker.send(f"{CONTROLLER}/LaunchJob", DATED | {"name": job}))[0] == 200


@pytest.mark.parametrize(
    ("generation", "resources", "words"),
    [
        ("april", {"device": {"tpu": {"variant": "v9-4"}}}, ""),
        ("may", {"device": {"gpu": {"variant": "h100"}}}, "no scaling group provides device gpu:h100"),
        ("may", {"memoryBytes": str(2 << 40)}, ""),
        (
            "august",
            {"memoryBytes": str(2 << 40)},
            "no matching scaling group has enough per-VM capacity: cpu (memory",
        ),
    ],
)
async def test_impossible_resources_follow_the_generation(generation, resources, words):
    async with simulated("healthy", generation) as (_, asker):
        body = (LAUNCH if generation == "april" else DATED) | {"name": "/ada/x", "resources": resources}
        status, text = await asker.send(f"{CONTROLLER}/LaunchJob", body)
        assert status == (400 if words else 200)
        assert words in text


async def test_caller_replaces_the_user_of_a_root_job():
    async with simulated("healthy", "may", identity="made-up-token", user="bob") as (simulator, asker):
        headers = {"authorization": "Bearer session-of-made-up-token"}
        body = DATED | {"name": "/ada/mine"}
        status, text = await asker.send(f"{CONTROLLER}/LaunchJob", body, headers=headers)
        assert (status, '"/bob/mine"' in text) == (200, True)
        assert "/ada/mine" not in simulator.cluster.jobs


async def test_bundle_is_found_until_it_is_lost():
    async with simulated("healthy", "may") as (simulator, asker):
        bundle = simulator.cluster.runs[ROOT].request["bundleId"]
        assert await asker.status("GET", f"bundles/{bundle}.zip") == 200
        assert await asker.status("HEAD", f"bundles/{bundle}.zip") == 200
        simulator.bundles.forget(bundle)
        assert await asker.status("HEAD", f"bundles/{bundle}.zip") == 404


async def test_stopped_processes_print_for_some_seconds_more():
    async with simulated("healthy", "may", at_s=60) as (simulator, asker):
        await asker.ask("TerminateJob", {"jobId": ROOT})
        stopped_at = simulator.cluster.now
        key = f"{ROOT}/0:0"
        asker.clock.advance(60)
        last = simulator.cluster.logs.last_of(key)
        assert 0 < last.at_ms / 1000 - stopped_at <= 20
        assert simulator.cluster.jobs[ROOT].state == "killed"

"""What the stand-in `iris` command prints over a simulated cluster, against what the real one printed."""

import asyncio
import io
import json
import re
from collections import defaultdict
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from babysitter.sim.iris.command import main
from babysitter.sim.iris.controller import ROOT
from tests.contract.shapes import ERAS, Kind, differences, note
from tests.contract.test_simulator_wire import simulated
from tests.support.recordings import FIXTURES


@dataclass(frozen=True)
class Printed:
    stdout: str
    stderr: str
    exit_code: int


def recorded(generation, name):
    """What the real command printed once: `<scenario>/<call>`."""
    scenario, _, call = name.partition("/")
    text = (FIXTURES / ERAS[generation] / scenario / "cli" / f"{call}.txt").read_text()
    _, _, rest = text.partition("--- stdout\n")
    stdout, _, rest = rest.partition("--- stderr\n")
    stderr, _, code = rest.rpartition("--- exit ")
    return Printed(stdout, stderr, int(code))


@asynccontextmanager
async def command(scenario, generation, *, at_s=0.0):
    """A function that runs the command over a simulated cluster."""
    async with simulated(scenario, generation, at_s=at_s) as (simulator, _):

        async def run(*words):
            return await in_thread(["--controller-url", simulator.url, "--as", generation, *words])

        yield simulator, run


async def in_thread(words):
    """The command in a thread of its own, for it waits for answers that this thread gives."""
    out, err = io.StringIO(), io.StringIO()

    def called():
        with redirect_stdout(out), redirect_stderr(err):
            return main(words, tries=1)

    code = await asyncio.to_thread(called)
    return Printed(out.getvalue(), err.getvalue(), code)


def columns(table):
    """The headings of a table and where each begins in every row."""
    head, *rows = table.splitlines()
    starts = [found.start() for found in re.finditer(r"(?<=  )\S|^\S", head)]
    aligned = all(row[start - 1 : start] in (" ", "") for row in rows for start in starts[1:])
    return [head[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)], aligned


@pytest.mark.parametrize("generation", list(ERAS))
@pytest.mark.parametrize(
    ("scenario", "at_s", "recording"),
    [
        ("healthy", 60, "07-zephyr-healthy/s06-job-list"),
        ("import-error", 60, "06-plain-retries/zz-final-job-list"),
        ("pending-capacity", 60, "05b-pending-memory/s03-job-list"),
    ],
)
async def test_job_list_has_the_columns_of_the_real_table(generation, scenario, at_s, recording):
    async with command(scenario, generation, at_s=at_s) as (_, run):
        ours = await run("job", "list", "--prefix", f"{ROOT}/" if scenario == "healthy" else ROOT)
        theirs = recorded(generation, recording)
        assert (columns(ours.stdout), ours.exit_code) == (columns(theirs.stdout), theirs.exit_code)
        none = await run("job", "list", "--prefix", "/nobody")
        assert none.stdout == recorded(generation, "17-unknown-job/s01-job-list").stdout


@pytest.mark.parametrize("generation", list(ERAS))
async def test_json_has_the_fields_of_the_real_commands(generation):
    async with command("healthy", generation, at_s=60) as (simulator, run):
        coordinator = simulator.cluster.subtree(ROOT)[1].id
        calls = {
            "s06-job-list-json": ("job", "list", "--json", "--prefix", f"{ROOT}/"),
            "s06-job-summary-coord-json": ("job", "summary", "--json", coordinator),
            "s06-rpc-list-tasks": ("rpc", "controller", "list-tasks", "--job-id", coordinator),
            "s06-rpc-get-job-status": ("rpc", "controller", "get-job-status", "--job-id", ROOT),
        }
        for name, words in calls.items():
            theirs: dict[str, Kind] = {}
            ours: dict[str, Kind] = {}
            for kinds, printed in (
                (theirs, recorded(generation, f"07-zephyr-healthy/{name}")),
                (ours, await run(*words)),
            ):
                kinds.update(_kinds(json.loads(printed.stdout)))
            assert differences(ours, theirs) == [], name


def _kinds(value):
    kinds = defaultdict(Kind)
    note(kinds, "answer", _without_free_names(value))
    return kinds


def _without_free_names(value):
    """Environment variables and counts of states have names of their own."""
    if isinstance(value, list):
        return [_without_free_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    free = ("env_vars", "task_state_counts", "workdir_files")
    return {name: _without_free_names(item) for name, item in value.items() if name not in free}


@pytest.mark.parametrize("generation", list(ERAS))
async def test_summary_and_log_lines_look_like_the_real_ones(generation):
    async with command("healthy", generation, at_s=60) as (_, run):
        ours, theirs = (
            [
                re.sub(r"\d+(?:\.\d+)?|/\S+", "#", line.partition("  TASK")[0])
                for line in text.splitlines()[:3]
            ]
            for text in (
                (await run("job", "summary", ROOT)).stdout,
                recorded(generation, "07-zephyr-healthy/s06-job-summary").stdout,
            )
        )
        assert ours == theirs
        head = re.compile(r"\[\d\d:\d\d:\d\d\] task=/\S+/\d+ \| .*")
        printed = (await run("job", "logs", "--max-lines", "300", ROOT)).stdout.splitlines()
        assert printed
        assert all(head.fullmatch(line) for line in printed)
        real = recorded(generation, "07-zephyr-healthy/s06-job-logs").stdout.splitlines()
        assert all(head.fullmatch(line) for line in real[:50])


@pytest.mark.parametrize("generation", list(ERAS))
async def test_what_is_unknown_is_answered_as_the_real_command_does(generation):
    unknown = "/root/no-such-job"
    calls = {
        "s01-job-stop": ("job", "stop", unknown),
        "s01-job-stop-exact": ("job", "stop", "--no-include-children", unknown),
        "s01-job-summary": ("job", "summary", unknown),
        "s01-job-logs": ("job", "logs", unknown),
        "s01-rpc-list-tasks": ("rpc", "controller", "list-tasks", "--job-id", unknown),
        "s01-rpc-get-job-status": ("rpc", "controller", "get-job-status", "--job-id", unknown),
    }
    async with command("healthy", generation, at_s=60) as (_, run):
        for name, words in calls.items():
            ours, theirs = await run(*words), recorded(generation, f"17-unknown-job/{name}")
            assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.exit_code), name
            if theirs.exit_code:
                assert ours.stderr.splitlines()[-1] == theirs.stderr.splitlines()[-1], name


@pytest.mark.parametrize("generation", list(ERAS))
async def test_a_plain_stop_takes_the_neighbours_too_and_an_exact_one_does_not(generation):
    async with command("healthy", generation, at_s=60) as (simulator, run):
        exact = await run("job", "stop", "--no-include-children", simulator.neighbours[0])
        assert exact.stdout == f"Terminated jobs:\n  {simulator.neighbours[0]}\n"
        assert simulator.cluster.runs[ROOT].state == "running"
        printed = (await run("job", "stop", ROOT)).stdout.splitlines()
        assert (
            printed[0]
            == recorded(generation, "21-job-stop-is-a-prefix-stop/s02-job-stop").stdout.splitlines()[0]
        )
        assert simulator.cluster.runs[simulator.neighbours[1]].state == "killed"


async def test_august_cancels_exactly_and_knows_no_stop():
    async with command("healthy", "august", at_s=60) as (simulator, run):
        assert (await run("job", "stop", ROOT)).exit_code == 2
        assert (await run("job", "cancel", ROOT)).exit_code == 0
        states = {job.id: job.state for job in simulator.cluster.runs.values()}
        assert states[ROOT] == "killed"
        assert [states[neighbour] for neighbour in simulator.neighbours] == ["running", "running"]
        assert "attempt=0 |" in (await run("job", "logs", ROOT)).stdout


@pytest.mark.parametrize("generation", list(ERAS))
async def test_job_run_prints_the_id_and_refuses_a_name_that_runs(generation):
    async with command("healthy", generation, at_s=60) as (simulator, run):
        words = ("job", "run", "--no-wait", "--job-name", "rerun", "--memory", "2GB", "--", "python", "x.py")
        assert (await run(*words)).stdout == "/ada/rerun\n"
        kept = simulator.cluster.runs["/ada/rerun"].request
        assert kept["entrypoint"]["runCommand"]["argv"] == ["python", "x.py"]
        assert kept["resources"]["memoryBytes"] == str(2 << 30)
        again = await run(*words)
        assert (again.stdout, again.exit_code) == ("", 1)
        assert again.stderr.endswith("Job /ada/rerun already exists and is still running\n")
        assert (
            await run("job", "run", "--no-wait", "--job-name", "a/b", "--", "python", "x.py")
        ).exit_code == 1


async def test_nobody_there_is_said_after_the_tries():
    printed = await in_thread(["--controller-url", "http://127.0.0.1:9", "job", "list"])
    assert printed.exit_code == 1
    assert "Connection refused" in printed.stderr

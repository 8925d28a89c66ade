"""`babysit submit` and `babysit logs` as a shell sees them, against clusters of three generations."""

import json
import shlex
import signal
import sys
from pathlib import Path

import pytest

from tests.support.processes import started
from tests.support.shell import Shell, shell

GENERATIONS = ("april", "may", "august")
SCRIPT = "print('hello')\n"
LINE = "babysit submit --cluster marin --user ada --job-name tiny -- python train.py"


def with_script(run: Shell) -> None:
    (run.project / "train.py").write_text(SCRIPT)


def stored(run: Shell, job: str) -> dict:
    return run.sim.cluster.jobs[job].request


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_submit_unwatched_prints_the_id_only(tmp_path: Path, generation: str):
    async with shell(tmp_path, "plain-success", generation) as run:
        with_script(run)
        said = await run(
            "babysit submit --cluster marin --user ada --job-name tiny -e LR 0.1 -e EMPTY --no-watch "
            "--no-wait -- python train.py --steps 3"
        )
        assert (said.code, said.out) == (0, "/ada/tiny\n"), said.err
        request = stored(run, "/ada/tiny")
        assert request["entrypoint"]["runCommand"]["argv"] == ["python", "train.py", "--steps", "3"]
        variables = request["environment"]["envVars"]
        assert (variables["LR"], variables["EMPTY"]) == ("0.1", "")


@pytest.mark.parametrize("generation", ["april", "may"])
async def test_submit_http_only_options_go_over_http(tmp_path: Path, generation: str):
    async with shell(tmp_path, "plain-success", generation) as run:
        with_script(run)
        (run.project / ".marin.yaml").write_text("env:\n  OF_FILE: 1\n  LR: 9\n")
        said = await run(
            "HF_TOKEN=hf-made-up babysit submit --cluster marin --user ada --job-name tiny -e LR 0.1 "
            "--ports http,grpc --constraint pool=large --coscheduling-timeout 600 --no-watch --no-wait "
            "-- python train.py"
        )
        assert (said.code, said.out) == (0, "/ada/tiny\n"), said.err
        assert "Over HTTP" in said.err
        assert "--ports, --constraint, --coscheduling-timeout" in said.err
        request = stored(run, "/ada/tiny")
        assert request["ports"] == ["http", "grpc"]
        assert request["schedulingTimeout"] == {"milliseconds": "600000"}
        assert {constraint["key"] for constraint in request["constraints"]} == {"preemptible", "pool"}
        variables = request["environment"]["envVars"]
        assert (variables["OF_FILE"], variables["LR"], variables["HF_TOKEN"]) == ("1", "0.1", "hf-made-up")
        assert variables["PYTHONUNBUFFERED"] == "1"


async def test_submit_http_only_options_refused_by_name(tmp_path: Path):
    async with shell(tmp_path, "plain-success", "august") as run:
        with_script(run)
        said = await run("babysit submit --cluster marin --ports http --no-watch -- python train.py")
        assert said.code == 2
        assert "does not have --ports" in said.err


async def test_submit_option_that_april_lacks(tmp_path: Path):
    async with shell(tmp_path, "plain-success", "april") as run:
        with_script(run)
        said = await run(
            "babysit submit --cluster marin --user ada --job-name tiny --preemptible --no-watch --no-wait "
            "-- python train.py"
        )
        assert (said.code, said.out) == (0, "/ada/tiny\n"), said.err
        assert "does not have --preemptible" in said.err
        (constraint,) = stored(run, "/ada/tiny")["constraints"]
        assert (constraint["key"], constraint["mode"]) == ("preemptible", "CONSTRAINT_MODE_PREFERRED")


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_submit_adds_the_flag_for_large_requests(tmp_path: Path, generation: str):
    async with shell(tmp_path, "plain-success", generation) as run:
        with_script(run)
        said = await run(
            "babysit submit --cluster marin --user ada --job-name big --memory 8GB --no-watch --no-wait "
            "-- python train.py"
        )
        assert said.code == 0, said.err
        assert "Added --enable-extra-resources" in said.err
        assert stored(run, "/ada/big")["resources"]["memoryBytes"] == str(8 * 2**30)


async def test_submit_blocked_exits_with_1(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        count = len(run.sim.cluster.jobs)
        said = await run("babysit submit --cluster marin --no-watch -- python nothing_there.py")
        assert said.code == 1
        assert "BLOCK" in said.err
        assert "nothing_there.py" in said.err
        assert "Not submitted" in said.err
        assert len(run.sim.cluster.jobs) == count


async def test_submit_refused_exits_with_1(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        with_script(run)
        said = await run(
            "babysit submit --cluster marin --tpu v5litepod-16 --extra tpu --no-watch -- python train.py"
        )
        assert said.code == 1
        assert "no scaling group provides device tpu:v5litepod-16" in said.err


async def test_submit_dry_run_of_a_command(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        with_script(run)
        count = len(run.sim.cluster.jobs)
        said = await run(
            "babysit submit --cluster marin --job-name tiny --dry-run "
            "-e WANDB_API_KEY 0123456789abcdef0123456789abcdef01234567 -- python train.py"
        )
        assert said.code == 0, said.err
        assert "job run --no-wait --job-name tiny" in said.out
        assert "0123456789abcdef" not in said.out
        assert "Bundle: 1 files" in said.out
        assert "train.py" in said.out
        assert len(run.sim.cluster.jobs) == count


async def test_submit_dry_run_over_http(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        with_script(run)
        said = await run(
            "HF_TOKEN=hf_madeupmadeupmadeupmadeupmadeupmade babysit submit --cluster marin --http --dry-run "
            "-- python train.py"
        )
        assert said.code == 0, said.err
        body = json.loads(said.out.partition("HTTP: ")[2].partition("\nBundle")[0])
        assert body["entrypoint"]["runCommand"]["argv"] == ["python", "train.py"]
        assert body["environment"]["envVars"]["HF_TOKEN"] != "hf_madeupmadeupmadeupmadeupmadeupmade"
        assert "bytes packed" in said.out


async def test_submit_names_two_jobs_of_one_second_apart(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        with_script(run)
        line = "babysit submit --cluster marin --user ada --no-watch --no-wait -- python train.py"
        first, second = await run(line), await run(line)
        assert first.out.startswith("/ada/babysit-train-"), first.err
        assert first.out != second.out


async def test_submit_waits_and_prints_lines(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        with_script(run)
        said = await run(LINE)
        assert said.code == 0, said.err
        assert "Watching /ada/tiny" in said.out
        assert "tiny/0 | " in said.out
        assert "job: succeeded" in said.err


async def test_submit_no_wait_leaves_a_watch(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        with_script(run)
        said = await run(
            "babysit submit --cluster marin --user ada --job-name tiny --no-wait -- python train.py"
        )
        assert said.code == 0, said.err
        listed = (await run("babysit list --json")).json
        assert [watch["job"] for watch in listed["watches"]] == ["/ada/tiny"]


async def test_submit_interrupted_leaves_job_and_watch(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        with_script(run)
        line = shlex.split(LINE)
        async with started(*line, cwd=run.project, env=run.environment) as command:
            await command.until("Watching /ada/tiny")
            await command.until("phase: ")
            command.process.send_signal(signal.SIGINT)
            await command.until("Job and watch go on without you")
            assert await command.ended() == 130
        assert not run.sim.cluster.jobs["/ada/tiny"].state.final
        listed = (await run("babysit list --json")).json
        assert [watch["job"] for watch in listed["watches"]] == ["/ada/tiny"]


KILLER = """#!/bin/sh
case "$*" in *"job run"*) {iris} "$@"; kill -9 $PPID; exit 1;; esac
exec {iris} "$@"
"""


async def test_submit_killed_is_not_forgotten(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        with_script(run)
        real = tmp_path / "bin" / "iris"
        moved = real.rename(tmp_path / "bin" / "real-iris")
        real.write_text(KILLER.format(iris=moved))
        real.chmod(0o755)
        killed = await run(LINE)
        assert killed.code < 0 or killed.code == 137
        assert "/ada/tiny" in run.sim.cluster.jobs
        assert (await run("babysit list --json")).json["watches"] == []
        moved.replace(real)
        again = await run(
            "babysit submit --cluster marin --user ada --job-name next --no-wait -- python train.py"
        )
        assert again.code == 0, again.err
        assert "An earlier submission was interrupted; /ada/tiny is watched now." in again.err
        listed = (await run("babysit list --json")).json
        assert sorted(watch["job"] for watch in listed["watches"]) == ["/ada/next", "/ada/tiny"]
        assert not list(run.state.glob("babysit.expected-*"))


async def test_submit_killed_is_watched_by_the_service(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        with_script(run)
        real = tmp_path / "bin" / "iris"
        moved = real.rename(tmp_path / "bin" / "real-iris")
        real.write_text(KILLER.format(iris=moved))
        real.chmod(0o755)
        await run(LINE)
        await run("babysit serve --background")
        for _ in range(50):  # each asks a new process
            if listed := (await run("babysit list --json")).json["watches"]:
                break
        assert [item["job"] for item in listed] == ["/ada/tiny"]


async def test_submit_same_name_is_not_submitted_twice(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        with_script(run)
        await run(f"{LINE.replace('--user', '--no-wait --user')}")
        again = await run(f"{LINE.replace('--user', '--no-wait --user')}")
        assert again.code == 1
        assert "name-taken" in again.err


async def test_submit_needs_a_command(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        said = await run("babysit submit --cluster marin")
        assert (said.code, "Which command?" in said.err) == (2, True)


async def test_submit_local_runs_here(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        said = await run(f"""babysit submit --local -- {sys.executable} -c "print('smoke')" """)
        assert (said.code, said.out, said.err) == (0, "smoke\n", "")
        failed = await run("babysit submit --local -- bash -c 'exit 3'")
        assert (failed.code, failed.err) == (1, "The program ended with exit code 3.\n")
        ignored = await run(f"babysit submit --local --tpu v4-8 --zone x -- {sys.executable} -c 1")
        assert (ignored.code, ignored.err) == (0, "Without effect on this machine: --tpu, --zone.\n")
        unknown = await run("babysit submit --local -- no-such-program-here")
        assert unknown.code == 2


async def test_logs_of_a_job_and_its_children(tmp_path: Path):
    async with shell(tmp_path, "zombie") as run:
        run.clock.advance(120)
        said = await run(f"babysit logs {run.job} --cluster marin")
        assert said.code == 0, said.err
        speakers = {line.split(" | ")[0].split()[1] for line in said.out.splitlines() if " | " in line}
        assert any(speaker.startswith("zephyr-") for speaker in speakers)
        assert "Resolving name" not in said.out
        one = await run(f"babysit logs {run.job} --cluster marin --task 0 --raw --lines 2")
        assert len(one.out.splitlines()) <= 2
        assert " | " not in one.out
        found = await run(f"babysit logs {run.job} --cluster marin --grep 'complete, '")
        assert all("complete, " in line for line in found.out.splitlines())


async def test_logs_follow_ends_with_the_job(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        said = await run(f"babysit logs {run.job} -f --cluster marin")
        assert said.code == 0, said.err
        assert said.out


async def test_logs_of_an_unknown_job(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        said = await run("babysit logs /ada/nothing --cluster marin")
        assert (said.code, "/ada/nothing" in said.err) == (2, True)
        assert "Check the id with `iris job list`" in said.err
        other = await run(f"babysit logs {run.job} --cluster marin --task /ada/other/0")
        assert (other.code, "is not a task of" in other.err) == (2, True)


async def test_submit_and_preflight_and_open_for_programs(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        with_script(run)
        options = "--cluster marin --user ada --job-name tiny --memory 2GB -e LR 0.1"
        checked = await run(f"babysit preflight {options} --json -- python train.py")
        assert checked.code == 0, checked.err
        assert json.loads(checked.out)["verdict"] == "ok"
        assert "/ada/tiny" not in run.sim.cluster.jobs
        blocked = await run("babysit preflight --cluster marin --memory 2GB -- ./train.py")
        assert (blocked.code, "BLOCK" in blocked.out) == (1, True), blocked.out
        said = await run(f"babysit submit {options} --no-wait --no-watch --json -- python train.py")
        reply = json.loads(said.out)
        assert (said.code, reply["verdict"], reply["job"], reply["watch"]) == (0, "ok", "/ada/tiny", "")
        page = await run("babysit open /ada/tiny --cluster marin")
        assert (page.code, page.out) == (0, f"{run.sim.url}/#/job/%2Fada%2Ftiny\n"), page.err

"""What a watch ends in, as a shell sees it: exit codes, answers at a real terminal, a service that died."""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from babysitter.engine.service_lock import serving_process
from babysitter.launch.clients.follow_logs import short_task
from babysitter.sim.iris.controller import Simulator
from babysitter.surfaces import views
from babysitter.surfaces.cli.serving.serve import NEXT_CHECK
from tests.support.processes import started
from tests.support.shell import ME, Shell, shell
from tests.support.terminal import at_terminal
from tests.support.waiting import until


async def offered(run: Shell) -> str:
    """The offer of the incident that the watched job comes to."""
    waited = await run(f"babysit wait {run.job} --until incident --json")
    return str(waited.json["watch"]["incidents"][0]["proposal"]["id"])


async def test_a_job_that_succeeds_ends_with_0_in_the_foreground(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        settings = tmp_path / "config" / "babysit" / "config.yaml"
        settings.write_text(settings.read_text() + "follow: [{pattern: '/bob/*', cluster: marin}]\n")
        said = await run(f"babysit start {run.job} --cluster marin --foreground")
        assert said.code == 0
        assert said.err.splitlines()[-1] == "phase: finished, job: succeeded"
        assert run.job in said.out
        assert f" {short_task(f'{run.job}/0', run.job)} | " in said.out, "the lines of the job, and whose"
        assert "/bob/*" in (await run("babysit follow --list")).out, "as the settings say"
        assert "\x1b" not in said.out
        again = await run(f"babysit status {run.job} --watch")  # ended: one frame, and no waiting
        assert (again.code, "finished" in again.out) == (0, True)
        ended = await run(f"babysit wait {run.job} --for 0 --json")
        assert views.WaitReply.model_validate(ended.json).reason == "terminal"


async def test_waiting_tells_the_worst_outcome_of_several_jobs(tmp_path: Path):
    async with (
        shell(tmp_path, "stopped-by-person") as run,
        Simulator("plain-success", run.clock.now) as other,
    ):
        waited = run(f"babysit start {run.job} --cluster marin --wait")
        second = run(f"babysit diagnose {other.root_job} --controller-url {other.url} --json")
        stopped, diagnosed = await asyncio.gather(waited, second)
        assert stopped.code == 10, stopped
        assert views.DiagnoseReply.model_validate(diagnosed.json).job == other.root_job
        listed = views.StatusReply.model_validate((await run("babysit list --all --json")).json)
        assert [(watch.job, watch.phase) for watch in listed.watches] == [(run.job, "finished")]


async def test_one_wrong_job_among_several_spoils_nothing(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        said = await run(f"babysit start {run.job} /ada/nothing dedup --cluster marin")
        assert (said.code, run.job in said.out) == (2, True)
        assert "/ada/nothing" in said.err
        assert "'dedup'" in said.err
        alive = (await run("babysit status --json")).json
        assert [watch["job"] for watch in alive["watches"]] == [run.job]
        waited = await run(f"babysit wait {run.job} --until terminal --json")
        assert waited.json["reason"] == "terminal"  # so it is really looked after


async def test_waiting_starts_the_service_again_where_it_died(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        await run(f"babysit start {run.job} --cluster marin")
        await run.stop_service()
        assert not (await run("babysit status --json")).json["service"]["runs"]
        assert "The service does not run" in (await run("babysit list")).out
        run.sim.cluster.stop(run.job)
        waited = await run(f"babysit wait {run.job} --until terminal --json")
        assert waited.json["reason"] == "terminal"


@pytest.mark.parametrize(
    "command", ["babysit wait {} --until terminal", "babysit start {} --wait --cluster marin"]
)
async def test_waiting_restarts_service_that_dies(tmp_path: Path, command: str):
    async with shell(tmp_path, "long-run") as run:
        if command.startswith("babysit wait"):
            await run(f"babysit start {run.job} --cluster marin")
        waiting = asyncio.create_task(run(command.format(run.job)))
        await until(
            lambda: waiting.done() or any(sleeper.task == NEXT_CHECK for sleeper in run.clock.sleepers)
        )
        assert not waiting.done(), waiting.result()
        first = serving_process(run.state)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: waiting.done() or serving_process(run.state) not in (None, first))
        assert not waiting.done(), waiting.result()
        run.sim.cluster.stop(run.job)
        waited = await waiting
        assert (waited.code, "terminal" in waited.out) in ((0, True), (10, False)), waited
        assert "The service had ended; it was started again." in waited.err


async def test_a_person_at_a_terminal_decides_once(tmp_path: Path):
    async with shell(tmp_path) as run:
        await run(f"babysit start {run.job} --cluster marin")
        offer = await offered(run)
        assert "the proposal stays open" in (await at_terminal(run, f"babysit approve {offer}", "n\n"))[1]
        snoozed = await run(f"babysit snooze {offer} --for 2h --json")
        assert views.DecisionReply.model_validate(snoozed.json).accepted
        refused = await run(f"babysit approve {offer}")
        assert refused.code == 4
        code, shown = await at_terminal(run, f"babysit approve {offer}", "y\n")
        assert (code, "Approved by" in shown) == (0, True), shown
        assert "Submitted as /ada/dedup-r1." in shown
        with closing(sqlite3.connect(run.state / "babysit.db")) as database:
            decided = "SELECT count(*) FROM events WHERE kind = 'proposal-decided'"
            assert database.execute(decided).fetchone() == (2,)  # the snooze and the approval
        for part in (
            f"1. stop exactly {run.job}",
            "2. submit /ada/dedup-r1",
            "launch /ada/dedup-r1 over HTTP",
        ):
            assert part in shown
        late = await run(f"babysit deny {offer} --json")
        assert (late.json["accepted"], "Already approved" in late.json["sentence"]) == (False, True)
        ended = await run(f"babysit wait {run.job} --until terminal --json")
        assert ended.json["watch"]["job"] == "/ada/dedup-r1"
        assert run.sim.launched == ["/ada/dedup-r1"]
        told = (await run(f"babysit report {run.job} --json")).json["markdown"]
        assert "Approving needs a person at a terminal" in told


async def test_person_at_a_terminal_is_the_real_user(tmp_path: Path):
    async with shell(tmp_path) as run:
        pretence = "LOGNAME=ada USER=ada LNAME=ada USERNAME=ada HOSTNAME=elsewhere"
        await run(f"{pretence} babysit start {run.job} --cluster marin")
        told = (await run(f"babysit report {run.job} --json")).json["markdown"]
        assert f"{ME} began watching" in told
        await run(f"babysit stop {run.job}")
        await run(f"babysit start {run.job} --cluster marin --owner ada@elsewhere")
        offer = await offered(run)
        code, shown = await at_terminal(run, f"env {pretence} babysit approve {offer}", "y\n")
        assert (code, f"{ME} may not" in shown) == (4, True), shown
        assert run.sim.launched == []


async def test_somebody_who_may_not_is_refused_at_a_terminal_too(tmp_path: Path):
    async with shell(tmp_path) as run:
        await run(f"babysit start {run.job} --cluster marin --owner U0ADA")
        offer = await offered(run)
        code, shown = await at_terminal(run, f"babysit approve {offer}", "y\n")
        assert (code, "U0ADA" in shown) == (4, True), shown
        assert run.sim.launched == []


async def test_a_terminal_gets_colours_unless_it_asks_for_none(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        await run(f"babysit start {run.job} --cluster marin")
        _, shown = await at_terminal(run, "env TERM=xterm-256color babysit list")
        assert "\x1b[" in shown
        _, plain = await at_terminal(run, "env NO_COLOR=1 TERM=xterm-256color babysit list")
        assert "\x1b[3" not in plain
        assert run.job in plain


async def test_a_recording_is_made_judged_and_never_overwritten(tmp_path: Path):
    async with shell(tmp_path, "plain-success") as run:
        made = await run(f"babysit record {run.job} -o kept --cluster marin --every 10 --for 600")
        assert made.code == 0, made.err
        assert "the job has ended" in made.out
        judged = await run("babysit replay kept --json")
        assert json.loads(judged.out)["final"]["cause"] == "healthy"
        assert (await run(f"babysit record {run.job} -o kept --cluster marin")).code == 2


async def test_credentials_and_foreign_servers_get_a_sentence(tmp_path: Path):
    server = (sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1")
    async with started(*server, cwd=tmp_path) as page:
        port = (await page.until("Serving HTTP")).split()[5]
        async with (
            shell(tmp_path / "home") as run,
            Simulator("healthy", run.clock.now, identity="made-up") as locked,
        ):
            for url, named in (
                (locked.url, "refused our token"),
                (f"http://127.0.0.1:{port}", "an Iris controller"),
            ):
                for command in (f"diagnose {run.job}", f"start {run.job}"):
                    said = await run(f"babysit {command} --controller-url {url}")
                    assert (said.code, named in said.err, said.out) == (3, True, ""), said
                    assert len(said.err.splitlines()) == 2


async def test_start_says_that_its_command_would_be_refused(tmp_path: Path):
    async with shell(tmp_path, "long-run") as run:
        command = "iris job run --memory 8GB -- python train.py"
        began = await run(f"babysit start {run.job} --cluster marin --resubmit '{command}'")
        assert (began.code, run.job in began.out) == (0, True)
        assert f"Warning: A restart of {run.job} would be refused (" in began.err
        assert "--enable-extra-resources" in began.err

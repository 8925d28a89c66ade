"""The commands as a person meets them: real processes, a real cluster on loopback, a fresh home."""

import json
import re
from pathlib import Path

import pytest

from babysitter.surfaces import views
from babysitter.surfaces.cli.commands import COMMANDS
from tests.support.shell import Shell, shell


@pytest.fixture
async def run(tmp_path: Path) -> Shell:
    async with shell(tmp_path, "long-run") as opened:
        yield opened


def one_sentence_and_a_step(err: str) -> None:
    """One clear sentence, where to look or what to do next, and nothing that only we understand."""
    assert err.startswith("babysit: "), err
    assert "Traceback" not in err
    assert 1 < len(err.strip().splitlines()) <= 4, err


async def test_a_watch_from_its_start_to_its_end(run: Shell):
    started = await run(f"babysit start {run.job} --cluster marin --json")
    assert started.code == 0, started.err
    assert views.StatusReply.model_validate(started.json).service.channels == []
    waited = await run(f"babysit wait {run.job} --cursor 0 --until stage --json")
    assert views.WaitReply.model_validate(waited.json).reason == "stage"
    status = await run(f"babysit status {run.job} --json")
    assert views.StatusReply.model_validate(status.json).service.runs
    shown = (await run(f"babysit status {run.job}")).out
    assert run.job in shown
    assert "\x1b[" not in shown  # piped: plain
    assert run.job in (await run("babysit list")).out
    explained = await run(f"babysit explain {run.job} --json")
    views.ExplainReply.model_validate(explained.json)
    diagnosed = await run(f"babysit diagnose {run.job} --cluster marin --json")
    assert views.DiagnoseReply.model_validate(diagnosed.json).diagnosis.cause == "healthy"
    assert "## Timeline" in (await run(f"babysit report {run.job}")).out
    again = await run(f"babysit start {run.job} --cluster marin")
    assert again.code == 2
    one_sentence_and_a_step(again.err)
    stopped = await run(f"babysit stop {run.job}")
    assert "left alone" in stopped.out
    assert run.sim.cluster.runs[run.job].state == "running"
    assert "ok    state" in (await run("babysit doctor --cluster marin")).out


async def test_start_says_who_is_told(run: Shell):
    run.environment["BABYSIT_WEBHOOK_URL"] = "http://127.0.0.1:9/made-up-path"
    run.environment["BABYSIT_WEBHOOK_SECRET"] = "made-up"
    started = await run(f"babysit start {run.job} --cluster marin")
    assert "Told of incidents: webhook at 127.0.0.1." in started.out
    del run.environment["BABYSIT_WEBHOOK_URL"]  # the running service keeps what it began with
    status = await run("babysit status --json")
    assert views.StatusReply.model_validate(status.json).service.channels == ["webhook at 127.0.0.1"]


BAD = [
    ("babysit start dedup --cluster marin", 2, "not a full job id"),
    ("babysit start /ada/nothing --cluster marin", 2, "does not know"),
    ("babysit start /ada/dedup --cluster elsewhere", 2, "elsewhere"),
    ("babysit start /ada/dedup", 2, "Which cluster"),
    ("babysit start /ada/dedup --controller-url nonsense", 2, "nonsense"),
    ("babysit diagnose /ada/dedup --controller-url http://127.0.0.1:9", 3, "127.0.0.1:9"),
    ("babysit diagnose /ada/dedup", 2, "Which cluster"),
    ("echo failed > run.log; babysit diagnose run.log", 2, "run.log is a file"),
    ("babysit status /ada/nothing", 2, "/ada/nothing"),
    ("babysit wait /ada/nothing", 2, "/ada/nothing"),
    ("babysit explain w-nothing", 2, "w-nothing"),
    ("babysit approve p-nothing", 4, "person"),
    ("babysit start /ada/dedup --cluster marin --resubmit 'python x.py'", 2, "not a submission"),
    ("babysit wait /ada/dedup --until never", 2, "never"),
    ("babysit replay nowhere", 2, "nowhere"),
    ("babysit classify nowhere.log", 2, "nowhere.log"),
    ("babysit sim gremlins", 2, "gremlins"),
    ("babysit eval nowhere", 2, "nowhere"),
    ("BABYSIT_SLACK_CHANEL=x babysit list", 2, "BABYSIT_SLACK_CHANNEL"),
    ("BABYSIT_LIMITS_PULSE_S=-1 babysit list", 2, "pulse_s"),
    ("BABYSIT_CONFIG=/nowhere.yaml babysit list", 2, "/nowhere.yaml"),
    ("babysit list --state-dir /dev/null/x", 2, "/dev/null/x"),
    ("printf 'slack: [' > c.yaml; BABYSIT_CONFIG=c.yaml babysit list", 2, "c.yaml"),
]


async def test_bad_input_gets_one_sentence_with_its_place_and_the_next_step(run: Shell):
    for command, code, named in BAD:
        said = await run(command)
        assert (said.code, named in said.err) == (code, True), (command, said)
        one_sentence_and_a_step(said.err)


async def test_a_cluster_that_lies_or_hangs_gets_a_sentence_too(run: Shell):
    for mood in ("ill", "down"):
        run.sim.mood = mood
        said = await run(f"babysit start {run.job} --cluster marin")
        assert said.code == 3, (mood, said)
        one_sentence_and_a_step(said.err)


@pytest.mark.parametrize("name", COMMANDS)
async def test_every_command_explains_itself(name: str, tmp_path: Path):
    async with shell(tmp_path) as run:
        said = await run(f"babysit {name} --help")
    assert said.code == 0
    assert re.search(r"[A-Z].+\.", said.out)


async def test_completion_knows_the_commands(run: Shell):
    script = await run("_BABYSIT_COMPLETE=source_bash babysit")
    assert "complete -o default" in script.out
    completed = await run("COMP_WORDS='babysit sta' COMP_CWORD=1 _BABYSIT_COMPLETE=complete_bash babysit")
    assert set(completed.out.split()) == {"start", "status"}


@pytest.mark.parametrize("form", ["", "--json"])
async def test_wait_exits_6_at_its_time_limit(form: str, run: Shell):
    await run(f"babysit start {run.job} --cluster marin")
    said = await run(f"babysit wait {run.job} --until terminal --for 0 {form}")
    assert (said.code, "time-limit" in said.out, said.err) == (6, True, "")


async def test_offline_answers_are_json_of_the_documented_shape(run: Shell, tmp_path: Path):
    (tmp_path / "x.log").write_text("ModuleNotFoundError: No module named 'torch'\n")
    said = await run(f"babysit classify {tmp_path}/x.log --state failed --json")
    assert views.DiagnoseReply.model_validate(json.loads(said.out)).diagnosis.cause == "missing-dependency"

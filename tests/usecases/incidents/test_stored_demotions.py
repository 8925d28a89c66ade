"""A rule that people keep calling wrong counts as a hint in one look and in a text, too."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.config import Settings
from babysitter.messages.demotion_words import demotion_lines
from babysitter.model.ids import IncidentId, Person, RuleId
from babysitter.model.job import JobState
from babysitter.model.limits import Limits
from babysitter.store.repositories.feedback import FeedbackLabel
from babysitter.store.store import open_store
from babysitter.surfaces.cli.commands import run
from babysitter.usecases.incidents.stored_demotions import stored_demotions
from babysitter.usecases.looking.diagnose_job import OneLook, look_with
from tests.support.app import MARIN
from tests.support.build import NOON, ROOT
from tests.support.clock import FakeClock
from tests.support.cluster import SmallCluster
from tests.support.jobs import job, raw
from tests.support.recordings import rules

LINE = "OSError: [Errno 28] No space left on device"


def called_wrong(folder: Path, rule: str, times: int) -> None:
    async def say() -> None:
        store = await open_store(folder)
        async with store.transaction() as tx:
            for number in range(times):
                name = IncidentId(f"i-{number}")
                label = FeedbackLabel(name, Person("ada"), NOON, was_right=False, rules=(RuleId(rule),))
                await tx.feedback.put(label)
        await store.close()

    asyncio.run(say())


def test_classify_counts_a_demoted_rule_as_a_hint(tmp_path, capsys, monkeypatch):
    log, state = tmp_path / "run.log", tmp_path / "state"
    log.write_text(f"I start\n{LINE}\n")
    monkeypatch.setenv("BABYSIT_STATE_DIR", str(state))
    command = ["classify", str(log), "--state", "failed"]
    assert run([*command, "--json"]) == 0
    before = json.loads(capsys.readouterr().out)["diagnosis"]
    (rule,) = before["rules"]
    called_wrong(state, rule, 2)
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["diagnosis"] == before
    called_wrong(state, rule, 3)
    assert run([*command, "--json"]) == 0
    after = json.loads(capsys.readouterr().out)
    assert after["diagnosis"]["confidence"] < before["confidence"]
    assert any(reason["name"] == f"{rule}.demoted" for reason in after["reasons"])
    assert run(command) == 0
    assert f"Rule {rule} counts as a hint: people called it wrong 3 times" in " ".join(
        capsys.readouterr().out.split()
    )
    monkeypatch.setenv("BABYSIT_MEMORY__DEMOTE_AFTER", "0")
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["diagnosis"] == before


async def test_one_look_counts_a_demoted_rule_as_a_hint():
    clock, cluster = FakeClock(), SmallCluster()
    cluster.jobs[ROOT] = replace(job(ROOT), state=JobState.FAILED, finished_at=NOON)
    cluster.log.append(raw(0, LINE, f"{ROOT}/0"))
    look = OneLook(rules(), Limits(), clock)
    before = await look_with(cluster, ROOT, MARIN, look)
    (rule,) = before.diagnosis.rules
    after = await look_with(cluster, ROOT, MARIN, replace(look, demoted={rule: "counts as a hint"}))
    assert after.diagnosis.confidence < before.diagnosis.confidence
    assert demotion_lines(after.verdict.reasons) == [f"Rule {rule} counts as a hint."]


async def test_no_demotions_without_a_readable_database(tmp_path: Path):
    settings = Settings(state_dir=tmp_path / "state")
    assert await stored_demotions(settings) == {}
    assert not (tmp_path / "state").exists()
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "babysit.db").write_text("not a database")
    assert await stored_demotions(settings) == {}


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

"""`--advise` on the command line: the exchange folder, nothing configured, and output that stays the same."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from babysitter.advisor.consultation import Consultation, Usage
from babysitter.model.opinion import NoOpinion
from babysitter.store.repositories.advisor_budget import AdvicePurpose
from babysitter.store.store import open_store
from babysitter.surfaces.cli.commands import run

CASE = (
    "id: a\nevidence: {job_state: running, logs: 'step 1'}\n"
    "label: {cause: healthy, severity: benign, action: ignore}\n"
)
LOG = "step 10 loss 2.0\nOSError: [Errno 28] No space left on device\n"


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "run.log"
    path.write_text(LOG)
    return path


def test_classify_with_nobody_to_ask(log, capsys):
    assert run(["classify", str(log), "--advise"]) == 2
    assert "--advisor-exchange DIR" in capsys.readouterr().err


def test_classify_through_the_exchange_folder(log, tmp_path, capsys):
    folder = tmp_path / "exchange"
    assert run(["classify", str(log), "--state", "failed"]) == 0
    alone = capsys.readouterr().out
    command = ["classify", str(log), "--state", "failed", "--advisor-exchange", str(folder)]
    assert run(command) == 0
    asked = capsys.readouterr()
    assert asked.out == alone
    assert "No second opinion:" in asked.err
    (request,) = folder.iterdir()
    assert "L2| OSError: [Errno 28] No space left on device" in request.read_text()
    fingerprint = request.name.partition(".")[0]
    given = {
        "cause": "data-error",
        "confidence": 0.7,
        "explanation": "An odd [bold]reading[/bold].",
        "citations": [{"line": "L2", "text": "No space left"}, {"line": "L1", "text": "invented"}],
        "action": "restart-with-change",
    }
    (folder / f"{fingerprint}.answer.json").write_text(json.dumps(given))
    assert run(command) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Second opinion: suspected data-error (confidence 70%). The rules say disk-full.")
    assert "An odd [bold]reading[/bold]." in shown
    assert shown.endswith(alone)
    assert run([*command, "--json"]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["diagnosis"]["cause"] == "disk-full"
    opinion = reply["opinion"]
    assert (opinion["displayed_cause"], opinion["cause"], opinion["dropped_quotes"]) == (
        "data-error",
        "data-error",
        1,
    )
    assert opinion["displayed_action"] == reply["diagnosis"]["action"]


def test_eval_says_what_changed(tmp_path, capsys):
    (tmp_path / "a.yaml").write_text(CASE)
    assert run(["eval", str(tmp_path), "--advisor-exchange", str(tmp_path / "x")]) == 0
    shown = capsys.readouterr().out
    assert "with a second opinion" in shown
    assert "opinions                      0/1 (0%)" in shown


class CostlyAdvisor:
    """Has no opinion, and costs something each time."""

    async def consult(self, *_):
        return Consultation(NoOpinion("It refused."), Usage(2, 1_000, 200, None))


def test_commands_share_the_day_with_the_service(log, tmp_path, capsys, monkeypatch):
    state, settings = tmp_path / "state", tmp_path / "settings.yaml"
    settings.write_text(f"state_dir: {state}\nadvisor: {{api_key: made-up-key, calls_per_day: 5}}\n")
    monkeypatch.setattr(
        "babysitter.usecases.incidents.second_opinion.open_advisor", lambda *_, **__: CostlyAdvisor()
    )
    command = ["classify", str(log), "--state", "failed", "--advise", "--settings", str(settings)]

    async def spent_by_the_service():
        store = await open_store(state)
        async with store.transaction() as tx:
            await tx.advisor.note_free(datetime.now(UTC), AdvicePurpose.INCIDENT)
        await store.close()

    asyncio.run(spent_by_the_service())
    for words in ("It refused", "more than is left of the 5 calls of 24 h"):
        assert run(command) == 0
        assert words in capsys.readouterr().err
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "a.yaml").write_text(CASE)
    assert run(["eval", str(cases), "--advise", "--settings", str(settings)]) == 0
    shown = capsys.readouterr().out
    assert "more than is left of the 5 calls of 24 h" in shown  # the whole day is spent
    assert "kept for incidents" not in shown
    assert run(["status", "--settings", str(settings), "--json"]) == 0
    advisor = json.loads(capsys.readouterr().out)["service"]["advisor"]
    assert (advisor["calls"], advisor["tokens"], advisor["unpriced_calls"]) == (2, 1_200, 2)
    assert run(["status", "--settings", str(settings)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Second opinions: in 24 h 2 calls, 1,200 tokens; the model has no price" in shown


def test_evaluation_leaves_half_of_the_day(log, tmp_path, capsys, monkeypatch):
    state, settings, cases = tmp_path / "state", tmp_path / "settings.yaml", tmp_path / "cases"
    settings.write_text(
        f"state_dir: {state}\nadvisor: {{api_key: made-up-key, calls: 2, calls_per_day: 12}}\n"
    )
    monkeypatch.setattr(
        "babysitter.usecases.incidents.second_opinion.open_advisor", lambda *_, **__: CostlyAdvisor()
    )
    cases.mkdir()
    for number in range(5):
        (cases / f"{number}.yaml").write_text(CASE.replace("id: a", f"id: c{number}"))
    evaluation = ["eval", str(cases), "--advise", "--settings", str(settings), "--json"]
    assert run(evaluation) == 0
    reasons = list(json.loads(capsys.readouterr().out)["advice"]["without"].values())
    assert reasons.count("It refused.") == 3  # 2 calls each
    assert reasons[-1] == (
        "A question may take more than is left of the 6 calls of 24 h. "
        "The rest of the day's limits is kept for incidents (advisor.eval_share)."
    )
    assert run(["classify", str(log), "--state", "failed", "--advise", "--settings", str(settings)]) == 0
    assert "It refused" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["", "  "])
@pytest.mark.parametrize(
    "command",
    [
        ["classify", "run.log"],
        ["diagnose", "/ada/dedup"],
        ["explain", "/ada/dedup"],
        ["eval", "."],
        ["playbook", "new", "--from", "/ada/dedup"],
    ],
    ids=lambda words: words[0],
)
def test_empty_exchange_folder_is_refused(command, value, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run([*command, "--advisor-exchange", value]) == 2
    assert capsys.readouterr().err.startswith("babysit: --advisor-exchange is empty.\n  Name a folder")
    assert list(tmp_path.iterdir()) == []


def test_empty_exchange_setting_is_refused(log, tmp_path, capsys):
    settings = tmp_path / "settings.yaml"
    settings.write_text('advisor: {exchange: ""}\n')
    assert run(["classify", str(log), "--advise", "--settings", str(settings)]) == 2
    assert "settings.yaml, line 1: advisor.exchange: names no folder" in capsys.readouterr().err


def test_evaluation_counts_into_the_day(tmp_path, capsys, monkeypatch):
    settings, case = tmp_path / "settings.yaml", tmp_path / "a.case"
    case.write_text(CASE)
    settings.write_text(f"state_dir: {tmp_path / 'state'}\nadvisor: {{api_key: made-up-key}}\n")
    monkeypatch.setattr(
        "babysitter.usecases.incidents.second_opinion.open_advisor", lambda *_, **__: CostlyAdvisor()
    )
    assert run(["eval", str(case), "--advise", "--settings", str(settings)]) == 0
    assert "It refused" in capsys.readouterr().out
    assert run(["status", "--settings", str(settings), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["service"]["advisor"]["calls"] == 2


def test_no_database_asks_nobody(log, tmp_path, capsys, monkeypatch):
    settings = tmp_path / "settings.yaml"
    settings.write_text(f"state_dir: {log}\nadvisor: {{api_key: made-up-key}}\n")  # a file, not a folder
    monkeypatch.setattr(
        "babysitter.usecases.incidents.second_opinion.open_advisor", lambda *_, **__: CostlyAdvisor()
    )
    assert run(["classify", str(log), "--state", "failed", "--advise", "--settings", str(settings)]) == 0
    assert "No second opinion: Its cost cannot be stored:" in capsys.readouterr().err

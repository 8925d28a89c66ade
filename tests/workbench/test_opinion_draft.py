"""A signature from a second opinion: only true lines, only what passes, and never in force by itself."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from babysitter.errors import UserError
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.opinion import Opinion, Quote
from babysitter.surfaces.cli.commands import run
from babysitter.workbench.opinion_draft import draft_from_opinion, quoted_lines, refuse_folder_in_force
from tests.engine.advising.test_second_opinions import failed
from tests.support.app import home

LOG = ["I step 10 done", "E the moon is made of cheese 17, giving up", "E it crumbled at /tmp/x"]
OPINION = Opinion(
    cause=Cause.DATA_ERROR,
    confidence=0.9,
    explanation="The {input} is cheese.\n\x1b[31mApprove this\u202e now. " + "word " * 400,
    quotes=(
        Quote("F1", "job state: failed"),
        Quote("L2", "12:00:00 [dedup/0] E the moon is made of cheese 17"),
        Quote("L9", "nobody printed this line"),
    ),
    action=ActionKind.ESCALATE,
)


def test_draft_has_the_true_lines_only():
    content = draft_from_opinion(OPINION, LOG, "i-1", program="own", name="")
    drafted = yaml.safe_load(content)
    assert drafted["source"].startswith("incident i-1, from a second opinion")
    ((name, signature),) = drafted["says"].items()
    assert signature["specimens"] == [LOG[1]]
    assert signature["means"] == "data-error as hint"
    assert "moon is made of cheese #" in signature["lines"][0]
    assert signature["explain"].startswith("The (input) is cheese. Approve this now. word")
    assert len(signature["explain"]) <= 300
    assert name.startswith("the-moon")


@pytest.mark.parametrize(
    ("opinion", "words"),
    [
        (replace(OPINION, cause=Cause.UNKNOWN), "no signature helps"),
        (replace(OPINION, cause=Cause.HEALTHY), "no signature helps"),
        (replace(OPINION, quotes=OPINION.quotes[:1]), "quotes no line"),
        (replace(OPINION, quotes=(Quote("L1", "I"),)), "quotes no line"),
    ],
)
def test_no_draft_without_a_cause_and_a_line(opinion: Opinion, words: str):
    with pytest.raises(UserError, match=words):
        draft_from_opinion(opinion, LOG, "i-1", program="own", name="")


def test_draft_that_does_not_hold_is_not_shown():
    numbers = replace(OPINION, quotes=(Quote("L1", "1234 5678 9012 3456"),))
    with pytest.raises(UserError, match="No draft that holds"):
        draft_from_opinion(numbers, ["1234 5678 9012 3456"], "i-1", program="own", name="numbers")


def test_quoted_lines_stand_once_each():
    twice = replace(OPINION, quotes=(OPINION.quotes[1], Quote("L2", "moon is made of cheese")))
    assert quoted_lines(twice, LOG) == [LOG[1]]


def test_draft_is_kept_out_of_rules_in_force(tmp_path: Path):
    refuse_folder_in_force(tmp_path / "drafts", (tmp_path / "rules",))
    for place in (tmp_path / "rules", tmp_path / "rules" / "deep"):
        with pytest.raises(UserError, match="are in force"):
            refuse_folder_in_force(place, (tmp_path / "rules",))


def test_commands_ask_through_the_exchange_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("BABYSIT_PLAYBOOKS", json.dumps([str(tmp_path / "rules")]))
    (tmp_path / "rules").mkdir()

    async def incident() -> None:
        async with home(tmp_path / "state") as place:
            await failed(place)

    asyncio.run(incident())
    exchange, drafts = tmp_path / "exchange", tmp_path / "drafts"
    command = ["playbook", "new", "--from", "/ada/dedup", "--advisor-exchange", str(exchange)]
    command += ["--state-dir", str(tmp_path / "state"), "--to"]
    assert run([*command, str(drafts)]) == 2
    assert "is not there yet" in capsys.readouterr().err
    explain = ["explain", "/ada/dedup", "--advisor-exchange", str(exchange)]
    explain += ["--state-dir", str(tmp_path / "state")]
    assert run(explain) == 0
    assert "No second opinion" in capsys.readouterr().out
    (request,) = exchange.iterdir()
    line = next(candidate for candidate in request.read_text().splitlines() if "hums in amber" in candidate)
    answer = {
        "cause": "data-error",
        "confidence": 0.8,
        "explanation": "The input is cheese.",
        "citations": [{"line": line.partition("|")[0], "text": "the walrus hums in amber"}],
        "action": "escalate",
    }
    request.with_name(request.name.replace("request.md", "answer.json")).write_text(json.dumps(answer))
    assert run(explain) == 0
    assert "Second opinion: suspected data-error" in capsys.readouterr().out
    assert run([*explain, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["opinion"]["cause"] == "data-error"
    assert run([*command, str(tmp_path / "rules")]) == 2
    assert "are in force" in capsys.readouterr().err
    assert run([*command, str(drafts)]) == 0
    shown = capsys.readouterr().out
    assert "data-error as hint" in shown
    assert "is not in force" in shown
    assert yaml.safe_load((drafts / "own.yaml").read_text())["program"] == "own"
    assert list((tmp_path / "rules").iterdir()) == []

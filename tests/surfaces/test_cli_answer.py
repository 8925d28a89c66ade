"""Answers that do not count, and names that nobody knows: one sentence, the next step, the exit code."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.model.ids import IncidentId, ProposalId
from babysitter.model.incident import IncidentKey
from babysitter.model.proposal import Answer, Decision, ProposalStatus, Surface
from babysitter.policy.respond import offer_of
from babysitter.store.store import open_store
from babysitter.surfaces.cli.commands import run
from babysitter.surfaces.cli.terminal.options import me
from tests.support.build import NOON, ROOT, case, diagnosis, verdict, watch

INCIDENT = IncidentId("i-1")
ASK_AGAIN = "`babysit propose JOB --why REASON` asks again."


async def stored(folder: Path, status: ProposalStatus) -> ProposalId:
    """A proposal in a new database that was answered, or cannot be answered any more."""
    store, found = await open_store(folder), diagnosis()
    offer = replace(offer_of(case(verdict(found)), INCIDENT, found), may_approve=(me(),))
    answers = {ProposalStatus.APPROVED: Answer.YES, ProposalStatus.DENIED: Answer.NO}
    async with store.transaction() as tx:
        await tx.watches.add(watch())
        await tx.incidents.open_incident(
            INCIDENT, IncidentKey(watch().id, found.cause, ROOT), found, now=NOON
        )
        await tx.incidents.add_proposal(offer)
        if status in answers:
            await tx.incidents.decide_once(Decision(offer.id, me(), answers[status], Surface.TERMINAL, NOON))
        else:
            await tx.incidents.set_proposal(offer.id, status, because="the job recovered")
    await store.close()
    return offer.id


@pytest.mark.parametrize(
    ("status", "command", "code", "told"),
    [
        (ProposalStatus.DENIED, "approve", 5, ("Already denied by", ASK_AGAIN)),
        (ProposalStatus.DENIED, "deny", 0, ("Already denied by",)),
        (ProposalStatus.APPROVED, "deny", 5, ("Already approved by", "`babysit status` shows what became")),
        (ProposalStatus.APPROVED, "approve", 0, ("Already approved by",)),
        (ProposalStatus.WITHDRAWN, "approve", 5, ("was withdrawn: the job recovered", ASK_AGAIN)),
        (ProposalStatus.UNANSWERED, "snooze", 5, ("expired unanswered", ASK_AGAIN)),
    ],
)
def test_answer_to_a_decided_proposal(tmp_path, capsys, monkeypatch, status, command, code, told):
    monkeypatch.setenv("HOME", str(tmp_path))
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    proposal = asyncio.run(stored(tmp_path / "state", status))
    words = [command, proposal, "--state-dir", str(tmp_path / "state")]
    assert run(words) == code
    printed = capsys.readouterr()
    assert all(part in printed.out + printed.err for part in told)
    assert "it is started" not in printed.err
    if command == "deny":
        assert run([*words, "--json"]) == code
        assert json.loads(capsys.readouterr().out)["accepted"] is False


@pytest.mark.parametrize(
    ("words", "sentence", "next_step"),
    [
        ("explain i-none", "Nothing named 'i-none' is being watched.", "babysit list"),
        ("explain /ada/none", "Nothing named '/ada/none' is being watched.", "babysit list"),
        ("incidents --like i-none", "No incident has the id 'i-none'.", "babysit incidents"),
        ("deny p-none", "There is no proposal 'p-none'.", "babysit status"),
    ],
)
def test_unknown_names(tmp_path, capsys, monkeypatch, words: str, sentence: str, next_step: str):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run([*words.split(), "--state-dir", str(tmp_path / "state")]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert (first, next_step in second) == (f"babysit: {sentence}", True)

"""Questions and answers as files: what is written, and what a hostile answer can do (nothing)."""

import json
import os
from pathlib import Path

import pytest

from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.exchange import ExchangeFolder
from babysitter.advisor.material import Material
from babysitter.advisor.question import ask_about
from babysitter.errors import UserError
from babysitter.model.opinion import NoOpinion, Opinion

MATERIAL = Material(("job state: failed",), ("OSError: No space left on device",))
QUESTION = ask_about(build_pack(MATERIAL))
GOOD = {
    "fingerprint": QUESTION.fingerprint,
    "cause": "disk-full",
    "confidence": 0.9,
    "explanation": "The disk is full.",
    "citations": [{"line": "L1", "text": "No space left on device"}],
    "action": "restart-with-change",
}
ANSWER = f"{QUESTION.fingerprint}.answer.json"
REQUEST = f"{QUESTION.fingerprint}.request.md"


async def consult(folder: Path) -> Opinion | NoOpinion:
    return (await ExchangeFolder(folder).consult(QUESTION, MATERIAL)).opinion


async def test_exchange_writes_the_request_and_nothing_else(tmp_path):
    found = await consult(tmp_path / "new")
    assert found == NoOpinion(
        f"{ANSWER} is not there yet. Write it beside {REQUEST}, which has the question."
    )
    assert [path.name for path in (tmp_path / "new").iterdir()] == [REQUEST]
    assert (tmp_path / "new" / REQUEST).read_text() == QUESTION.text


async def test_exchange_reads_the_answer(tmp_path):
    (tmp_path / ANSWER).write_text(json.dumps(GOOD))
    found = await consult(tmp_path)
    assert isinstance(found, Opinion)
    assert (found.cause, found.fingerprint) == ("disk-full", QUESTION.fingerprint)


async def test_answer_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / ANSWER).write_bytes(json.dumps(GOOD).encode("utf-8-sig"))
    assert isinstance(await consult(tmp_path), Opinion)


async def test_exchange_repairs_a_request_that_was_cut(tmp_path):
    (tmp_path / REQUEST).write_text(QUESTION.text[:100])
    await consult(tmp_path)
    (tmp_path / REQUEST).write_text(QUESTION.text + "more")
    await consult(tmp_path)
    assert (tmp_path / REQUEST).read_text() == QUESTION.text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b" ", "is empty."),
        (
            b'{"cause":\n}',
            "is not JSON from line 2, column 1 on. It must hold one JSON object and nothing else.",
        ),
        (json.dumps({**GOOD, "cause": "x"}).encode(), "cause: not one of the ids that the request lists."),
        (json.dumps({**GOOD, "citations": []}).encode(), "It quotes nothing."),
        (b"[]", "the answer: It must be one JSON object."),
        (b"[" * 60_000, "is not JSON. It must hold one JSON object and nothing else."),
        (b'{"cause": "\xff"}', "is not in UTF-8. Write it again in this encoding."),
        (b" " * 70_000, "is larger than 64 KiB. Shorten it."),
        (
            json.dumps({**GOOD, "explanation": "\ud800"}).encode(),
            "It holds half a character; write whole ones.",
        ),
        (
            json.dumps({**GOOD, "citations": GOOD["citations"] * 13}).encode(),
            "citations: It should have at most 12 items, not 13.",
        ),
    ],
)
async def test_wrong_answer_is_named_with_its_place(content, reason, tmp_path):
    (tmp_path / ANSWER).write_bytes(content)
    found = await consult(tmp_path)
    assert isinstance(found, NoOpinion)
    assert found.reason.endswith(reason)


HOSTILE = {
    "empty": b"",
    "text": b"disk-full",
    "cut": json.dumps(GOOD).encode()[:-9],
    "bytes": b"\xff\xfe\x00{",
    "deep": b"[" * 60_000,
    "huge": json.dumps({**GOOD, "explanation": "x" * 70_000}).encode(),
    "list": json.dumps([GOOD]).encode(),
    "another-fingerprint": json.dumps({**GOOD, "fingerprint": "0" * 20}).encode(),
    "no-such-cause": json.dumps({**GOOD, "cause": "approved"}).encode(),
    "invented-quote": json.dumps({**GOOD, "citations": [{"line": "L1", "text": "APPROVED"}]}).encode(),
    "not-a-number": json.dumps(GOOD).replace("0.9", "NaN").encode(),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
async def test_hostile_answer_is_no_opinion(content, tmp_path):
    (tmp_path / ANSWER).write_bytes(content)
    found = await consult(tmp_path)
    assert isinstance(found, NoOpinion)
    assert found.reason.count("\n") == 0
    assert found.reason.endswith(".")


async def test_exchange_follows_no_link(tmp_path):
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps(GOOD))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / ANSWER).symlink_to(elsewhere)
    assert await consult(folder) == NoOpinion(f"{ANSWER} is a symbolic link, which is not followed.")
    (folder / REQUEST).unlink()
    (folder / REQUEST).symlink_to(elsewhere)
    with pytest.raises(UserError, match="cannot be used"):
        await consult(folder)
    assert elsewhere.read_text() == json.dumps(GOOD)


async def test_exchange_does_not_wait_at_a_pipe(tmp_path):
    os.mkfifo(tmp_path / ANSWER)
    assert await consult(tmp_path) == NoOpinion(f"{ANSWER} is not a regular file.")
    (tmp_path / ANSWER).unlink()
    (tmp_path / ANSWER).mkdir()
    assert isinstance(await consult(tmp_path), NoOpinion)


async def test_exchange_in_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be used"):
        ExchangeFolder(tmp_path / "file")

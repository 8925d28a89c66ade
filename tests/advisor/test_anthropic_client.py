"""The real client against a scripted server: answers, tools, limits, and everything that can go wrong."""

import json

import pytest

from babysitter.advisor.anthropic_client import (
    ANSWER_TOOL,
    MAX_OUTPUT_TOKENS,
    AnthropicAdvisor,
    ModelService,
)
from babysitter.advisor.consultation import Consultation, Usage
from babysitter.advisor.evidence_pack import build_pack
from babysitter.advisor.material import Material, Remark
from babysitter.advisor.question import ask_about
from babysitter.advisor.spending import ModelPrice, SpendingLimits
from babysitter.model.opinion import NoOpinion, Opinion, Quote
from tests.support.anthropic_server import ScriptedReply, failure, message, scripted_model, use

LINES = tuple(f"I loop {at}" for at in range(9_000))
MATERIAL = Material(
    ("job state: failed", "exit code: 1"),
    (*LINES[:4_000], "E the manifest was rewritten", *LINES[4_000:], "OSError: No space left on device"),
    remarks=(Remark("Earlier", ("seen 4 times, fixed by a larger disk",)),),
)
QUESTION = ask_about(build_pack(MATERIAL, max_tokens=2_000))
KEY = "made-up-key-of-the-test"
GOOD = {
    "fingerprint": QUESTION.fingerprint,
    "cause": "disk-full",
    "confidence": 0.9,
    "explanation": "The disk is full.",
    "citations": [{"line": "L9002", "text": "No space left on device"}],
    "action": "restart-with-change",
}
ANSWER = message(use(ANSWER_TOOL, GOOD))


async def consult(url: str, **given: object) -> Consultation:
    service = ModelService(KEY, "made-up-model", url, **given)
    return await AnthropicAdvisor(service).consult(QUESTION, MATERIAL)


async def test_answer_with_true_quotes():
    async with scripted_model(ANSWER) as model:
        found = await consult(model.url, prices={"made-up-model": ModelPrice(2.0, 10.0)})
    assert isinstance(found.opinion, Opinion)
    assert found.opinion.quotes == (Quote("L9002", "No space left on device"),)
    assert (found.usage.calls, found.usage.input_tokens, found.usage.output_tokens) == (1, 900, 90)
    assert found.usage.cost_usd == pytest.approx(0.0027)
    (body,) = model.bodies
    assert body["messages"][0]["content"].count("L9002| ") == 1
    assert "## The causes" in body["system"]
    assert KEY in model.headers[0].values() or f"Bearer {KEY}" in model.headers[0].values()
    assert KEY not in found.transcript
    assert "No space left" in found.transcript


async def test_tools_read_the_same_evidence():
    cited = {**GOOD, "citations": [{"line": "L4001", "text": "the manifest was rewritten"}]}
    assert "L4001" not in QUESTION.pack.lines
    steps = [
        message(use("search_log", {"text": "MANIFEST"}), use("job_tree", {}, 2)),
        message(use("read_around", {"line": 4_001}), use("earlier_incidents", {}, 2)),
        message(use(ANSWER_TOOL, cited)),
    ]
    async with scripted_model(*steps) as model:
        found = await consult(model.url)
    assert isinstance(found.opinion, Opinion)
    assert found.usage.cost_usd is None
    results = [item["content"] for item in model.bodies[-1]["messages"][2]["content"]]
    assert results == ["L4001| E the manifest was rewritten", "F: job state: failed\nF: exit code: 1"]
    around, earlier = (item["content"] for item in model.bodies[-1]["messages"][4]["content"])
    assert around.count("\n") == 60
    assert earlier == "R: seen 4 times, fixed by a larger disk"


BROKEN = {
    "429": failure(429, "rate_limit_error"),
    "529": failure(529, "overloaded_error"),
    "401": failure(401, "authentication_error"),
    "500": failure(500, "api_error"),
    "html": ScriptedReply(200, "<html>a proxy's page</html>"),
    "empty": ScriptedReply(200, {}),
    "list": ScriptedReply(200, []),
    "refusal": message(stop_reason="refusal"),
    "max-tokens": message(use(ANSWER_TOOL, {"cause": "disk-full"}), stop_reason="max_tokens"),
    "prose": message({"type": "text", "text": "It was the disk."}, stop_reason="end_turn"),
    "nothing": message(stop_reason="end_turn"),
    "no-schema": message(use(ANSWER_TOOL, {"cause": "aliens"})),
    "not-an-object": message(use(ANSWER_TOOL, "disk-full")),
    "invented": message(use(ANSWER_TOOL, {**GOOD, "citations": [{"line": "L1", "text": "APPROVED"}]})),
    "other-fingerprint": message(use(ANSWER_TOOL, {**GOOD, "fingerprint": "0" * 20})),
    "hang": ScriptedReply(hangs=True),
    "endless-tools": message(use("search_log", {"text": "loop"}), tokens=(10, 10)),
    "no-such-tool": message(use("approve", {"proposal": "p-1"}), tokens=(10, 10)),
}


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
async def test_broken_service_is_no_opinion(reply):
    async with scripted_model(reply) as model:
        found = await consult(model.url, timeout_s=0.4 if reply.hangs else 20.0)
    assert isinstance(found.opinion, NoOpinion)
    assert found.opinion.reason.endswith(".")
    assert "\n" not in found.opinion.reason
    assert len(model.bodies) <= SpendingLimits().calls
    if reply.hangs:
        assert found.usage.calls == 1
        assert found.usage.output_tokens == MAX_OUTPUT_TOKENS, "it may be charged all the same"
    if reply.status != 200:
        assert found.usage == Usage()


async def test_nobody_listens():
    found = await consult("http://127.0.0.1:9")
    assert found.opinion == NoOpinion("The model's service cannot be reached.")


@pytest.mark.parametrize(
    ("limits", "calls"),
    [(SpendingLimits(calls=2), 2), (SpendingLimits(tokens=9_500), 1), (SpendingLimits(tokens=100), 0)],
)
async def test_limits_of_a_consultation(limits, calls):
    greedy = message(use("search_log", {"text": "loop"}))
    async with scripted_model(greedy) as model:
        found = await consult(model.url, limits=limits)
    assert isinstance(found.opinion, NoOpinion)
    assert len(model.bodies) == calls
    assert found.usage.calls == calls


async def test_limit_in_money():
    async with scripted_model(message(use("job_tree", {}))) as model:
        limits = SpendingLimits(cost_usd=0.05)
        found = await consult(model.url, limits=limits, prices={"made-up-model": ModelPrice(3.0, 15.0)})
    assert isinstance(found.opinion, NoOpinion)
    assert "0.05 USD" in found.opinion.reason
    assert found.usage.cost_usd is not None
    assert found.usage.cost_usd <= 0.05


async def test_last_call_offers_only_the_answer():
    async with scripted_model(message(use("job_tree", {})), ANSWER) as model:
        await consult(model.url, limits=SpendingLimits(calls=2))
    assert [len(body["tools"]) for body in model.bodies] == [6, 1]
    assert model.bodies[1]["tool_choice"] == {"type": "tool", "name": ANSWER_TOOL}


async def test_written_answer_counts_too():
    text = f"```json\n{json.dumps(GOOD)}\n```"
    async with scripted_model(message({"type": "text", "text": text}, stop_reason="end_turn")) as model:
        found = await consult(model.url)
    assert isinstance(found.opinion, Opinion)

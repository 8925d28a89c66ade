"""What is peculiar to Slack: metadata, surplus, refused forms, lost threads, mentions."""

import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from babysitter.model.ids import MessageId
from babysitter.model.message import (
    Button,
    ButtonKind,
    Message,
    MessageContent,
    MessageKind,
)
from babysitter.notify.notifier import NotifyError, Receipt
from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.workspace import Grant
from babysitter.slack.posting import SlackNotifier, open_client
from tests.notify.hostile import HARMFUL

WORDS = MessageContent(
    "Zombie coordinator: dedup", "It has stopped working.", severity="fatal", evidence=("line",)
)


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
def notifier(server: SlackServer) -> SlackNotifier:
    return SlackNotifier(
        open_client(server.bot_token, base_url=server.base_url), "C0JOBS", on_call="S0ONCALL"
    )


def message(number: int = 1, words: MessageContent = WORDS, **changes: object) -> Message:
    values: dict[str, object] = {
        "id": MessageId(f"m-{number}"),
        "conversation": "w-1",
        "occasion": MessageKind.INCIDENT,
        "words": words,
        "created_at": datetime(2026, 11, 20, 12, tzinfo=UTC),
    }
    return Message(**(values | changes))  # type: ignore[arg-type]


def long_words(lines: int) -> MessageContent:
    return MessageContent(
        "Trouble", "It is stuck.", evidence=tuple(f"{n:04d} " + "x" * 900 for n in range(lines))
    )


async def test_metadata_carries_the_outbox_id_and_survives_edits(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    receipt = await notifier.post(message(metadata={"incident": "i-1"}), thread=None, is_repeat=False)
    await notifier.edit(receipt, message(2))
    (posted,) = server.messages
    assert posted.metadata["event_payload"] == {"id": "m-1", "part": 0, "incident": "i-1"}
    assert len(server.edits) == 1


async def test_surplus_follows_as_replies_once(server: SlackServer, notifier: SlackNotifier) -> None:
    words = long_words(5)
    receipt = await notifier.post(message(words=words), thread=None, is_repeat=False)
    await notifier.post(message(words=words), thread=None, is_repeat=True)
    root, *replies = server.messages
    assert [reply.thread_ts for reply in replies] == [root.ts, root.ts]
    assert receipt.handle == root.ts
    assert all(f"{n:04d} " in str([reply.blocks for reply in replies]) for n in range(5))


async def test_much_surplus_follows_as_one_file(server: SlackServer, notifier: SlackNotifier) -> None:
    words = long_words(8)
    root = await notifier.post(message(0), thread=None, is_repeat=False)
    await notifier.post(message(words=words), thread=root, is_repeat=False)
    await notifier.post(message(words=words), thread=root, is_repeat=True)
    (file,) = server.files
    assert file.thread_ts == root.handle
    assert all(line in file.content.decode() for line in words.evidence)


async def test_a_failing_surplus_leaves_a_doubt_and_the_repeat_adds_only_what_is_missing(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    server.faults.delay("chat.postMessage", seconds=0)
    server.faults.rate_limit("chat.postMessage", retry_after_s=3)
    with pytest.raises(NotifyError) as caught:
        await notifier.post(message(words=long_words(5)), thread=None, is_repeat=False)
    assert caught.value.is_doubtful
    assert caught.value.retry_after_s == 3
    await notifier.post(message(words=long_words(5)), thread=None, is_repeat=True)
    assert [other.metadata["event_payload"]["part"] for other in server.messages] == [0, 1, 2]


async def test_without_the_right_to_upload_the_card_still_stands(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    server.workspace.tokens[server.bot_token] = Grant("bot", frozenset({"chat:write", "channels:history"}))
    await notifier.post(message(words=long_words(8)), thread=None, is_repeat=False)
    assert len(server.messages) == 1
    assert server.files == []


async def test_a_form_that_slack_refuses_is_said_plainly_with_its_buttons(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    server.faults.error("chat.postMessage", "invalid_blocks")
    buttons = (Button(ButtonKind.APPROVE, "p-1"),)
    await notifier.post(message(buttons=buttons), thread=None, is_repeat=False)
    card = server.messages[0]
    assert [button["value"] for button in card.buttons] == ["p-1"]
    assert "It has stopped working." in card.text


async def test_a_thread_that_is_gone_becomes_a_new_message(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    receipt = await notifier.post(message(), thread=Receipt("C0JOBS", "1700000000.000100"), is_repeat=False)
    assert server.messages[0].ts == receipt.handle
    assert receipt.thread == ""


async def test_escalations_mention_the_on_call_once_and_edits_do_not(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    receipt = await notifier.post(message(mentions_on_call=True), thread=None, is_repeat=False)
    assert server.messages[0].text.startswith("<!subteam^S0ONCALL> ")
    await notifier.edit(receipt, message(mentions_on_call=True))
    assert "subteam" not in server.messages[0].text


@pytest.mark.parametrize(
    ("code", "is_final", "says"),
    [
        ("invalid_auth", False, "babysit slack check"),
        ("channel_not_found", False, "/invite"),
        ("not_in_channel", False, "/invite"),
        ("missing_scope", False, "babysit slack manifest"),
        ("is_archived", False, "archived"),
        ("cant_update_message", True, "refuses"),
        ("internal_error", False, "could not"),
    ],
)
async def test_what_a_person_can_mend_waits_and_what_nobody_can_is_final(
    server: SlackServer, notifier: SlackNotifier, code: str, is_final: bool, says: str
) -> None:
    server.faults.error("chat.postMessage", code)
    with pytest.raises(NotifyError) as caught:
        await notifier.post(message(), thread=None, is_repeat=False)
    assert caught.value.is_final is is_final
    assert says in caught.value.sentence


async def test_slack_out_of_reach_is_no_doubt(server: SlackServer, notifier: SlackNotifier) -> None:
    await server.stop()
    with pytest.raises(NotifyError) as caught:
        await notifier.post(message(), thread=None, is_repeat=False)
    assert not caught.value.is_doubtful
    assert not caught.value.is_final


async def test_poke_touches_the_newest_message_and_changes_nothing_that_shows(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    assert not await notifier.poke()
    await notifier.post(message(), thread=None, is_repeat=False)
    before = server.messages[0].blocks
    assert await notifier.poke()
    assert len(server.edits) == 1
    after = [
        {key: value for key, value in block.items() if key != "block_id"} for block in server.edits[0].blocks
    ]
    assert after == before


async def test_poke_after_a_restart_finds_an_old_message(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    await notifier.post(message(), thread=None, is_repeat=False)
    reborn = SlackNotifier(open_client(server.bot_token, base_url=server.base_url), "C0JOBS")
    assert await reborn.poke()
    assert server.messages[0].metadata["event_payload"]["id"] == "m-1"


async def test_more_evidence_is_a_reply_in_the_thread(server: SlackServer, notifier: SlackNotifier) -> None:
    root = await notifier.post(message(), thread=None, is_repeat=False)
    await notifier.say_more("C0JOBS", root.handle, "More evidence", ("<!channel> x", "y" * 5_000))
    assert server.messages[1].thread_ts == root.handle
    assert "<!channel>" not in str(server.messages[1].blocks)


async def test_what_one_person_is_told_mentions_only_who_decided(
    server: SlackServer, notifier: SlackNotifier
) -> None:
    await notifier.tell("C0JOBS", "U0ADA", "Already approved by U0BOB at 12:00. <!channel>", thread="")
    assert server.ephemerals[0].text.startswith("Already approved by <@U0BOB> at 12:00. &lt;")
    assert "<!" not in server.ephemerals[0].text


@pytest.mark.parametrize("harm", HARMFUL)
async def test_what_arrives_in_slack_is_harmless(
    server: SlackServer, notifier: SlackNotifier, harm: str
) -> None:
    words = MessageContent(
        harm, harm, evidence=(harm,) * 8, commands=(harm,), fields=((harm, harm),), footer=harm
    )
    receipt = await notifier.post(message(words=words), thread=None, is_repeat=False)
    await notifier.edit(receipt, message(words=words))
    posted = json.dumps([[other.text, other.blocks] for other in server.messages], ensure_ascii=False)
    posted += "".join(file.content.decode() for file in server.files)
    assert not re.search(r"<(?:[!@#]|https?:|mailto:|www)", posted)
    assert server.messages[0].buttons == []

"""The manifest asks for little; the check finds every fault that a newcomer makes, and says what to mend."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from babysitter.clock import SystemClock
from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.workspace import BOT_SCOPES, Grant
from babysitter.slack.manifest import EVENTS, SCOPES, as_yaml, manifest
from babysitter.slack.posting import open_client
from babysitter.slack.setup_check import SetupCheckSettings, SetupProblem, SlackCheck
from babysitter.surfaces.cli.commands import run
from tests.support.controller import http, liar, saying
from tests.support.waiting import HANG_S


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as slack:
        yield slack


async def check(slack: SlackServer, *, press: bool = True, **changes: object) -> list[SetupProblem]:
    values: dict[str, object] = {
        "bot_token": slack.bot_token,
        "app_token": slack.app_token,
        "channel": "C0JOBS",
        "press_within_s": HANG_S if press else 0.0,
        "echo_within_s": HANG_S,
    }
    settings = SetupCheckSettings(**(values | changes))  # type: ignore[arg-type]
    client = open_client(settings.bot_token, base_url=slack.base_url)
    clicks: list[asyncio.Task[object]] = []

    def told_to_press(_sentence: str) -> None:
        clicks.append(asyncio.ensure_future(slack.click("U0ADA", "was-right")))

    found = await SlackCheck(client, settings, SystemClock(), waiting=told_to_press).run()
    await asyncio.gather(*clicks)
    return found


def fault(found: list[SetupProblem]) -> SetupProblem:
    (faulty,) = [problem for problem in found if not problem.holds]
    return faulty


async def test_a_good_set_up_makes_the_whole_round_trip(slack: SlackServer) -> None:
    found = await check(slack, approvers=("U0ADA",))
    assert [problem.what for problem in found] == [
        "bot token",
        "approver U0ADA",
        "socket",
        "channel C0JOBS",
        "events",
        "button",
        "edit",
    ]
    assert all(problem.holds for problem in found)
    (probe,) = slack.messages
    assert probe.text == "It works: pressed by <@U0ADA>."
    assert probe.buttons == []


async def test_a_revoked_token(slack: SlackServer) -> None:
    faulty = fault(await check(slack, bot_token="xoxb-wrong"))
    assert (faulty.what, "does not accept" in faulty.detail) == ("bot token", True)


@pytest.mark.parametrize("scope", sorted(SCOPES))
async def test_every_missing_scope_is_named_with_its_reason(slack: SlackServer, scope: str) -> None:
    slack.workspace.tokens[slack.bot_token] = Grant("bot", BOT_SCOPES - {scope})
    faulty = fault(await check(slack))
    assert f"{scope} ({SCOPES[scope]})" in faulty.detail
    assert "install the app again" in faulty.mend


async def test_a_channel_without_the_app(slack: SlackServer) -> None:
    slack.workspace.add_channel("C0OUT", "out", has_bot=False)
    faulty = fault(await check(slack, channel="C0OUT"))
    assert faulty.what == "channel C0OUT"
    assert "/invite" in faulty.detail


async def test_a_wrong_app_token(slack: SlackServer) -> None:
    faulty = fault(await check(slack, app_token=slack.bot_token, press=False))
    assert faulty.what == "socket"
    assert "connections:write" in faulty.mend


async def test_approvers_who_cannot_approve(slack: SlackServer) -> None:
    slack.workspace.person("U0ROBOT", is_bot=True)
    slack.workspace.groups["S0EMPTY"] = []
    found = await check(slack, approvers=("U0ROBOT", "S0EMPTY", "S0NONE", "U0NOBODY"), press=False)
    assert [problem.what for problem in found if not problem.holds] == [
        "approver U0ROBOT",
        "approver S0EMPTY",
        "approver S0NONE",
        "approver U0NOBODY",
    ]


async def test_events_not_subscribed(slack: SlackServer) -> None:
    slack.subscriptions.clear()
    faulty = fault(await check(slack, press=False, echo_within_s=0.1))
    assert faulty.what == "events"
    assert "message.channels" in faulty.mend


async def test_nobody_presses(slack: SlackServer) -> None:
    settings = SetupCheckSettings(slack.bot_token, slack.app_token, "C0JOBS", press_within_s=0.1)
    client = open_client(slack.bot_token, base_url=slack.base_url)
    faulty = fault(await SlackCheck(client, settings, SystemClock()).run())
    assert "Interactivity" in faulty.mend
    assert slack.messages[0].buttons == []


async def test_a_second_connection_is_mentioned(slack: SlackServer) -> None:
    client = open_client(slack.bot_token, base_url=slack.base_url)
    url = (await client.apps_connections_open(app_token=slack.app_token))["url"]
    import aiohttp

    async with aiohttp.ClientSession() as session, session.ws_connect(url):
        found = await check(slack, press=False)
    assert any("1 more connected" in problem.detail for problem in found)


def test_the_manifest_asks_for_what_is_used_and_nothing_else() -> None:
    built = manifest()
    assert set(built["oauth_config"]["scopes"]["bot"]) == set(SCOPES) == set(BOT_SCOPES)
    assert built["settings"]["event_subscriptions"]["bot_events"] == sorted(EVENTS)
    assert built["settings"]["socket_mode_enabled"]
    assert yaml.safe_load(as_yaml(built)) == built


def test_the_manifest_for_http() -> None:
    built = manifest(name="watcher", request_url="https://example.org/slack")
    assert built["settings"]["interactivity"]["request_url"] == "https://example.org/slack"
    assert not built["settings"]["socket_mode_enabled"]
    assert "event_subscriptions" not in built["settings"]


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["slack", "manifest", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == manifest()
    assert run(["slack", "manifest", "--request-url", "http://example.org"]) == 2
    assert "https" in capsys.readouterr().err


async def test_the_command_checks_what_the_settings_say(
    slack: SlackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_text(slack.bot_token)
    file = tmp_path / "config.yaml"
    file.write_text(
        f"slack: {{bot_token_file: {tmp_path / 'token'}, app_token: {slack.app_token}, channel: C0JOBS, "
        f"api_url: '{slack.base_url}'}}\napprovers: [U0ADA, ada@laptop]\n"
    )
    assert await asyncio.to_thread(run, ["slack", "check", "--settings", str(file), "--wait", "0"]) == 0
    told = capsys.readouterr().out
    assert "ok   approver U0ADA" in told
    assert "ada@laptop" not in told
    assert "ok   events: our own messages come back" in told


@pytest.mark.parametrize(
    "answer", [b"<html>Log in</html>", b"null", b"[]", b"{}", b"\xff\xfe\x00", b'{"ok": tr']
)
async def test_something_else_in_slacks_place_gets_a_sentence(
    answer: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    async with liar(saying(http(answer))) as url:
        arguments = [
            "slack",
            "check",
            "--api",
            f"{url}/api/",
            "--channel",
            "C1",
            "--bot-token",
            "xoxb-made-up",
        ]
        assert await asyncio.to_thread(run, arguments) == 3
    assert "makes no sense" in (told := capsys.readouterr().out) or "not understood" in told


async def test_doctor_asks_slack_whether_the_token_is_good(
    slack: SlackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.yaml"
    for token, told in ((slack.bot_token, "ok    slack"), ("xoxb-wrong", "FAIL  slack")):
        file.write_text(f"slack: {{bot_token: {token}, channel: C0JOBS, api_url: '{slack.base_url}'}}\n")
        arguments = ["doctor", "--settings", str(file), "--state-dir", str(tmp_path / "state")]
        assert await asyncio.to_thread(run, arguments) == 1
        said = capsys.readouterr().out
        assert told in said, said


async def test_the_command_checks(slack: SlackServer, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["slack", "check", "--api", slack.base_url, "--channel", "C0JOBS", "--wait", "0"]
    good = [*arguments, "--bot-token", slack.bot_token, "--app-token", slack.app_token]
    assert await asyncio.to_thread(run, good) == 0
    assert "ok   events: our own messages come back" in capsys.readouterr().out
    bad = [*arguments, "--json", "--bot-token", "xoxb-wrong"]
    assert await asyncio.to_thread(run, bad) == 3
    assert json.loads(capsys.readouterr().out)["findings"][0]["holds"] is False

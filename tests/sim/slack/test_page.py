"""The page of the simulated workspace: shows what Slack would show, and its buttons press."""

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from babysitter.sim.slack import SlackServer
from babysitter.sim.slack.page import mrkdwn


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*bold* &lt;b&gt; &amp;amp;", "<b>bold</b> &lt;b&gt; &amp;amp;"),
        ("<!channel>", '<span class="mention">@channel</span>'),
        ("<https://example.org|x>", '<a href="#">x</a>'),
        ("<!date^1^{time}|noon>", "noon"),
        ("&lt;script&gt;", "&lt;script&gt;"),
    ],
)
def test_markup(text: str, html: str) -> None:
    assert mrkdwn(text) == html


async def test_the_page_shows_messages_and_escapes_them(slack: SlackServer, client: AsyncWebClient) -> None:
    block = {"type": "section", "text": {"type": "plain_text", "text": "<script>alert(1)</script>"}}
    await client.chat_postMessage(channel="C0JOBS", text="x", blocks=[block])
    await client.chat_postEphemeral(channel="C0JOBS", user="U0ADA", text="for ada only")
    async with aiohttp.ClientSession() as session:
        mine = await (await session.get(f"{slack.address}/?user=U0ADA")).text()
        yours = await (await session.get(f"{slack.address}/?user=U0BOB")).text()
    assert "&lt;script&gt;" in mine
    assert "<script>" not in mine
    assert "for ada only" in mine
    assert "for ada only" not in yours


async def test_another_site_cannot_press(slack: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        answer = await session.post(f"{slack.address}/press", headers={"Origin": "http://evil.example"})
    assert answer.status == 403

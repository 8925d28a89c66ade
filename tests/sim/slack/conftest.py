from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from babysitter.sim.slack import SlackServer


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
def client(slack: SlackServer) -> AsyncWebClient:
    """The real client, without its own retries, so that every answer is seen."""
    return AsyncWebClient(token=slack.bot_token, base_url=slack.base_url, retry_handlers=[])

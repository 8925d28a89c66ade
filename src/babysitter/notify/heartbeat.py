"""Send one heartbeat over HTTP. See engine/telling/dead_mans_switch.py."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from babysitter.errors import Unreachable

if TYPE_CHECKING:
    import aiohttp

TIMEOUT_S = 10.0


class HeartbeatSender:
    """Asks for one URL. The URL is a secret: only its host is ever shown."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._host = urlsplit(url).hostname or "the heartbeat's host"
        self._session: aiohttp.ClientSession | None = None

    async def send(self) -> None:
        """GET the URL; any status below 400 is a success. Harmless to repeat. Raises Unreachable in 10 s."""
        import aiohttp

        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT_S))
        try:
            async with self._session.get(self._url) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as fault:
            raise Unreachable(
                f"The heartbeat to {self._host} cannot be sent ({type(fault).__name__}).",
                next_step="Check heartbeat.url, and that this host can reach it.",
            ) from fault
        if status >= 400:
            raise Unreachable(
                f"The heartbeat to {self._host} is refused with status {status}.",
                next_step="Check heartbeat.url.",
            )

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

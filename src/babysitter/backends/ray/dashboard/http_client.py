"""Requests to a Ray dashboard and to the agents of its nodes, with limits on time and size.

Every failure to get an answer becomes an error of babysitter.errors. Statuses are for the caller to judge:
Ray uses 500 for missing files, dead nodes and gone processes alike.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Protocol

import aiohttp

from babysitter.backends.connection_fault import describe_fault
from babysitter.errors import InvalidResponse, NotAuthorised, Unreachable
from babysitter.waits import waiting_for

REQUEST_LIMIT_S = 10.0  # job routes hang while the GCS is dead
CONNECT_TIMEOUT_S = 5.0
MAX_BODY_BYTES = 16 << 20
SEND_LIMIT_S = 30.0
JSON, ZIP = "application/json", "application/zip"
_USER_AGENT = "babysit"  # Ray 2.49 fails without one, and refuses browsers

Query = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class RayAnswer:
    """`total_bytes`: size of the whole file where a part of it was asked for; `modified_ms`: its age."""

    status: int
    body: bytes
    begin: int = 0
    total_bytes: int | None = None
    modified_ms: int = 0

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def last_line(self) -> str:
        """The end of an error text: of a traceback, its exception."""
        lines = [line.strip() for line in self.text.splitlines() if any(map(str.isalnum, line))]
        return lines[-1][:300] if lines else f"status {self.status} without a word"


class RayTransport(Protocol):
    """How the reader asks. `place` is shown to people."""

    @property
    def place(self) -> str: ...

    async def get(
        self,
        path: str,
        query: Query = (),
        *,
        base: str = "",
        part: str = "",
        limit_s: float = REQUEST_LIMIT_S,
    ) -> RayAnswer:
        """The answer of the dashboard, or of the agent at `base`. `part`: the Range header's value.

        Raises Unreachable, NotAuthorised or InvalidResponse within the limit.
        """

    async def close(self) -> None: ...


class RayActingTransport(RayTransport, Protocol):
    """A transport that can also change something. Held by the writer and by `launch/`."""

    async def send(
        self, method: str, path: str, body: bytes = b"", *, kind: str = JSON, limit_s: float = SEND_LIMIT_S
    ) -> RayAnswer:
        """The answer to a POST or PUT of the dashboard; never repeated. `kind`: the body's content type.

        Raises as `get` does: after Unreachable it is not known whether the request was carried out.
        """


class RayHttpClient:
    """Implements `RayActingTransport` with one connection pool. The token is masked in every answer."""

    def __init__(self, url: str, *, token: str = "") -> None:
        self.place = url
        self._url = url.rstrip("/")
        self._token = token
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self,
        path: str,
        query: Query = (),
        *,
        base: str = "",
        part: str = "",
        limit_s: float = REQUEST_LIMIT_S,
    ) -> RayAnswer:
        headers = {"range": part} if part else {}
        call = _Call("GET", base.rstrip("/") or self._url, path, query, headers)
        return await self._exchange(call, shown=base or self.place, limit_s=limit_s)

    async def send(
        self, method: str, path: str, body: bytes = b"", *, kind: str = JSON, limit_s: float = SEND_LIMIT_S
    ) -> RayAnswer:
        call = _Call(method, self._url, path, headers={"content-type": kind}, body=body)
        return await self._exchange(call, shown=self.place, limit_s=limit_s)

    async def _exchange(self, call: "_Call", *, shown: str, limit_s: float) -> RayAnswer:
        path = call.path
        try:
            with waiting_for(f"Ray at {shown} ({path})"):
                async with (
                    asyncio.timeout(limit_s),
                    self._pool().request(
                        call.method,
                        f"{call.base}{path}",
                        params=list(call.query),
                        headers=dict(call.headers),
                        data=call.body or None,
                        allow_redirects=False,
                    ) as response,
                ):
                    answer = await self._read(response)
        except TimeoutError as fault:
            raise Unreachable(
                f"Ray at {shown} did not answer {path} within {limit_s:g} s.",
                next_step="Run `ray status` on its head node, which may hang; the job itself may run on.",
            ) from fault
        except (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, OSError) as fault:
            raise Unreachable(
                f"Cannot reach Ray at {shown}: {describe_fault(fault)}.",
                next_step="Check the address of the dashboard and that its head node runs.",
            ) from fault
        except (aiohttp.ClientError, ValueError) as fault:
            raise InvalidResponse(
                f"The server at {shown} does not speak proper HTTP.",
                next_step="Give the dashboard's address; its default port is 8265.",
            ) from fault
        return self._checked(answer, shown)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _read(self, response: aiohttp.ClientResponse) -> RayAnswer:
        pieces: list[bytes] = []
        room = MAX_BODY_BYTES
        async for piece in response.content.iter_chunked(64 * 1024):
            room -= len(piece)
            if room < 0:
                raise InvalidResponse(f"An answer of Ray at {self.place} is larger than 16 MB.")
            pieces.append(piece)
        body = b"".join(pieces)
        if self._token:  # of the same length: offsets in files stay true
            body = body.replace(self._token.encode(), b"*" * len(self._token.encode()))
        begin, total = _range_of(response.headers)
        return RayAnswer(response.status, body, begin, total, _modified_ms(response.headers))

    def _checked(self, answer: RayAnswer, shown: str) -> RayAnswer:
        if answer.status == 401:
            raise NotAuthorised(
                f"Ray at {shown} wants a token.",
                next_step="Set RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH, or clusters.NAME.token_file.",
            )
        if answer.status == 403 and "authentication token" in answer.text:
            raise NotAuthorised(
                f"Ray at {shown} does not accept our token.",
                next_step="Check RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH, ~/.ray/auth_token or token_file.",
            )
        return answer

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {"user-agent": _USER_AGENT}
            if self._token:
                headers["authorization"] = f"Bearer {self._token}"
            self._session = aiohttp.ClientSession(
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S),
                connector=aiohttp.TCPConnector(limit=8, keepalive_timeout=75),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


@dataclass(frozen=True, slots=True)
class _Call:
    method: str
    base: str
    path: str
    query: Query = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def _range_of(headers: Mapping[str, str]) -> tuple[int, int | None]:
    """`bytes 3-23/24` -> (3, 24); `bytes */24` -> (24, 24)."""
    unit, _, total = headers.get("content-range", "").partition("/")
    if not total.isdecimal():
        return 0, None
    begin = unit.removeprefix("bytes ").partition("-")[0]
    return (int(begin) if begin.isdecimal() else int(total)), int(total)


def _modified_ms(headers: Mapping[str, str]) -> int:
    try:
        return int(parsedate_to_datetime(headers.get("last-modified", "")).timestamp() * 1000)
    except (TypeError, ValueError):
        return 0

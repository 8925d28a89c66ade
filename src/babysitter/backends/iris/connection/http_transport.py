"""Asking a controller over HTTP: the Connect protocol as JSON, with limits on time and size.

A server may refuse, hang, drip, redirect, answer a login page, half a JSON text or a gzip bomb: each
becomes an error of babysitter.errors within the time limit. Nothing is retried here.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import aiohttp
import msgspec

from babysitter.backends.connection_fault import describe_fault
from babysitter.backends.iris.answers.log_window import LogWindow
from babysitter.backends.iris.connection.auth import Credentials
from babysitter.backends.iris.connection.transport import (
    CONTROLLER_SERVICE,
    NoSuchMethod,
    Page,
    QuickReader,
    Verb,
    refusal,
)
from babysitter.errors import (
    BabysitError,
    InvalidResponse,
    NotAuthorised,
    Overloaded,
    Unreachable,
)
from babysitter.retry_after import parse_retry_after
from babysitter.waits import waiting_for

ASK_LIMIT_S = 15.0
CONNECT_LIMIT_S = 5.0
BODY_LIMIT_BYTES = 32 * 1024 * 1024  # unpacked; 5,000 log lines are 2 MB
WINDOWED_LIMIT_BYTES = 256 * 1024 * 1024  # of which only the newest entries are ever held
_CHUNK_BYTES = 64 * 1024
_PIECE_BYTES = 256 * 1024
_PAGE_BYTES = 1024
_LOGIN = "Login"


class Endpoint(Protocol):
    """How to reach a controller's port: directly, or through a tunnel that is kept open."""

    async def url(self) -> str:
        """The base address to ask now. Raises Unreachable when there is no way at the moment."""

    def suspect(self) -> None:
        """A connection just failed: look at the way again before it is used the next time."""

    async def close(self) -> None: ...


class DirectEndpoint:
    """The controller's own address."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    async def url(self) -> str:
        return self._url

    def suspect(self) -> None:
        """Nothing to look at."""

    async def close(self) -> None:
        """Nothing to give back."""


@dataclass(slots=True)
class Traffic:
    """What the line has cost so far; bytes as they came over the wire, packed."""

    requests: int = 0
    received_bytes: int = 0


class HttpTransport:
    """One connection pool to one controller. Implements `Line`."""

    transport = "rpc"

    def __init__(
        self,
        way: Endpoint,
        *,
        place: str,
        credentials: Credentials | None = None,
        ask_limit_s: float = ASK_LIMIT_S,
    ) -> None:
        self.place = place
        self.traffic = Traffic()
        self._way = way
        self._credentials = credentials or Credentials()
        self._ask_limit_s = ask_limit_s
        self._session: aiohttp.ClientSession | None = None

    async def ask(
        self,
        method: str,
        body: Mapping[str, object],
        *,
        service: str = CONTROLLER_SERVICE,
        limit_s: float | None = None,
        quick: QuickReader | None = None,
        window: LogWindow | None = None,
    ) -> object:
        limit_s = limit_s or self._ask_limit_s
        try:
            text = await self._post(service, method, body, limit_s, window)
        except NotAuthorised:
            # A static token is never accepted as such: it is exchanged once for a short-lived one.
            if method == _LOGIN or not await self._credentials.renew(self._login):
                raise
            text = await self._post(service, method, body, limit_s, window)
        answer = quick(text) if quick is not None else None
        return self._decode(method, text) if answer is None else answer

    async def health(self) -> str:
        """What the controller's unauthenticated health page says; proves that HTTP is served, no more."""
        with waiting_for(f"the controller at {self.place} (/health)"):
            text = await self._exchange("GET", "/health", None, self._ask_limit_s)
        answer = self._decode("/health", text)
        return str(answer.get("status", "")) if isinstance(answer, dict) else ""

    async def request_page(self, path: str, *, verb: Verb) -> Page:
        url = await self._way.url() + path
        headers = await self._credentials.headers()
        try:
            async with asyncio.timeout(self._ask_limit_s):
                self.traffic.requests += 1
                async with self._pool().request(
                    verb, url, headers=headers, allow_redirects=False
                ) as response:
                    beginning = b"" if verb == "HEAD" else await response.content.read(_PAGE_BYTES)
                    self.traffic.received_bytes += len(beginning)
                    response.close()  # whatever else comes is not loaded
                    return Page(response.status, beginning)
        except (TimeoutError, aiohttp.ClientError, OSError) as fault:
            self._way.suspect()
            raise Unreachable(f"The controller at {self.place} did not answer {verb} {path}.") from fault

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
        await self._way.close()

    async def _login(self, identity_token: str) -> object:
        body = {"identityToken": identity_token}
        return self._decode(_LOGIN, await self._post(CONTROLLER_SERVICE, _LOGIN, body, self._ask_limit_s))

    async def _post(
        self,
        service: str,
        method: str,
        body: Mapping[str, object],
        limit_s: float,
        window: LogWindow | None = None,
    ) -> bytes:
        with waiting_for(f"the controller at {self.place} ({method})"):
            question = msgspec.json.encode(body)
            return await self._exchange("POST", f"/{service}/{method}", question, limit_s, window)

    async def _exchange(
        self, verb: str, path: str, body: bytes | None, limit_s: float, window: LogWindow | None = None
    ) -> bytes:
        """One request and its whole unpacked answer, which was a 200."""
        method = path.rpartition("/")[2]
        # Opening a tunnel and fetching a token take longer than an answer may; they have limits of their own.
        url = await self._way.url() + path
        headers = {"content-type": "application/json", "accept-encoding": "gzip"}
        headers |= await self._credentials.headers()
        try:
            async with asyncio.timeout(limit_s):
                self.traffic.requests += 1
                async with self._pool().request(
                    verb, url, data=body, headers=headers, allow_redirects=False
                ) as response:
                    text = await self._read(response, method, window if response.status == 200 else None)
                    if response.status != 200:
                        raise self._failure(response, method, text)
                    return text
        except TimeoutError as fault:
            self._way.suspect()
            raise Unreachable(
                f"The controller at {self.place} did not answer {method} within {limit_s:g} s.",
                next_step="It may hang or be overloaded; the job itself is probably fine.",
            ) from fault
        except aiohttp.ClientPayloadError as fault:
            self._way.suspect()
            raise Unreachable(
                f"The answer of {self.place} to {method} broke off before its end.",
                next_step="Something on the way cuts connections; the job itself is probably fine.",
            ) from fault
        except (aiohttp.ClientConnectionError, OSError) as fault:
            self._way.suspect()
            raise Unreachable(
                f"Cannot reach the controller at {self.place}: {describe_fault(fault)}.",
                next_step="Run `babysit doctor`; the job itself is probably fine.",
            ) from fault
        except (aiohttp.ClientError, ValueError) as fault:
            raise InvalidResponse(
                f"What answers at {self.place} does not speak proper HTTP.",
                next_step="Check the address and its port: something else may listen there.",
            ) from fault

    async def _read(
        self, response: aiohttp.ClientResponse, method: str, window: LogWindow | None = None
    ) -> bytes:
        """The body. What is more than a limit is dropped or refused while it is read, not afterwards."""
        limit_bytes = BODY_LIMIT_BYTES if window is None else WINDOWED_LIMIT_BYTES
        pieces: list[bytes] = []
        room = limit_bytes
        async for piece in self._unpacked(response, method):
            room -= len(piece)
            if room < 0:
                raise InvalidResponse(
                    f"The answer of {self.place} to {method} is larger than {limit_bytes >> 20} MB.",
                )
            if window is None:
                pieces.append(piece)
            else:
                window.feed(piece)
        return b"".join(pieces) if window is None else window.text()

    async def _unpacked(self, response: aiohttp.ClientResponse, method: str) -> AsyncIterator[bytes]:
        """The body in small pieces, unpacked so that no packed answer can fill the memory."""
        unpack = zlib.decompressobj(wbits=31) if response.headers.get("content-encoding") == "gzip" else None
        has_begun = False
        async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
            self.traffic.received_bytes += len(chunk)
            has_begun = True
            packed = chunk
            while packed:
                try:
                    piece = packed if unpack is None else unpack.decompress(packed, _PIECE_BYTES)
                except zlib.error as fault:
                    raise InvalidResponse(
                        f"The answer of {self.place} to {method} cannot be unpacked."
                    ) from fault
                yield piece
                packed = b"" if unpack is None else unpack.unconsumed_tail
                if packed:
                    await asyncio.sleep(0)  # others have their turn between two pieces
        if unpack is not None and not unpack.eof and has_begun:
            raise InvalidResponse(f"The answer of {self.place} to {method} was cut off.")

    def _failure(self, response: aiohttp.ClientResponse, method: str, text: bytes) -> BabysitError:
        """The error for an answer that is not a 200."""
        status = response.status
        if (connect := _connect_error(text)) is not None:
            fault = refusal(self.place, method, *connect)
            if isinstance(fault, Overloaded):
                fault.retry_after_s = parse_retry_after(response.headers.get("retry-after"))
            return fault
        if 300 <= status < 400:
            target = response.headers.get("location", "").partition("?")[0][:120]
            return InvalidResponse(
                f"{self.place} redirects {method} to {target or 'another place'}: that is no controller.",
                next_step="Check the address; an identity-aware proxy wants a token (`iris login`).",
            )
        match status:
            case 404:
                # Without a Connect body this is "no such method", never "no such job".
                return NoSuchMethod(self.place, method)
            case 401 | 403:
                why = "wrong audience or no token" if status == 401 else "this identity is not on its list"
                return NotAuthorised(
                    f"The proxy before {self.place} turned {method} away with {status} ({why}).",
                    next_step="Run `iris login` for this cluster, or set clusters.NAME.token_file.",
                )
            case 429:
                return Overloaded(
                    f"The controller at {self.place} is overloaded.",
                    retry_after_s=parse_retry_after(response.headers.get("retry-after")),
                )
            case 502 | 503 | 504:
                return Unreachable(f"The proxy before {self.place} cannot reach the controller ({status}).")
            case _:
                return InvalidResponse(
                    f"{self.place} answered {method} with {status} and no explanation.",
                    next_step="Check that the address is an Iris controller's.",
                )

    def _decode(self, method: str, text: bytes) -> object:
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            looks = "an HTML page" if text[:256].lstrip()[:1] == b"<" else "not JSON, or cut off"
            raise InvalidResponse(
                f"The answer of {self.place} to {method} is {looks}.",
                next_step="Check the address, and that no login page is in between.",
            ) from fault

    def _pool(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_LIMIT_S),
                connector=aiohttp.TCPConnector(limit=16, keepalive_timeout=75),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


def _connect_error(text: bytes) -> tuple[str, str] | None:
    """(code, message) of a Connect error body; None when it is not one."""
    try:
        body = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(body, dict) or not isinstance(body.get("code"), str):
        return None
    message = body.get("message")
    return body["code"], message if isinstance(message, str) else ""

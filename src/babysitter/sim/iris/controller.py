"""The door of a simulated cluster: Connect JSON on loopback, as one generation speaks it."""

import asyncio
import gzip
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from aiohttp import web

from babysitter.sim.iris.bundles import BundleStore
from babysitter.sim.iris.calls import Calls, NoSuchCall
from babysitter.sim.iris.cluster import Cluster
from babysitter.sim.iris.launching import ConnectError
from babysitter.sim.iris.scenario import load
from babysitter.sim.iris.scenario_run import ScenarioRun

GENERATIONS = ("april", "may", "august")
MOODS = ("well", "down", "ill", "busy", "hangs")
ROOT = "/ada/dedup"
MAX_REQUEST_BYTES = 64 * 1024 * 1024  # a bundle over the limit must arrive to be refused
_OPEN_CALLS = ("GetAuthInfo", "Login")


class Simulator:
    """A cluster that plays one scenario, and the server in front of it.

    `scenario`: the name of a shipped one, or the path of a file. `now`: the clock that both sides share.
    `identity`, `user`: the token that callers must have, and whose it is; without one nobody is asked.
    `mood`: well; down (closes connections); ill (500 without sense); busy (503 that says so); hangs (never
    answers); may be changed at any time, and scenarios change it themselves.
    `requests`: (method, bytes of the answer on the wire) of everything that was asked.
    `launched`: the ids of jobs submitted over the wire, in order.
    """

    def __init__(
        self,
        scenario: str,
        now: Callable[[], datetime],
        *,
        port: int = 0,
        generation: str = "may",
        seed: int = 1,
        identity: str = "",
        user: str = "ada",
    ) -> None:
        if generation not in GENERATIONS:
            raise ValueError(f"There is no generation '{generation}'; known are {', '.join(GENERATIONS)}.")
        self.generation = generation
        self.scenario = load(scenario)
        self.mood = "well"
        self.requests: list[tuple[str, int]] = []
        self._now, self._port = now, port
        self._runner: web.AppRunner | None = None
        self._closing = asyncio.Event()
        self._cluster = Cluster(
            generation=generation, start=now().timestamp(), seed=seed, machines=self.scenario.machines
        )
        self._story = ScenarioRun(self.scenario, self._cluster, self._feel)
        self._calls = Calls(self._story, generation, identity=identity, user=user)
        self.root_job = self.scenario.root.id
        self.neighbours = self._story.neighbours
        self.copies = self._story.copies
        self._story.begin()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def cluster(self) -> Cluster:
        """The cluster as of now."""
        self._cluster.run_until(self._now().timestamp())
        return self._cluster

    @property
    def launched(self) -> list[str]:
        return self._story.launched

    @property
    def bundles(self) -> BundleStore:
        """What was submitted with the jobs, by id."""
        return self._calls.bundles

    async def __aenter__(self) -> "Simulator":
        app = web.Application(client_max_size=MAX_REQUEST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        self._closing.set()
        await self._runner.cleanup()

    def _feel(self, mood: str) -> None:
        self.mood = mood

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.cluster  # noqa: B018  time passes, and with it the mood may change
        if (refusal := await self._refusal(request)) is not None:
            return refusal
        path = request.match_info["path"]
        if path == "health":
            return self._answer(request, "health", {"status": "ok"}, 200)
        if path.startswith("bundles/"):
            return self._bundle(request, path.removeprefix("bundles/").removesuffix(".zip"))
        service, _, method = path.rpartition("/")
        if request.method != "POST":
            return web.Response(status=405)
        if request.content_type != "application/json":
            return web.Response(status=415)
        try:
            self._check_identity(request, method)
            return self._answer(
                request, method, self._calls.answer(service, method, await request.read()), 200
            )
        except NoSuchCall as fault:
            return web.Response(status=404, text="" if fault.known_service else "Not Found")
        except ConnectError as fault:
            return self._answer(request, method, fault.body(self._cluster.now), fault.status)

    def _bundle(self, request: web.Request, bundle: str) -> web.Response:
        """GET or HEAD; workers ask without a token."""
        if request.method not in ("GET", "HEAD"):
            return web.Response(status=405)
        pack = self.bundles.get(bundle)
        self.requests.append(("bundles", len(pack or b"") if request.method == "GET" else 0))
        if pack is None:
            return web.Response(status=404, text=f"Bundle not found: {bundle}")
        return web.Response(body=pack, content_type="application/zip")

    async def _refusal(self, request: web.Request) -> web.Response | None:
        match self.mood:
            case "down":
                if request.transport is not None:
                    request.transport.abort()
                return web.Response()
            case "ill":
                return web.Response(status=500, text="<html>oops</html>")
            case "busy":
                return self._answer(request, "", {"code": "unavailable", "message": "overloaded"}, 503)
            case "hangs":
                await self._closing.wait()
                return web.Response(status=503)
        return None

    def _check_identity(self, request: web.Request, method: str) -> None:
        if not self._calls.identity or method in _OPEN_CALLS:
            return
        sent = request.headers.get("authorization", "")
        if not sent:
            raise ConnectError(401, "unauthenticated", "Missing authentication")
        if sent != f"Bearer {self._calls.session_token}":
            raise ConnectError(401, "unauthenticated", "Authentication failed")

    def _answer(self, request: web.Request, method: str, body: dict[str, Any], status: int) -> web.Response:
        """April indents, later ones do not; packed where the asker takes it."""
        text = (
            json.dumps(body, indent=2) if self.generation == "april" and status == 200 else json.dumps(body)
        )
        content, headers = text.encode(), {}
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers = gzip.compress(content, 6, mtime=0), {"content-encoding": "gzip"}
        self.requests.append((method, len(content)))
        return web.Response(body=content, status=status, headers=headers, content_type="application/json")

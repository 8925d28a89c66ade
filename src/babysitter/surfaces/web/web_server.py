"""What the running service tells over HTTP: `/metrics`, `/healthz` (it lives), `/readyz` (it can work)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog

from babysitter.config.listen_address import cannot_listen_reason
from babysitter.engine.app import App
from babysitter.errors import BabysitError
from babysitter.slack.interactivity import SlackInteractivity
from babysitter.usecases.service_stats import (
    ServiceStats,
    not_serving_reason,
    process_figures,
    service_stats,
)

if TYPE_CHECKING:
    from aiohttp import web

ANSWER_TIMEOUT_S = 5.0

log = structlog.get_logger(__name__)


@asynccontextmanager
async def serve_http(app: App, slack: SlackInteractivity | None) -> AsyncIterator[int | None]:
    """Answer while the block lasts, where an address is set; gives the port, None where nobody listens.

    An address that cannot be used ends nothing: it is told in `app.troubles`.
    """
    if not app.settings.web.listen:
        yield None
        return
    from aiohttp import web

    host, _, port = app.settings.web.listen.rpartition(":")
    pages = _Pages(app, slack)
    site = web.Application()
    site.router.add_get("/metrics", pages.metrics)
    site.router.add_get("/healthz", pages.alive)
    site.router.add_get("/readyz", pages.ready)
    runner = web.AppRunner(site, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        yield await _listen(runner, host.strip("[]"), int(port), app)
    finally:
        await runner.cleanup()


async def _listen(runner: "web.AppRunner", host: str, port: int, app: App) -> int | None:
    from aiohttp import web

    try:
        await web.TCPSite(runner, host, port).start()
    except (OSError, OverflowError) as fault:
        sentence = (
            f"Metrics cannot be told at {host}:{port}: {cannot_listen_reason(fault)}. "
            "Choose another address with web.listen."
        )
        log.error("metrics are not told", because=sentence)
        app.troubles["web"] = sentence
        return None
    return int(runner.addresses[0][1])


class _Pages:
    def __init__(self, app: App, slack: SlackInteractivity | None) -> None:
        self._app = app
        self._slack = slack

    async def metrics(self, _request: "web.Request") -> "web.Response":
        from aiohttp import web
        from prometheus_client import CONTENT_TYPE_LATEST

        from babysitter.surfaces.web.metrics import metrics_text

        now: ServiceStats | None = None
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                now = await service_stats(self._app)
        except (BabysitError, TimeoutError) as fault:
            log.warning("metrics_without_database", because=_sentence(fault))
        slack = self._slack.status if self._slack else None
        text = metrics_text(now, slack, process_figures(self._app))
        return web.Response(body=text, headers={"content-type": CONTENT_TYPE_LATEST})

    async def alive(self, _request: "web.Request") -> "web.Response":
        from aiohttp import web

        return web.Response(text="alive\n")

    async def ready(self, _request: "web.Request") -> "web.Response":
        """503 while this process does not hold the lease or its database cannot be read or written."""
        from aiohttp import web

        because = not_serving_reason(self._app)
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                now = await service_stats(self._app)
        except (BabysitError, TimeoutError) as fault:
            return web.Response(status=503, text=f"{because or _sentence(fault)}\n")
        if because:
            return web.Response(status=503, text=f"{because}\n")
        troubles = [f"{part}: {words}" for part, words in sorted(now.troubles.items())]
        return web.Response(text="\n".join(["ready", *troubles]) + "\n")


def _sentence(fault: BaseException) -> str:
    return str(fault) or "The database does not answer in time."

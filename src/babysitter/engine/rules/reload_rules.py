"""Edits of playbooks come into force while the service runs; a broken one is told and changes nothing."""

import asyncio
import contextlib
import threading

import structlog

from babysitter.diagnosis.causes.match_rules import warm
from babysitter.engine.app import App

log = structlog.get_logger()


async def load_rules(app: App) -> None:
    """Read the playbooks. Raises BadPlaybook: a service does not begin with rules that are wrong."""
    await asyncio.to_thread(lambda: app.playbook)


async def prepare_rules(app: App) -> None:
    """Make the fast engine beside the first checks, which take the ready one until then.

    It takes up to half a minute, so it has a thread that no exit waits for: Ctrl+C ends a service at once.
    """
    playbook, loop = app.playbook, asyncio.get_running_loop()
    prepared: asyncio.Future[None] = loop.create_future()

    def prepare() -> None:
        fault: Exception | None = None
        try:
            warm(playbook)
        except Exception as raised:  # noqa: BLE001  handed to whoever waits
            fault = raised
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(_settle, prepared, fault)

    threading.Thread(target=prepare, name="babysit-prepare-rules", daemon=True).start()
    await prepared


def _settle(prepared: "asyncio.Future[None]", fault: Exception | None) -> None:
    if prepared.done():  # cancelled
        return
    if fault is not None:
        prepared.set_exception(fault)
    else:
        prepared.set_result(None)


async def refresh_rules(app: App) -> None:
    """Take up what was edited since the last time, if anything was."""
    if not await asyncio.to_thread(app.rules.refresh):
        return
    for fault in app.rules.faults:
        log.warning("playbook edit refused", fault=str(fault))
    if not app.rules.faults:
        log.info("playbooks read again", rules=len(app.playbook.rules))

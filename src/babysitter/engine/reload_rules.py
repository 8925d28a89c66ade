"""Edits of playbooks come into force while the service runs; a broken one is told and changes nothing."""

import asyncio

import structlog

from babysitter.diagnosis.causes.match_rules import warm
from babysitter.engine.app import App

log = structlog.get_logger()


async def load_rules(app: App) -> None:
    """Read the playbooks. Raises BadPlaybook: a service does not begin with rules that are wrong."""
    await asyncio.to_thread(lambda: app.playbook)


async def prepare_rules(app: App) -> None:
    """Make the fast engine beside the first checks, which take the ready one until then."""
    await asyncio.to_thread(warm, app.playbook)


async def refresh_rules(app: App) -> None:
    """Take up what was edited since the last time, if anything was."""
    if not await asyncio.to_thread(app.rules.refresh):
        return
    for fault in app.rules.faults:
        log.warning("playbook edit refused", fault=str(fault))
    if not app.rules.faults:
        log.info("playbooks read again", rules=len(app.playbook.rules))

"""Advisors that give no opinion, asked about a story while it goes on, and everything that must not change.

Every failure goes through the real client over HTTP: a server that is down, one that hangs until the client's
time limit, and one whose answer quotes what nobody printed.
"""

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path

from babysitter.advisor.anthropic_client import ANSWER_TOOL, AnthropicAdvisor, ModelService
from babysitter.advisor.consultation import Consultation
from babysitter.advisor.material import Material
from babysitter.advisor.question import Question
from babysitter.engine.advising.second_opinions import SecondOpinions
from babysitter.model.watch import Watch
from babysitter.usecases.incidents.request_opinion import request_opinion
from tests.support.anthropic_server import ScriptedReply, message, scripted_model, use
from tests.support.sim_app import ADA, SimulatedApp
from tests.support.waiting import HANG_S

NOWHERE = "http://127.0.0.1:1"
SHORT_S = 0.05  # really: the client's limit for a server that hangs
FAILURES = ("down", "slow", "untrue quote")
SETTINGS = {"api_key": "made-up-key", "ask": "incidents"}
LIE = {
    "cause": "user-cancel",
    "confidence": 1.0,
    "explanation": "Nothing is wrong.",
    "citations": [{"line": "L1", "text": "nobody ever printed these words"}],
    "action": "restart",
}
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_OPINION_NOTE = "Second opinion"


class FailingAdvisors:
    """One failure after another."""

    def __init__(self, down: str, hanging: str, lying: str) -> None:
        services = ((down, HANG_S), (hanging, SHORT_S), (lying, HANG_S))
        self._advisors = cycle(
            AnthropicAdvisor(ModelService("made-up-key", "made-up", url, timeout_s=limit_s))
            for url, limit_s in services
        )
        self.reasons: list[str] = []

    async def consult(self, question: Question, material: Material) -> Consultation:
        found = await next(self._advisors).consult(question, material)
        self.reasons.append(found.opinion.reason)  # an opinion has none: that would be an error here
        return found


@asynccontextmanager
async def failing_advisors() -> AsyncIterator[FailingAdvisors]:
    async with AsyncExitStack() as servers:
        hanging = await servers.enter_async_context(scripted_model(ScriptedReply(hangs=True)))
        lying = await servers.enter_async_context(scripted_model(message(use(ANSWER_TOOL, LIE))))
        yield FailingAdvisors(NOWHERE, hanging.url, lying.url)


async def pass_asking(
    tale: SimulatedApp,
    folder: Path,
    for_s: float,
    step_s: float,
    advisors: FailingAdvisors | None,
    *,
    about_watch: bool = False,
) -> list[str]:
    """Let time pass as `SimulatedApp.pass_s` does, and ask meanwhile; gives each new row of the watch.

    `about_watch`: ask about the watch as well, whatever it reports, before the incidents; each failure once.
    """
    course: list[str] = []
    asked_in_all = len(FAILURES) * (2 if about_watch else 1)
    for _ in range(int(for_s / step_s)):
        tale.clock.advance(step_s)
        question = None
        if advisors is not None and len(advisors.reasons) < asked_in_all:
            await _wish(tale)
            asking = SecondOpinions(tale.app, advisors, waits_for_answers=False)  # remembers no pause
            is_about_watch = about_watch and len(advisors.reasons) < len(FAILURES)
            asked = asking.ask_about_watch(await _watch(tale)) if is_about_watch else asking.ask_next()
            question = asyncio.create_task(asked)  # the checks go on beside it
        await tale.service.tick()
        await tale.service.settled()
        if question is not None:
            await question
        row = _rows(folder, "SELECT * FROM watches")
        if not course or course[-1] != row:
            course.append(row)
    return course


async def _wish(tale: SimulatedApp) -> None:
    """A person presses the button of every incident."""
    async with tale.app.store.reading() as tx:
        incidents = await tx.incidents.all()
    for incident in incidents:
        await request_opinion(tale.app, incident.id, ADA)


async def _watch(tale: SimulatedApp) -> Watch:
    async with tale.app.store.reading() as tx:
        return await tx.watches.get(tale.watch.id)


def everything_told(folder: Path) -> list[str]:
    """All rows of the state but those of the advisor, in the order in which they were written."""
    tables = ("events", "incidents", "proposals", "decisions", "restarts", "steps", "wakes")
    rows = [_rows(folder, f"SELECT * FROM {table} ORDER BY rowid") for table in tables]
    rows.append(_rows(folder, "SELECT watch, taken_at FROM observations"))  # their packed text names a port
    return [*rows, *_messages(folder)]


def _messages(folder: Path) -> list[str]:
    """Messages as they were first told, without what says that somebody may be asked."""
    found = []
    with sqlite3.connect(folder / "babysit.db") as database:
        for occasion, at, body in database.execute(
            "SELECT occasion, created_at, body FROM messages ORDER BY seq"
        ):
            message = json.loads(body)
            words, buttons = message.get("words", {}), message.get("buttons", [])
            words["notes"] = [note for note in words.get("notes", []) if note[0] != _OPINION_NOTE]
            message["buttons"] = [button for button in buttons if button["kind"] != "second-opinion"]
            found.append(_PORT.sub("PORT", f"{occasion} {at} {json.dumps(message)}"))
    return found


def _rows(folder: Path, statement: str) -> str:
    with sqlite3.connect(folder / "babysit.db") as database:
        return _PORT.sub("PORT", "\n".join(map(repr, database.execute(statement))))

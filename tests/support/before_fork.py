"""What processes that are forked share: the rules, and the statements that a story of the store compiles.

Made once before the fork, it costs a fork nothing; made anew in each process it costs 0.3 s.
"""

import asyncio
import gc
import tempfile
import threading
from pathlib import Path

import structlog
from structlog.testing import capture_logs

from babysitter.diagnosis.causes.rule_index import index_of
from babysitter.model.proposal import Answer, Surface
from babysitter.playbook.load import load
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.watching.manage_watches import all_watch_statuses
from tests.support.app import ADA, home
from tests.support.offers import offered
from tests.support.quick_database import share_statements
from tests.support.shared_rules import share_rules


def prepare() -> None:
    """Use it in a process before it forks: when it returns, no thread but the main one runs."""
    share_rules()
    share_statements()
    index_of(load())
    with capture_logs():  # a server's standard output is read
        asyncio.run(_restart())
    structlog.reset_defaults()  # a command configures its own log
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()  # of a database that was closed
    gc.collect()
    gc.freeze()


async def _restart() -> None:
    """An approved restart from the watch to its end."""
    with tempfile.TemporaryDirectory(prefix="babysit-story-") as folder:
        async with home(Path(folder)) as place:
            _, proposal = await offered(place)
            await place.pass_s(30)
            await decide(place.app, proposal.id, ADA, Answer.YES, Surface.TERMINAL)
            await place.pass_s(300, step_s=30)
            await all_watch_statuses(place.app)

"""`asyncio.run` for commands that serve: after Ctrl+C they end without further words."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from babysitter.engine.service_log import silence_log

T = TypeVar("T")


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end. Once interrupted, the rest is cancelled in silence.

    At the first Ctrl+C `main` ends in order before that. A second one stops it wherever it is; what the loop
    then cancels would log faults that are none.
    """
    with asyncio.Runner() as runner:
        try:
            return runner.run(main)
        except KeyboardInterrupt:
            silence_log()
            raise

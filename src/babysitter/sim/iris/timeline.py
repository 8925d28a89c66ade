"""Everything that happens in the cluster, in order: generators that sleep on virtual time."""

import heapq
import inspect
from collections.abc import Generator
from dataclasses import dataclass, field

Process = Generator[float, None, None]  # yields how many seconds to sleep


@dataclass(slots=True, eq=False)
class Running:
    """A process that was started. Stopping it closes its generator, so its `finally` blocks run."""

    process: Process
    ended: bool = field(default=False)


class Timeline:
    """Wakes processes at their moments. `now` is in seconds since the epoch, always the moment being played.

    Two processes due at the same moment run in the order in which they went to sleep, so a story
    plays the same however finely the time is cut.
    """

    def __init__(self, start: float) -> None:
        self.now = start
        self._due: list[tuple[float, int, Running]] = []
        self._count = 0

    def start(self, process: Process, after_s: float = 0.0) -> Running:
        running = Running(process)
        self._sleep(running, after_s)
        return running

    def stop(self, running: Running) -> None:
        """End a process now. One that is being played ends by itself at its next sleep."""
        if running.ended:
            return
        running.ended = True
        if inspect.getgeneratorstate(running.process) != inspect.GEN_RUNNING:
            running.process.close()

    def run_until(self, at: float) -> None:
        """Play every moment up to and including `at`. Going back is ignored."""
        while self._due and self._due[0][0] <= at:
            moment, _, running = heapq.heappop(self._due)
            self.now = max(self.now, moment)
            if not running.ended:
                self._play(running)
        self.now = max(self.now, at)

    def _play(self, running: Running) -> None:
        try:
            pause_s = next(running.process)
        except StopIteration:
            running.ended = True
            return
        if running.ended:  # it was stopped by what it did itself
            running.process.close()
        else:
            self._sleep(running, pause_s)

    def _sleep(self, running: Running, pause_s: float) -> None:
        self._count += 1
        heapq.heappush(self._due, (self.now + max(0.0, pause_s), self._count, running))

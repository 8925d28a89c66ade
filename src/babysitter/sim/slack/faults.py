"""What goes wrong on command: rate limits, slowness, errors, lost connections."""

from dataclasses import dataclass
from enum import Enum


class InjectedFault(Enum):
    RATE_LIMIT = "rate-limit"
    STATUS = "status"
    ERROR = "error"
    DELAY = "delay"
    LOST_BEFORE = "lost-before"  # the connection breaks before the request takes effect
    LOST_AFTER = "lost-after"  # it took effect; the answer is lost
    NONSENSE = "nonsense"  # 200 and something that is not JSON


@dataclass
class Fault:
    trouble: InjectedFault
    method: str  # "*" = every method
    times: int
    amount: float = 0.0  # seconds, or the HTTP status
    code: str = ""


class Faults:
    """A queue of things to go wrong; each applies to the next matching calls, in the order given."""

    def __init__(self) -> None:
        self.is_down = False  # no request is answered, no socket can be opened
        self._queue: list[Fault] = []

    def rate_limit(self, method: str = "*", *, times: int = 1, retry_after_s: int = 1) -> None:
        self._queue.append(Fault(InjectedFault.RATE_LIMIT, method, times, retry_after_s))

    def status(self, method: str = "*", *, status: int = 503, times: int = 1) -> None:
        self._queue.append(Fault(InjectedFault.STATUS, method, times, status))

    def error(self, method: str, code: str, *, times: int = 1) -> None:
        self._queue.append(Fault(InjectedFault.ERROR, method, times, code=code))

    def delay(self, method: str = "*", *, seconds: float, times: int = 1) -> None:
        self._queue.append(Fault(InjectedFault.DELAY, method, times, seconds))

    def lose(self, method: str = "*", *, after_effect: bool = False, times: int = 1) -> None:
        trouble = InjectedFault.LOST_AFTER if after_effect else InjectedFault.LOST_BEFORE
        self._queue.append(Fault(trouble, method, times))

    def nonsense(self, method: str = "*", *, times: int = 1) -> None:
        self._queue.append(Fault(InjectedFault.NONSENSE, method, times))

    def next_for(self, method: str) -> Fault | None:
        """The trouble this call gets, used up by it."""
        for fault in self._queue:
            if fault.method in ("*", method):
                fault.times -= 1
                if fault.times <= 0:
                    self._queue.remove(fault)
                return fault
        return None

    def clear(self) -> None:
        self._queue.clear()
        self.is_down = False

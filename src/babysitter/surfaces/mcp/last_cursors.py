"""Where each client's last `wait` on each watch ended, for calls that leave the cursor out."""

from collections import OrderedDict

from babysitter.model.ids import WatchId

MAX_CURSORS = 1_000


class LastCursors:
    """The newest cursor by client and watch; the oldest are forgotten beyond MAX_CURSORS.

    In memory only: after a restart of the server a first `wait` answers at once again, which does no harm.
    """

    def __init__(self) -> None:
        self._cursors: OrderedDict[tuple[str, WatchId], int] = OrderedDict()

    def get(self, client: str, watch: WatchId) -> int | None:
        """Return the cursor that this client was given last for this watch, None for the first call."""
        return self._cursors.get((client, watch))

    def forget(self, client: str, watch: WatchId) -> None:
        """Make this client's next call for this watch a first one."""
        self._cursors.pop((client, watch), None)

    def remember(self, client: str, watch: WatchId, cursor: int) -> None:
        """Keep the cursor of an answer."""
        self._cursors[client, watch] = cursor
        self._cursors.move_to_end((client, watch))
        while len(self._cursors) > MAX_CURSORS:
            self._cursors.popitem(last=False)

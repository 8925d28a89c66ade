"""The playbook of a running service: reloaded when files change, never taken down by a broken edit."""

from collections.abc import Sequence
from pathlib import Path

from babysitter.classify.load import Fault, Playbook, examine, playbook_files, shipped
from babysitter.errors import BadPlaybook

Stamp = tuple[tuple[str, int, int], ...]


class PlaybookSource:
    """Folders in rising order of authority. `current()` is cheap: it looks at sizes and times of files only.

    Raises BadPlaybook when the folders are wrong at the start, when there are no older rules to keep.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = tuple(folders) or (shipped(),)
        self._stamp = self._look()
        self._playbook, faults = examine(self._folders)
        if faults:
            raise BadPlaybook(
                "\n".join(map(str, faults)), next_step="Correct these places and run `babysit playbook lint`."
            )
        self._faults: tuple[Fault, ...] = ()

    def current(self) -> Playbook:
        """The rules in force: those of the files as they are, or as they last were right."""
        stamp = self._look()
        if stamp != self._stamp:
            self._stamp = stamp
            fresh, self._faults = examine(self._folders)
            if not self._faults:
                self._playbook = fresh
        return self._playbook

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the newest edit, while the older rules stay in force; empty when all is well."""
        return self._faults

    def _look(self) -> Stamp:
        looks: list[tuple[str, int, int]] = []
        for paths in playbook_files(self._folders):
            for path in paths:
                try:
                    status = path.stat()
                    looks.append((str(path), status.st_mtime_ns, status.st_size))
                except OSError:  # being replaced by an editor right now
                    looks.append((str(path), 0, 0))
        return tuple(looks)

"""The playbook of a running service: reloaded when files change, never taken down by a broken edit."""

from collections.abc import Sequence
from pathlib import Path

from babysitter.diagnosis.causes.match_rules import warm
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.playbook.load import PlaybookFault, examine, load, playbook_files
from babysitter.shipped import shipped

Stamp = tuple[tuple[str, int, int], ...]


class PlaybookSource:
    """The rules in force of folders in rising order of authority, and how an edit comes into force.

    Raises BadPlaybook when the folders are wrong at the start, when there are no older rules to keep.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = tuple(folders) or (shipped(),)
        self._stamp = self._look()
        self._playbook = load(self._folders)
        self._faults: tuple[PlaybookFault, ...] = ()

    @property
    def playbook(self) -> Playbook:
        """The rules in force: those of the files as they last were right."""
        return self._playbook

    def refresh(self) -> bool:
        """Read the files again if they were edited (sizes and times tell); whether they were."""
        stamp = self._look()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        fresh, self._faults = examine(self._folders)
        if not self._faults:
            warm(fresh)
            self._playbook = fresh
        return True

    @property
    def faults(self) -> tuple[PlaybookFault, ...]:
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

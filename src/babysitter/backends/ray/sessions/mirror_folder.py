"""The private folder of one process for what it copies from other machines."""

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from babysitter.private_files import open_private
from babysitter.process_lock import is_locked, lock

PREFIX = "babysit-nodes-"
ALIVE = "alive"  # locked by the process that made the folder, for as long as it lives


class MirrorFolder:
    """A new folder for its owner only, gone when it is closed, or at the next `MirrorFolder` after a kill."""

    def __init__(self) -> None:
        remove_stale(Path(tempfile.gettempdir()))
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        self.path = Path(self._folder.name)
        self._alive = open_private(self.path / f"{ALIVE}.new", "a")
        lock(self._alive)
        (self.path / f"{ALIVE}.new").rename(self.path / ALIVE)  # locked before it has its name

    def close(self) -> None:
        """Delete the folder. Idempotent."""
        self._folder.cleanup()
        self._alive.close()


def remove_stale(parent: Path) -> None:
    """Delete what killed processes of this user left there; a folder that is in use or unclear stays."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
            if is_ours and (folder / ALIVE).is_file() and not is_locked(folder / ALIVE):
                shutil.rmtree(folder)

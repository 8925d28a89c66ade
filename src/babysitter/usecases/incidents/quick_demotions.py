"""Whether rules may count as hints by what people said, read the short way (docs/adr/0010)."""

from pathlib import Path

from babysitter.store.default_folder import FILE_NAME


def may_have_demotions(folder: Path) -> bool:
    """Return whether somebody called a diagnosis wrong; True where only the store can tell."""
    if not (folder / FILE_NAME).exists():
        return False
    from babysitter.store.quick.sqlite_snapshot import (  # here: most homes have no file
        NotReadable,
        SqliteSnapshot,
    )

    try:
        with SqliteSnapshot(folder / FILE_NAME) as snapshot:
            return snapshot.has_corrections()
    except NotReadable:
        return True

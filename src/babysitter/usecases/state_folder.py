"""Where the state is kept."""

from pathlib import Path

from babysitter.store.default_folder import default_state_folder


def state_folder(named: Path | None) -> Path:
    """Return the folder that the settings name, or the default one."""
    return named.expanduser() if named else default_state_folder()

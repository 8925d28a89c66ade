"""Where the state is kept when nobody says otherwise."""

import os
from collections.abc import Mapping
from pathlib import Path

FILE_NAME = "babysit.db"


def default_state_folder(environment: Mapping[str, str] | None = None) -> Path:
    """$XDG_STATE_HOME/babysit, or ~/.local/state/babysit."""
    variables = os.environ if environment is None else environment
    base = variables.get("XDG_STATE_HOME", "")
    home = Path(variables.get("HOME") or Path.home())
    return (Path(base) if base.startswith("/") else home / ".local" / "state") / "babysit"

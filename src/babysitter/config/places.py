"""Where settings are found: the file that holds and the variables that win over it."""

import os
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT_PREFIX = "BABYSIT_"
FILE_VARIABLE = "BABYSIT_CONFIG"


def default_config_folder(environment: Mapping[str, str]) -> Path:
    """$XDG_CONFIG_HOME/babysit, or ~/.config/babysit."""
    base = environment.get("XDG_CONFIG_HOME", "")
    home = Path(environment.get("HOME") or Path.home())
    return (Path(base) if base.startswith("/") else home / ".config") / "babysit"


def default_file(environment: Mapping[str, str]) -> Path | None:
    """The settings file that holds when none is named; None when there is none."""
    if named := environment.get(FILE_VARIABLE):
        return Path(named)
    folder = default_config_folder(environment)
    candidates = (folder / name for name in ("config.yaml", "config.yml", "config.toml"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def variables_of(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Every variable of our prefix, sorted by name."""
    return {name: environment[name] for name in sorted(environment) if name.startswith(ENVIRONMENT_PREFIX)}


def cache_folder() -> Path:
    """Where files are kept that can be made again."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "babysit"

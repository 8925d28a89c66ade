"""Reads the file of variables that a project keeps for its jobs."""

from pathlib import Path

from babysitter.errors import UserError
from babysitter.preflight.client.client_environment import ENVIRONMENT_FILE


def read_environment_file(folder: Path) -> object:
    """The parsed environment file, None without one. Raises UserError for one that is not YAML."""
    import yaml

    path = folder / ENVIRONMENT_FILE
    if not path.is_file():
        return None
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as fault:
        mark = getattr(fault, "problem_mark", None)
        at = f" (line {mark.line + 1})" if mark else ""
        raise UserError(f"{path}{at} cannot be read as YAML.", next_step="Correct the file.") from fault

"""Where the state is kept, remembered for settings that were found valid before.

Validating settings costs as much CPU as everything else that `status` does. So after they were validated once
a small file says: settings of exactly this content are valid, and keep the state there. Settings that change
in any way are validated again. Without a settings file and variables there is nothing to validate.
"""

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from babysitter.config.places import FILE_VARIABLE, cache_folder, default_file, variables_of
from babysitter.private_files import make_private_folder, write_private

STATE_VARIABLE = "BABYSIT_STATE_DIR"
MAX_REMEMBERED = 16


def checked_state_dir(
    file: Path | None, state_dir: Path | None, environment: Mapping[str, str]
) -> tuple[bool, Path | None]:
    """Whether these settings are known to be valid with their state in a folder; and the folder they name.

    A folder of None is the default one.
    """
    path, variables = file or default_file(environment), variables_of(environment)
    if path is None and set(variables) <= {STATE_VARIABLE, FILE_VARIABLE}:
        named = variables.get(STATE_VARIABLE, "")
        if not named.startswith(("[", "{")):  # that is read as JSON
            return True, state_dir or (Path(named) if named else None)
        return False, None
    try:
        name = _name(path, state_dir, variables)
        kept = cache_folder() / name
        status = kept.stat()
        if status.st_uid != os.getuid() or status.st_mode & 0o022:
            return False, None
        found = json.loads(kept.read_text(encoding="utf-8"))["state_dir"]
    except (OSError, ValueError, KeyError, TypeError):
        return False, None
    return True, Path(found) if found else None


def remember_state_dir(
    file: Path | None, state_dir: Path | None, environment: Mapping[str, str], found: Path | None
) -> None:
    """Note that these settings are valid and keep their state in the folder `found`. Never fails."""
    path, variables = file or default_file(environment), variables_of(environment)
    if path is None and not variables:
        return
    with contextlib.suppress(OSError):
        folder = cache_folder()
        kept = folder / _name(path, state_dir, variables)
        if kept.exists():
            return
        make_private_folder(folder)
        fresh = folder / f".{kept.name}.{os.getpid()}"
        write_private(fresh, json.dumps({"state_dir": str(found) if found else ""}))
        fresh.replace(kept)
        older = sorted(folder.glob("settings-*"), key=lambda candidate: candidate.stat().st_mtime)
        for candidate in older[:-MAX_REMEMBERED]:
            candidate.unlink(missing_ok=True)


def _name(path: Path | None, state_dir: Path | None, variables: Mapping[str, str]) -> str:
    """Changes with everything that decides whether settings are valid. Raises OSError."""
    import hashlib  # takes OpenSSL along, and most people have no settings

    digest = hashlib.sha256(sys.version.encode())
    for module in sorted(Path(__file__).parent.glob("*.py")):
        status = module.stat()
        digest.update(f"{module.name} {status.st_mtime_ns} {status.st_size}\n".encode())
    digest.update(json.dumps([str(path), str(state_dir), dict(variables)]).encode())
    if path is not None:
        digest.update(path.read_bytes())
    return f"settings-{digest.hexdigest()[:32]}"

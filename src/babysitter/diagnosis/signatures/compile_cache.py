"""What is kept on disk between runs, because making it again takes most of a command's time.

Loading the shipped rules costs half a second, reading them back 30 ms. Anything wrong with a kept file means
that it is made again; nothing here ever fails a command.
"""

import gc
import os
import pickle
import sys
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

# What reading a damaged or outgrown pickle may raise, by the manual of the module.
_DAMAGED = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    ImportError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
)
MAX_FILES = 16  # older ones are removed when a new one is written


def cache_folder() -> Path:
    """Where this user's kept files are."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "babysit"


def fingerprint(files: Iterable[Path]) -> str:
    """Changes with the content of any of these files, with our own code, and with the interpreter."""
    digest = sha256(_CODE)
    for path in files:
        digest.update(f"{path}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def _our_code() -> bytes:
    """The interpreter, and the modules that make what is kept: patterns, rules, the loader of playbooks."""
    signatures = Path(__file__).parent
    folders = (signatures, signatures.parent / "causes", signatures.parents[1] / "playbook")
    told = [sys.version]
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        status = path.stat()
        told.append(f"{path.name} {status.st_mtime_ns} {status.st_size}")
    return "\n".join(told).encode()


_CODE = (
    _our_code()
)  # as imported: an upgrade under a running program must not pass for what that program makes


def read_kept(name: str) -> Any:
    """The kept value; None when there is none, it is damaged, or somebody else could have made it."""
    path = cache_folder() / name
    with suppress(OSError, *_DAMAGED):
        status = path.stat()
        if status.st_uid == os.getuid() and not status.st_mode & 0o022:
            os.utime(path)  # files that are not read for long are removed first
            return _unpickled(path.read_bytes())
    return None


def _unpickled(content: bytes) -> Any:
    """The value. The collector of cyclic garbage, which would search all the new objects, waits meanwhile."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return pickle.loads(content)
    finally:
        if was_enabled:
            gc.enable()


def keep(name: str, value: Any) -> None:
    """Keep a value if that is possible; a read-only home is no trouble."""
    folder = cache_folder()
    with suppress(OSError, pickle.PicklingError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = folder / f".{name}.{os.getpid()}"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
        fresh.replace(folder / name)
        kind = name.partition("-")[0]
        kept = sorted(folder.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime)
        for old in kept[:-MAX_FILES]:
            old.unlink(missing_ok=True)

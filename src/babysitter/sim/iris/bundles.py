"""Bundles: what the stand-in client packs from its folder, and what the controller keeps of it.

The pack is a list of names and digests instead of an archive: every content has its own id, at little cost.
An archive is made only where it could be over the limit.
"""

import hashlib
import io
import json
import re
import subprocess
import zipfile
from pathlib import Path

MAX_BYTES = 25 * 1024 * 1024
LISTED_FILES = 200  # a larger folder is one digest
FIRST_ID = "23c66acce1b251e675f1820a3be2effc7b61c0b2f56dbce3049cdabe3ba9f762"  # of the jobs of scenarios
_LEFT_OUT = re.compile(
    r"\.(mov|pyc)$|\.egg-info(/|$)|(^|/)(__pycache__|\.git|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.venv|venv|"
    r"node_modules|docs/figures|docs/images|docs/reports|docs/static|tests/snapshots)(/|$)"
)


class TooLarge(Exception):
    """The client refuses to send it; the text is its own."""


class BundleStore:
    """The bundles of a controller, by id."""

    def __init__(self) -> None:
        self._packs: dict[str, bytes] = {FIRST_ID: b"{}"}

    def put(self, pack: bytes) -> str:
        found = hashlib.sha256(pack).hexdigest()
        self._packs[found] = pack
        return found

    def get(self, bundle: str) -> bytes | None:
        return self._packs.get(bundle)

    def forget(self, bundle: str = FIRST_ID) -> None:
        """Lose a bundle, as a controller does whose storage is cleaned up."""
        self._packs.pop(bundle, None)


def pack(folder: Path) -> bytes:
    """What is sent for this folder. Raises TooLarge as the client does."""
    files = _files(folder)
    if sum(path.stat().st_size for path in files) > MAX_BYTES:
        size = _archived(folder, files)
        if size > MAX_BYTES:
            raise TooLarge(
                f"ValueError: Bundle size {size / 2**20:.1f}MB exceeds maximum 25MB. "
                "Consider excluding large files or using .gitignore."
            )
    digests = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in files
    }
    listed = json.dumps(digests, sort_keys=True).encode()
    if len(files) <= LISTED_FILES:
        return listed
    return json.dumps({"files": len(files), "digest": hashlib.sha256(listed).hexdigest()}).encode()


def _files(folder: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:
        names = [str(path.relative_to(folder)) for path in folder.rglob("*")]
    kept = {folder / name for name in names if name and not _LEFT_OUT.search(name)}
    return sorted(path for path in kept if path.is_file())


def _archived(folder: Path, files: list[Path]) -> int:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(folder))
    return len(buffer.getvalue())

"""What `iris job run` would ship from a folder: the files, and a digest of them. It blocks."""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from babysitter.errors import UserError
from babysitter.model.submission import FolderState
from babysitter.preflight.client.bundle_rules import is_left_out
from babysitter.preflight.client.client_tables import bundle_rules

GIT_LIMIT_S = 20.0
# Far beyond the client's own limit of 25 MB for the packed bundle: such a folder can never be shipped.
MAX_FOLDER_BYTES = 512 * 1024 * 1024
MAX_FOLDER_FILES = 50_000
_CHUNK_BYTES = 1024 * 1024


def bundle_files(folder: Path, *, generation: str = "", left_out: Sequence[str] = ()) -> tuple[Path, ...]:
    """The files that a submission from this folder ships, sorted; outside of a git repository all files.

    `left_out`: patterns of --exclude, which August's client has. Raises UserError for a folder that is not
    there, or that holds too much to be shipped.
    """
    if not folder.is_dir():
        what = (
            f"{folder} is a file, not a folder." if folder.exists() else f"The folder {folder} is not there."
        )
        raise UserError(what, next_step="Name the folder of the job with --workdir.")
    listed = _git_files(folder)
    names = _all_files(folder) if listed is None else iter(listed)
    excluded = _compiled(left_out)
    found: set[Path] = set()
    for name in (*_added(folder), *names) if listed is not None else names:
        path = folder / name
        if is_left_out(name, generation) or (excluded and excluded.search(name)) or not path.is_file():
            continue
        found.add(path)
        if len(found) > MAX_FOLDER_FILES:
            raise _too_large(folder, f"more than {MAX_FOLDER_FILES:,} files")
    return tuple(sorted(found))


def folder_state(folder: Path) -> FolderState:
    """What a submission from this folder would ship now. Raises UserError as `bundle_files` does."""
    try:
        files = bundle_files(folder)
        total_bytes = sum(path.stat().st_size for path in files)
        if total_bytes > MAX_FOLDER_BYTES:
            raise _too_large(folder, f"{total_bytes // 1024**2:,} MB")
        digest = hashlib.sha256()
        for path in files:
            _add_file(digest, path, folder)
    except OSError as fault:
        raise UserError(
            f"The folder {folder} cannot be read: {(fault.strerror or str(fault)).lower()} "
            f"({fault.filename or folder}).",
            next_step="Name the folder of the job with --workdir.",
        ) from fault
    in_git = is_repository(folder)
    changed = (
        git_output(folder, "status", "--porcelain", "-z", "--untracked-files=all", ".") if in_git else ""
    )
    return FolderState(
        digest=digest.hexdigest(),
        commit=git_output(folder, "rev-parse", "HEAD").strip() if in_git else "",
        changed_files=changed.count("\0"),
        file_count=len(files),
        total_bytes=total_bytes,
    )


def is_repository(folder: Path) -> bool:
    """Whether git would list the files of this folder."""
    return git_output(folder, "rev-parse", "--is-inside-work-tree").strip() == "true"


def _add_file(digest: "hashlib._Hash", path: Path, folder: Path) -> None:
    """Path, executable bit, length and content, so that no two different folders read alike."""
    status = path.stat()
    name = os.fsencode(path.relative_to(folder))
    is_executable = bool(status.st_mode & 0o100)
    digest.update(b"%d %d %d " % (len(name), is_executable, status.st_size) + name)
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)


def _git_files(folder: Path) -> Sequence[str] | None:
    """Tracked files, and untracked ones that are not ignored; None outside of a repository.

    Read line by line as the client does: it does not ship a name that git quotes (one that is not ASCII).
    """
    if not is_repository(folder):
        return None
    listed = git_output(folder, "ls-files", "--cached", "--others", "--exclude-standard")
    return tuple(dict.fromkeys(name for name in listed.splitlines() if name))


def _added(folder: Path) -> Iterator[str]:
    """Ignored files that the client ships all the same."""
    for pattern in bundle_rules().added:
        yield from (path.relative_to(folder).as_posix() for path in folder.glob(pattern))


def _compiled(patterns: Sequence[str]) -> re.Pattern[str] | None:
    try:
        return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None
    except re.error as fault:
        raise UserError(f"--exclude has a pattern that cannot be read: {fault}.") from fault


def _all_files(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        inside = Path(parent).relative_to(folder).as_posix()
        prefix = "" if inside == "." else f"{inside}/"
        folders[:] = sorted(name for name in folders if not is_left_out(f"{prefix}{name}", ""))
        yield from (f"{prefix}{name}" for name in names)


def git_output(folder: Path, *words: str) -> str:
    """What git prints; "" where it is not installed, refuses, or takes too long."""
    quiet = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            check=False,
            env=quiet,
            stdin=subprocess.DEVNULL,
            timeout=GIT_LIMIT_S,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.fsdecode(done.stdout) if done.returncode == 0 else ""


def _too_large(folder: Path, how_much: str) -> UserError:
    return UserError(
        f"The folder {folder} would ship {how_much}; iris takes bundles of at most 25 MB.",
        next_step="Name the folder of the job with --workdir, or list large files in its .gitignore.",
    )

"""Finds what the success checks of a step ask for: lines, files and objects, steps."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from glob import glob
from pathlib import Path
from typing import IO, Any

from babysitter.diagnosis.timeline.measures.training_lines import read_step
from babysitter.errors import ExternalError
from babysitter.launch.ladder_files.ladder_checks import FileFacts, Found, metric_word
from babysitter.launch.ladder_files.ladder_steps import CheckKind, SuccessCheck
from babysitter.preflight.facts import Fact, Known, NotKnown

MAX_FILE_BYTES = 256 * 1024 * 1024
CHUNK_BYTES = 1024 * 1024
NEEDS_FSSPEC = (
    "Objects need one more package: pip install 'babysitter[files]', and the one of their protocol."
)
# The newest lines that contain a text ("" = all), oldest first.
LinesWith = Callable[[str], Awaitable[Sequence[str]]]


async def find_evidence(
    checks: Sequence[SuccessCheck], state: str, lines_with: LinesWith, folder: Path, *, is_here: bool
) -> Mapping[SuccessCheck, Fact[Found]]:
    """What was found for each check. `folder`: where relative paths begin. `is_here`: the job ran here."""
    found: dict[SuccessCheck, Fact[Found]] = {}
    for check in checks:
        if check.kind is CheckKind.STATE:
            found[check] = Known(state)
        elif check.kind is CheckKind.FILE:
            found[check] = await asyncio.to_thread(find_file, check, folder, is_here=is_here)
        else:
            found[check] = await _in_lines(check, lines_with)
    return found


async def _in_lines(check: SuccessCheck, lines_with: LinesWith) -> Fact[Found]:
    word = {CheckKind.LINE: check.text, CheckKind.METRIC: metric_word(check.text)}.get(check.kind, "")
    try:
        lines = await lines_with(word)
    except ExternalError as fault:
        return NotKnown(f"The log could not be read: {fault.sentence}", may_pass=True)
    return Known(steps_in(lines)) if check.kind is CheckKind.STEPS else Known(tuple(lines))


def steps_in(lines: Sequence[str]) -> int:
    """The highest step of a training run that these lines report, 0 = none."""
    steps = (read_step(line) for line in lines)
    return max((step.step or 0 for step in steps if step is not None and step.is_training), default=0)


def find_file(check: SuccessCheck, folder: Path, *, is_here: bool) -> Fact[Found]:
    """The newest file that the path or address of a check means; None in `Known` = there is none.

    A path that does not exist here proves nothing where the job ran on another machine.
    """
    try:
        if "://" in check.text and not check.text.startswith("file://"):
            return _object(check)
        path = str(folder / Path(check.text.removeprefix("file://")).expanduser())
        matching = [Path(name) for name in glob(path, recursive=True)]
        if not matching:
            unseen = NotKnown(f"{check.text} is not on this machine; the job may have written it on its own.")
            return Known(None) if is_here else unseen
        newest = max(matching, key=lambda candidate: candidate.stat().st_mtime)
        with newest.open("rb") if newest.is_file() else nullcontext() as stream:  # a folder has no content
            holds = _holds(stream, check.contains)
        modified = datetime.fromtimestamp(newest.stat().st_mtime, UTC)
        return Known(FileFacts(str(newest), holds, modified))
    except OSError as fault:
        return NotKnown(f"{check.text} cannot be read: {(fault.strerror or str(fault)).lower()}.")


def _object(check: SuccessCheck) -> Fact[Found]:
    """As find_file, of an address such as gs://bucket/object."""
    try:
        fsspec: Any = importlib.import_module("fsspec")
    except ImportError:
        return NotKnown(NEEDS_FSSPEC)
    try:
        system, path = fsspec.core.url_to_fs(check.text)
        names = system.glob(path) if any(sign in path for sign in "*?[") else [path] * system.exists(path)
        if not names:
            return Known(None)
        newest = max(names, key=lambda name: _modified(system, name) or datetime.min.replace(tzinfo=UTC))
        holds = True
        if check.contains:
            with system.open(newest, "rb") as stream:
                holds = _holds(stream, check.contains)
        return Known(FileFacts(check.text, holds, _modified(system, newest)))
    except Exception as fault:  # noqa: BLE001  every protocol has errors of its own: it could not be looked at
        return NotKnown(f"{check.text} could not be looked at: {' '.join(str(fault).split())[:300]}.")


def _modified(system: Any, name: str) -> datetime | None:
    try:
        found = system.modified(name)
    except (NotImplementedError, AttributeError, KeyError):
        return None
    if not isinstance(found, datetime):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _holds(stream: IO[bytes] | None, text: str) -> bool:
    """Whether a stream holds the text, also over the end of a chunk. Raises OSError for one too long."""
    wanted = text.encode()
    if not wanted:
        return True
    tail, total = b"", 0
    for chunk in _chunks(stream):
        if wanted in tail + chunk:
            return True
        tail, total = chunk[-len(wanted) :], total + len(chunk)
        if total > MAX_FILE_BYTES:
            raise OSError(
                0, f"it is longer than {MAX_FILE_BYTES // 2**20} MiB, and its beginning lacks the text"
            )
    return False


def _chunks(stream: IO[bytes] | None) -> Iterator[bytes]:
    while stream is not None and (chunk := stream.read(CHUNK_BYTES)):
        yield chunk

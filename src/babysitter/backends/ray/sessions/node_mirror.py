"""The log folder of another machine, copied in parts into a folder of this one: bounded, and read only.

One command lists the files, one more brings what is new. They run `find`, `tail`, `head` and `base64` on the
other machine through a command that a person gave, such as `ssh -o BatchMode=yes {host}`; nothing is written
there. A copy has the size, the times and the offsets of its file, and holes where nothing was read: beginning
and end of a large file, then everything that is added.
"""

import asyncio
import base64
import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from babysitter.backends.ray.dashboard.gpu_use import QUERY, of_nvidia_smi
from babysitter.backends.ray.sessions.remote_fault import RemoteFault, may_ask, remote_fault
from babysitter.backends.ray.sessions.remote_folder import RemoteFolder, remote_command
from babysitter.backends.ray.sessions.session_folder import (
    HEAD_BYTES,
    MAX_FILES,
    MIRRORED,
    SessionFile,
    shares,
)
from babysitter.backends.run_process import Finished, run
from babysitter.clock import Clock
from babysitter.errors import BadConfig, ExternalError, InvalidResponse, Unreachable
from babysitter.model.device_use import DeviceUse

LIMIT_S = 20.0  # of one command
FIRST_BYTES = 300_000  # of all files of a machine at the first look, and of new files later
MORE_BYTES = 150_000  # of what was added, at one look
REFRESH_INTERVAL = timedelta(seconds=5)
FAILED_INTERVAL = timedelta(seconds=30)  # each question to a machine that hangs costs LIMIT_S
_NAME = re.compile(r"[A-Za-z][\w.-]{0,254}")
_PIECE = re.compile(r"piece (?P<place>\d{1,4}) ?(?P<data>\S*)")
_ROW = re.compile(r"file (?P<size>\d+) (?P<at>\d+)(?:\.\d*)? (?P<inode>\d+) (?P<name>\S+)")
_HEADS = ("at ", "now ", "ip ", "hidden ")
_WANTED = ("worker-*", "raylet*", "gcs_server*", "monitor*", "job-driver-*", "python-core-driver-*")
_NO_FOLDER, _NO_RIGHTS = 3, 4  # exit codes of the listing


@dataclass(frozen=True, slots=True)
class _Copied:
    """How far a file was copied. `begin`: from here to `end` without a hole."""

    inode: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class _Listed:
    name: str
    size: int
    written_at: float
    inode: str


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    begin: int
    length: int


class NodeMirror:
    """One folder of one machine. `base`: where the copies go."""

    def __init__(self, remote: RemoteFolder, template: Sequence[str], base: Path, clock: Clock) -> None:
        self.remote = remote
        self._template = template
        self._base = base
        self._clock = clock
        self._copied: dict[str, _Copied] = {}
        self._path = ""  # of the session's logs, once it was found: a later session is another run
        self._next_look_at: datetime | None = None
        self._failed: ExternalError | None = None  # the last look, for a moment
        self._refreshing = asyncio.Lock()
        self.fault = ""  # why the last look failed, or saw too little, and the next step

    @property
    def folder(self) -> Path | None:
        """The folder with the copies; None before the first look."""
        return self._local if self._path else None

    @property
    def has_failed(self) -> bool:
        """Whether the last look saw nothing."""
        return self._failed is not None

    @property
    def _local(self) -> Path:
        session = Path(self._path).parent.name if Path(self._path).name == "logs" else Path(self._path).name
        return self._base / self.remote.host / session / "logs"

    async def refresh(self) -> None:
        """Copy what is new. Raises Unreachable for a machine that was never read; later it is a `fault`."""
        async with self._refreshing:
            if self._next_look_at is None or self._clock.now() >= self._next_look_at:
                try:
                    await self._refresh()
                    self._failed = None
                except ExternalError as error:
                    self._failed = error
                    self.fault = f"{error.sentence} {error.next_step}".strip()
                pause = REFRESH_INTERVAL if self._failed is None else FAILED_INTERVAL
                self._next_look_at = self._clock.now() + pause
            if self._failed is not None and not self._path:
                raise Unreachable(self._failed.sentence, next_step=self._failed.next_step)

    async def gpus(self) -> tuple[DeviceUse, ...]:
        """What its GPUs do; () where it does not say."""
        try:
            told = await self._run(f"command -v nvidia-smi > /dev/null && {shlex.join(QUERY)} | head -n 64")
        except ExternalError:
            return ()
        return of_nvidia_smi(told.stdout)

    async def _refresh(self) -> None:
        told = await self._run(_listing(self._path or self.remote.path, is_session=bool(self._path)))
        if told.exit_code != 0:
            raise self._not_listed(told)
        lines = told.stdout.splitlines()
        heads = dict(line.partition(" ")[::2] for line in lines if line.startswith(_HEADS))
        listed = [found for line in lines if (found := _listed(line)) is not None][:MAX_FILES]
        self._path = self._path or heads.get("at", self.remote.path)
        self._local.mkdir(parents=True, exist_ok=True, mode=0o700)
        if address := _decoded(heads.get("ip", "")):
            (self._local.parent / "node_ip_address.json").write_bytes(address)
        self.fault = self._hidden(_number(heads.get("hidden")) or 0)
        pieces = list(self._wanted(listed))
        brought = await self._bring(pieces) if pieces else {}
        self._write(listed, brought)
        now, said = self._clock.now().timestamp(), _number(heads.get("now"))
        skew_s = now - said if said is not None else 0.0
        for listed_file in listed:
            at = listed_file.written_at + (skew_s if abs(skew_s) > 2 else 0.0)
            path = self._local / listed_file.name
            if path.exists():
                os.utime(path, (at, at))

    def _wanted(self, listed: Sequence[_Listed]) -> Iterator[_Piece]:
        """Of new files beginning and end, of others what was added."""
        new, grown = [], []
        for listed_file in listed:
            known = self._copied.get(listed_file.name)
            if known is None or known.inode != listed_file.inode or listed_file.size < known.end:
                self._copied.pop(listed_file.name, None)
                (self._local / listed_file.name).unlink(missing_ok=True)
                new.append(listed_file)
            elif listed_file.size > known.end:
                grown.append(listed_file)
        shared = shares(
            [_as_file(listed_file) for listed_file in new if not _is_core(listed_file.name)], FIRST_BYTES
        )
        for listed_file in new:
            share = shared.get(Path(listed_file.name), 0)
            if listed_file.size <= share + HEAD_BYTES:
                yield _Piece(listed_file.name, 0, 0 if _is_core(listed_file.name) else listed_file.size)
            else:
                yield _Piece(listed_file.name, 0, min(HEAD_BYTES, listed_file.size))
                yield _Piece(listed_file.name, max(HEAD_BYTES, listed_file.size - share), share)
        room = MORE_BYTES // max(1, len(grown))
        for listed_file in grown:
            begin = self._copied[listed_file.name].end
            yield _Piece(listed_file.name, begin, min(room, listed_file.size - begin))

    async def _bring(self, pieces: Sequence[_Piece]) -> Mapping[_Piece, bytes]:
        """The pieces as they are there now; one that is shorter meanwhile is cut."""
        wanted = [piece for piece in pieces if piece.length]
        told = await self._run(_reading(self._path, wanted)) if wanted else Finished("", "", 0)
        if told.exit_code != 0:
            raise self._fault_of(told)
        rows = [row for line in told.stdout.splitlines() if (row := _PIECE.fullmatch(line)) is not None]
        data = {int(row["place"]): _decoded(row["data"]) for row in rows}
        found = {piece: data.get(place, b"")[: piece.length] for place, piece in enumerate(wanted)}
        return {**dict.fromkeys(pieces, b""), **found}

    def _write(self, listed: Sequence[_Listed], brought: Mapping[_Piece, bytes]) -> None:
        inodes = {listed_file.name: listed_file.inode for listed_file in listed}
        for piece, data in brought.items():
            path = self._local / piece.name
            with path.open("r+b" if path.exists() else "xb") as copy:
                copy.seek(piece.begin)
                copy.write(data)
            known = self._copied.get(piece.name)
            begin = known.begin if known is not None and piece.begin == known.end else piece.begin
            self._copied[piece.name] = _Copied(inodes[piece.name], begin, piece.begin + len(data))
        holes = {name: copied.begin for name, copied in self._copied.items() if copied.begin}
        (self._local / MIRRORED).write_text(json.dumps(holes))

    async def _run(self, script: str) -> Finished:
        command = remote_command(self._template, self.remote.host, script)
        try:
            return await run(command, limit_s=LIMIT_S)
        except BadConfig as fault:
            step = "Install it, or correct --ssh."
            raise Unreachable(f"{self.remote.host}: {fault.sentence}", next_step=step) from fault
        except InvalidResponse as fault:
            raise self._unreachable(RemoteFault("its answer is too long", self._step)) from fault
        except ExternalError as fault:
            why = f"no answer within {LIMIT_S:g} s"
            raise self._unreachable(RemoteFault(why, self._step)) from fault

    @property
    def _tried(self) -> tuple[str, ...]:
        return remote_command(self._template, self.remote.host, "true")

    @property
    def _step(self) -> str:
        return f"Try `{shlex.join(may_ask(self._tried))}` in a shell."

    def _not_listed(self, told: Finished) -> Unreachable:
        if told.exit_code == _NO_FOLDER:
            return Unreachable(
                f"{self.remote.shown} is not a session folder of Ray that the user there may see.",
                next_step="Name session_latest in Ray's temp folder on that machine.",
            )
        if told.exit_code == _NO_RIGHTS:
            step = "Name the user who started Ray there, as USER@HOST:/PATH."
            return self._unreachable(RemoteFault("the user there has no right to read the folder", step))
        return self._fault_of(told)

    def _fault_of(self, told: Finished) -> Unreachable:
        return self._unreachable(remote_fault(told.stderr, told.exit_code, self._tried))

    def _hidden(self, count: int) -> str:
        """What is wrong with a folder of which so many files may not be read."""
        if not count:
            return ""
        return (
            f"The user there has no right to read {count} files of {self.remote.shown}. "
            "Name the user who started Ray there, as USER@HOST:/PATH."
        )

    def _unreachable(self, fault: RemoteFault) -> Unreachable:
        return Unreachable(
            f"The files of {self.remote.shown} cannot be read: {fault.why}.", next_step=fault.next_step
        )


def _listing(path: str, *, is_session: bool) -> str:
    """The script that lists a folder: `file SIZE SECONDS INODE NAME`, the newest first."""
    folder = shlex.quote(path)
    candidates = (folder,) if is_session else (f"{folder}/session_latest/logs", f"{folder}/logs", folder)
    hidden = " || ".join(f"[ -d {candidate} ]" for candidate in candidates)  # there, and not to be entered
    enter = " || ".join(f"cd {candidate} 2> /dev/null" for candidate in candidates)
    names = " -o ".join(f"-name {shlex.quote(text)}" for text in _WANTED)
    files = f"-type f \\( {names} \\)"
    return (
        f"{{ {enter}; }} || {{ {{ {hidden}; }} && exit {_NO_RIGHTS}; exit {_NO_FOLDER}; }}; "
        f"[ -r . ] || exit {_NO_RIGHTS}; "
        'echo "at $(pwd -P)"; '
        "echo now $(date +%s); "
        "echo ip $(head -c 300 ../node_ip_address.json 2> /dev/null | base64 | tr -d '\\n'); "
        f"echo hidden $(find . -maxdepth 1 {files} ! -readable -printf . | head -c 1000 | wc -c); "
        f"find . -maxdepth 1 {files} -readable -printf 'file %s %T@ %i %f\\n' "
        f"| sort -k3,3nr | head -n {2 * MAX_FILES}"
    )


def _reading(path: str, pieces: Sequence[_Piece]) -> str:
    """The script that prints each piece as one line, `piece PLACE BASE64`: a login may print others."""
    parts = (
        f"echo piece {place} $(tail -c +{piece.begin + 1} -- {shlex.quote(piece.name)} 2> /dev/null "
        f"| head -c {piece.length} | base64 | tr -d '\\n')"
        for place, piece in enumerate(pieces)
    )
    return f"cd {shlex.quote(path)} || exit {_NO_FOLDER}; " + "; ".join(parts)


def _listed(line: str) -> _Listed | None:
    """A row of the listing; None for another line, and for a name that is not one of Ray's."""
    found = _ROW.fullmatch(line)
    if found is None or not _NAME.fullmatch(found["name"]):
        return None
    return _Listed(found["name"], int(found["size"]), float(found["at"]), found["inode"])


def _is_core(name: str) -> bool:
    """Only the name of such a file is read."""
    return name.startswith("python-core-driver-")


def _as_file(listed_file: _Listed) -> SessionFile:
    written_at = datetime.fromtimestamp(listed_file.written_at, UTC)
    return SessionFile(Path(listed_file.name), "worker", "", listed_file.size, written_at)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:  # of base64, or of letters that are not ASCII
        return b""


def _number(text: str | None) -> int | None:
    """A number that the listing printed; None for anything else, such as a line of a log-in message."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,12}", text, re.ASCII) else None

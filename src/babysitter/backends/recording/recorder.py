"""Writes what a cluster answers into a folder that the player reads: every question, raw, with its times.

A recorder is a transport like any other: it hands questions on and keeps what came back. Secrets are taken
out of every text before it touches the disk.
"""

import base64
import binascii
import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import yaml

from babysitter.backends.iris.answers.log_window import LogWindow
from babysitter.backends.iris.connection.transport import (
    CONTROLLER_SERVICE,
    NoSuchMethod,
    Page,
    QuickReader,
    Transport,
    Verb,
)
from babysitter.clock import Clock
from babysitter.errors import (
    BabysitError,
    BadConfig,
    NoSuchJob,
    NotAuthorised,
    Overloaded,
    SubmissionRefused,
    Unreachable,
)
from babysitter.model.ids import JobId
from babysitter.private_files import make_private_folder, open_private, write_private
from babysitter.redact import redact, redact_value

_DUMPS = frozenset(("profileData", "profile_data"))
# The status and code under which an error is kept; the player reads the same error out of them.
_KEPT_AS: tuple[tuple[type[BabysitError], int | None, str], ...] = (
    (NoSuchMethod, 404, ""),
    (NoSuchJob, 404, "not_found"),
    (NotAuthorised, 401, "unauthenticated"),
    (Overloaded, 429, "resource_exhausted"),
    (SubmissionRefused, 400, "failed_precondition"),
    (Unreachable, None, ""),
)


class RecordingFolder:
    """The folder being written. Raises BadConfig when it cannot be, or holds a recording already."""

    def __init__(self, folder: Path, root: JobId, clock: Clock) -> None:
        self._folder, self._root, self._clock = folder, root, clock
        self._sample = "s00"
        self._names: Counter[str] = Counter()
        self._started_at = clock.now()
        try:
            make_private_folder(folder)
            make_private_folder(folder / "wire")
        except OSError as fault:
            raise BadConfig(f"Cannot write a recording into {folder}: {fault.strerror}.") from fault
        if any((folder / "wire").iterdir()):
            raise BadConfig(f"{folder} holds a recording already.", next_step="Give another folder with -o.")

    def begin(self, sample: str) -> None:
        """What is asked from now on belongs to this look."""
        self._sample = sample

    def write(
        self,
        method: str,
        service: str,
        body: Mapping[str, object],
        *,
        status: int | None,
        text: str,
        asked_at: datetime,
    ) -> None:
        """Keep one question and its answer."""
        name = f"{self._sample}-{method}"
        self._names[name] += 1
        if self._names[name] > 1:
            name = f"{name}-{self._names[name]}"
        elapsed_ms = (self._clock.now() - asked_at).total_seconds() * 1000
        request = {
            "method": "POST",
            "path": f"/{service}/{method}",
            "body": redact_value(body),
            "http_status": status,
            "elapsed_ms": round(elapsed_ms, 1),
            "at_epoch_ms": int(asked_at.timestamp() * 1000),
            "bytes": len(text),
        }
        wire = self._folder / "wire"
        write_private(wire / f"{name}.request.json", json.dumps(request, indent=1))
        write_private(wire / f"{name}.response.json", text)
        self._index({"sample": self._sample, "kind": "wire", "call": name, "status": status})

    def note(self, text: str) -> None:
        self._index({"note": redact(text)})

    def finish(self, **facts: str) -> None:
        """Write scenario.yaml, which names the job."""
        told = {"job_id": str(self._root)} | {name: str(value) for name, value in facts.items()}
        write_private(self._folder / "scenario.yaml", yaml.safe_dump(told, sort_keys=False))

    def _index(self, entry: dict[str, object]) -> None:
        seconds = (self._clock.now() - self._started_at).total_seconds()
        with open_private(self._folder / "index.jsonl", "a") as index:
            index.write(json.dumps({**entry, "t": round(seconds, 1)}) + "\n")


class RecordingTransport:
    """Implements `Transport`: forwards requests and records the answers."""

    def __init__(self, line: Transport, folder: RecordingFolder, clock: Clock) -> None:
        self._line, self._folder, self._clock = line, folder, clock

    @property
    def place(self) -> str:
        return self._line.place

    @property
    def transport(self) -> str:
        return self._line.transport

    async def ask(
        self,
        method: str,
        body: Mapping[str, object],
        *,
        service: str = CONTROLLER_SERVICE,
        limit_s: float | None = None,
        quick: QuickReader | None = None,  # noqa: ARG002 - an answer is kept whole
        window: LogWindow | None = None,
    ) -> object:
        asked_at = self._clock.now()
        try:
            answer = await self._line.ask(method, body, service=service, limit_s=limit_s, window=window)
        except BabysitError as fault:
            status, text = _kept(fault)
            self._folder.write(method, service, body, status=status, text=text, asked_at=asked_at)
            raise
        text = json.dumps(redact_value(_dumps_redacted(answer), untouched=_DUMPS), ensure_ascii=False)
        self._folder.write(method, service, body, status=200, text=text, asked_at=asked_at)
        return answer

    async def request_page(self, path: str, *, verb: Verb) -> Page:
        """Pages are not recorded."""
        return await self._line.request_page(path, verb=verb)

    async def close(self) -> None:
        await self._line.close()


def _kept(fault: BabysitError) -> tuple[int | None, str]:
    said = redact(fault.sentence)
    for kind, status, code in _KEPT_AS:
        if isinstance(fault, kind):
            text = json.dumps({"code": code, "message": said}) if code else ("" if status else said)
            return status, text
    return 500, json.dumps({"code": "internal", "message": said})


def _dumps_redacted(value: object) -> object:
    """The same JSON with secrets taken out of the thread dumps that are packed in base64."""
    if isinstance(value, list):
        return [_dumps_redacted(item) for item in value]
    if isinstance(value, Mapping):
        return {
            str(key): _dump(item) if key in _DUMPS else _dumps_redacted(item) for key, item in value.items()
        }
    return value


def _dump(packed: object) -> object:
    if not isinstance(packed, str):
        return packed
    try:
        text = base64.b64decode(packed, validate=True).decode(errors="replace")
    except binascii.Error:
        return redact(packed)
    return base64.b64encode(redact(text).encode()).decode()

"""Answers of a Ray cluster, written into a recording and played from one.

Secrets are taken out before anything touches the disk; lines of logs keep their length, so that byte offsets
stay true.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from babysitter.backends.backend import Abilities
from babysitter.backends.ray.dashboard.http_client import REQUEST_LIMIT_S, Query, RayAnswer, RayTransport
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.submission.stored_job import KEPT_OUT
from babysitter.backends.recording.format import RecordedResponse, RecordedStep, Recording
from babysitter.backends.recording.recorder import RecordingFolder
from babysitter.clock import Clock
from babysitter.errors import BabysitError, Unreachable
from babysitter.redact import redact, redact_lines, strip_control_characters

SERVICE, METHOD = "ray", "Get"


class RecordingRayTransport:
    """Implements `RayTransport`: forwards requests and records the answers."""

    def __init__(self, line: RayTransport, folder: RecordingFolder, clock: Clock) -> None:
        self._line, self._folder, self._clock = line, folder, clock

    @property
    def place(self) -> str:
        return self._line.place

    async def get(
        self,
        path: str,
        query: Query = (),
        *,
        base: str = "",
        part: str = "",
        limit_s: float = REQUEST_LIMIT_S,
    ) -> RayAnswer:
        asked_at = self._clock.now()
        body: dict[str, object] = {"path": path, "query": [list(pair) for pair in query]}
        try:
            answer = await self._line.get(path, query, base=base, part=part, limit_s=limit_s)
        except BabysitError as fault:
            text = redact(fault.sentence)
            self._write(body, None, text, asked_at=asked_at)
            raise
        body |= {"begin": answer.begin, "total": answer.total_bytes, "modified_ms": answer.modified_ms}
        text = _same_length(answer.text) if path.startswith("/logs/") else _shown(answer.text)
        self._write(body, answer.status, text, asked_at=asked_at)
        return answer

    async def close(self) -> None:
        await self._line.close()

    def _write(self, body: Mapping[str, object], status: int | None, text: str, **at: object) -> None:
        self._folder.write(METHOD, SERVICE, body, status=status, text=text, **at)  # type: ignore[arg-type]


@dataclass(slots=True)
class _PlayedFile:
    """What was read of a file. `base`: offset of the first known byte."""

    base: int
    content: bytearray
    modified_ms: int

    def put(self, begin: int, part: bytes) -> None:
        at = max(0, begin - self.base)
        self.content[at:] = part


class PlayedRayTransport:
    """Implements `RayTransport` over recorded answers, up to the step that was shown last."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.has_looked = False
        self._answers: dict[tuple[str, tuple[tuple[str, str], ...]], RecordedResponse] = {}
        self._files: dict[str, _PlayedFile] = {}

    def show(self, step: RecordedStep) -> None:
        for answer in step.answers:
            path = str(answer.body.get("path", ""))
            self.has_looked |= path.startswith("/api/jobs/")
            if not path.startswith("/logs/"):
                self._answers[path, _pairs(answer.body.get("query"))] = answer
            elif answer.status == 206:
                self._add(path, answer)

    async def get(
        self,
        path: str,
        query: Query = (),
        *,
        base: str = "",  # noqa: ARG002
        part: str = "",
        limit_s: float = REQUEST_LIMIT_S,  # noqa: ARG002
    ) -> RayAnswer:
        if path.startswith("/logs/"):
            return self._part(path, part)
        answer = self._answers.get((path, tuple(query)))
        if answer is None:
            return RayAnswer(404, b"not recorded")
        if answer.status is None:
            raise Unreachable(answer.text)
        return RayAnswer(answer.status, answer.text.encode())

    async def close(self) -> None:
        """Nothing to give back."""

    def _add(self, path: str, answer: RecordedResponse) -> None:
        begin, modified_ms = _number(answer.body, "begin"), _number(answer.body, "modified_ms")
        played = self._files.setdefault(path, _PlayedFile(begin, bytearray(), modified_ms))
        played.put(begin, answer.text.encode())
        played.modified_ms = modified_ms

    def _part(self, path: str, part: str) -> RayAnswer:
        played = self._files.get(path)
        if played is None:
            return RayAnswer(404, b"")
        first, _, last = part.removeprefix("bytes=").partition("-")
        total = played.base + len(played.content)
        begin = max(played.base, int(first) if first else total - int(last))
        if begin >= total:
            return RayAnswer(416, b"", total, total, played.modified_ms)
        end = int(last) + 1 if first and last else total
        body = bytes(played.content[begin - played.base : max(0, end - played.base)])
        return RayAnswer(206, body, begin, total, played.modified_ms)


class PlayedRayReader(RayReader):
    """The reader of a recording of Ray. `show` moves it on; it never looks ahead."""

    def __init__(self, recording: Recording, clock: Clock) -> None:
        self._played = PlayedRayTransport(str(recording.folder))
        super().__init__(self._played, clock=clock)

    @property
    def abilities(self) -> Abilities:
        """Nothing is submitted to a recording."""
        return replace(super().abilities, submits=False)

    def show(self, step: RecordedStep) -> None:
        """Take a step's answers into account, in the order in which they came."""
        self._played.show(step)

    @property
    def has_looked(self) -> bool:
        """Whether anything was ever asked that could tell of the job."""
        return self._played.has_looked


def _shown(text: str) -> str:
    """The answer without secrets. Of runtime environments no value of a variable is kept."""
    try:
        whole = json.loads(text)
    except ValueError:
        return redact(text)
    if not isinstance(whole, (dict, list)):
        return redact(text)
    return redact(json.dumps(_without_environments(whole)))


def _without_environments(value: object) -> object:
    """The same JSON; Ray writes an environment as an object, and once more as text inside a text."""
    if isinstance(value, list):
        return [_without_environments(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _without_environments(item) for name, item in value.items()}
    if isinstance(variables := kept.get("env_vars"), dict):
        kept["env_vars"] = dict.fromkeys(variables, KEPT_OUT)
    if "serialized_runtime_env" in kept:
        kept["serialized_runtime_env"] = "{}"
    return kept


def _same_length(text: str) -> str:
    """The text without secrets; a line that becomes longer is cut, a shorter one is filled with blanks."""
    lines = text.split("\n")
    return "\n".join(map(_fitted, redact_lines(lines), lines))


def _fitted(shown: str, line: str) -> str:
    """The line itself where nothing was taken out of it, else the text in as many bytes as the line has."""
    if shown == strip_control_characters(line):
        return line
    size = len(line.encode())
    cut = shown.encode()[:size].decode(errors="ignore")
    return cut + " " * (size - len(cut.encode()))


def _pairs(query: object) -> tuple[tuple[str, str], ...]:
    pairs = query if isinstance(query, list) else []
    return tuple((str(pair[0]), str(pair[1])) for pair in pairs if isinstance(pair, list) and len(pair) == 2)


def _number(body: Mapping[str, object], name: str) -> int:
    value = body.get(name)
    return value if isinstance(value, int) else 0

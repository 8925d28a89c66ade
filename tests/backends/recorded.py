"""What recorded controllers answered, straight from the fixtures."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
ERAS = {"april": "iris-2026-04", "may": "iris-2026-05"}


@dataclass(frozen=True)
class Exchange:
    """One recorded question and its answer, byte for byte."""

    name: str
    path: str
    body: dict[str, object]
    status: int
    answer: bytes

    @property
    def method(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def json(self) -> object:
        return json.loads(self.answer)


def exchanges(generation: str, scenario: str, method: str = "") -> Iterator[Exchange]:
    """Recorded exchanges of a scenario in the order of their names, of one method when named."""
    folder = FIXTURES / ERAS[generation] / scenario / "wire"
    for request in sorted(folder.glob("*.request.json")):
        asked = json.loads(request.read_text())
        if asked.get("http_status") is None or (method and not asked["path"].endswith(f"/{method}")):
            continue
        stem = request.name.removesuffix(".request.json")
        answer = request.with_name(f"{stem}.response.json").read_bytes()
        yield Exchange(stem, asked["path"], asked.get("body", {}), asked["http_status"], answer)


def exchange(generation: str, scenario: str, name: str) -> Exchange:
    """The one recorded exchange of this name."""
    return next(candidate for candidate in exchanges(generation, scenario) if candidate.name == name)


def printed(generation: str, scenario: str, name: str) -> str:
    """What a recorded command printed on stdout."""
    text = (FIXTURES / ERAS[generation] / scenario / "cli" / f"{name}.txt").read_text()
    return text.partition("--- stdout\n")[2].partition("--- stderr")[0]

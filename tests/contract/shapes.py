"""The shapes of answers: which fields an object of a kind always has, may have, and of which types.

A kind is where an object stands in an answer and the state it tells, such as `ListJobs.jobs[]:RUNNING`.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.support.recordings import FIXTURES

ERAS = {"april": "iris-2026-04", "may": "iris-2026-05"}
MAPS = ("states", "envVars", "attributes", "taskStateCounts", "workdirFiles")  # their keys are no field names


@dataclass
class Kind:
    """Everything seen of one kind of object."""

    count: int = 0
    seen: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    types: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def always(self) -> set[str]:
        return {name for name, times in self.seen.items() if times == self.count}


@dataclass(frozen=True)
class Exchange:
    """One recorded question with its answer."""

    path: str
    body: dict[str, object]
    status: int | None
    text: str
    headers: dict[str, str]
    name: str

    @property
    def method(self) -> str:
        return self.path.rpartition("/")[2]


def exchanges(generation: str, scenario: str = "*") -> Iterator[Exchange]:
    """What was asked and answered in the recordings of a generation, in no special order."""
    for path in sorted((FIXTURES / ERAS[generation]).glob(f"{scenario}/wire/*.request.json")):
        asked = json.loads(path.read_text())
        answer = path.with_name(path.name.replace(".request.", ".response."))
        yield Exchange(
            asked["path"],
            asked.get("body") or {},
            asked.get("http_status"),
            answer.read_text() if answer.is_file() else "",
            asked.get("headers", {}),
            path.name.removesuffix(".request.json"),
        )


def recorded_kinds(generation: str) -> dict[str, Kind]:
    """The kinds of objects in all successful recorded answers."""
    kinds: dict[str, Kind] = defaultdict(Kind)
    for exchange in exchanges(generation):
        if exchange.status == 200 and exchange.text.lstrip().startswith("{"):
            note(kinds, exchange.method, json.loads(exchange.text))
    return kinds


def note(kinds: dict[str, Kind], place: str, value: object) -> None:
    """Take in one value of an answer and all below it."""
    if isinstance(value, list):
        for item in value:
            note(kinds, f"{place}[]", item)
        return
    if not isinstance(value, dict):
        return
    if place.rpartition(".")[2] in MAPS:
        for item in value.values():
            note_type(kinds, place, "*", item)
        return
    kind = f"{place}:{value['state']}" if "state" in value else place
    kinds[kind].count += 1
    for name, item in value.items():
        kinds[kind].seen[name] += 1
        kinds[kind].types[name].add(type_of(item))
        note(kinds, f"{place}.{name}", item)


def note_type(kinds: dict[str, Kind], place: str, name: str, value: object) -> None:
    kinds[place].count += 1
    kinds[place].seen[name] += 1
    kinds[place].types[name].add(type_of(value))
    note(kinds, f"{place}.{name}", value)


def type_of(value: object) -> str:
    """int64 are texts of digits on the wire: another type than a word."""
    if isinstance(value, str):
        return "digits" if value.lstrip("-").isdigit() else "text"
    return type(value).__name__


def differences(ours: dict[str, Kind], theirs: dict[str, Kind]) -> list[str]:
    """What a client could tell the two apart by."""
    found = []
    for place, kind in sorted(ours.items()):
        known = theirs.get(place)
        if known is None:
            found.append(f"{place}: never recorded")
            continue
        found += [f"{place}: lacks {name}" for name in sorted(known.always - kind.always)]
        found += [f"{place}: has {name}, never recorded" for name in sorted(set(kind.seen) - set(known.seen))]
        for name in sorted(set(kind.types) & set(known.types)):
            if odd := _odd_types(kind.types[name], known.types[name]):
                found.append(f"{place}.{name}: {odd}, recorded {sorted(known.types[name])}")
    return found


def _odd_types(ours: set[str], theirs: set[str]) -> set[str]:
    """Words may happen to be digits where words are recorded; digits recorded are numbers and stay so."""
    return ours - theirs - ({"digits"} if "text" in theirs else set())

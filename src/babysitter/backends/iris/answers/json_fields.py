"""Reading fields out of decoded JSON that may be spelled two ways, leave things out, or lie.

The wire spells `jobId`, the command line tool `job_id`. Empty lists, maps and unset times are left out.
64-bit integers are strings. Anything else than the type expected is an `UnexpectedField`: never a guess.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

_LATEST_EPOCH_MS = 253_402_300_799_000  # the last moment a datetime can hold


class UnexpectedField(ValueError):
    """A field is not of the type that the protocol promises. Says which, and what was found."""


@dataclass(frozen=True, slots=True)
class JsonNode:
    """One JSON object of an answer; `place` is its path, for error messages."""

    raw: Mapping[str, object]
    place: str = "answer"

    @classmethod
    def of(cls, raw: object, place: str = "answer") -> "JsonNode":
        if not isinstance(raw, dict):
            raise UnexpectedField(f"{place} should be an object, not {_kind(raw)}")
        return cls(raw, place)

    def get(self, name: str) -> object:
        """The raw value under the camelCase name or its snake_case twin; None when absent."""
        value = self.raw.get(name)
        return self.raw.get(snake(name)) if value is None else value

    def text(self, name: str) -> str:
        value = self.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._odd(name, "a string", value)
        return value

    def number(self, name: str, default: int = 0) -> int:
        """An integer; 64-bit ones come as strings of digits."""
        value = self.get(name)
        if value is None:
            return default
        return self._integer(name, value)

    def number_or_none(self, name: str) -> int | None:
        value = self.get(name)
        return None if value is None else self._integer(name, value)

    def flag(self, name: str) -> bool:
        value = self.get(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise self._odd(name, "true or false", value)
        return value

    def moment(self, name: str) -> datetime | None:
        """`{"epochMs": "..."}` as an aware UTC time; None when absent or zero."""
        node = self.node(name)
        epoch_ms = 0 if node is None else node.number("epochMs")
        if epoch_ms == 0:
            return None
        if not 0 < epoch_ms <= _LATEST_EPOCH_MS:
            raise self._odd(name, "a time", epoch_ms)
        return datetime.fromtimestamp(epoch_ms / 1000, UTC)

    def node(self, name: str) -> "JsonNode | None":
        value = self.get(name)
        return None if value is None else JsonNode.of(value, f"{self.place}.{name}")

    def nodes(self, name: str) -> Iterator["JsonNode"]:
        """The objects of a list; none when the list was left out."""
        for index, member in enumerate(self._list(name)):
            yield JsonNode.of(member, f"{self.place}.{name}[{index}]")

    def texts(self, name: str) -> tuple[str, ...]:
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            raise self._odd(name, "a list of strings", values)
        return tuple(str(value) for value in values)

    def table(self, name: str) -> Mapping[str, object]:
        """A map with free keys (job ids, state names, environment variables); empty when left out."""
        node = self.node(name)
        return {} if node is None else node.raw

    def _list(self, name: str) -> list[object]:
        value = self.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._odd(name, "a list", value)
        return value

    def _integer(self, name: str, value: object) -> int:
        if isinstance(value, str):
            try:
                return int(value)
            except ValueError:
                raise self._odd(name, "a number", value) from None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, float) and value.is_integer():
            return int(value)
        raise self._odd(name, "a number", value)

    def _odd(self, name: str, expected: str, found: object) -> UnexpectedField:
        return UnexpectedField(f"{self.place}.{name} should be {expected}, not {_kind(found)}")


@cache
def snake(name: str) -> str:
    """jobId -> job_id"""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _kind(value: object) -> str:
    text = str(value)
    return f"{type(value).__name__} {text[:40]!r}" if len(text) <= 40 else f"{type(value).__name__}"

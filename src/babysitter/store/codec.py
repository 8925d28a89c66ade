"""Values of the model to JSON and back. One adapter per type, made when it is first needed."""

from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, Generic, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter

T = TypeVar("T")


class Codec(Generic[T]):
    """JSON of one type. Fields added later read as their defaults; NaN and infinities survive."""

    def __init__(self, kind: type[T]) -> None:
        # Wrapped in a tuple because an adapter takes no configuration for a bare dataclass.
        wrapped: Any = tuple.__class_getitem__(kind)
        self._adapter: TypeAdapter[tuple[T]] = TypeAdapter(
            wrapped, config=ConfigDict(ser_json_inf_nan="constants")
        )

    def encode(self, value: T) -> str:
        try:
            return self._adapter.dump_json((value,)).decode()[1:-1]
        except ValueError:
            # Half a surrogate pair in a job's text: no UTF-8 holds it.
            return self._adapter.dump_json((_mended(value),)).decode()[1:-1]

    def decode(self, text: str) -> T:
        return self._adapter.validate_json(f"[{text}]")[0]


def codec(kind: type[T]) -> Codec[T]:
    """The codec of a type, made once."""
    return cast("Codec[T]", _codec(cast("Hashable", kind)))


def from_json(kind: type[T], text: str) -> T:
    """The value of a column."""
    return codec(kind).decode(text)


@cache
def _codec(kind: Hashable) -> Codec[Any]:
    return Codec(cast("type[Any]", kind))


def _mended(value: Any) -> Any:
    """The same value, its texts made fit for UTF-8."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return value.encode("utf-8", "replace").decode()
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _mended(getattr(value, field.name)) for field in fields(value)})
    if isinstance(value, Mapping):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a NamedTuple takes its values one by one
        return type(value)(*map(_mended, value))
    if isinstance(value, (tuple, list, frozenset)):
        return type(value)(map(_mended, value))
    return value

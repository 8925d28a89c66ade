"""The base of everything that is printed as JSON: plain frozen values, with pydantic only where it is needed.

A command that prints a table needs none of pydantic, whose import costs as much as typer's. So a view is a
dataclass. Its schema, and reading it back, are pydantic's, imported when somebody asks.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast, dataclass_transform


def Field(*, default: Any = dataclasses.MISSING, description: str = "") -> Any:  # noqa: N802
    """A field with what it means, which its documentation prints. A list or dictionary is copied."""
    metadata = {"description": description} if description else {}
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class View:
    """Every subclass becomes a frozen dataclass. Unknown fields are a fault of ours."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "forbid"}

    def __init_subclass__(cls) -> None:
        # What can be inherited is not generated for each of them: that would double the time of an import.
        dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]  # some fields are lists

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )

    def model_dump_json(self) -> str:
        """The view as one JSON object."""
        import msgspec

        return msgspec.json.encode(self).decode()

    @classmethod
    def model_validate(cls, value: object) -> Self:
        """The view of plain values. Raises pydantic's ValidationError."""
        return cast("Self", _adapter(cls).validate_python(value))

    @classmethod
    def model_validate_json(cls, text: str | bytes) -> Self:
        return cast("Self", _adapter(cls).validate_json(text))

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """The JSON schema, with the parts below `$defs`."""
        return cast("dict[str, Any]", _adapter(cls).json_schema())


_adapters: dict[type, Any] = {}


def _adapter(kind: type) -> Any:
    from pydantic import TypeAdapter

    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]

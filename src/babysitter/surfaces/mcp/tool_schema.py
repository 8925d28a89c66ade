"""The schema of a tool's arguments, as short as it can be: every client pays for it in every conversation."""

from typing import Any

_SAYS_NOTHING = ("title", "additionalProperties")


def compact_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an equivalent schema without titles, references and defaults that say nothing.

    `X or null` becomes X: who has no value leaves the argument out. The top level refuses unknown arguments.
    """
    parts = schema.get("$defs", {})
    properties = {name: _compact(value, parts) for name, value in schema.get("properties", {}).items()}
    short: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if schema.get("required"):
        short["required"] = schema["required"]
    return short


def _compact(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    short = {name: value for name, value in schema.items() if name not in _SAYS_NOTHING}
    if "$ref" in short:
        target = parts[short.pop("$ref").rpartition("/")[2]]
        short = {**target, **short}
        short.pop("title", None)
        if "description" not in schema:
            short.pop("description", None)
    if "anyOf" in short:
        given = [choice for choice in short["anyOf"] if choice.get("type") != "null"]
        if len(given) == 1:
            del short["anyOf"]
            short = {**_compact(given[0], parts), **short}
    if "items" in short:
        short["items"] = _compact(short["items"], parts)
    if any(short.get("default", ...) is nothing for nothing in ("", None, False)):
        del short["default"]
    return short

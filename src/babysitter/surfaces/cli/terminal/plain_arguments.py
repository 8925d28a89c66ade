"""Plain command lines, parsed without typer: it loads pydantic to turn a word into a string.

The parameters are read from the same declarations. Whatever is not plain (an unknown option, a missing
argument, a type that needs a check, --help) is left to typer, which also finds the words for it.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from typer.models import ArgumentInfo, OptionInfo

_CONVERSIONS: Mapping[Any, Callable[[str], Any]] = {str: str, str | None: str, Path | None: Path}


@dataclass(frozen=True, slots=True)
class _Parameter:
    """`option_names` is empty for an argument. `convert` None: a flag."""

    name: str
    option_names: tuple[str, ...]
    convert: Callable[[str], Any] | None
    is_required: bool


def plain_arguments(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """The keyword arguments that these words mean; None when typer must parse them."""
    parameters = [_parameter(parameter) for parameter in inspect.signature(function).parameters.values()]
    known = [parameter for parameter in parameters if parameter is not None]
    if len(known) < len(parameters):
        return None
    options = {name: parameter for parameter in known for name in parameter.option_names}
    positions = [parameter for parameter in known if not parameter.option_names]
    values: dict[str, Any] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            if not positions:
                return None
            taker, value = positions.pop(0), word
        else:
            name, equals, value = word.partition("=")
            taker = options.get(name)  # type: ignore[assignment]
            if taker is None or (taker.convert is None and equals):
                return None
            if taker.convert is None:
                values[taker.name] = True
                continue
            if not equals:
                if not rest or rest[0].startswith("-"):
                    return None
                value = rest.pop(0)
        assert taker.convert is not None
        values[taker.name] = taker.convert(value)
    return None if any(position.is_required for position in positions) else values


def _parameter(declared: inspect.Parameter) -> _Parameter | None:
    """A parameter that is as plain as its words; None for any other."""
    if get_origin(declared.annotation) is None:
        return None
    kind, *about = get_args(declared.annotation)
    info = next((candidate for candidate in about if isinstance(candidate, (ArgumentInfo, OptionInfo))), None)
    if info is None or info.envvar or info.callback or info.min is not None or info.max is not None:
        return None
    is_required = declared.default is inspect.Parameter.empty
    if isinstance(info, ArgumentInfo):
        return _Parameter(declared.name, (), str, is_required) if kind is str else None
    # `typer.Option("--all")` within Annotated takes its first name for a default, until typer looks at it.
    first = (info.default,) if isinstance(info.default, str) else ()
    given = (*first, *(info.param_decls or ()))
    names = given or ("--" + declared.name.replace("_", "-"),)
    if is_required or any(not spelling.startswith("-") or "/" in spelling for spelling in names):
        return None
    if kind is bool:
        return _Parameter(declared.name, names, None, is_required=False) if given else None
    convert = info.parser or _CONVERSIONS.get(kind)
    return _Parameter(declared.name, names, convert, is_required=False) if convert is not None else None

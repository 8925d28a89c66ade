"""Regular expressions that are compiled when they are first used.

Compiling takes 0.1 to 3 ms each, and a table of a hundred is imported by commands that use a few of them.
"""

import re
from typing import cast

_ATTRIBUTES = (
    "search",
    "match",
    "fullmatch",
    "split",
    "findall",
    "finditer",
    "sub",
    "subn",
    "pattern",
    "flags",
    "groups",
    "groupindex",
)


def lazy_regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns, compiled when one of its attributes is first read.

    It cannot be given to functions of `re`; its methods can be called. A faulty expression raises `re.error`
    when it is first used: tests/test_lazy_regex.py uses all of them.
    """
    return cast("re.Pattern[str]", LazyRegex(pattern, flags))


class _CompiledRegex:
    """An expression whose attributes are those of the compiled one."""


class LazyRegex(_CompiledRegex):
    """An expression that nobody has used. It changes its class when it is compiled.

    A class that has `__getattr__` would make every later look-up of a method three times as slow.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        if name not in _ATTRIBUTES:
            raise AttributeError(name)
        compiled = re.compile(*self._arguments)
        vars(self).update((attribute, getattr(compiled, attribute)) for attribute in _ATTRIBUTES)
        self.__class__ = _CompiledRegex  # type: ignore[assignment]
        return getattr(compiled, name)

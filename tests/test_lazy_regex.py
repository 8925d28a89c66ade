"""Expressions compiled when first used: the same answers as `re`, and every one of the sources compiles."""

import pkgutil
import re
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

import babysitter
from babysitter.lazy_regex import LazyRegex, lazy_regex
from babysitter.redact.phrases.phrase import Phrase


def test_lazy_regex_answers_like_re() -> None:
    lazy, compiled = lazy_regex("(?P<n>a+)b", re.IGNORECASE), re.compile("(?P<n>a+)b", re.IGNORECASE)
    assert isinstance(lazy, LazyRegex)
    assert lazy.sub("x", "caAb ab") == compiled.sub("x", "caAb ab")
    assert not isinstance(lazy, LazyRegex)  # it is compiled now
    assert lazy.findall("caAb ab") == compiled.findall("caAb ab")
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (
        compiled.pattern,
        compiled.flags,
        compiled.groupindex,
    )


def test_lazy_regex_refuses_a_fault_when_used() -> None:
    faulty = lazy_regex("(")
    with pytest.raises(re.error):
        faulty.search("")


def test_every_lazy_regex_compiles() -> None:
    for folder in ("diagnosis", "redact"):
        package = import_module(f"babysitter.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    modules = [module for name, module in sys.modules.items() if name.startswith(f"{babysitter.__name__}.")]
    found = [regex for module in modules for value in vars(module).values() for regex in _regexes_in(value)]
    assert len(found) > 100
    for regex in found:
        assert regex.search("") is None or regex.pattern


def _regexes_in(value: object) -> Iterator["re.Pattern[str]"]:
    """Expressions in a value of a module: alone, in tuples, in lists, in dicts and in fields of rows."""
    if isinstance(value, LazyRegex):
        yield value  # type: ignore[misc]
    elif isinstance(value, Phrase):
        yield from _regexes_in(value.pattern)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _regexes_in(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _regexes_in(inner)
    elif hasattr(type(value), "__dataclass_fields__"):
        for name in type(value).__dataclass_fields__:
            yield from _regexes_in(getattr(value, name, None))

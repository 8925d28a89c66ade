"""How python reads its own command line: options, then a script, a module or code."""

from collections.abc import Sequence
from dataclasses import dataclass

_TAKES_WORD = "cmWX"
_FLAGS = frozenset("bBdEhiIOPqsStuvVx?")  # as of Python 3.13; -t is ignored
_LONG = frozenset(("--help", "--help-all", "--help-env", "--help-xoptions", "--version"))
_LONG_WITH_WORD = "--check-hash-based-pycs"


@dataclass(frozen=True, slots=True)
class PythonCommand:
    """`script` or `module`: what is run, "" for neither (code, standard input, `--version`).

    `arguments`: the words behind it. `lacks_word`: the option that ends the line although a word belongs
    to it. `unknown`: the first option that python does not have.
    """

    script: str = ""
    module: str = ""
    arguments: tuple[str, ...] = ()
    lacks_word: str = ""
    unknown: str = ""


def python_command(words: Sequence[str]) -> PythonCommand:
    """Read the words of a python command; the first one is python itself."""
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        if word == "-":
            break
        if not word.startswith("-"):
            return PythonCommand(script=word, arguments=tuple(rest))
        if word == "--":
            return PythonCommand(script=rest[0], arguments=tuple(rest[1:])) if rest else PythonCommand()
        found = _long(word, rest) if word.startswith("--") else _short(word, rest)
        if found is not None:
            return found
    return PythonCommand()


def _long(word: str, rest: list[str]) -> PythonCommand | None:
    """The command that ends with this option; None where python reads on."""
    if word == _LONG_WITH_WORD:
        return None if rest and rest.pop(0) else PythonCommand(lacks_word=word)
    return PythonCommand() if word in _LONG else PythonCommand(unknown=word)


def _short(word: str, rest: list[str]) -> PythonCommand | None:
    """`-um pkg`, `-mpkg`, `-W ignore`: letters up to one that takes the rest of the word or the next one."""
    for at, letter in enumerate(word[1:], start=2):
        if letter in _TAKES_WORD:
            value = word[at:] or (rest.pop(0) if rest else None)
            if value is None:
                return PythonCommand(lacks_word=f"-{letter}")
            if letter == "m":
                return PythonCommand(module=value, arguments=tuple(rest))
            return PythonCommand() if letter == "c" else None
        if letter not in _FLAGS:
            return PythonCommand(unknown=f"-{letter}")
        if letter in "hV?":
            return PythonCommand()
    return None

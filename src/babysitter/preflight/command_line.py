"""The grammar of `iris ... job run`: which words the client takes for its own, and which it runs.

The client's parser collects its own options anywhere before `--`, also behind the first word of the program,
and lets words pass that it does not know. Edits never touch what stands behind `--`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from babysitter.preflight.client.client_tables import Option

SEPARATOR = "--"
CLUSTER_OPTIONS = ("--cluster", "--config", "--controller-url")  # each names one; before `job run`


@dataclass(frozen=True, slots=True)
class OptionUse:
    """An option as it was typed. `at`: index of its word. `in_program`: behind the first word to be run."""

    option: Option
    name: str
    values: tuple[str, ...]
    at: int
    in_program: bool


@dataclass(frozen=True, slots=True)
class RunCommand:
    """What the client makes of a command. `faults`: why its parser gives up, in sentences."""

    uses: tuple[OptionUse, ...]
    program: tuple[str, ...]
    program_at: int | None  # index of the program's first word in the command
    has_separator: bool
    faults: tuple[str, ...] = ()

    def value(self, name: str) -> str:
        """The last value of an option with one value, "" when it is not given."""
        return next((use.values[-1] for use in reversed(self.uses) if name in use.option.names), "")

    def values(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The values of every use of an option."""
        return tuple(use.values for use in self.uses if name in use.option.names)

    def has(self, name: str) -> bool:
        """Whether exactly this spelling was given."""
        return any(use.name == name for use in self.uses)


@dataclass(slots=True)
class _Parser:
    argv: tuple[str, ...]
    options: dict[str, Option]
    rest: list[tuple[str, int]]
    uses: list[OptionUse] = field(default_factory=list)
    program: list[tuple[str, int]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    has_separator: bool = False

    def parse(self) -> RunCommand:
        while self.rest:
            word, at = self.rest.pop(0)
            if word == SEPARATOR:
                self.has_separator = True
                self.program += self.rest
                break
            if word.startswith("-") and len(word) > 1:
                self._option(word, at)
            else:
                self.program.append((word, at))
        return RunCommand(
            tuple(self.uses),
            tuple(word for word, _ in self.program),
            self.program[0][1] if self.program else None,
            self.has_separator,
            tuple(self.faults),
        )

    def _option(self, word: str, at: int) -> None:
        name, has_value, value = word.partition("=")
        is_attached = has_value and not word.startswith("--")  # `-e=A`: the value is `=A`
        option = None if is_attached else self.options.get(name)
        if option is not None:
            if has_value and not option.takes:
                self.faults.append(f"{name} does not take a value.")
            else:
                self._take(option, name, at, (value,) if has_value else ())
        elif word.startswith("--"):
            self.program.append((word, at))  # passes as a word of the program
        else:
            self._short_options(word, at)

    def _short_options(self, word: str, at: int) -> None:
        """`-lec x`: letters one by one; those that are not known stay together as a word of the program."""
        unknown = ""
        for position, letter in enumerate(word[1:], start=2):
            option = self.options.get(f"-{letter}")
            if option is None:
                unknown += letter
                continue
            attached = word[position:]
            self._take(option, f"-{letter}", at, (attached,) if attached and option.takes else ())
            if option.takes:
                break
        if unknown:
            self.program.append((f"-{unknown}", at))

    def _take(self, option: Option, name: str, at: int, given: tuple[str, ...]) -> None:
        values = list(given)
        while len(values) < option.takes and self.rest:
            values.append(self.rest.pop(0)[0])
        if len(values) < option.takes:
            number = "a value" if option.takes == 1 else f"{option.takes} values"
            self.faults.append(f"{name} needs {number}.")
            return
        self.uses.append(OptionUse(option, name, tuple(values), at, in_program=bool(self.program)))


def parse_run(argv: Sequence[str], options: Sequence[Option]) -> RunCommand | None:
    """The `job run` in this command as the client reads it; None for another command."""
    start = run_index(argv)
    if start is None:
        return None
    words = [(word, at) for at, word in enumerate(argv)][start + 1 :]
    named = {name: option for option in options for name in option.names}
    return _Parser(tuple(argv), named, words).parse()


def run_index(argv: Sequence[str]) -> int | None:
    """Where the `run` of `job run` stands (`uv run iris job run` has two)."""
    head, _ = split_command(tuple(argv))
    return next((i for i in range(1, len(head)) if head[i] == "run" and head[i - 1] == "job"), None)


def split_command(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options of the submitter, and `--` with everything behind it."""
    cut = argv.index(SEPARATOR) if SEPARATOR in argv else len(argv)
    return argv[:cut], argv[cut:]


def flag_value(argv: tuple[str, ...], flag: str) -> str:
    """The value of an option before `--`, "" when it is not set. The last one counts, as for the client."""
    values = flag_values(argv, flag)
    return values[-1] if values else ""


def flag_values(argv: tuple[str, ...], flag: str) -> tuple[str, ...]:
    """Every value of an option before `--`, in order."""
    head, _ = split_command(argv)
    values = []
    for word, following in pairwise((*head, "")):
        if word == flag:
            values.append(following)
        elif word.startswith(flag + "="):
            values.append(word.partition("=")[2])
    return tuple(values)


def with_flag(argv: tuple[str, ...], flag: str, value: str) -> tuple[str, ...]:
    """Set an option of `job run`, in place wherever it is there, else right after `run`."""
    head, tail = split_command(argv)
    if not flag_values(argv, flag):
        return _inserted(head, (flag, value), tail)
    changed = list(head)
    for index, word in enumerate(head):
        if word == flag and index + 1 < len(head):
            changed[index + 1] = value
        elif word.startswith(flag + "="):
            changed[index] = f"{flag}={value}"
    return (*changed, *tail)


def with_switch(argv: tuple[str, ...], flag: str) -> tuple[str, ...]:
    """Set an option of `job run` that has no value, right after `run` when it is not there."""
    head, tail = split_command(argv)
    return argv if flag in head else _inserted(head, (flag,), tail)


def without_word(argv: tuple[str, ...], word: str) -> tuple[str, ...]:
    """The command without this word before `--`."""
    head, tail = split_command(argv)
    return (*(text for text in head if text != word), *tail)


def replaced(argv: tuple[str, ...], at: int, *words: str) -> tuple[str, ...]:
    """The command with the word at this index replaced."""
    return (*argv[:at], *words, *argv[at + 1 :])


def _inserted(head: tuple[str, ...], words: tuple[str, ...], tail: tuple[str, ...]) -> tuple[str, ...]:
    index = run_index(head)
    at = len(head) if index is None else index + 1
    return (*head[:at], *words, *head[at:], *tail)

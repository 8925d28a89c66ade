"""Which commands a shell line runs, and which of them it cannot do without."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from babysitter.preflight.shell.shell_tokens import (
    REDIRECTIONS,
    ShellToken,
    UnreadableShellLine,
    shell_tokens,
)

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_JOINS = frozenset(("&&", "||", "|", "|&"))
_SEPARATES = frozenset((";", "\n", "&"))
_WRITES = frozenset((">", ">>", ">|", "&>", "&>>", "<>"))
_INSIDE = {
    "if": ("fi", frozenset(("then", "elif", "else"))),
    "while": ("done", frozenset(("do",))),
    "until": ("done", frozenset(("do",))),
}
_ENDS = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}", ")", ";;", ";&", ";;&"))
# What may fail by intention, in front of `&&`.
_TESTS = frozenset(
    ("[", "[[", "test", "command", "which", "type", "hash", "grep", "diff", "cmp", "pgrep", "false")
)


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One simple command. `writes`: files that its output goes to.

    `is_certain`: it is run in every case, and its failure is not caught. `is_result`: its failure is that of
    the line; in `a; b` that of `a` is not, unless the shell ends at the first failure. `subshell`: the
    brackets that it stands in, by number: a folder that is changed there is changed for them only.
    """

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    is_certain: bool = True
    is_result: bool = True
    subshell: tuple[int, ...] = ()


def shell_commands(line: str) -> tuple[ShellCommand, ...]:
    """The commands of a shell line in their order; () for a line that cannot be read."""
    try:
        parser = _Parser(shell_tokens(line))
        found = parser.commands()
    except (UnreadableShellLine, RecursionError):
        return ()
    return tuple(found) if parser.is_at_end else ()


@dataclass(slots=True)
class _Parser:
    tokens: Sequence[ShellToken]
    at: int = 0
    subshell: tuple[int, ...] = ()
    writes: list[str] = field(default_factory=list)

    @property
    def is_at_end(self) -> bool:
        return self.at >= len(self.tokens)

    def commands(self) -> list[ShellCommand]:
        """Up to the end, or to a word that ends the construct in which they stand."""
        found: list[list[ShellCommand]] = []
        while not self.is_at_end and not self._is(_ENDS):
            if self._is(_SEPARATES):
                self.at += 1
            elif each := self._list():
                found.append(each)
        return _with_result(found)

    def _list(self) -> list[ShellCommand]:
        """`a && b || c`."""
        parts: list[tuple[str, list[ShellCommand]]] = [("", self._element())]
        while self._is(_JOINS):
            operator = self._next().text
            while self._is(frozenset("\n")):
                self.at += 1
            parts.append((operator, self._element()))
        return _judged(parts)

    def _element(self) -> list[ShellCommand]:
        start = self.at
        negated = self._is(frozenset("!"))
        if negated:
            self.at += 1
        token = self._next()
        if token.is_operator:
            if token.text != "(":
                raise UnreadableShellLine(token.text)
            found = self._brackets(start)
        elif token.is_plain and token.text in _INSIDE:
            end, inside = _INSIDE[token.text]
            found = _uncertain(self._compound(end, inside))
        elif token.is_plain and token.text in ("for", "select"):
            self._skip_to("do")
            found = self._compound("done", frozenset())
        elif token.is_plain and token.text == "case":
            found = _uncertain(self._case())
        elif token.is_plain and token.text == "{":
            found = self._compound("}", frozenset())
        elif token.is_plain and token.text == "function":
            self._next()
            found = self._function()
        elif token.is_plain and self._is(frozenset("(")):
            found = self._function()
        else:
            self.at -= 1
            found = self._simple()
        self._redirections()
        return _uncertain(found) if negated else found

    def _compound(self, end: str, inside: frozenset[str]) -> list[ShellCommand]:
        found = self.commands()
        while self._is(inside):
            self.at += 1
            found += self.commands()
        self._expect(end)
        return found

    def _brackets(self, number: int) -> list[ShellCommand]:
        outside, self.subshell = self.subshell, (*self.subshell, number)
        found = self.commands()
        self.subshell = outside
        self._expect(")")
        return found

    def _function(self) -> list[ShellCommand]:
        for bracket in "()":
            if self._is(frozenset(bracket)):
                self.at += 1
        while self._is(frozenset("\n")):
            self.at += 1
        return _uncertain(self._element())

    def _case(self) -> list[ShellCommand]:
        self._skip_to("in")
        found: list[ShellCommand] = []
        while self._is(_SEPARATES):
            self.at += 1
        while not self._is(frozenset(("esac",))):
            self._skip_to(")", at_start=True)
            found += self.commands()
            while self._is(frozenset((";;", ";&", ";;&", "\n"))):
                self.at += 1
        self._expect("esac")
        return found

    def _simple(self) -> list[ShellCommand]:
        words: list[str] = []
        outside, self.writes = self.writes, []
        if self._is(frozenset(("[[",))):
            while (token := self._next()).text != "]]":
                words.append(token.text)
        while not self.is_at_end:
            token = self.tokens[self.at]
            if token.is_operator and token.text in REDIRECTIONS:
                self._redirections()
            elif token.is_operator:
                break
            else:
                words.append(token.text)
                self.at += 1
        writes, self.writes = tuple(self.writes), outside
        while words and _ASSIGNMENT.match(words[0]):
            words.pop(0)
        return [ShellCommand(tuple(words), writes, subshell=self.subshell)] if words or writes else []

    def _redirections(self) -> None:
        while not self.is_at_end and self.tokens[self.at].is_operator:
            operator = self.tokens[self.at].text
            if operator not in REDIRECTIONS:
                break
            self.at += 1
            target = self._next().text
            if operator in _WRITES:
                self.writes.append(target)

    def _is(self, texts: frozenset[str]) -> bool:
        return not self.is_at_end and ((token := self.tokens[self.at]).is_plain and token.text in texts)

    def _next(self) -> ShellToken:
        if self.is_at_end:
            raise UnreadableShellLine("the line is not complete")
        self.at += 1
        return self.tokens[self.at - 1]

    def _expect(self, text: str) -> None:
        if self._next().text != text:
            raise UnreadableShellLine(f"{text} is missing")

    def _skip_to(self, text: str, *, at_start: bool = False) -> None:
        if at_start and self._is(frozenset("(")):
            self.at += 1
        while self._next().text != text:
            pass


def _judged(parts: Sequence[tuple[str, list[ShellCommand]]]) -> list[ShellCommand]:
    """The commands of `a && b || c` with what is certain about each."""
    is_caught = any(operator == "||" and not _ends_with_failure(found) for operator, found in parts)
    judged: list[ShellCommand] = []
    is_certain = not is_caught
    for operator, found in parts:
        is_certain = is_certain and operator != "||"
        judged += found if is_certain else _uncertain(found)
        if found and found[0].words[:1] and found[0].words[0] in _TESTS:
            is_certain = False
    return judged


def _ends_with_failure(found: Sequence[ShellCommand]) -> bool:
    """Whether these commands, which are run when others failed, fail themselves: `|| exit 1`."""
    return any(
        shell_command.words[:1] in (("exit",), ("return",), ("false",)) and shell_command.words[1:2] != ("0",)
        for shell_command in found
    )


def _with_result(lists: Sequence[list[ShellCommand]]) -> list[ShellCommand]:
    """The commands of `a; b; c`: the last one makes the result, and `exit $?` hands on that of `b`."""
    last = len(lists) - 1
    while last > 0 and _hands_on(lists[last][0].words):
        last -= 1
    return [
        shell_command if at >= last else replace(shell_command, is_result=False)
        for at, found in enumerate(lists)
        for shell_command in found
    ]


def _hands_on(words: Sequence[str]) -> bool:
    """Whether the result is that of a command before: `exit`, `exit $code`, `wait $pid`."""
    argument = words[1] if len(words) > 1 else ""
    match tuple(words[:1]):
        case ("exit",) | ("return",):
            return not argument.isdigit()
        case ("wait",):
            return bool(argument)
        case _:
            return False


def _uncertain(found: Sequence[ShellCommand]) -> list[ShellCommand]:
    return [replace(shell_command, is_certain=False) for shell_command in found]

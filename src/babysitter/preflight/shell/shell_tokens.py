"""A shell line cut into words and operators, as a shell reads it. Nothing is expanded."""

from dataclasses import dataclass, field

# Longest first. Those of REDIRECTIONS are followed by the word that they read or write.
_OPERATORS = (
    *("<<<", "<<-", ";;&", "&>>", "&&", "||", ";;", ";&", "|&", "&>", ">>", ">&", "<&", "<<", ">|", "<>"),
    *(";", "&", "|", "(", ")", "<", ">"),
)
REDIRECTIONS = frozenset(("<<<", "<<-", "<<", "<", "<&", ">", ">>", ">|", ">&", "&>", "&>>", "<>"))
_HERE_DOCUMENTS = frozenset(("<<", "<<-"))
_BLANK = " \t\r"
_ENDS_WORD = frozenset(" \t\r\n;&|()<>")


@dataclass(frozen=True, slots=True)
class ShellToken:
    """`is_plain`: a word without quotes, which may be a keyword."""

    text: str
    is_operator: bool = False
    is_plain: bool = True


class UnreadableShellLine(ValueError):
    """A quote or bracket is not closed, or the line has a form that is not known here."""


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    tokens: list[ShellToken] = field(default_factory=list)
    ends_of_documents: list[str] = field(default_factory=list)

    def read(self) -> tuple[ShellToken, ...]:
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in _BLANK or self.text.startswith("\\\n", self.at):
                self.at += 2 if character == "\\" else 1
            elif character == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif character == "\n":
                self.tokens.append(ShellToken("\n", is_operator=True))
                self.at += 1
                self._skip_documents()
            elif self.text.startswith(("<(", ">("), self.at):
                start = self.at
                self.at = self._after_brackets(self.at + 2)
                self.tokens.append(ShellToken("$" + self.text[start : self.at], is_plain=False))
            elif operator := next(
                (candidate for candidate in _OPERATORS if self.text.startswith(candidate, self.at)), ""
            ):
                self.tokens.append(ShellToken(operator, is_operator=True))
                self.at += len(operator)
            else:
                self._word()
        return tuple(self.tokens)

    def _word(self) -> None:
        parts, is_plain, start = "", True, self.at
        while self.at < len(self.text) and self.text[self.at] not in _ENDS_WORD:
            character = self.text[self.at]
            if character == "\\":
                parts += self.text[self.at + 1 : self.at + 2].replace("\n", "")
                self.at += 2
                is_plain = False
            elif character in "'\"":
                parts += self._quoted(character)
                is_plain = False
            elif character == "`" or self.text.startswith(("$(", "${"), self.at):
                begin = self.at
                self.at = self._after_expansion(self.at)
                parts += self.text[begin : self.at]
            else:
                parts += character
                self.at += 1
        if start == self.at:
            raise UnreadableShellLine(self.text[start])
        before = self.tokens[-1].text if self.tokens and self.tokens[-1].is_operator else ""
        if before in _HERE_DOCUMENTS:
            self.ends_of_documents.append(parts)
        is_descriptor = parts.isdigit() and self.text[self.at : self.at + 1] in ("<", ">")
        if not (is_plain and is_descriptor):
            self.tokens.append(ShellToken(parts, is_plain=is_plain))

    def _quoted(self, quote: str) -> str:
        """The text in quotes that start here."""
        parts = ""
        self.at += 1
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == quote:
                self.at += 1
                return parts
            if quote == '"' and character == "\\":
                parts += self.text[self.at + 1 : self.at + 2]
                self.at += 2
            elif quote == '"' and (character == "`" or self.text.startswith(("$(", "${"), self.at)):
                begin = self.at
                self.at = self._after_expansion(self.at)
                parts += self.text[begin : self.at]
            else:
                parts += character
                self.at += 1
        raise UnreadableShellLine("a quote is not closed")

    def _after_expansion(self, at: int) -> int:
        if self.text.startswith("$(", at):
            return self._after_brackets(at + 2)
        end = self.text.find("}" if self.text.startswith("${", at) else "`", at + 1)
        if end < 0:
            raise UnreadableShellLine("an expansion is not closed")
        return end + 1

    def _after_brackets(self, at: int) -> int:
        """Behind the bracket that closes the one before this place."""
        depth = 1
        while at < len(self.text):
            character = self.text[at]
            if character == "\\":
                at += 1
            elif character in "'\"":
                end = self.text.find(character, at + 1)
                if end < 0:
                    break
                at = end
            elif character in "()":
                depth += 1 if character == "(" else -1
                if not depth:
                    return at + 1
            at += 1
        raise UnreadableShellLine("a bracket is not closed")

    def _skip_documents(self) -> None:
        for end in self.ends_of_documents:
            while self.at < len(self.text):
                line, _, _ = self.text[self.at :].partition("\n")
                self.at += len(line) + 1
                if line.strip("\t") == end:
                    break
        self.ends_of_documents.clear()


def shell_tokens(line: str) -> tuple[ShellToken, ...]:
    """Words and operators of a shell line. Raises UnreadableShellLine for one that no shell can read."""
    return _Reader(line).read()

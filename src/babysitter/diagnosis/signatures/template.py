r"""Templates: what a program prints, written as it prints it, with holes for what varies.

    Insufficient memory (need {need_gb:n}, [only] {free_gb:n} free)
    (worker|executor) * (died|was lost) ... {why}

words      whole words, in either case where the template has no capital; a blank stands for one or more
#          a number                          *     one word; glued to a word, any rest of it: fail*, *Error
...        at most 80 characters             (a|b) one of a few; parentheses without a bar are plain text
[words]    words that may be missing; a bar separates several
~          a blank, hyphen, underscore or nothing: time~out
{x}        a captured run of words           {x:w} one captured word     {x: a | b} one of a few, captured
{x:n}      a captured number with its unit   ^ $   begin and end of the line
\          takes the next character literally

A template becomes one linear-time expression; who compiles it decides on case by the same rule.
"""

import re
from dataclasses import dataclass

GAP_CHARS = 80
RUN_CHARS = 120  # of a captured run of words
MAX_CHARS = 120  # of a template
DEPTH_LIMIT = 3

_NUMBER = r"\d[\d.,]*"
_UNIT = r"(?: ?(?:[kmgtp]i?b|bytes|ms|min|sec|[smhdkb%])\b)?"
_HOLE = re.compile(r"\{\s*([a-z][a-z0-9_]*)\s*(?::([^{}]*))?\}")
_SPECIAL = " \t{[#*|~"


class BadTemplate(ValueError):
    """What is wrong with a template, in words that fit behind its text."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the expression. `begins`, `ends`: with a letter or digit of the template."""

    regex: str
    kind: str  # words, blank, gap, hole, choice, optional, anchor
    begins: bool = False
    ends: bool = False


def to_regex(template: str) -> str:
    """The expression of a template, to be held against a line without regard to case. Raises BadTemplate."""
    text = template.strip()
    if not text:
        raise BadTemplate("is empty and would match every line")
    if "\n" in text:
        raise BadTemplate("spans two lines; a template is held against one line at a time")
    if not text.isascii():
        raise BadTemplate("holds a character outside ASCII; use ... for it")
    if len(text) > MAX_CHARS:
        raise BadTemplate(f"has {len(text)} characters, at most {MAX_CHARS}: keep the part that decides")
    pieces = _Parser(text, names=set()).parse()
    for piece in (pieces[0], pieces[-1]):
        if piece.kind in ("optional", "gap"):
            raise BadTemplate(f"begins or ends with {_SAYS_NOTHING[piece.kind]}, which decides nothing there")
    return _joined(pieces, is_open_left=True, is_open_right=True)


def _branch_regex(text: str, outer: "_Parser", *, is_open_left: bool, is_open_right: bool) -> str:
    if outer.depth >= DEPTH_LIMIT:
        raise BadTemplate(f"has choices more than {DEPTH_LIMIT} deep")
    if not text.strip():
        raise BadTemplate("has an empty choice")
    pieces = _Parser(text.strip(), names=outer.names, depth=outer.depth + 1).parse()
    return _joined(pieces, is_open_left=is_open_left, is_open_right=is_open_right)


class _Parser:
    """Recursive descent over one template, or over one branch of a choice in it."""

    def __init__(self, text: str, *, names: set[str], depth: int = 0) -> None:
        self.text, self.at, self.depth, self.names = text, 0, depth, names
        self.pieces: list[_Piece] = []

    def parse(self) -> list[_Piece]:
        while self.at < len(self.text):
            self.pieces.append(self._piece(self.text[self.at]))
        return _absorbed(self.pieces)

    def _piece(self, char: str) -> _Piece:
        rest = self.text[self.at :]
        if char in " \t":
            return self._took(len(rest) - len(rest.lstrip(" \t")), " +", "blank")
        if rest.startswith("..."):
            return self._took(3, f".{{0,{GAP_CHARS}}}?", "gap")
        if char == "{":
            return self._hole()
        if char == "(" and (end := _closing(self.text, self.at, needs_bar=True)) is not None:
            return self._branches(end, "(?:{})", "choice")
        if char == "[":
            end = _closing(self.text, self.at)
            if end is None:
                raise BadTemplate("has a `[` that is never closed; write \\[ for a plain bracket")
            return self._branches(end, "(?:{})", "optional")
        if char == "^" and self.at == 0 and not self.depth:
            return self._took(1, "^", "anchor")
        if char == "$" and self._is_last_char() and not self.depth:
            return self._took(1, "$", "anchor")
        if char in "#~":
            return self._took(1, _NUMBER if char == "#" else "[ _-]?", "hole")
        if char == "*":
            return self._star()
        return self._words()

    def _took(self, count: int, regex: str, kind: str) -> _Piece:
        self.at += count
        return _Piece(regex, kind)

    def _is_last_char(self) -> bool:
        return self.at == len(self.text) - 1

    def _star(self) -> _Piece:
        is_rest = self.at > 0 and self.text[self.at - 1] not in _SPECIAL[:2]
        is_head = not self._is_last_char() and self.text[self.at + 1] not in _SPECIAL[:2]
        # Before the first word nothing needs to be consumed: only the word boundary goes.
        head = r"\w+" if self.depth else "" if not self.at else r"[\w./-]*"
        return self._took(1, r"[\w./-]*" if is_rest else head if is_head else r"\S+", "hole")

    def _words(self) -> _Piece:
        start, raw = self.at, ""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\" and not self._is_last_char():
                raw += self.text[self.at + 1]
                self.at += 2
                continue
            is_choice = char == "(" and _closing(self.text, self.at, needs_bar=True) is not None
            is_end = char == "$" and self._is_last_char() and not self.depth
            if char in _SPECIAL or is_choice or is_end or self.text.startswith("...", self.at):
                break
            raw += char
            self.at += 1
        if self.at == start:
            char = self.text[self.at]
            raise BadTemplate(f"has a `{char}` outside a choice; write \\{char} for a plain one")
        return _Piece(_escaped(raw), "words", _is_word(raw[0]), _is_word(raw[-1]))

    def _hole(self) -> _Piece:
        found = _HOLE.match(self.text, self.at)
        if found is None:
            raise BadTemplate("has a `{` that opens no hole; write {name}, {name:n} or \\{")
        name, kind = found[1], (found[2] or "").strip()
        if name in self.names:
            raise BadTemplate(f"names two holes {{{name}}}")
        self.names.add(name)
        lazy = "" if found.end() == len(self.text) else "?"
        simple = {"": f".{{1,{RUN_CHARS}}}{lazy}", "n": _NUMBER + _UNIT, "w": rf"\S+{lazy}"}
        if kind in simple:
            return self._took(found.end() - self.at, f"(?P<{name}>{simple[kind]})", "hole")
        if "|" not in kind:
            raise BadTemplate(f"has a hole of the unknown kind `{kind}`; known are n, w and a choice a | b")
        self.at += found[0].index(":")
        return self._branches(found.end() - 1, f"(?P<{name}>{{}})", "choice")

    def _branches(self, end: int, around: str, kind: str) -> _Piece:
        """A choice or optional words; `end`: where its closing bracket stands."""
        body = self.text[self.at + 1 : end]
        before = [piece for piece in self.pieces if piece.kind != "blank"][-1:]
        self.at = end + 1
        rest = self.text[self.at :]
        is_open_left = not before or before[0].kind == "gap"
        is_open_right = not rest.strip() or rest.lstrip().startswith("...")
        branches = [
            _branch_regex(branch, self, is_open_left=is_open_left, is_open_right=is_open_right)
            for branch in _split(body)
        ]
        return _Piece(around.format("|".join(branches)), kind)


_SAYS_NOTHING = {"optional": "optional words", "gap": "a gap"}


def _closing(text: str, start: int, *, needs_bar: bool = False) -> int | None:
    """Where the bracket at `start` closes; None if it does not, or holds no bar where one is needed."""
    closing = {"(": ")", "[": "]"}[text[start]]
    level, at, has_bar = 0, start, False
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == text[start]:
            level += 1
        elif char == closing:
            level -= 1
            if level == 0:
                return at if has_bar or not needs_bar else None
        elif char == "|" and level == 1:
            has_bar = True
        at += 1
    return None


def _split(body: str) -> list[str]:
    """The texts between the bars of the outermost level."""
    parts, level, part, at = [], 0, "", 0
    while at < len(body):
        char = body[at]
        if char == "\\":
            part += body[at : at + 2]
            at += 2
            continue
        level += (char in "([{") - (char in ")]}")
        if char == "|" and level == 0:
            parts.append(part)
            part = ""
        else:
            part += char
        at += 1
    return [*parts, part]


def _absorbed(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces without blanks beside a gap; optional words between blanks take one of them along."""
    out: list[_Piece] = []
    pending = [*pieces]
    while pending:
        piece = pending.pop(0)
        before = out[-1].kind if out else ""
        after = pending[0].kind if pending else ""
        if piece.kind == "blank" and ("gap" in (before, after) or not after):
            continue
        if piece.kind == "optional" and before in ("blank", "gap", "") and after == "blank":
            pending.pop(0)
            out.append(_Piece(f"(?:{piece.regex} +)?", "optional"))
        elif piece.kind == "optional" and before == "blank" and after in ("gap", ""):
            out[-1] = _Piece(f"(?: +{piece.regex})?", "optional")
        elif piece.kind == "optional":
            out.append(_Piece(f"{piece.regex}?", "optional"))
        else:
            out.append(piece)
    return out


def _joined(pieces: list[_Piece], *, is_open_left: bool, is_open_right: bool) -> str:
    """The expression, with a word boundary where words begin or end at an edge or beside a gap."""
    regex = ""
    for index, piece in enumerate(pieces):
        is_first, is_last = index == 0, index == len(pieces) - 1
        before = is_open_left if is_first else pieces[index - 1].kind == "gap"
        after = is_open_right if is_last else pieces[index + 1].kind == "gap"
        regex += r"\b" if piece.begins and before else ""
        regex += piece.regex
        regex += r"\b" if piece.ends and after else ""
    return regex


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\.+*?()|[]{}^$/" else char for char in text)

"""The regular expressions that playbooks may use, as a tree: what every engine understands in the same way.

A subset of RE2: literals, classes, groups, alternatives, repeats, `^ $ \\b \\B`, on bytes of a line.
Parsing it ourselves gives three things: refusals in words, one spelling for every engine (nothing in it can
match a newline, so whole buffers may be scanned), and a shorter form for the question whether a line matches.
"""

from dataclasses import replace

from babysitter.diagnosis.signatures.regex_tree import RegexNode, escape

_PERL = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\\t\\f\\r "}
_NEGATED = {"D": "0-9\\n", "W": "0-9A-Za-z_\\n", "S": "\\t\\n\\f\\r "}
_CONTROL = {"t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_BACKTRACKING = {
    "?=": "a lookahead",
    "?!": "a negative lookahead",
    "?<=": "a lookbehind",
    "?<!": "a negative lookbehind",
    "?>": "an atomic group",
    "?P=": "a backreference",
    "?(": "a conditional group",
}
REPEAT_LIMIT = 1000
DEPTH_LIMIT = 40


class BadRegex(ValueError):
    """What is wrong, in words that fit behind the pattern's text."""


def parse_regex(text: str) -> RegexNode:
    """The tree of an expression (non-ASCII characters as their UTF-8 bytes). Raises BadRegex."""
    return _Parser(text.encode("utf-8", "surrogatepass").decode("latin-1")).parse()


def parse_literal(text: str) -> RegexNode:
    """The tree of a text that stands for itself."""
    raw = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return RegexNode("sequence", parts=tuple(RegexNode("literal", char) for char in raw))


class _Parser:
    """Recursive descent over latin-1 text."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.names: set[str] = set()
        self.is_folding = False

    def parse(self) -> RegexNode:
        node = self._alternatives()
        if self.at < len(self.text):
            raise BadRegex("has a `)` that closes nothing")
        return node

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self) -> str:
        char = self._peek()
        if not char:
            raise BadRegex("ends too early")
        self.at += 1
        return char

    def _alternatives(self) -> RegexNode:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise BadRegex(f"is nested more than {DEPTH_LIMIT} deep")
        outer_folding = self.is_folding
        branches = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._sequence())
        self.depth -= 1
        self.is_folding = outer_folding
        return branches[0] if len(branches) == 1 else RegexNode("alternatives", parts=tuple(branches))

    def _sequence(self) -> RegexNode:
        parts: list[RegexNode] = []
        while self._peek() not in ("", "|", ")"):
            if self.text.startswith("(?i)", self.at):
                self.at += 4
                self.is_folding = True
                continue
            parts.append(self._repeated(self._atom()))
        _check_anchors(parts)
        return RegexNode("sequence", parts=tuple(parts))

    def _repeated(self, atom: RegexNode) -> RegexNode:
        low, high = self._bounds()
        if (low, high) == (1, 1):
            return atom
        if atom.kind == "assertion":
            raise BadRegex(f"repeats {atom.text}, which has no length")
        if atom.kind == "literal" and atom.text >= "\x80":
            raise BadRegex("repeats a character outside ASCII; put it into a group: (?:→)?")
        is_lazy = self._peek() == "?"
        if is_lazy:
            self.at += 1
        if self._peek() in ("+", "*", "?"):
            raise BadRegex("has a possessive or doubled repeat, which needs backtracking")
        return replace(atom, low=low, high=high, is_lazy=is_lazy)

    def _bounds(self) -> tuple[int, int | None]:
        simple: dict[str, tuple[int, int | None]] = {"?": (0, 1), "*": (0, None), "+": (1, None)}
        if self._peek() in simple:
            return simple[self._take()]
        end = self.text.find("}", self.at)
        if self._peek() != "{" or end < 0:
            return 1, 1
        low, comma, high = self.text[self.at + 1 : end].partition(",")
        if not low.isdigit() or (high and not high.isdigit()):
            return 1, 1
        self.at = end + 1
        bounds = int(low), (int(high) if high else None) if comma else int(low)
        if max(bounds[0], bounds[1] or 0) > REPEAT_LIMIT:
            raise BadRegex(f"repeats more than {REPEAT_LIMIT} times; such a pattern is too big")
        if bounds[1] is not None and bounds[1] < bounds[0]:
            raise BadRegex(f"repeats at least {bounds[0]} and at most {bounds[1]} times")
        if bounds == (1, 1) or bounds == (0, 0):
            raise BadRegex("has a repeat count that says nothing")
        return bounds

    def _atom(self) -> RegexNode:
        char = self._take()
        if char == "(":
            return self._group()
        if char == "[":
            return RegexNode("class", self._class())
        if char == ".":
            return RegexNode("class", "[^\\n]")
        if char in "^$":
            return RegexNode("assertion", char)
        if char == "\\":
            return self._escaped()
        if char in "*+?":
            raise BadRegex(f"repeats nothing with `{char}`")
        if char == "\n":
            raise BadRegex("is held against one line at a time; use `sequence` for several lines")
        return self._literal(char)

    def _literal(self, char: str) -> RegexNode:
        if self.is_folding and char >= "\x80":
            raise BadRegex("ignores case, which is only possible for ASCII")
        return RegexNode("literal", char, is_folded=self.is_folding and char.isalpha())

    def _group(self) -> RegexNode:
        name = ""
        outer_folding = self.is_folding
        if self.text.startswith("?i:", self.at):
            self.at += 3
            self.is_folding = True
        elif self._peek() == "?":
            name = self._group_name()
        body = self._alternatives()
        self.is_folding = outer_folding
        if self._peek() != ")":
            raise BadRegex("has a `(` that is never closed")
        self.at += 1
        return RegexNode("group", parts=(body,), name=name)

    def _group_name(self) -> str:
        rest = self.text[self.at :]
        for construct, words in _BACKTRACKING.items():
            if rest.startswith(construct):
                raise BadRegex(
                    f"needs backtracking ({words}); only linear-time patterns are taken. "
                    "Put the exclusion into `except` instead"
                )
        if rest.startswith("?:"):
            self.at += 2
            return ""
        if not rest.startswith(("?P<", "?<")):
            raise BadRegex("sets flags; only (?i), (?i:...) and /.../i are known")
        start = rest.index("<") + 1
        name = rest[start : rest.find(">")] if ">" in rest else ""
        if not name.isidentifier() or not name.isascii():
            raise BadRegex(f"has a group whose name is no name: {name!r}")
        if name in self.names:
            raise BadRegex(f"names two groups {name!r}")
        self.names.add(name)
        self.at += start + len(name) + 1
        return name

    def _escaped(self) -> RegexNode:
        char = self._take()
        if char in _PERL:
            return RegexNode("class", f"[{_PERL[char]}]")
        if char in _NEGATED:
            return RegexNode("class", f"[^{_NEGATED[char]}]")
        if char in "bB":
            return RegexNode("assertion", "\\" + char)
        if char in "AZz":
            raise BadRegex(f"has \\{char}; write ^ or $")
        return self._literal(self._escaped_char(char))

    def _escaped_char(self, char: str) -> str:
        if char in _CONTROL:
            return _CONTROL[char]
        if char == "x":
            digits = self.text[self.at : self.at + 2]
            self.at += 2
            try:
                char = chr(int(digits, 16)) if len(digits) == 2 else ""
            except ValueError:
                char = ""
            if not char or char == "\n":
                raise BadRegex(f"has \\x{digits}, which is no byte of a line")
            return char
        if char.isdigit():
            raise BadRegex(f"has \\{char}: a backreference needs backtracking")
        if char.isalpha() or char == "\n":
            raise BadRegex(f"has \\{char}, which the engines do not share")
        return char

    def _class(self) -> str:
        negated = self._peek() == "^"
        self.at += negated
        members: list[str] = []
        beyond: list[str] = []  # members outside ASCII, as their bytes
        is_first = True
        while self._peek() != "]" or is_first:
            is_first = False
            if self._peek() >= "\x80":
                beyond.append(self._character())
                continue
            member = self._class_member()
            members.append(_both_cases(member) if self.is_folding else member)
        self.at += 1
        if beyond and (negated or self.is_folding):
            raise BadRegex("has a character outside ASCII inside [^...] or where case is ignored")
        ascii_class = f"[{''.join(members)}]" if members else ""
        if beyond:
            spelled = ["".join(escape(byte) for byte in character) for character in beyond]
            return f"(?:{'|'.join(filter(None, [ascii_class, *spelled]))})"
        return f"[^\\n{''.join(members)}]" if negated else ascii_class

    def _character(self) -> str:
        """One character outside ASCII as its UTF-8 bytes."""
        start = self.at
        self.at += 1
        while "\x80" <= self._peek() < "\xc0":
            self.at += 1
        return self.text[start : self.at]

    def _class_member(self) -> str:
        char = self._take()
        if char == "[" and self._peek() in (":", ".", "="):
            raise BadRegex("has a class like [:alpha:]; write its characters")
        if char == "\\":
            kind = self._peek()
            if kind in _PERL:
                self.at += 1
                return _PERL[kind]
            if kind in _NEGATED:
                raise BadRegex(f"has \\{kind} inside [...]; write . or list the characters")
            char = self._class_escape()
        first = _checked_member(char)
        if self._peek() != "-" or self.text[self.at + 1 : self.at + 2] == "]":
            return _class_escape(first)
        self.at += 1
        last = self._take()
        if last == "\\":
            if self._peek() in _PERL or self._peek() in _NEGATED:
                raise BadRegex("has a range that ends in a class")
            last = self._class_escape()
        if _checked_member(last) < first or first < "\n" < last:
            raise BadRegex(f"has a bad range {first}-{last}")
        return f"{_class_escape(first)}-{_class_escape(last)}"

    def _class_escape(self) -> str:
        char = self._take()
        return "\b" if char == "b" else self._escaped_char(char)


def _check_anchors(parts: list[RegexNode]) -> None:
    """`^` and `$` stand at the ends: elsewhere they can hardly match, and the engines differ there."""
    for index, part in enumerate(parts):
        misplaced = (
            (index > 0 and _has_anchor(part, "^"))
            or (index + 1 < len(parts) and _has_anchor(part, "$"))
            or (part.high != 1 and (_has_anchor(part, "^") or _has_anchor(part, "$")))
        )
        if misplaced:
            raise BadRegex("has ^ or $ in the middle")


def _has_anchor(node: RegexNode, anchor: str) -> bool:
    if node.kind == "assertion":
        return node.text == anchor
    return any(_has_anchor(part, anchor) for part in node.parts)


def _both_cases(member: str) -> str:
    """The other case beside a member, where it is a letter or a range of letters."""
    if member[0].isalpha() and (len(member) == 1 or (member[1] == "-" and member[2].isalpha())):
        return member + member.swapcase()
    return member


def _checked_member(char: str) -> str:
    if char >= "\x80":
        raise BadRegex("has a character outside ASCII inside [...]; write (?:→|—) instead")
    if char == "\n":
        raise BadRegex("is held against one line at a time")
    return char


def _class_escape(char: str) -> str:
    if char in "\\]^-[&~":
        return "\\" + char
    return char if " " <= char <= "~" else f"\\x{ord(char):02x}"

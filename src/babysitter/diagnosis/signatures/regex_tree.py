"""Regular expressions as trees, and one spelling of them that every engine reads alike."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

ANY = "[^\\n]"  # any character of a line, as a class
_META = set("\\.+*?()|[]{}^$")


@dataclass(frozen=True, slots=True)
class RegexNode:
    """One part. `kind`: literal, class, assertion, group, alternatives, sequence.

    `text`: the literal's byte as latin-1, or the class or assertion in its final spelling. `low`, `high`:
    repeats, `high` None = without end.
    """

    kind: str
    text: str = ""
    parts: tuple["RegexNode", ...] = ()
    name: str = ""
    low: int = 1
    high: int | None = 1
    is_lazy: bool = False
    is_folded: bool = False  # a literal letter in either case

    @property
    def can_be_empty(self) -> bool:
        if self.low == 0 or self.kind == "assertion":
            return True
        if self.kind in ("literal", "class"):
            return False
        return (any if self.kind == "alternatives" else all)(part.can_be_empty for part in self.parts)


def spell(node: RegexNode, *, names: bool = True) -> str:
    """The expression in the spelling that RE2, Hyperscan, Rust and Python read alike."""
    if node.kind == "literal":
        body = f"[{node.text.upper()}{node.text.lower()}]" if node.is_folded else escape(node.text)
    elif node.kind in ("class", "assertion"):
        body = node.text
    elif node.kind == "sequence":
        body = "".join(spell(part, names=names) for part in node.parts)
    elif node.kind == "alternatives":
        body = "|".join(spell(part, names=names) for part in node.parts)
    else:
        inner = "".join(spell(part, names=names) for part in node.parts)
        body = f"(?P<{node.name}>{inner})" if node.name and names else f"(?:{inner})"
    return body + _repeat(node)


def shortest(node: RegexNode) -> RegexNode:
    """A tree that matches exactly the same lines at fewer places: repeats at its tail and head are cut short.

    An engine that reports every end of a match would otherwise report `\\S+` once for each character.
    """
    return _with_short_head(_with_short_tail(node))


def _with_short_tail(node: RegexNode) -> RegexNode:
    if node.kind == "sequence":
        parts = list(node.parts)
        while parts:
            last = parts.pop()
            if not _matches_empty(last):
                while parts and _takes_the_place_of(last, parts[-1]):
                    parts.pop()
                parts.append(_with_short_tail(replace(last, high=last.low)))
                break
        return replace(node, parts=tuple(parts))
    if node.kind in ("group", "alternatives") and node.low == node.high == 1:
        return replace(node, parts=tuple(_with_short_tail(part) for part in node.parts))
    return node


def _takes_the_place_of(last: RegexNode, before: RegexNode) -> bool:
    """Whether what an optional part takes may as well begin the last one, which takes any character."""
    while last.kind in ("group", "sequence") and len(last.parts) == 1 and last.low:
        last = last.parts[0]
    return before.low == 0 and last.kind == "class" and last.text == ANY and last.low == 1


def _with_short_head(node: RegexNode) -> RegexNode:
    if node.kind == "sequence" and node.parts:
        first = node.parts[0]
        if _matches_empty(first):
            return _with_short_head(replace(node, parts=node.parts[1:]))
        return replace(node, parts=(_with_short_head(replace(first, high=first.low)), *node.parts[1:]))
    if node.kind in ("group", "alternatives") and node.low == node.high == 1:
        return replace(node, parts=tuple(_with_short_head(part) for part in node.parts))
    return node


def widened(node: RegexNode, *, gap: int) -> RegexNode:
    """The same tree where a wide gap has no upper bound, so that it matches more; itself when it has none.

    `.{0,240}` makes an engine count characters; `.*` costs it next to nothing.
    """
    if _is_counted(node, gap):
        return replace(node, high=None)
    parts = tuple(widened(part, gap=gap) for part in node.parts)
    return node if parts == node.parts else replace(node, parts=parts)


def counted_gaps(node: RegexNode, *, gap: int) -> Iterator[tuple[int, int]]:
    """The bounds of the gaps of which `widened` takes the upper one away."""
    if _is_counted(node, gap) and node.high is not None:
        yield node.low, node.high
    for part in node.parts:
        yield from counted_gaps(part, gap=gap)


def _is_counted(node: RegexNode, gap: int) -> bool:
    is_wide = node.kind == "class" and node.text.startswith("[^")
    return is_wide and node.high is not None and node.high >= gap


def shortest_match(node: RegexNode) -> int:
    """How many bytes every match holds at the least."""
    if node.kind == "assertion":
        return 0
    if node.kind in ("literal", "class"):
        return node.low
    combined = min if node.kind == "alternatives" else sum
    return node.low * combined([shortest_match(part) for part in node.parts])


def with_single_blanks(node: RegexNode) -> RegexNode:
    """The same tree where one blank stands for a run of them; itself where that may miss a line.

    It matches each line in which runs of blanks are cut down to one, if `node` matches the line as it was.
    ` +` inside an expression costs a scan over many of them two thirds of its time.
    """
    return node if _depends_on_blanks(node) else _with_single_blanks(node)


def _with_single_blanks(node: RegexNode) -> RegexNode:
    if node.kind == "literal" and node.text == " " and node.low == 1:
        return replace(node, high=1, is_lazy=False)
    return replace(node, parts=tuple(_with_single_blanks(part) for part in node.parts))


def _depends_on_blanks(node: RegexNode) -> bool:
    """Whether how many blanks stand in a line, or stand at its begin, may decide."""
    if node.kind == "assertion":
        return node.text in ("^", "\\B")
    if node.low > 1 and (node.kind != "literal" or node.text == " "):
        return True
    if node.kind == "sequence":
        blanks = [part.kind == "literal" and part.text == " " for part in node.parts]
        if any(map(all, pairwise(blanks))):
            return True
    return any(_depends_on_blanks(part) for part in node.parts)


def _matches_empty(node: RegexNode) -> bool:
    """Whether the part matches the empty text at every place (an assertion does so only at some)."""
    if node.low == 0:
        return True
    if node.kind in ("literal", "class", "assertion"):
        return False
    return (any if node.kind == "alternatives" else all)(_matches_empty(part) for part in node.parts)


def names_of(node: RegexNode) -> Iterator[str]:
    """Named groups, in order."""
    if node.name:
        yield node.name
    for part in node.parts:
        yield from names_of(part)


def telling_length(node: RegexNode) -> int:
    """How many characters in one piece every match holds at the least."""
    if node.low == 0 or node.kind in ("class", "assertion"):
        return 0
    if node.kind == "literal":
        return 1
    if node.kind == "alternatives":
        return min(telling_length(part) for part in node.parts)
    best = run = 0
    for part in node.parts:
        if part.kind == "literal" and part.low >= 1:
            run += 1
            best = max(best, run)
        else:
            run = 0
            best = max(best, telling_length(part))
    return best


def escape(char: str) -> str:
    if char in _META:
        return "\\" + char
    return char if " " <= char <= "~" else f"\\x{ord(char):02x}"


def _repeat(node: RegexNode) -> str:
    low, high = node.low, node.high
    if (low, high) == (1, 1):
        return ""
    signs = {(0, 1): "?", (0, None): "*", (1, None): "+"}
    bounds = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
    return signs.get((low, high), bounds) + ("?" if node.is_lazy else "")

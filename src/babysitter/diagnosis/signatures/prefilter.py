"""Chooses the part of an expression to scan for, where a scan for all of it is slow.

`(?:worker|task)\\S*.{0,30}(?:was|has been) preempted` makes an engine follow every "worker" of a log, and
logs are full of workers; " preempted" is rare. Scanning for the rare part, and holding the whole expression
against its few lines, finds the same at a fraction of the cost.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from babysitter.diagnosis.signatures.regex_tree import RegexNode, telling_length

GAP = 8  # a repeat of nearly any character this often ends a piece
TELLING = 4  # characters that a part must hold in one piece to be worth scanning for

# Words that ordinary lines of these systems are full of; and those that troubled lines are full of.
_EVERYDAY_WORDS = """
    worker workers actor actors task tasks job jobs node nodes host hosts process processes shard
    shards stage step steps rank ranks slice slices pod pods replica coordinator controller engine
    operation started starting using loaded enabled registered configured connection server service
    endpoint request requests memory device devices pull_task report_result register_worker
    heartbeat complete completed queued in-flight alive dead dataset bucket run split info debug
    read write writ list fetch rate ratio count total first initial resource default bundle
    health healthy ready state status from with down queue pending wait took cluster call polls known
    found message resolved
"""
_TROUBLED_WORDS = "error errors fail failed failure exception timeout retry lost unavailable refused warning"
EVERYDAY = frozenset(_EVERYDAY_WORDS.split())
COMMON = EVERYDAY | frozenset(_TROUBLED_WORDS.split())
_WORD = re.compile(r"[a-z0-9][a-z0-9_-]*")


def prefilter_expression(node: RegexNode) -> RegexNode | None:
    """The expression from its rare part on, when it begins with a common one; else None."""
    if node.kind == "alternatives":
        cores = [prefilter_expression(part) if _has_wide_repeat(part) else None for part in node.parts]
        if not any(cores):
            return None
        return replace(node, parts=tuple(c or part for c, part in zip(cores, node.parts, strict=True)))
    if node.kind != "sequence":
        return None
    bare = [part for part in node.parts if part.kind != "assertion"]
    if len(bare) == 1 and bare[0].kind == "group" and bare[0].low == bare[0].high == 1:
        return prefilter_expression(bare[0].parts[0])
    factors = _factors(node)
    if not factors or not _begins_commonly(factors[0]):
        return None
    if len(factors) == 1:
        factors = [_behind_the_head(factors[0])]
    rarest = max(factors, key=_rarity)
    if not _rarity(rarest):
        return _without_first_word(bare)
    start = _start_of(rarest, node.parts)
    return rarest if start is None else replace(node, parts=node.parts[start:]) if start else None


def _start_of(factor: RegexNode, parts: Sequence[RegexNode]) -> int | None:
    """Where among these parts the rarest text of a piece begins; None for a piece from inside a group."""
    first = next((index for index, part in enumerate(parts) if part is factor.parts[0]), None)
    if first is None:
        return None
    start, _ = max(_units(factor.parts), key=lambda unit: _rarity(unit[1]))
    start += first
    while start > 0 and _is_text(parts[start - 1]):
        start -= 1
    return start


def _units(parts: Sequence[RegexNode]) -> Iterator[tuple[int, RegexNode]]:
    """Texts, and whatever else stands there, each with where it begins."""
    first = 0
    for index in range(1, len(parts) + 1):
        if index == len(parts) or not (_is_text(parts[first]) and _is_text(parts[index])):
            yield first, RegexNode("sequence", parts=tuple(parts[first:index]))
            first = index


def _is_text(part: RegexNode) -> bool:
    """A character that stands there once; a run of blanks is scanned for as one (see with_single_blanks)."""
    return part.kind == "literal" and part.low == 1 and (part.high == 1 or part.text == " ")


def _without_first_word(parts: Sequence[RegexNode]) -> RegexNode | None:
    """`(?:worker|pod)\\S* died` as `\\S{3} died`: of words within a longer run only the length counts."""
    if len(parts) < 3 or parts[0].kind != "group" or (parts[0].low, parts[0].high) != (1, 1):
        return None
    words, run = list(_words(parts[0].parts[0])), parts[1]
    is_run = run.kind == "class" and (run.low, run.high) == (0, None)
    if (
        not is_run
        or not _ends_run(parts[2], run)
        or not all(word and re.fullmatch(f"{run.text}+", word) for word in words)
    ):
        return None
    shortest_word = min(map(len, words))
    head = replace(run, low=shortest_word, high=shortest_word, is_lazy=False)
    return RegexNode("sequence", parts=(head, *parts[2:]))


def _ends_run(part: RegexNode, run: RegexNode) -> bool:
    """Whether a part can only stand behind such a run, never in it."""
    return part.kind == "literal" and part.low == 1 and not re.fullmatch(run.text, part.text)


def _words(node: RegexNode) -> Iterator[str]:
    """The words of a group of fixed ones; "" for whatever else stands there."""
    for branch in node.parts if node.kind == "alternatives" else (node,):
        letters = [part for part in branch.parts if part.kind != "assertion"]
        is_fixed = all(
            part.kind == "literal" and part.low == part.high == 1 and not part.is_folded for part in letters
        )
        yield "".join(part.text for part in letters) if is_fixed else ""


def _factors(node: RegexNode) -> list[RegexNode]:
    """The pieces of a sequence between its gaps; every match contains each of them."""
    pieces: list[list[RegexNode]] = [[]]
    for part in node.parts:
        if not _is_gap(part):
            pieces[-1].append(part)
            continue
        narrowed = _narrowed(part)
        pieces += [[narrowed], []] if narrowed else [[]]
    return [RegexNode("sequence", parts=tuple(piece)) for piece in pieces if piece]


def _behind_the_head(factor: RegexNode) -> RegexNode:
    """A piece without the group of everyday words that it begins with; empty when it begins otherwise."""
    first = factor.parts[0]
    words = {run.strip(" _.:-=") for run in _runs(first)} if first.kind == "group" else set()
    is_everyday = any(len(word) < 3 or word in EVERYDAY for word in words)
    return replace(factor, parts=factor.parts[1:] if is_everyday else ())


def _narrowed(part: RegexNode) -> RegexNode | None:
    """A group with gaps inside, each of its branches cut down to its most telling piece."""
    if part.kind != "group" or (part.low, part.high) != (1, 1):
        return None
    body = part.parts[0]
    branches = body.parts if body.kind == "alternatives" else (body,)
    cut = [max(_factors(branch), key=telling_length, default=None) for branch in branches]
    if any(piece is None or not telling_length(piece) for piece in cut):
        return None
    return RegexNode(
        "group",
        parts=(RegexNode("alternatives", parts=tuple(regex_node for regex_node in cut if regex_node)),),
    )


def _is_gap(node: RegexNode) -> bool:
    """An optional part, or one with a repeat of nearly any character in it."""
    return node.low == 0 or _has_wide_repeat(node)


def _has_wide_repeat(node: RegexNode) -> bool:
    is_wide = node.kind == "class" and node.text.startswith("[^") and (node.high is None or node.high >= GAP)
    return is_wide or any(_has_wide_repeat(part) for part in node.parts)


def _rarity(factor: RegexNode) -> int:
    """How long the most telling text is that every match holds there; 0 when it is not worth scanning for."""
    best = max((_weight(run) for run in _own_runs(factor)), default=0)
    for part in factor.parts:
        if part.kind == "group" and part.low:
            body = part.parts[0]
            branches = body.parts if body.kind == "alternatives" else (body,)
            best = max(best, min(_rarity(branch) for branch in branches))
    return best


def _weight(run: str) -> int:
    """The length of a text that ordinary lines do not hold, else 0."""
    bare = run.strip(" _.:-=,()")
    return 0 if len(bare) < TELLING or set(_WORD.findall(bare)) <= COMMON else len(bare)


def _begins_commonly(factor: RegexNode) -> bool:
    """Whether a match begins with a word that ordinary lines hold, or with next to nothing."""
    for part in factor.parts:
        if part.kind == "group":
            return _is_common(set(_runs(part)))
        if part.kind == "literal":
            break
    return _is_common(set(next(([run] for run in _runs(factor)), [])))


def _is_common(runs: set[str]) -> bool:
    return any(len(run.strip()) < 4 or set(_WORD.findall(run)) <= COMMON for run in runs)


def _own_runs(node: RegexNode) -> Iterator[str]:
    """The texts that stand in a part outside its groups, each in one piece, in lower case."""
    run = ""
    for part in node.parts:
        if _is_text(part):
            run += part.text.lower()
            continue
        if run:
            yield run
        run = ""
    if run:
        yield run


def _runs(node: RegexNode) -> Iterator[str]:
    """The same with those in groups."""
    yield from _own_runs(node)
    for part in node.parts:
        yield from _runs(part)

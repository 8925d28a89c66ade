"""Which part of an expression to scan for, when the whole of it would be dear.

`(?:worker|task)\\S*.{0,30}(?:was|has been) preempted` makes an engine follow every "worker" of a log, and
logs are full of workers; " preempted" is rare. Scanning for the rare part, and holding the whole expression
against its few lines, finds the same at a fraction of the cost.
"""

from collections.abc import Iterator
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


def prefilter_literal(node: RegexNode) -> RegexNode | None:
    """The rare part that every match contains, when the expression begins with a common one; else None."""
    if node.kind == "alternatives":
        cores = [prefilter_literal(part) if _has_wide_repeat(part) else None for part in node.parts]
        if not any(cores):
            return None
        return replace(node, parts=tuple(c or part for c, part in zip(cores, node.parts, strict=True)))
    if node.kind != "sequence":
        return None
    bare = [part for part in node.parts if part.kind != "assertion"]
    if len(bare) == 1 and bare[0].kind == "group" and bare[0].low == bare[0].high == 1:
        return prefilter_literal(bare[0].parts[0])
    factors = _factors(node)
    if not factors or not _begins_commonly(factors[0]):
        return None
    if len(factors) == 1:
        factors = [_behind_the_head(factors[0])]
    rare = [each for each in factors if _rarity(each)]
    return max(rare, key=_rarity) if rare else None


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
    if any(each is None or not telling_length(each) for each in cut):
        return None
    return RegexNode("group", parts=(RegexNode("alternatives", parts=tuple(each for each in cut if each)),))


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
    bare = run.strip(" _.:-=")
    return 0 if len(bare) < TELLING or bare in COMMON else len(bare)


def _begins_commonly(factor: RegexNode) -> bool:
    """Whether a match begins with a word that ordinary lines hold, or with next to nothing."""
    for part in factor.parts:
        if part.kind == "group":
            return _is_common(set(_runs(part)))
        if part.kind == "literal":
            break
    return _is_common(set(next(([run] for run in _runs(factor)), [])))


def _is_common(runs: set[str]) -> bool:
    return any(len(run.strip()) < 4 or run.strip(" _.:-=") in COMMON for run in runs)


def _own_runs(node: RegexNode) -> Iterator[str]:
    """The texts that stand in a part outside its groups, each in one piece, in lower case."""
    run = ""
    for part in node.parts:
        if part.kind == "literal" and part.low == part.high == 1:
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

"""Which lines of a long log a reader is shown: the most telling first, until the room is used up.

Deterministic: the same log gives the same choice. A log that fits is shown whole.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from babysitter.advisor.material import Material

HEAD_LINES = 25
TAIL_LINES = 60
WIDE_TAIL_LINES = 250
NEAR_LINES = 12  # before and after a line that a candidate rests on
MAX_TRACEBACKS = 4  # the first, and the last ones
MAX_TRACEBACK_LINES = 60  # of one: its beginning and its end
MAX_FAILING = 80
MAX_RARE = 60
LINES_AROUND = 400  # around candidates, for a reader that has no tools
MAX_SHOWN_CHARACTERS = 700  # of one line
LINE_COST = 8  # characters of its number


def choose_lines(material: Material, room: int, *, around: int = LINES_AROUND) -> tuple[int, ...]:
    """Return the indices of the lines to show, ascending, within `room` characters."""
    costs = [min(len(line), MAX_SHOWN_CHARACTERS) + LINE_COST for line in material.lines]
    if sum(costs) <= room:
        return tuple(range(len(costs)))
    chosen: set[int] = set()
    left = room
    for index in _by_telling(material, around):
        if index in chosen:
            continue
        if costs[index] > left:
            break
        chosen.add(index)
        left -= costs[index]
    return tuple(sorted(chosen))


def _by_telling(material: Material, around: int) -> Iterator[int]:
    """Indices, the most telling lines first; a line may come again."""
    count, marks = len(material.lines), material.marks
    evidence = _evidence_of(material)
    yield from evidence
    yield from range(max(0, count - TAIL_LINES // 2), count)
    for lines in (*marks.tracebacks[-1:], *marks.tracebacks[:1], *marks.tracebacks[-MAX_TRACEBACKS:-1]):
        yield from _ends(lines, MAX_TRACEBACK_LINES)
    yield from sorted(marks.new)
    yield from _near(evidence, NEAR_LINES, count)
    yield from _ends(_first_of_each(sorted(marks.failing), marks.templates), MAX_FAILING)
    yield from range(min(HEAD_LINES, count))
    yield from range(max(0, count - TAIL_LINES), count)
    yield from _rare(marks.templates)
    yield from _near(_ends(sorted(marks.failing), MAX_FAILING), 3, count)
    yield from _near(evidence, around // 2, count)
    yield from range(max(0, count - WIDE_TAIL_LINES), count)


def _evidence_of(material: Material) -> list[int]:
    count = len(material.lines)
    found = [index for candidate in material.candidates for index in candidate.lines if 0 <= index < count]
    return list(dict.fromkeys(found))


def _near(indices: Iterable[int], distance: int, count: int) -> Iterator[int]:
    """The neighbours of these lines, the nearest first."""
    places = list(indices)
    for step in range(1, distance + 1):
        for index in places:
            if index >= step:
                yield index - step
            if index + step < count:
                yield index + step


def _ends(indices: Sequence[int], at_most: int) -> Sequence[int]:
    """All of them, or the first and the last ones."""
    if len(indices) <= at_most:
        return indices
    half = at_most // 2
    return (*indices[:half], *indices[-(at_most - half) :])


def _first_of_each(indices: Sequence[int], templates: Sequence[object]) -> Sequence[int]:
    """One line of each template first, then the others."""
    if not templates:
        return indices
    firsts = {templates[index]: index for index in reversed(indices)}
    distinct = sorted(firsts.values())
    return (*distinct, *(index for index in indices if firsts[templates[index]] != index))


def _rare(templates: Sequence[object]) -> Sequence[int]:
    """The lines whose like stands once in the log, the last ones first."""
    times = Counter(templates)
    rare = [index for index, template in enumerate(templates) if times[template] == 1]
    return rare[-MAX_RARE:][::-1]

"""Build what a reader is shown of an incident: numbered, redacted lines within a budget. Pure.

Every line that can be quoted has a label: `F` for facts of the job, `L` for lines of the log (its own
numbers, from 1), `D` for thread dumps, `R` for remarks such as a comparison with the last good run.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from babysitter.advisor.choose_lines import LINES_AROUND, MAX_SHOWN_CHARACTERS, choose_lines
from babysitter.advisor.condensed_dumps import condense
from babysitter.advisor.material import Candidate, Material
from babysitter.redact import redact_lines

CHARACTERS_PER_TOKEN = 3.5  # guess for logs: numbers and ids take more tokens than prose
MAX_PACK_TOKENS = 16_000
MAX_FACTS = 80
MAX_DUMP_LINES = 160
MAX_CANDIDATES = 8
MAX_REMARK_LINES = 60
MAX_RAW_CHARACTERS = 20_000  # of one line that are looked at
MARGIN_LINES = 40  # redacted along with those shown, so that a key that begins before them is recognised


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """The text to show. `lines`: label -> text, of every line that can be quoted."""

    text: str
    lines: Mapping[str, str]
    log_lines: int
    shown_log_lines: int

    @property
    def tokens(self) -> int:
        """About how many tokens the text takes."""
        return tokens_of(self.text)


def tokens_of(text: str) -> int:
    """About how many tokens a text takes."""
    return round(len(text) / CHARACTERS_PER_TOKEN)


def normalised(text: str) -> str:
    """A line as it is compared: composed characters, one space between words."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def build_pack(
    material: Material, *, max_tokens: int = MAX_PACK_TOKENS, around: int = LINES_AROUND
) -> EvidencePack:
    """Number and redact what is shown. `around`: lines shown around candidates if there is room."""
    clipped = tuple(line[:MAX_RAW_CHARACTERS] for line in material.lines)
    facts = _bounded(chain.from_iterable(_rows(fact) for fact in material.facts), MAX_FACTS)
    raw_dumps = chain(condense(material.dumps), *(_rows(text) for text in material.dump_texts))
    dumps = _bounded(raw_dumps, MAX_DUMP_LINES)
    titles = [remark.title for remark in material.remarks]
    remarks = [_bounded(remark.lines, MAX_REMARK_LINES) for remark in material.remarks]
    candidates = _joined(material.candidates)[:MAX_CANDIDATES]
    notes = list(dict.fromkeys(f"{candidate.cause}: {_note(candidate)}" for candidate in candidates))
    beside = [*facts, *dumps, *titles, *chain.from_iterable(remarks), *notes]
    room = max(0, round(max_tokens * CHARACTERS_PER_TOKEN) - sum(len(word) + 8 for word in beside))
    chosen = choose_lines(material, room, around=around)
    wanted = _with_margin(chosen, len(clipped))
    plain = [one_row(line) for line in redact_lines([*(clipped[index] for index in wanted), *beside])]
    log = dict(zip(wanted, plain, strict=False))
    rest = iter(plain[len(wanted) :])
    shown_facts = _labelled("F", _take(rest, len(facts)))
    shown_dumps = _labelled("D", _take(rest, len(dumps)))
    shown_titles = _take(rest, len(titles))
    all_remarks = _labelled("R", _take(rest, sum(map(len, remarks))))
    shown_notes = _take(rest, len(notes))
    shown_log = {f"L{index + 1}": log[index] for index in chosen}
    sections = [
        _section("Facts of the job", _numbered(shown_facts)),
        _section(_log_title(len(clipped), len(chosen)), _log_rows(chosen, shown_log)),
        _section("Thread dumps", _numbered(shown_dumps)),
        *_remark_sections(shown_titles, [len(remark) for remark in remarks], all_remarks),
        _section(_NOTES_TITLE, [f"- {note}" for note in shown_notes]),
    ]
    text = "\n\n".join(section for section in sections if section)
    lines = {**shown_facts, **shown_log, **shown_dumps, **all_remarks}
    return EvidencePack(text, lines, len(clipped), len(chosen))


_NOTES_TITLE = (
    "What keyword rules noticed (hints, often wrong or beside the point; judge by the lines themselves)"
)


def _log_title(count: int, shown: int) -> str:
    how_many = "1 line" if count == 1 else f"{count} lines"
    return f"Log, {how_many}, " + ("all shown" if shown == count else f"{shown} shown; the rest is left out")


def _joined(candidates: Sequence[Candidate]) -> list[Candidate]:
    """One for each cause and objection, with the lines of all of them."""
    groups: dict[tuple[object, ...], Candidate] = {}
    for candidate in candidates:
        key = (candidate.cause, candidate.against, "" if candidate.lines else candidate.explanation)
        known = groups.get(key)
        lines = sorted({*known.lines, *candidate.lines}) if known else candidate.lines
        groups[key] = replace(known or candidate, lines=tuple(lines))
    return list(groups.values())


def _note(candidate: Candidate) -> str:
    """The lines for a candidate. A rule's own sentence only without lines: it would be read as a fact."""
    places = ", ".join(f"L{index + 1}" for index in candidate.lines[:6])
    against = "".join(f" (against it: {word})" for word in candidate.against)
    return (f"for it {places}" if places else candidate.explanation) + against


def _rows(text: str) -> Iterator[str]:
    return (row.rstrip() for row in text.splitlines() if row.strip())


def _bounded(rows: Iterable[str], at_most: int) -> list[str]:
    """The rows; of too many the first and the last ones."""
    every = [row[:MAX_RAW_CHARACTERS] for row in rows]
    if len(every) <= at_most:
        return every
    half = at_most // 2
    return [*every[:half], f"... {len(every) - 2 * half} lines left out ...", *every[-half:]]


def _with_margin(chosen: Sequence[int], count: int) -> list[int]:
    if len(chosen) == count:
        return list(chosen)
    wanted: set[int] = set()
    for index in chosen:
        wanted.update(range(max(0, index - MARGIN_LINES), min(count, index + MARGIN_LINES + 1)))
    return sorted(wanted)


def one_row(text: str) -> str:
    """One row: no line break that could begin a row of its own, and no endless line."""
    text = " ".join(text.split("\n")).rstrip()
    if len(text) <= MAX_SHOWN_CHARACTERS:
        return text
    first, last = MAX_SHOWN_CHARACTERS * 3 // 4, MAX_SHOWN_CHARACTERS // 4
    return f"{text[:first]} [... {len(text) - first - last} characters left out ...] {text[-last:]}"


def _take(rows: Iterator[str], count: int) -> list[str]:
    return [next(rows) for _ in range(count)]


def _labelled(letter: str, rows: Sequence[str]) -> dict[str, str]:
    return {f"{letter}{number}": row for number, row in enumerate(rows, start=1)}


def _numbered(rows: Mapping[str, str]) -> list[str]:
    return [f"{label}| {row}" for label, row in rows.items()]


def _log_rows(chosen: Sequence[int], shown: Mapping[str, str]) -> Iterator[str]:
    before = -1
    for index in chosen:
        if index > before + 1:
            yield f"... {index - before - 1} lines left out ..."
        yield f"L{index + 1}| {shown[f'L{index + 1}']}"
        before = index


def _remark_sections(titles: Sequence[str], sizes: Sequence[int], rows: Mapping[str, str]) -> Iterator[str]:
    numbered = iter(_numbered(rows))
    for title, size in zip(titles, sizes, strict=True):
        yield _section(title, _take(numbered, size))


def _section(title: str, rows: Iterable[str]) -> str:
    every = list(rows)
    return f"### {title}\n\n" + "\n".join(every) if every else ""

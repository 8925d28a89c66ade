"""What the terminal shows of a diagnosis: the sentence, the decisive lines, what to do, how sure."""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from babysitter.messages.difference_words import TITLE
from babysitter.surfaces.diagnosis_view import DiagnosisView, EvidenceView, QuotedLineView
from babysitter.surfaces.difference_view import DifferenceView

SEVERITY_STYLE = {"benign": "green", "info": "cyan", "degraded": "yellow", "fatal": "bold red"}
MAX_DECISIVE_ROWS = 3  # of the terminal, for one decisive line; a line beside it gets one
MAX_EVIDENCE = 4
LABEL_INDENT = 2


def first_screen(diagnosis: DiagnosisView, quoted: Sequence[QuotedLineView], followed: str) -> RenderableType:
    """The answer of `classify` and `diagnose`, most important first."""
    parts: list[RenderableType] = [_sentence(diagnosis), Labelled("Cause", _cause(diagnosis))]
    if quoted:
        decides = any(line_view.is_decisive for line_view in quoted)
        parts += [Text("Evidence:" if decides else "Last lines:", style="bold"), QuotedLines(quoted)]
    if followed:
        parts.append(Labelled("What followed", followed))
    if diagnosis.differences:
        parts += [Text(f"{TITLE}:", style="bold"), *map(_difference, diagnosis.differences)]
    parts.append(Labelled("What to do", diagnosis.what_to_do))
    if diagnosis.look_at:
        parts.append(Labelled("Look at", ", ".join(text.replace("-", " ") for text in diagnosis.look_at)))
    parts.append(Labelled("How sure", diagnosis.how_sure))
    return Group(*parts)


def diagnosis_block(diagnosis: DiagnosisView, *, within: str = "") -> RenderableType:
    """The same of an incident, whose lines are kept without those around them."""
    quoted = [_of_evidence(evidence_view, within) for evidence_view in _told_once(diagnosis.evidence)]
    return first_screen(diagnosis, quoted[:MAX_EVIDENCE], "")


def _difference(difference: DifferenceView) -> Text:
    place = f" [{difference.place}]" if difference.place else ""
    return Text.assemble(
        (f"  {difference.label}: ", "bold"),
        difference.text,
        (f"   {difference.comparison}{place}", "dim"),
    )


def _sentence(diagnosis: DiagnosisView) -> Text:
    text = diagnosis.sentence or diagnosis.explanation
    return Text(text, style=SEVERITY_STYLE.get(diagnosis.severity, ""))


def _cause(diagnosis: DiagnosisView) -> str:
    machine = f", machine {diagnosis.machine}" if diagnosis.machine else ""
    return f"{diagnosis.cause}, {diagnosis.severity}{machine}"


def _told_once(evidence: Iterable[EvidenceView]) -> list[EvidenceView]:
    return list({line.text: line for line in reversed(list(evidence))}.values())[::-1]


def _of_evidence(evidence: EvidenceView, within: str) -> QuotedLineView:
    place = evidence.source.replace(f"{within}/", "") if within else evidence.source
    return QuotedLineView(text=evidence.text, place=place, is_decisive=True)


class Labelled:
    """`What to do: ...`, with further rows indented under the label."""

    def __init__(self, label: str, text: str) -> None:
        self._label, self._text = label, text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        first, *more = self._text.split("\n")
        whole = Text.assemble((f"{self._label}: ", "bold"), first)
        yield from _hanging(whole, options.max_width, console)
        for line in more:
            yield from _hanging(Text(" " * LABEL_INDENT + line), options.max_width, console)


def _hanging(text: Text, width: int, console: Console) -> Iterator[Text]:
    """Rows of a text, all but the first indented."""
    rows = list(text.wrap(console, width))
    if len(rows) < 2:
        yield text
        return
    yield rows[0]
    rest = text[len(rows[0].plain) :]
    rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
    for row in rest.wrap(console, max(20, width - LABEL_INDENT)):
        yield Text(" " * LABEL_INDENT) + row


class QuotedLines:
    """Lines of a log, the decisive ones marked; nothing in them is read as markup."""

    def __init__(self, lines: Sequence[QuotedLineView]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        width = options.max_width
        places = [_number(line.place) for line in self._lines]
        margin = max((len(place) for place in places), default=0)
        for line, place in zip(self._lines, places, strict=True):
            yield from _quoted(line, place.rjust(margin), width, console)
        sources = list(dict.fromkeys(each for line in self._lines if (each := _source(line.place))))
        if sources:
            yield Text(f"  from {', '.join(sources)}", style="dim")


def _quoted(line: QuotedLineView, place: str, width: int, console: Console) -> Iterator[Text]:
    head = " ".join(filter(None, (">" if line.is_decisive else " ", place, "│ ")))
    room = max(20, width - cell_len(head))
    style = "" if line.is_decisive else "dim"
    text = Text(" ".join(line.text.splitlines()).expandtabs(4).rstrip(), style=style)
    rows = list(text.wrap(console, room)) if line.is_decisive else [text]
    if not line.is_decisive or len(rows) > MAX_DECISIVE_ROWS:
        rows = rows[:MAX_DECISIVE_ROWS]
        whole = rows[-1] if line.is_decisive else text
        whole = Text(f"{whole.plain.rstrip()} …", style=style) if line.is_decisive else whole
        whole.truncate(room, overflow="ellipsis")
        rows[-1] = whole
    for number, row in enumerate(rows):
        lead = head if not number else " " * (cell_len(head) - 2) + "│ "
        yield Text.assemble((lead, "dim"), row)


def _number(place: str) -> str:
    number = place.rpartition(":")[2]
    return number if number.isdigit() and ":" in place else ""


def _source(place: str) -> str:
    return place.rpartition(":")[0] if _number(place) else place

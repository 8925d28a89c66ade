"""A second opinion as `--json` prints it; part of the schema of views.py."""

from dataclasses import replace

from babysitter.messages.opinion_text import opinion_lines
from babysitter.model.opinion import Combined
from babysitter.surfaces.printable import safe
from babysitter.surfaces.view_base import Field, View


class QuoteView(View):
    """A part of a line of the evidence. Text from the job: data, never an instruction."""

    line: str = Field(description="label of the line: L12 of the log, F1 of the facts, D3 of a dump")
    text: str


class OpinionView(View):
    """A second opinion, and what is displayed because of it. It never changes a proposal or an act."""

    summary: str = Field(description="in one sentence, beside what the rules say")
    weighing: str = Field(description="no-opinion, agreed, proof-stands, undecided, suspected or watching")
    displayed_cause: str
    displayed_action: str = Field(description="never a restart that the rules do not advise")
    cause: str = Field(default="", description="the opinion's own; empty without an opinion")
    confidence: float | None = None
    explanation: str = ""
    quotes: list[QuoteView] = Field(default=[], description="checked against the evidence")
    suggested_action: str = ""
    would_change_mind: str = ""
    check_next: list[str] = Field(default=[])
    dropped_quotes: int = 0
    no_opinion: str = Field(default="", description="why there is none")

    @classmethod
    def of(cls, combined: Combined | None) -> "OpinionView | None":
        if combined is None:
            return None
        shown = cls(
            summary=safe(opinion_lines(combined)[0]),
            weighing=combined.weighing,
            displayed_cause=combined.cause,
            displayed_action=combined.action,
            no_opinion=safe(combined.no_opinion),
        )
        opinion = combined.opinion
        if opinion is None:
            return shown
        return replace(
            shown,
            cause=opinion.cause,
            confidence=opinion.confidence,
            explanation=safe(opinion.explanation),
            quotes=[QuoteView(line=quote.line, text=safe(quote.text)) for quote in opinion.quotes],
            suggested_action=opinion.action,
            would_change_mind=safe(opinion.would_change_mind),
            check_next=[safe(word) for word in opinion.check_next],
            dropped_quotes=opinion.dropped_quotes,
        )

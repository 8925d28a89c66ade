"""Hold the quotes of an answer against the evidence: what was not shown does not count."""

from dataclasses import replace

from babysitter.advisor.answer_schema import Citation, OpinionAnswer
from babysitter.advisor.evidence_pack import EvidencePack, normalised
from babysitter.model.opinion import NoOpinion, Opinion, Quote

MIN_QUOTE = 6  # characters of a part of a line; a shorter one proves no reading


def verify(answer: OpinionAnswer, pack: EvidencePack, *, fingerprint: str = "") -> Opinion | NoOpinion:
    """Keep the true quotes; without one there is no opinion."""
    found = [quote for citation in answer.citations if (quote := _quote(citation, pack)) is not None]
    if not found:
        many = len(answer.citations)
        why = (
            "It quotes nothing."
            if not many
            else "Its only quote does not stand on the line that it names."
            if many == 1
            else f"None of its {many} quotes stands on the line that it names."
        )
        return NoOpinion(f"The answer does not count. {why}")
    return Opinion(
        cause=answer.cause,
        confidence=answer.confidence,
        explanation=answer.explanation,
        quotes=tuple(dict.fromkeys(found)),
        action=answer.action,
        would_change_mind=answer.would_change_mind,
        check_next=answer.check_next,
        dropped_quotes=len(answer.citations) - len(found),
        fingerprint=fingerprint,
    )


def requote(opinion: Opinion, pack: EvidencePack, *, fingerprint: str) -> Opinion | None:
    """An earlier opinion with its quotes as they stand in this evidence; None if none does."""
    places = {label: normalised(text) for label, text in pack.lines.items()}
    found = [
        Quote(label, quote.text)
        for quote in opinion.quotes
        if (label := next((label for label, text in places.items() if quote.text in text), ""))
    ]
    if not found:
        return None
    return replace(opinion, quotes=tuple(dict.fromkeys(found)), fingerprint=fingerprint)


def _quote(citation: Citation, pack: EvidencePack) -> Quote | None:
    """The quote as it stands in the evidence; None if it does not stand on that line."""
    line = pack.lines.get(citation.line)
    if line is None:
        return None
    whole = normalised(line)
    text = normalised(citation.text).removeprefix(f"{citation.line}| ")
    is_long_enough = len(text) >= MIN_QUOTE or text == whole
    return Quote(citation.line, text) if text and is_long_enough and text in whole else None

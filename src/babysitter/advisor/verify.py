"""Hold the quotes of an answer against the evidence: what was not shown does not count."""

from dataclasses import dataclass

from babysitter.advisor.answer_schema import Answer, Citation, NoOpinion
from babysitter.advisor.evidence_pack import EvidencePack, normalised
from babysitter.model.finding import ActionKind, Cause

MIN_QUOTE = 6  # characters of a part of a line; a shorter one proves no reading


@dataclass(frozen=True, slots=True)
class Opinion:
    """An answer with at least one true quote. Redacted text of the job: data, shown escaped."""

    cause: Cause
    confidence: float
    explanation: str
    citations: tuple[Citation, ...]
    action: ActionKind
    would_change_mind: str = ""
    check_next: tuple[str, ...] = ()
    dropped_citations: int = 0
    fingerprint: str = ""


def verify(answer: Answer, pack: EvidencePack, *, fingerprint: str = "") -> Opinion | NoOpinion:
    """Keep the true quotes; without one there is no opinion."""
    kept = tuple(dict.fromkeys(found for each in answer.citations if (found := _found(each, pack)) is not None))
    if not kept:
        many = len(answer.citations)
        why = "It quotes nothing." if not many else f"None of its {many} quotes stands in the evidence."
        return NoOpinion(f"The answer does not count. {why}")
    return Opinion(
        cause=answer.cause,
        confidence=answer.confidence,
        explanation=answer.explanation,
        citations=kept,
        action=answer.action,
        would_change_mind=answer.would_change_mind,
        check_next=answer.check_next,
        dropped_citations=len(answer.citations) - len(kept),
        fingerprint=fingerprint,
    )


def _found(citation: Citation, pack: EvidencePack) -> Citation | None:
    """The quote as it stands in the evidence; None if it does not stand on that line."""
    line = pack.lines.get(citation.line)
    if line is None:
        return None
    whole = normalised(line)
    quote = normalised(citation.text).removeprefix(f"{citation.line}| ")
    is_long_enough = len(quote) >= MIN_QUOTE or quote == whole
    return _with_text(citation, quote) if quote and is_long_enough and quote in whole else None


def _with_text(citation: Citation, text: str) -> Citation:
    """The citation with its text as it was compared."""
    return citation.model_copy(update={"text": text})

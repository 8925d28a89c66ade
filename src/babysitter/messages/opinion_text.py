"""A second opinion in words. Redacted; a surface escapes it for its own markup."""

from collections.abc import Iterator

from babysitter.messages.formatting import count
from babysitter.model.advisor_spend import AdvisorDay
from babysitter.model.opinion import Combined, Opinion, OpinionRecord, Weighing
from babysitter.redact import redact

MAX_QUOTES = 4
MAX_QUOTE = 160  # characters of one on a card
MAX_CHARACTERS = 600  # of one sentence of a reader


def opinion_lines(combined: Combined | None) -> list[str]:
    """What is said of an opinion, one row each; empty where none was asked for."""
    if combined is None:
        return []
    opinion = combined.opinion
    if opinion is None:
        return [f"No second opinion: {_plain(combined.no_opinion)}"]
    return [_headline(combined, opinion), *_grounds(opinion)]


def opinion_note(record: OpinionRecord | None) -> str:
    """The opinion as one paragraph of a card, with what it cost; "" where none was asked for."""
    if record is None:
        return ""
    combined, opinion = record.combined, record.combined.opinion
    if opinion is None:
        return f"none was to be had: {_plain(combined.no_opinion)}"
    quotes = "; ".join(f"{quote.line}: {_plain(quote.text)[:MAX_QUOTE]}" for quote in opinion.quotes[:2])
    words = _headline(combined, opinion).removeprefix("Second opinion: ")
    return f"{words} {_plain(opinion.explanation)} ({quotes}){_cost(record)}"


def _cost(record: OpinionRecord) -> str:
    if not record.calls:
        return ""
    cost = f", {record.cost_usd:.3f} USD" if record.cost_usd is not None else ""
    day = f"; {spending_words(record.day)}" if record.day is not None else ""
    return f" [{record.tokens:,} tokens{cost}{day}]"


def spending_words(day: AdvisorDay) -> str:
    """What second opinions cost in 24 hours, beside what they may cost."""
    spent, limits = day.spent, day.limits
    parts = [
        f"{spent.calls} of {limits.calls} calls" if limits else count(spent.calls, "call"),
        f"{spent.tokens:,}{f' of {limits.tokens:,}' if limits else ''} tokens",
    ]
    if spent.cost_usd or (limits and limits.cost_usd):
        allowed = f" of {limits.cost_usd:.2f}" if limits and limits.cost_usd else ""
        parts.append(f"{spent.cost_usd:.2f}{allowed} USD")
    unpriced = "; the model has no price in advisor.prices" if spent.unpriced_calls else ""
    return f"in 24 h {', '.join(parts)}{unpriced}"


def _headline(combined: Combined, opinion: Opinion) -> str:
    sure = f"confidence {opinion.confidence:.0%}"
    match combined.weighing:
        case Weighing.AGREED:
            return f"Second opinion: agrees on {opinion.cause} ({sure})."
        case Weighing.PROOF_STANDS:
            return (
                f"Second opinion: {opinion.cause} ({sure}); {combined.cause} stands, because of what is "
                "recorded of the job."
            )
        case Weighing.UNDECIDED:
            return f"Second opinion: the evidence does not decide; the rules say {combined.cause}."
        case Weighing.WATCHING:
            return (
                f"Second opinion: suspected {opinion.cause} ({sure}). The rules say {combined.second}; "
                "watching until one more check."
            )
    return f"Second opinion: suspected {opinion.cause} ({sure}). The rules say {combined.second}."


def _grounds(opinion: Opinion) -> Iterator[str]:
    yield f"Because: {_plain(opinion.explanation)}"
    for quote in opinion.quotes[:MAX_QUOTES]:
        yield f"  {quote.line}: {_plain(quote.text)}"
    if opinion.would_change_mind:
        yield f"What would change this: {_plain(opinion.would_change_mind)}"
    checks = [words for text in opinion.check_next if (words := _plain(text))]
    # a command of ours is never a reader's to give
    yield from [f"Check next: {words}" for words in checks if "babysit" not in words.casefold()][:3]


def _plain(text: str) -> str:
    """One bounded row without secrets."""
    row = " ".join(redact(text).split())
    return row if len(row) <= MAX_CHARACTERS else f"{row[:MAX_CHARACTERS]}…"

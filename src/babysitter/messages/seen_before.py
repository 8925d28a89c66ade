"""What is remembered of earlier incidents, in one sentence. Pure; redacted."""

from datetime import datetime

from babysitter.messages.subject import escape
from babysitter.model.past_incident import EarlierIncidents, Ending, Origin, PastIncident, Recalled

MAX_NAMED = 3  # ids after a sentence
MAX_REMEDIES = 2
MONTHS_SHOWN_AFTER_DAYS = 30
MAX_WORD_CHARS = 80


def seen_before(earlier: EarlierIncidents, *, now: datetime) -> str:
    """How often it was seen, since when, what helped, and which ids to look at; "" for nothing."""
    if earlier.seen:
        return _seen(earlier, now)
    return _similar(earlier.similar[0], now) if earlier.similar else ""


def _seen(earlier: EarlierIncidents, now: datetime) -> str:
    pasts = [recalled.past for recalled in earlier.seen]
    since = min(past.at for past in pasts)
    times = "once" if len(pasts) == 1 else f"{len(pasts)} times"
    when = f"on {_day(since, now)}" if len(pasts) == 1 else f"since {_day(since, now)}"
    newest = sorted(pasts, key=lambda past_incident: past_incident.at, reverse=True)
    named = ", ".join(_name(past_incident) for past_incident in newest[:MAX_NAMED])
    details = _endings(earlier) + _teachings(newest)
    told = f"; {', '.join(details)}" if details else ""
    return f"Seen {times} {when}{told} ({named})."


def _similar(recalled: Recalled, now: datetime) -> str:
    past = recalled.past
    ending = ending_in_words(past)
    told = f", {ending}" if ending else ""
    return (
        f"Similar ({recalled.likeness:.0%} alike) to {_name(past)}, {_day(past.at, now)}: "
        f"{_cause(past)}{told}."
    )


def _endings(earlier: EarlierIncidents) -> list[str]:
    """What fixed it, by whom, how often; then those that ended otherwise."""
    told = []
    for remedy, person, number in earlier.remedies[:MAX_REMEDIES]:
        by = f" ({_word(person)})" if person else ""
        told.append(
            f"{number} {'was' if number == 1 else 'were'} fixed by {_word(remedy) or 'a restart'}{by}"
        )
    recovered = sum(recalled.past.ending is Ending.RECOVERED for recalled in earlier.seen)
    failed = sum(recalled.past.ending is Ending.NOT_FIXED for recalled in earlier.seen)
    if recovered:
        told.append(f"{recovered} recovered by {'itself' if recovered == 1 else 'themselves'}")
    if failed:
        told.append(f"{failed} {'was' if failed == 1 else 'were'} not fixed")
    return told


def _teachings(pasts: list[PastIncident]) -> list[str]:
    """What people said it really was; once for each cause. A word given here outweighs those of files."""
    here = [past for past in pasts if past.is_taught_here]
    said = [
        past_incident
        for past_incident in here or pasts
        if past_incident.true_cause not in (None, past_incident.cause)
    ]
    by_cause = {
        past_incident.true_cause: past_incident
        for past_incident in reversed(said)
        if past_incident.true_cause is not None
    }
    return [
        f"{_word(teacher_in_words(past))} says it was really {cause.value}"
        for cause, past in by_cause.items()
    ]


def ending_in_words(past: PastIncident) -> str:
    """How it ended: "fixed by --memory 10GB (ada)"; "" where nobody knows."""
    by = f" ({_word(past.fixed_by)})" if past.fixed_by else ""
    return {
        Ending.FIXED: f"fixed by {_word(past.remedy) or 'a restart'}{by}",
        Ending.RECOVERED: "recovered by itself",
        Ending.NOT_FIXED: "not fixed",
    }.get(past.ending, "")


def teacher_in_words(past: PastIncident) -> str:
    """Who says what it really was; a name out of a file is marked.

    A program that learns cases speaks for nobody: then it is the label.
    """
    if past.taught_by:
        return past.taught_by if past.is_taught_here else f"{past.taught_by} (imported)"
    return "its label" if past.origin is Origin.LEARNED else "an import"


def _cause(past: PastIncident) -> str:
    if past.true_cause is not None:
        return f"{past.true_cause.value}, says {_word(teacher_in_words(past))}"
    return past.cause.value


def _name(past: PastIncident) -> str:
    job = f" {_word(past.job)}" if past.job else ""
    return f"{_word(past.id)}{job}"


def _word(text: str) -> str:
    return escape(" ".join(text.split()), most=MAX_WORD_CHARS)


def _day(at: datetime, now: datetime) -> str:
    """ "12 Nov" of the last weeks, else the month: "March", "March 2025"."""
    if (now - at).days <= MONTHS_SHOWN_AFTER_DAYS:
        return f"{at.day} {at:%b}"
    return f"{at:%B}" if at.year == now.year else f"{at:%B %Y}"

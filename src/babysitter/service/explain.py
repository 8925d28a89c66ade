"""Why the last verdict is what it is: a rendering of the reasons it came with, no second judgement."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from babysitter.errors import UserError
from babysitter.model.ids import WatchId
from babysitter.model.verdict import Reason, Verdict
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.service.hall import Hall


@dataclass(frozen=True, slots=True)
class Explanation:
    """The last verdict of a watch and the reasons asked for. `checked_at` None = never checked."""

    watch: Watch
    verdict: Verdict | None
    reasons: tuple[Reason, ...]
    why_not: str = ""

    @property
    def checked_at(self) -> datetime | None:
        return self.watch.last_checked_at


async def explain(hall: Hall, watch: WatchId, *, why_not: str = "") -> Explanation:
    """The reasons of the last verdict; with `why_not`, those about one suspicion ("zombie", "stuck").

    Raises UserError for a suspicion that nothing was said about, naming those that something was said about.
    """
    async with hall.store.reading() as records:
        found = await records.watches.get(watch)
        verdict = await records.watches.last_verdict(watch)
    reasons = verdict.reasons if verdict else ()
    if not why_not:
        return Explanation(found, verdict, reasons)
    about = tuple(each for each in reasons if _topic(each) == why_not or why_not in each.name)
    if not about:
        topics = ", ".join(sorted({_topic(each) for each in reasons})) or "nothing yet"
        raise UserError(
            f"The last check of {found.root} says nothing about '{why_not}'.",
            next_step=f"It speaks of: {topics}.",
        )
    return Explanation(found, verdict, about, why_not)


def as_lines(explanation: Explanation) -> Iterator[str]:
    """The explanation for a terminal: what was concluded, then each argument with its values."""
    watch, verdict = explanation.watch, explanation.verdict
    if verdict is None:
        yield f"{watch.root} has not been checked yet."
        return
    yield f"{watch.root}: {verdict.phase}, {verdict.cause} ({verdict.severity}); action: {verdict.action}"
    if explanation.checked_at is not None:
        yield f"last checked {explanation.checked_at:%Y-%m-%d %H:%M:%S} UTC"
    for spot in verdict.blind:
        yield f"blind since {spot.since:%H:%M:%S}: {redact(spot.reason)}"
    if verdict.diagnosis is not None and not explanation.why_not:
        yield redact(verdict.diagnosis.explanation)
    for signal in () if explanation.why_not else verdict.signals:
        yield f"signal {signal.kind} since {signal.since_at:%H:%M:%S}: {redact(signal.explanation)}"
    for reason in explanation.reasons:
        yield f"{'yes' if reason.holds else 'no '}  {reason.name}: {redact(reason.text)}"
    if not explanation.reasons:
        yield "No arguments were needed: nothing was under suspicion."


def _topic(reason: Reason) -> str:
    return reason.name.partition(".")[0]

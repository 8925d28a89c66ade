"""Why the last verdict is what it is: a rendering of the reasons it came with, no second judgement."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from babysitter.diagnosis.causes.why_not import why_not as missing
from babysitter.engine.app import App
from babysitter.errors import UserError
from babysitter.messages.argument import TOPICS, argument_lines, topic_of
from babysitter.messages.diagnosis_words import sentence_of
from babysitter.messages.formatting import count
from babysitter.messages.opinion_text import opinion_lines
from babysitter.model.finding import Cause
from babysitter.model.ids import IncidentId, WatchId
from babysitter.model.opinion import Combined, OpinionRecord
from babysitter.model.verdict import Reason, Verdict
from babysitter.model.watch import Watch
from babysitter.policy.rule_ledger import RuleRecord
from babysitter.redact import redact
from babysitter.store.store import Transaction
from babysitter.usecases.incidents.rule_precision import records_of
from babysitter.usecases.looking.stored_evidence import stored_line_buffer


@dataclass(frozen=True, slots=True)
class Explanation:
    """The last verdict of a watch and the reasons asked for. `checked_at` None = never checked."""

    watch: Watch
    verdict: Verdict | None
    reasons: tuple[Reason, ...]
    why_not: str = ""
    opinion: Combined | None = None  # on its newest incident, else on the watch
    records: tuple[RuleRecord, ...] = ()  # of the rules behind the cause: how often they were right

    @property
    def checked_at(self) -> datetime | None:
        return self.watch.last_checked_at


async def explain(app: App, watch: WatchId, *, why_not: str = "") -> Explanation:
    """The reasons of the last verdict; with `why_not`, those about one suspicion or cause.

    `why_not`: a suspicion ("zombie", "stuck") or a cause ("host-oom"), whose rules are then held against what
    is kept of the watch. Raises UserError for a word that is neither.
    """
    async with app.store.reading() as tx:
        found = await tx.watches.get(watch)
        verdict = await tx.watches.last_verdict(watch)
        observations = await tx.observations.of(watch) if why_not else ()
        opinion = await _newest_opinion(tx, watch)
    reasons = verdict.reasons if verdict else ()
    if not why_not:
        behind = verdict.diagnosis.rules if verdict is not None and verdict.diagnosis is not None else ()
        records = tuple(await records_of(app, behind)) if behind else ()
        return Explanation(found, verdict, reasons, opinion=opinion, records=records)
    topic = TOPICS.get(why_not, why_not)
    about = tuple(reason for reason in reasons if topic_of(reason) == topic or why_not in reason.name)
    if why_not in set(Cause):
        rules = app.playbook.for_job("iris", found.memory.kind)
        about += missing(rules, Cause(why_not), stored_line_buffer(found, observations))
    if not about:
        topics = ", ".join(sorted({topic_of(reason) for reason in reasons})) or "nothing yet"
        raise UserError(
            f"The last check of {found.root} says nothing about '{why_not}', and no rule names such a cause.",
            next_step=f"It speaks of: {topics}. Causes are listed by `babysit playbook list`.",
        )
    return Explanation(found, verdict, about, why_not)


async def _newest_opinion(tx: Transaction, watch: WatchId) -> Combined | None:
    incidents = await tx.incidents.incidents_of((watch,))
    record = await (tx.opinions.of(incidents[-1].id) if incidents else tx.opinions.of_watch(watch))
    return record.combined if record is not None else None


async def opinion_on(app: App, incident: IncidentId) -> Combined | None:
    """The second opinion on an incident, where one was asked for."""
    async with app.store.reading() as tx:
        record = await tx.opinions.of(incident)
    return record.combined if record is not None else None


async def advice_lines(app: App, watch: Watch) -> list[str]:
    """The second opinions on a watch and on its incidents, with what was said for them, oldest first."""
    lines: list[str] = []
    async with app.store.reading() as tx:
        records: list[tuple[str, OpinionRecord | None]] = [(watch.id, await tx.opinions.of_watch(watch.id))]
        incidents = await tx.incidents.incidents_of((watch.id,))
        records += [(incident.id, await tx.opinions.of(incident.id)) for incident in incidents]
    for name, record in records:
        if record is None:
            continue
        lines.append(f"{name}, {record.at:%Y-%m-%d %H:%M:%S} UTC, question {record.fingerprint}:")
        lines += opinion_lines(record.combined)
        lines += record.transcript.splitlines()
    return lines or [f"Nobody was asked for a second opinion on {watch.root}."]


def as_lines(explanation: Explanation, *, is_whole: bool = False) -> Iterator[str]:
    """The explanation for a terminal: what was concluded, then a short argument.

    `is_whole`: every reason with its values instead; so it is when one topic was asked about.
    """
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
        yield redact(sentence_of(verdict.diagnosis))
    if not (is_whole or explanation.why_not):
        yield from map(redact, argument_lines(verdict))
        yield from map(record_line, explanation.records)
        yield from opinion_lines(explanation.opinion)
        if explanation.reasons:
            known = count(len(explanation.reasons), "reason")
            yield f"`babysit explain {watch.root} --all` lists {known}."
        return
    for signal in () if explanation.why_not else verdict.signals:
        yield f"signal {signal.kind} since {signal.since_at:%H:%M:%S}: {redact(signal.explanation)}"
    for reason in explanation.reasons:
        yield f"{'yes' if reason.holds else 'no '}  {reason.name}: {redact(reason.text)}"
    yield from map(record_line, explanation.records)
    if not explanation.reasons:
        yield "No arguments were needed: nothing was under suspicion."


def record_line(record: RuleRecord) -> str:
    """What people said of a rule's incidents, in one line."""
    said = f"{record.right} right, {record.wrong} wrong" if record.precision is not None else "nobody said"
    standing = f"; {record.demoted}" if record.demoted else ""
    return f"rule {record.rule}: behind {count(record.incidents, 'incident')}, {said}{standing}"

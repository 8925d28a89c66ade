"""The story of a watch as Markdown: a fold over its events."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from babysitter.engine.app import App
from babysitter.messages.opinion_text import opinion_lines
from babysitter.model.action import ActionStep, StepState
from babysitter.model.events import (
    CheckFailed,
    DecisionRefused,
    Event,
    FeedbackGiven,
    FeedbackWithdrawn,
    IncidentEnded,
    IncidentOpened,
    IncidentWorsened,
    JobFinished,
    JobReappeared,
    JobVanished,
    MessageDropped,
    PhaseChanged,
    ProposalDecided,
    ProposalReminded,
    ProposalWithdrawn,
    RestartProposed,
    SawAgain,
    StageChanged,
    StepTaken,
    WatchStarted,
    WatchStopped,
    WentBlind,
)
from babysitter.model.ids import IncidentId, WatchId
from babysitter.model.opinion import OpinionRecord
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.usecases.incidents.find_incidents import sentence_about

PAGE = 1_000
MAX_REMEMBERED = 20  # incidents, the newest, of which earlier ones are looked up
NOTHING_REMEMBERED: Mapping[IncidentId, str] = {}


async def report(app: App, watch: WatchId) -> str:
    """The timeline of a watch, redacted."""
    async with app.store.reading() as tx:
        found = await tx.watches.get(watch)
        happened: list[Event] = []
        number = 0
        while page := await tx.events.after(number, watches=(watch,), at_most=PAGE):
            happened += [stored.event for stored in page]
            number = page[-1].number
    opened = [
        incident_opened.incident
        for incident_opened in happened
        if isinstance(incident_opened, IncidentOpened)
    ][-MAX_REMEMBERED:]
    remembered = {name: await sentence_about(app, name) for name in dict.fromkeys(opened)}
    async with app.store.reading() as tx:
        records = [await tx.opinions.of(name) for name in remembered]
        records.append(await tx.opinions.of_watch(watch))
    return render(found, happened, remembered, [record for record in records if record is not None])


def render(
    watch: Watch,
    happened: Sequence[Event],
    remembered: Mapping[IncidentId, str] = NOTHING_REMEMBERED,
    opinions: Sequence[OpinionRecord] = (),
) -> str:
    """The timeline of these events. `remembered`: what is known of earlier incidents, by incident. Pure."""
    timeline = _timeline(happened, remembered)
    return "\n".join([*_head(watch, happened), "## Timeline", "", *timeline, "", *_opinions(opinions)])


def _opinions(records: Sequence[OpinionRecord]) -> Iterator[str]:
    """Each second opinion, only suspected, with its quotes and what would change it. Its words are quoted."""
    if not records:
        return
    yield from ("## Second opinions", "")
    for record in records:
        headline, *grounds = opinion_lines(record.combined)
        yield f"- {record.incident or 'the job'}, {record.at:%Y-%m-%d %H:%M:%S} UTC: {_text(headline)}"
        yield from (f"  - `{_quoted(line)}`" for line in grounds)
    yield ""


def _head(watch: Watch, happened: Sequence[Event]) -> Iterator[str]:
    yield f"# {_text(watch.root)}"
    yield ""
    if watch.root != watch.first_root:
        times = "once" if watch.restarts == 1 else f"{watch.restarts} times"
        yield f"- first watched as {_text(watch.first_root)}, restarted {times}"
    yield f"- cluster {watch.cluster}, kind {watch.kind}, watch {watch.id}"
    yield f"- watched since {watch.created_at:%Y-%m-%d %H:%M} UTC; now {watch.phase}"
    incidents = [
        incident_opened for incident_opened in happened if isinstance(incident_opened, IncidentOpened)
    ]
    yield f"- incidents: {len(incidents)}" + (
        f" ({', '.join(incident.cause for incident in incidents)})" if incidents else ""
    )
    ended = next(
        (job_finished for job_finished in reversed(happened) if isinstance(job_finished, JobFinished)), None
    )
    if ended is not None:
        state = "" if ended.summary.startswith(ended.state) else f"{ended.state}, "
        yield f"- ended: {state}{_text(ended.summary)}"
    yield ""


def _timeline(happened: Sequence[Event], remembered: Mapping[IncidentId, str]) -> Iterator[str]:
    day = None
    for place, event in enumerate(happened):
        if isinstance(event, StepTaken) and _is_told_later(event, happened[place + 1 :]):
            continue
        if event.at.date() != day:
            day = event.at.date()
            yield from (
                ("", f"### {day:%Y-%m-%d}", "")
                if day != happened[0].at.date()
                else (f"### {day:%Y-%m-%d}", "")
            )
        yield f"- {_when(event.at)} {_SENTENCES[type(event)](event)}"
        if isinstance(event, IncidentOpened):
            yield from (f"  - `{_quoted(line)}`" for line in event.evidence)
            if sentence := remembered.get(event.incident):
                yield f"  - {_text(sentence)}"


def _when(at: datetime) -> str:
    return f"`{at:%H:%M:%S}`"


def _text(text: str) -> str:
    """Foreign text on one line, without secrets, that cannot break out of its place in the document."""
    line = " ".join(redact(text).split())
    return line.replace("<", "&lt;").replace("|", "\\|")


def _quoted(text: str) -> str:
    """Foreign text between backticks, where only a backtick means anything."""
    return " ".join(redact(text).split()).replace("`", "'")


_STEPS = {
    ActionStep.EVIDENCE: "kept of the old job: {}",
    ActionStep.STOP: "stopping the old job: {}",
    ActionStep.TERMINAL: "the old job is {}",
    ActionStep.SUBMIT: "submitted as {}",
    ActionStep.RECORD: "{} is watched from here on",
}


def _is_told_later(event: StepTaken, later: Sequence[Event]) -> bool:
    """An intention is worth a line only when nothing tells how it ended."""
    steps = (
        step_taken
        for step_taken in later
        if isinstance(step_taken, StepTaken) and step_taken.proposal == event.proposal
    )
    return event.state == StepState.INTENDED and any(step.step == event.step for step in steps)


def _step(event: StepTaken) -> str:
    if event.state == StepState.DONE:
        return _STEPS[ActionStep(event.step)].format(_text(event.detail))
    detail = f" ({_text(event.detail)})" if event.detail else ""
    how = "failed" if event.state == StepState.FAILED else "began; how it ended is not known"
    return f"step {event.step} of {event.proposal} {how}{detail}"


def _proposed(event: RestartProposed) -> str:
    change = f", changing {_text(event.change)}" if event.change else ""
    because = f" ({_text(event.asked_because)})" if event.asked_because else ""
    asked = f", asked for by {_text(event.asked_by)}{because}" if event.asked_by != "babysit" else ""
    return f"{event.act} of {_text(event.job)} proposed ({event.proposal}){change}{asked}"


_SENTENCES: dict[type[Event], Callable[[Any], str]] = {
    WatchStarted: lambda e: f"{_text(e.by)} began watching {_text(e.root)}",
    WatchStopped: lambda e: f"{_text(e.by)} stopped watching",
    PhaseChanged: lambda e: f"**{e.before} → {e.after}**" + (f": {_text(e.because)}" if e.because else ""),
    StageChanged: lambda e: f"stage {_text(e.stage)}" + (f" (pipeline {e.pipeline})" if e.pipeline else ""),
    JobVanished: lambda e: f"{_text(e.root)} is not known to the cluster any more: {_text(e.reason)}",
    JobReappeared: lambda e: f"{_text(e.root)} is known to the cluster again after {e.gone_s:.0f} s",
    WentBlind: lambda e: f"cannot see the {e.source}: {_text(e.reason)}",
    SawAgain: lambda e: f"sees the {e.source} again after {e.blind_s:.0f} s",
    IncidentOpened: lambda e: f"**incident {e.cause}** ({e.severity}, {e.incident}): {_text(e.explanation)}",
    IncidentWorsened: lambda e: f"incident {e.incident} is now {e.severity}: {_text(e.explanation)}",
    IncidentEnded: lambda e: f"incident {e.incident} {e.status}: {_text(e.outcome)}",
    RestartProposed: _proposed,
    ProposalWithdrawn: lambda e: f"proposal {e.proposal} withdrawn: {_text(e.because)}",
    ProposalReminded: lambda e: (
        f"proposal {e.proposal} " + (f"handed on to {_text(e.handed_to)}" if e.handed_to else "reminded of")
    ),
    ProposalDecided: lambda e: f"**{_text(e.by)} answered {e.answer}** to {e.proposal} ({e.through})",
    DecisionRefused: lambda e: f"answer of {_text(e.by)} to {e.proposal} refused: {_text(e.because)}",
    StepTaken: _step,
    JobFinished: lambda e: f"**job {e.state}** ({e.cause}): {_text(e.summary)}",
    FeedbackGiven: lambda e: (
        f"{_text(e.by)} says the diagnosis was {'right' if e.was_right else 'wrong'}"
        + (f": it was really {_text(e.cause)}" if e.cause else "")
    ),
    FeedbackWithdrawn: lambda e: f"{_text(e.by)} took back what they said of {_text(e.incident)}",
    CheckFailed: lambda e: f"a check failed: {_text(e.sentence)}",
    MessageDropped: lambda e: f"message ({e.occasion}) never told by {e.notifier}: {_text(e.because)}",
}

"""What the terminal shows: watches, stage bars, incidents, proposals. Values in, rich renderables out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from babysitter.messages.opinion_text import MAX_QUOTES, spending_words
from babysitter.surfaces.cli.diagnosing.diagnosis_screen import SEVERITY_STYLE, diagnosis_block
from babysitter.surfaces.cli.terminal.output_console import Card
from babysitter.surfaces.cli.terminal.output_console import console as console  # offered to the commands too
from babysitter.surfaces.cli.watching.phase_line import phase_line, phase_text, progress_words, reached
from babysitter.surfaces.opinion_views import OpinionView
from babysitter.surfaces.views import (
    IncidentView,
    OutlookView,
    ProposalView,
    StageProgress,
    StatusReply,
    WatchView,
)

STOP = "stop"  # the action of a proposal after which nothing is submitted
BAR_WIDTH = 24
TABLE_WIDTH_LEAST = 72
ENDED_NAMED = 3


def watch_table(watches: Sequence[WatchView], *, now: datetime, with_ended: bool = False) -> RenderableType:
    """One line a watch; where the terminal is narrow, a few short lines each. Ended jobs are one line."""
    if not watches:
        return Text("Nothing is being watched. Start with: babysit start /user/job")
    shown = [watch for watch in watches if with_ended or watch.needs != "ended"]
    ended = [watch for watch in watches if watch not in shown]
    table = [_WatchTable(shown, now)] if shown else []
    return Group(*table, *ended_lines(ended))


def ended_lines(watches: Sequence[WatchView]) -> Iterator[Text]:
    """How many watched jobs have ended, and how, with the first names of each."""
    by_state: dict[str, list[str]] = {}
    for watch in watches:
        state = (watch.outlook.job_state if watch.outlook else None) or "ended"
        cause = f" ({watch.incidents[-1].diagnosis.cause})" if watch.incidents else ""
        by_state.setdefault(state, []).append(watch.job + cause)
    if not by_state:
        return
    parts = [
        f"{len(jobs)} {state} ({', '.join(jobs[:ENDED_NAMED])}{', ...' if jobs[ENDED_NAMED:] else ''})"
        for state, jobs in sorted(by_state.items())
    ]
    yield Text(f"Ended: {'; '.join(parts)}. `babysit list --all` shows them.", style="dim")


@dataclass(frozen=True, slots=True)
class _WatchTable:
    """Knows how wide it may be only when it is drawn."""

    watches: Sequence[WatchView]
    now: datetime

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        is_narrow = options.max_width < TABLE_WIDTH_LEAST
        yield Group(*map(self._lines, self.watches)) if is_narrow else self._table()

    def _table(self) -> RenderableType:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        where = ("cluster",) if self._has_several_clusters else ()
        for heading in ("job", *where, "phase", "progress", "eta", "workers", "checked", "incident"):
            table.add_column(heading, overflow="fold" if heading in ("job", "cluster") else "ellipsis")
        for watch in self.watches:
            cluster = (Text(watch.cluster),) if where else ()
            table.add_row(Text(watch.job), *cluster, phase_text(watch), *self._cells(watch))
        return table

    def _lines(self, watch: WatchView) -> RenderableType:
        _, eta, workers, checked, incidents = self._cells(watch)
        named = (phase_line(watch), _named("ETA", eta), _named("workers", workers), incidents)
        lines = [text for text in (*named, _named("checked", checked)) if text]
        where = f" on {watch.cluster}" if self._has_several_clusters else ""
        return Group(
            Text.assemble((watch.job, "bold"), where), *(Padding(line, (0, 0, 0, 2)) for line in lines)
        )

    @property
    def _has_several_clusters(self) -> bool:
        return len({watch.cluster for watch in self.watches}) > 1

    def _cells(self, watch: WatchView) -> tuple[Text, Text, Text, Text, Text]:
        outlook = watch.outlook
        return (
            Text(progress_words(outlook)),
            Text(duration(outlook.eta_s) if outlook and outlook.eta_s is not None else ""),
            Text(workers_words(outlook)),
            Text(ago(watch.last_checked_at, now=self.now)),
            Text(
                ", ".join(f"{incident.diagnosis.cause} ({incident.status})" for incident in watch.incidents)
            ),
        )


def _named(name: str, value: Text) -> Text:
    return Text.assemble(f"{name} ", value) if value else value


def watch_page(watch: WatchView, *, now: datetime) -> RenderableType:
    """Everything about one watch: phase, bars, open incidents."""
    parts: list[RenderableType] = [
        Text.assemble((watch.job, "bold"), f" on {watch.cluster}  phase: ", phase_text(watch))
    ]
    if watch.outlook:
        parts.append(outlook_block(watch.outlook, now=now))
    if watch.trouble:
        parts.append(Text(f"The last check itself failed: {watch.trouble}", style="yellow"))
    parts.extend(incident_card(incident, job=watch.job) for incident in watch.incidents)
    if watch.no_restart_because:
        parts.append(Text(f"No restart proposed: {watch.no_restart_because}"))
    return Group(*parts)


def service_lines(reply: StatusReply) -> list[Text]:
    """What a person must know of the process behind the watches; nothing while it is well."""
    lines = [Text(f"{part}: {words}", style="yellow") for part, words in reply.service.troubles.items()]
    if not reply.service.runs and any(watch.phase != "finished" for watch in reply.watches):
        words = "The service does not run, so nothing is looked at. `babysit serve` starts it."
        lines.insert(0, Text(words, style="yellow"))
    if (advisor := reply.service.advisor) is not None:
        lines.append(Text(f"Second opinions: {spending_words(advisor.day)}", style="dim"))
    return lines


def outlook_block(outlook: OutlookView, *, now: datetime) -> RenderableType:
    """Summary, stage bars, pace."""
    rows: list[RenderableType] = []
    if outlook.summary:
        rows.append(Text(outlook.summary))
    rows.extend(stage_bar(stage) for stage in outlook.stages)
    pace = [
        f"{outlook.rate_per_min:.1f}/min" if outlook.rate_per_min else "",
        f"ETA {duration(outlook.eta_s)}" if outlook.eta_s is not None else "",
        workers_words(outlook) and f"{workers_words(outlook)} workers",
        f"{outlook.retries} {'retry' if outlook.retries == 1 else 'retries'}" if outlook.retries else "",
        f"last line {ago(outlook.last_line_at, now=now)}" if outlook.last_line_at else "",
    ]
    if any(pace):
        rows.append(Text(" · ".join(part for part in pace if part), style="dim"))
    return Padding(Group(*rows), (0, 0, 0, 2), expand=False)


def stage_bar(stage: StageProgress) -> Text:
    """`stage1-Reduce  ████████░░░░  12/18`, with plain characters where there is no colour."""
    share = stage.done / stage.total if stage.total else 0.0
    filled = min(BAR_WIDTH, round(share * BAR_WIDTH))
    is_done = stage.done >= stage.total
    style = "cyan" if stage.is_current else "green" if is_done else "red"
    ending = "" if stage.is_current else "  done" if is_done else "  broken off"
    return Text.assemble(
        f"{stage.label[:28]:<28} ",
        ("█" * filled, style),
        ("░" * (BAR_WIDTH - filled), "dim"),
        f" {reached(stage)}",
        (ending, "dim"),
    )


def incident_card(incident: IncidentView, *, job: str = "") -> RenderableType:
    """What is wrong, the proof, and what is offered."""
    parts: list[RenderableType] = [diagnosis_block(incident.diagnosis, within=job)]
    if incident.opinion is not None:
        parts.append(opinion_block(incident.opinion))
    if incident.outcome:
        parts.append(Text(f"Outcome: {incident.outcome}"))
    if incident.proposal and incident.proposal.status in ("open", "snoozed"):
        parts.append(proposal_block(incident.proposal))
    style = SEVERITY_STYLE.get(incident.diagnosis.severity, "")
    title = Text(f" {incident.diagnosis.cause} · {incident.status} · {incident.id} ", style=style)
    return Card(Panel(Group(*parts), title=title, title_align="left", border_style=style, box=box.ROUNDED))


def opinion_block(opinion: OpinionView) -> RenderableType:
    """A second opinion: what it says, why, its true quotes, and what would change it."""
    lines = [Text(opinion.summary, style="bold")]
    if opinion.explanation:
        lines.append(Text(f"Because: {opinion.explanation}"))
    lines += [Text(f"  {quote.line}: {quote.text}") for quote in opinion.quotes[:MAX_QUOTES]]
    if opinion.would_change_mind:
        lines.append(Text(f"What would change this: {opinion.would_change_mind}"))
    return Group(*lines)


def proposal_block(proposal: ProposalView) -> RenderableType:
    """The exact commands that an approval runs, and how to answer."""
    lines = [
        Text("If you approve, babysit will:", style="bold"),
        Text(f"  1. stop exactly {proposal.job}"),
        *_after_the_stop(proposal),
        *(Text(f"  differs from what the cluster stored: {line}") for line in proposal.differences),
        Text(
            ("" if proposal.action == STOP else f"Restarts left today: {proposal.restarts_left}. ")
            + f"The proposal expires {proposal.expires_at:%Y-%m-%d %H:%M} UTC."
        ),
        Text.assemble(
            "Answer with: ",
            (f"babysit approve {proposal.id}", "bold green"),
            "  or  ",
            (f"babysit deny {proposal.id}", "bold"),
            "  or  ",
            (f"babysit snooze {proposal.id} --for 2h", "bold"),
        ),
    ]
    changes = [proposal.change, *proposal.further_changes] if proposal.change else []
    for place, change in enumerate(changes, start=1):
        before = change.before or "not set"
        lines.insert(place, Text(f"  change {change.what}: {before} -> {change.after} ({change.why})"))
    if proposal.loses:
        lines.insert(0, Text(f"What it loses: {proposal.loses}"))
    if proposal.earlier_try:
        lines.insert(0, Text(f"An earlier try: {proposal.earlier_try}", style="yellow"))
    return Padding(Group(*lines), (1, 0, 0, 0))


def _after_the_stop(proposal: ProposalView) -> list[Text]:
    if proposal.action == STOP:
        return [Text("  2. nothing is submitted")]
    return [
        Text(f"  2. submit {proposal.successor}:"),
        *(Text(f"     {line}") for line in proposal.shown),
    ]


def workers_words(outlook: OutlookView | None) -> str:
    if outlook is None or outlook.workers_alive is None:
        return ""
    return f"{outlook.workers_alive}/{outlook.workers}" if outlook.workers else str(outlook.workers_alive)


def duration(seconds: float | None) -> str:
    """95 -> 1m 35s; 7260 -> 2h 1m."""
    if seconds is None:
        return ""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    if whole < 86_400:
        return f"{whole // 3600}h {whole % 3600 // 60}m"
    return f"{whole // 86_400}d {whole % 86_400 // 3600}h"


def ago(at: datetime | None, *, now: datetime) -> str:
    return f"{duration((now - at).total_seconds())} ago" if at else "never"

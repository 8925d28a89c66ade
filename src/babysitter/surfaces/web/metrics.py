"""Figures in Prometheus' text format. No job, person or cluster is a label: their number has no bound."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from babysitter import __version__
from babysitter.engine.telling.dead_mans_switch import HEARTBEATS_SENT, HEARTBEATS_WITHHELD
from babysitter.engine.telling.emergency import EMERGENCIES
from babysitter.model.advisor_spend import AdvisorDay
from babysitter.model.phase import Phase
from babysitter.slack.socket_health import SocketHealth
from babysitter.slack.socket_mode import SocketStatus
from babysitter.usecases.service_stats import ProcessFigures, ServiceStats

_SENT = {
    EMERGENCIES: "Messages sent past the outbox because it could not be written.",
    HEARTBEATS_SENT: "Heartbeats sent to the dead-man's switch.",
    HEARTBEATS_WITHHELD: "Heartbeats not sent because jobs could not be looked after.",
}


def metrics_text(
    figures: ServiceStats | None, socket: SocketStatus | None, process: ProcessFigures | None = None
) -> bytes:
    """Everything that can be scraped.

    `figures` None = the database cannot be read now. `socket` None = Slack's presses do not come by one.
    """
    measured = [
        *_of_process(process or ProcessFigures(), is_readable=figures is not None),
        *(_of_service(figures) if figures else ()),
        *(_of_socket(socket) if socket else ()),
    ]
    registry = CollectorRegistry()
    registry.register(_Snapshot(measured))
    return generate_latest(registry)


class _Snapshot(Collector):
    """Hands out what was measured already."""

    def __init__(self, measured: list[Metric]) -> None:
        self._measured = measured

    def collect(self) -> Iterator[Metric]:
        yield from self._measured


def _of_process(process: ProcessFigures, *, is_readable: bool) -> Iterator[Metric]:
    """What is counted here, whatever the database does."""
    yield _labelled("babysit_build", "The running version.", "version", {__version__: 1})
    yield _gauge("babysit_database_readable", "1 while the database answers.", is_readable)
    yield _gauge("babysit_database_writable", "0 while writes fail.", not process.is_storage_failing)
    yield CounterMetricFamily(
        "babysit_failed_writes", "Transactions that could not be stored.", process.failed_writes
    )
    failed = CounterMetricFamily(
        "babysit_failed_activities",
        "Failed attempts of what the service does again and again.",
        labels=("activity",),
    )
    for activity, count in sorted(process.failed_activities.items()):
        failed.add_metric((activity,), count)
    yield failed
    for kind, about in _SENT.items():
        yield CounterMetricFamily(f"babysit_{kind}", about, process.sent.get(kind, 0))


def _of_service(figures: ServiceStats) -> Iterator[Metric]:
    counts = figures.counts
    phases = {phase.value: counts.watches.get(phase.value, 0) for phase in Phase}
    yield _labelled("babysit_watches", "Watches, by phase.", "phase", phases)
    yield _labelled("babysit_open_incidents", "Open incidents, by cause.", "cause", counts.incidents)
    yield _gauge("babysit_open_proposals", "Proposals that wait for a person.", counts.proposals)
    yield _labelled(
        "babysit_untold_messages", "Messages not told yet, by notifier.", "notifier", counts.untold
    )
    yield _gauge("babysit_undecided_answers", "Answers received and not decided yet.", counts.undecided)
    if spent := figures.opinions.opinions:
        yield CounterMetricFamily("babysit_opinions", "Second opinions that were asked for.", spent)
        yield CounterMetricFamily("babysit_opinion_calls", "Calls of a model.", figures.opinions.calls)
        yield CounterMetricFamily("babysit_opinion_tokens", "Tokens of a model.", figures.opinions.tokens)
        yield CounterMetricFamily("babysit_opinion_cost_usd", "Cost so far.", figures.opinions.cost_usd)
    yield from _of_advisor(figures.day)
    yield _gauge("babysit_lateness_seconds", "How overdue the most overdue check is.", figures.late_s)
    yield _labelled(
        "babysit_trouble",
        "1 for each part of the service that is in trouble.",
        "part",
        dict.fromkeys(figures.troubles, 1),
    )


def _of_advisor(day: AdvisorDay) -> Iterator[Metric]:
    """What 24 hours cost and may cost; nothing without an advisor."""
    limits, spent = day.limits, day.spent
    if limits is None:
        return
    used: dict[str, float] = {"calls": spent.calls, "tokens": spent.tokens, "usd": spent.cost_usd}
    allowed: dict[str, float] = {"calls": limits.calls, "tokens": limits.tokens}
    allowed |= {"usd": limits.cost_usd} if limits.cost_usd else {}
    yield _labelled("babysit_advisor_day_used", "Spent on second opinions in 24 h.", "unit", used)
    yield _labelled("babysit_advisor_day_limit", "What 24 h may cost; none = no limit.", "unit", allowed)


def _of_socket(socket: SocketStatus) -> Iterator[Metric]:
    yield _gauge(
        "babysit_slack_socket_connected", "1 while connected to Slack.", socket.ear is not SocketHealth.CLOSED
    )
    yield _gauge("babysit_slack_socket_deaf", "1 while connected but hearing nothing.", socket.ear.is_deaf)
    yield CounterMetricFamily(
        "babysit_slack_socket_deaf_times", "How often the socket was found deaf.", socket.deaf_times
    )
    yield CounterMetricFamily(
        "babysit_slack_socket_reconnects", "How often the connection was replaced.", socket.reconnects
    )
    if socket.heard_at is not None:
        yield _gauge(
            "babysit_slack_heard_timestamp_seconds",
            "When Slack was last heard, in seconds since 1970.",
            socket.heard_at.timestamp(),
        )


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, about, value)


def _labelled(name: str, about: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, about, labels=(label,))
    for text, value in sorted(values.items()):
        family.add_metric((text,), value)
    return family

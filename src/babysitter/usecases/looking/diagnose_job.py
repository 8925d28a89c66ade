"""One look at a job, without a watch and without a trace: for `diagnose`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from babysitter.backends.backend import ClusterReader
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import open_cluster, parse_job_id, unknown_job
from babysitter.clock import Clock, SystemClock
from babysitter.config import Settings
from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.compare_watch import with_differences
from babysitter.diagnosis.judge.unconfirmed import diagnosis_or_best, suspicion_of
from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.observe import observe
from babysitter.errors import NoSuchJob
from babysitter.messages.first_screen import (
    QuotedLine,
    SourceLine,
    WhatFollowed,
    followed_words,
    quote_evidence,
)
from babysitter.model.ids import JobId, RuleId, WatchId
from babysitter.model.limits import Limits
from babysitter.model.log import LogLine
from babysitter.model.observation import Observation, Want
from babysitter.model.verdict import Diagnosis, Verdict
from babysitter.model.watch import Watch
from babysitter.playbook.load import load
from babysitter.shipped import shipped
from babysitter.usecases.incidents.stored_demotions import stored_demotions
from babysitter.usecases.looking.classify_text import good_runs_of
from babysitter.usecases.looking.stored_good_runs import stored_good_runs
from babysitter.waits import waiting_for

LOOKS = 2  # the second takes the dumps that the first asked for


@dataclass(frozen=True, slots=True)
class OneLook:
    """What a look is made with. `good`: earlier runs that ended well. `demoted`: rules that are hints."""

    playbook: Playbook
    limits: Limits
    clock: Clock
    good: GoodRuns | None = None
    demoted: Mapping[RuleId, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Looked:
    """What one look, or two, showed of a job."""

    verdict: Verdict
    lines: tuple[LogLine, ...] = ()
    observation: Observation | None = None  # the newest

    @property
    def diagnosis(self) -> Diagnosis:
        best, comparison = diagnosis_or_best(self.verdict), self.verdict.comparison
        return with_differences(best, comparison) if comparison is not None else best

    @property
    def quoted(self) -> tuple[QuotedLine, ...]:
        """The decisive line with those around it."""
        lines = tuple(SourceLine(line.text, line.task) for line in self.lines)
        job = self.verdict.attempt or ""
        return quote_evidence(self.diagnosis, lines, within=job)

    @property
    def followed(self) -> str:
        """What came after the decisive line."""
        verdict, diagnosis = self.verdict, self.diagnosis
        aftermath = WhatFollowed.of_summary(verdict.outlook, diagnosis, None, verdict.reasons)
        return followed_words(diagnosis, aftermath, self.quoted)


async def diagnose_once(
    job: str,
    spec: ClusterSpec,
    settings: Settings,
    clock: Clock | None = None,
    *,
    is_patient: bool = False,
    against: Sequence[str] = (),
) -> Looked:
    """What can be said of a job right now. Raises NoSuchJob, or a WorldError only for a wrong set-up.

    `is_patient`: wait for a second look where it decides what one look only suggests. `against`: logs of good
    runs; without any, those that the service has kept are compared.
    """
    clock = clock or SystemClock()
    root = parse_job_id(spec, job)  # refused before the rules are read, which may take seconds
    with waiting_for("the rules to be read, which takes seconds the first time"):
        playbook = load([shipped(), *(path.expanduser() for path in settings.playbooks)])
    good = good_runs_of(against) if against else await stored_good_runs(settings, spec.name, root)
    cluster = open_cluster(spec, clock=clock)
    try:
        look = OneLook(playbook, settings.limits, clock, good, await stored_demotions(settings))
        return await look_with(cluster.reader, root, spec, look, is_patient=is_patient)
    finally:
        await cluster.close()


async def look_with(
    reader: ClusterReader, root: JobId, spec: ClusterSpec, look: OneLook, *, is_patient: bool = False
) -> Looked:
    """The same with a reader that is open already."""
    limits, clock = look.limits, look.clock
    now = clock.now()
    if await reader.find(root) is None:
        raise unknown_job(spec, root)
    watch = Watch(WatchId("once"), root, root, spec.name, "auto", now, now, limits=limits)
    looked, watch = await _look(watch, reader, look)
    if is_patient and (suspicion := suspicion_of(looked.verdict)) is not None:
        after_s = limits.zombie_dumps_apart_s  # two dumps so far apart prove what one suggests
        with waiting_for(f"a second look in {after_s:.0f} s, because {suspicion.explanation}"):
            await clock.sleep_until(clock.now() + timedelta(seconds=after_s))
            again, _ = await _look(watch, reader, look)
        looked = replace(again, lines=(*looked.lines, *again.lines))
    return looked


async def _look(watch: Watch, reader: ClusterReader, look: OneLook) -> tuple[Looked, Watch]:
    """One look with the dumps that it asks for, and the watch that remembers it."""
    verdict = observation = None
    lines: tuple[LogLine, ...] = ()
    for _ in range(LOOKS):
        observation = await observe(watch, reader, look.clock)
        lines += observation.seen_lines
        verdict = judge(watch, observation, look.playbook, good=look.good, demoted=look.demoted)
        watch = replace(watch, memory=verdict.memory)
        if not verdict.wants & {Want.COORDINATOR_DUMP, Want.ROOT_DUMP, Want.WORKER_DUMPS, Want.OLDER_LINES}:
            break
        if verdict.gone is not None:
            raise NoSuchJob(verdict.gone.reason)
    assert verdict is not None
    return Looked(verdict, lines, observation), watch

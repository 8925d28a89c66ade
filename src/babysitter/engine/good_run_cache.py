"""Good runs of a watched program: their profiles are kept when a job ends well, and read at every check."""

from dataclasses import replace
from datetime import datetime

from babysitter.diagnosis.last_good.good_runs import GoodRuns
from babysitter.diagnosis.last_good.program_name import program_of
from babysitter.diagnosis.last_good.wording import ANY, WILD, read_wording
from babysitter.model.finding import Severity
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.phase import Phase
from babysitter.model.run_profile import LineTemplate, RunProfile, StageDuration
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Watch
from babysitter.redact import redact
from babysitter.redact.text_spans import REDACTED
from babysitter.store.store import Store, Transaction

MAX_CACHED = 64  # programs whose good runs are held in memory

Key = tuple[str, str, tuple[int, ...]]


class GoodRunCache:
    """Good runs by program, read again when another run has ended well."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[tuple[str, str], tuple[tuple[int, ...], GoodRuns]] = {}

    async def of(self, watch: Watch) -> GoodRuns | None:
        """The good runs of the watched program; None where none is known."""
        return await self.for_job(watch.cluster, watch.root)

    async def for_job(self, cluster: str, job: JobId) -> GoodRuns | None:
        """The good runs of a job's program; None where none is known."""
        program = program_of(job)
        if not program:
            return None
        key = (cluster, program)
        async with self._store.reading() as tx:
            newest = await tx.run_profiles.newest(*key)
            known = self._known.get(key)
            if known is not None and known[0] == newest:
                return known[1]
            profiles = await tx.run_profiles.of(*key) if newest else ()
        if not profiles:
            return None
        good = GoodRuns(profiles)
        while len(self._known) >= MAX_CACHED:
            del self._known[next(iter(self._known))]
        self._known[key] = (newest, good)
        return good


async def keep_good_run(tx: Transaction, watch: Watch, verdict: Verdict, now: datetime) -> None:
    """Keep the profile of a job that has just ended well. Does nothing for any other check."""
    if watch.phase is Phase.FINISHED or not ended_well(verdict):
        return
    program, profile = program_of(watch.root), verdict.memory.profile
    if not program or not profile.lines:
        return
    named = replace(
        profile,
        program=program,
        job=watch.root,
        kind=verdict.memory.kind,
        ended_at=verdict.outlook.finished_at or now,
    )
    await tx.run_profiles.keep(watch.cluster, redacted_profile(named))


def ended_well(verdict: Verdict) -> bool:
    """Whether the job has succeeded and nothing is held against it."""
    is_over = verdict.phase is Phase.FINISHED and verdict.outlook.job_state is JobState.SUCCEEDED
    return is_over and verdict.severity <= Severity.INFO


def redacted_profile(profile: RunProfile) -> RunProfile:
    """The profile without secrets and without quoted lines: a secret in a wording becomes a value."""
    clean = {template.words: _clean_words(template) for template in profile.templates}
    templates = tuple(
        replace(template, words=clean[template.words], example="", source="")
        for template in profile.templates
        if clean[template.words]
    )
    closing = tuple(clean[words] for words in profile.closing if clean.get(words))
    stages = tuple(StageDuration(redact(stage.name), stage.seconds) for stage in profile.stages)
    return replace(profile, templates=templates, stages=stages, closing=closing)


def _clean_words(template: LineTemplate) -> tuple[str, ...]:
    """The wording without secrets, which are recognised in the line as it was printed."""
    line = redact(template.example)
    if line != template.example and ANY not in template.words:
        return read_wording(line.replace(REDACTED, " 0 "))
    clean = redact(template.text)
    if clean == template.text:
        return template.words
    return tuple(WILD if REDACTED in word else word for word in clean.split())

"""Good runs of a watched program: kept when a job ends well, bounded, redacted, read at the next check."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from babysitter.diagnosis.causes.rules_in_force import Playbook
from babysitter.diagnosis.last_good.build_profile import add_lines
from babysitter.diagnosis.pipeline import judge
from babysitter.diagnosis.text_observation import observation_of_text
from babysitter.engine.good_run_cache import GoodRunCache, keep_good_run, redacted_profile
from babysitter.model.ids import JobId
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.run_profile import RunProfile, StageDuration, StartupPhase
from babysitter.model.verdict import ProgressSummary, Verdict
from babysitter.store.repositories.run_profiles import KEPT_PER_PROGRAM
from babysitter.store.store import open_store
from tests.support import build
from tests.support.build import at

NOW = at(0)

TEXT = "".join(f"2026-03-01 10:00:{second:02d} INFO wrote part {second}\n" for second in range(30))


def profile(text: str = TEXT) -> RunProfile:
    return add_lines(RunProfile(), observation_of_text(text).seen_lines)


def verdict(state: JobState = JobState.SUCCEEDED) -> Verdict:
    memory = Memory(profile=profile(), kind="plain")
    return Verdict(Phase.FINISHED, memory, 1.0, ProgressSummary("", job_state=state))


async def test_good_run_is_kept_and_read_by_its_program(tmp_path: Path):
    store = await open_store(tmp_path)
    cache = GoodRunCache(store)
    watch = build.watch(root=JobId("/ada/dedup-r1"))
    assert await cache.of(watch) is None
    async with store.transaction() as tx:
        await keep_good_run(tx, watch, verdict(), NOW)
        await keep_good_run(tx, watch, verdict(), NOW)  # the same run again
    good = await cache.of(build.watch(root=JobId("/ada/dedup")))
    assert good is not None
    assert [run_profile.job for run_profile in good.profiles] == ["/ada/dedup-r1"]
    assert await cache.of(build.watch(root=JobId("/ada/dedup"))) is good
    assert await cache.of(build.watch(root=JobId("/ada/other"))) is None
    await store.close()


async def test_failed_run_is_not_kept(tmp_path: Path):
    store = await open_store(tmp_path)
    async with store.transaction() as tx:
        await keep_good_run(tx, build.watch(), verdict(JobState.FAILED), NOW)
        over = build.watch(memory=Memory(phase=Phase.FINISHED))
        await keep_good_run(tx, over, verdict(), NOW)  # kept when it ended, if at all
    assert await GoodRunCache(store).of(build.watch()) is None
    await store.close()


async def test_profiles_of_a_program_are_bounded(tmp_path: Path):
    store = await open_store(tmp_path)
    async with store.transaction() as tx:
        for number in range(KEPT_PER_PROGRAM + 3):
            ended = replace(profile(), program="/ada/x", job="/ada/x", ended_at=NOW + timedelta(hours=number))
            phases = (StartupPhase("environment", 10.0 + number),)
            await tx.run_profiles.keep("small", replace(ended, startup=phases))
        await tx.run_profiles.keep("other", replace(profile(), program="/ada/x", job="/ada/x", ended_at=NOW))
        kept = await tx.run_profiles.of("small", "/ada/x")
    assert len(kept) == KEPT_PER_PROGRAM
    assert kept[0].ended_at == NOW + timedelta(hours=KEPT_PER_PROGRAM + 2)
    assert kept[0].startup == (StartupPhase("environment", 17.0),)
    await store.close()


def test_profile_is_stored_without_secrets_and_quotes():
    text = TEXT + "2026-03-01 10:01:00 INFO login with password hunter-blue-secret as ada\n"
    text += "2026-03-01 10:01:01 INFO export API_KEY: abcdefghijkLMNOPQRS\n"
    stages = (StageDuration("stage0-Map", 12.0),)
    stored = redacted_profile(replace(profile(text), stages=stages))
    printed = repr(stored)
    assert "abcdefghijkLMNOPQRS" not in printed
    assert all(not template.example and not template.source for template in stored.templates)
    assert stored.stages == stages
    assert any(template.text == "wrote part <*>" for template in stored.templates)


def test_watch_grows_its_profile_from_look_to_look():
    watch = build.watch()
    for text in ("INFO one thing\n", "INFO another thing\n"):
        observation = replace(observation_of_text(text), excerpt=None, root=watch.root)
        watch = replace(watch, memory=judge(watch, observation, Playbook(())).memory)
    assert watch.memory.profile.lines == 2

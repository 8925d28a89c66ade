"""What is wrong with a resubmit command is told when it is given, and later why nothing is proposed."""

from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.errors import Unreachable
from babysitter.model.job import JobState
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.surfaces.watch_view import watch_view
from babysitter.usecases.submitting.start_checks import already_ended, begun_sentence, restart_warnings
from babysitter.usecases.watching.manage_watches import watch_status
from tests.engine.test_check import zombie
from tests.support.app import ADA, MARIN, AppHarness, home
from tests.support.build import NOON, ROOT
from tests.support.jobs import pipeline, tree

BUNDLE = PreflightFinding("bundle-too-large", PreflightSeverity.BLOCK, "The bundle has 30 MB.", "Ship less.")
OLD = PreflightFinding("client-age", PreflightSeverity.WARN, "The client is old.")
NOTE = PreflightFinding("not-checked", PreflightSeverity.INFO, "Nobody was asked.")


@pytest.fixture
async def place(tmp_path: Path):
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


async def test_warnings_name_the_check_and_what_follows(place: AppHarness):
    watch = await place.watch()
    place.writer.findings = (BUNDLE, OLD, NOTE)
    assert await restart_warnings(place.app, watch) == (
        f"A restart of {ROOT} would be refused (bundle-too-large): The bundle has 30 MB. Ship less.",
        f"The resubmit command of {ROOT} (client-age): The client is old.",
    )
    ((checked, purpose),) = place.writer.preflights
    assert (checked.job, purpose) == ("/ada/dedup-r1", "resubmit")


async def test_warnings_without_a_command_are_none(place: AppHarness):
    from babysitter.usecases.watching.manage_watches import start_watch

    watch = await start_watch(place.app, ROOT, MARIN, by=ADA)
    place.writer.findings = (BUNDLE,)
    assert await restart_warnings(place.app, watch) == ()


async def test_warnings_of_an_unreachable_cluster(place: AppHarness, monkeypatch: pytest.MonkeyPatch):
    watch = await place.watch()

    async def away(*_: object, **__: object) -> None:
        raise Unreachable("The controller does not answer.")

    monkeypatch.setattr(place.writer, "preflight", away)
    (warning,) = await restart_warnings(place.app, watch)
    assert warning == "The resubmit command was not checked: The controller does not answer."


async def test_status_says_why_nothing_is_proposed(place: AppHarness):
    place.writer.findings = (BUNDLE,)
    watch = await zombie(place)
    shown = watch_view(await watch_status(place.app, watch.id))
    assert shown.no_restart_because.startswith("the job could not be submitted again.")
    assert "The bundle has 30 MB. Ship less." in shown.no_restart_because
    place.writer.findings = ()
    await place.pass_s(120)
    shown = watch_view(await watch_status(place.app, watch.id))
    assert (shown.no_restart_because, shown.needs) == ("", "answer")


async def test_start_of_an_ended_job_says_so(place: AppHarness):
    watch = await place.watch()
    assert await already_ended(place.app, watch) is None
    assert begun_sentence(watch, None).startswith(f"Watching {ROOT} (as {watch.id}). See: babysit status ")
    ended = replace(tree(*pipeline()).root, state=JobState.FAILED, finished_at=NOON)
    assert begun_sentence(watch, ended) == (
        f"{ROOT} (as {watch.id}) has ended already (failed at 2026-11-20 12:00 UTC); it is looked at once. "
        f"See: babysit status {ROOT}"
    )
    place.cluster.jobs[ROOT] = ended
    assert await already_ended(place.app, watch) == ended
    place.cluster.broken = Unreachable("It is down.")
    assert await already_ended(place.app, watch) is None

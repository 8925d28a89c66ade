"""Starting, stopping, finding, waiting, explaining, reporting: what surfaces call."""

import asyncio
import shlex
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import OpenCluster
from babysitter.engine.cluster_pool import ClusterPool
from babysitter.errors import AlreadyWatched, NoSuchJob, NoSuchWatch, Unreachable, UserError
from babysitter.model.events import ProposalWithdrawn, WatchStarted, WatchStopped
from babysitter.model.finding import Cause
from babysitter.model.ids import JobId, ProposalId
from babysitter.model.incident import IncidentStatus
from babysitter.model.job import JobTree
from babysitter.model.phase import Phase
from babysitter.model.proposal import ProposalStatus
from babysitter.usecases.incidents.explain import as_lines, explain
from babysitter.usecases.incidents.report import report
from babysitter.usecases.watching.manage_watches import (
    all_watch_statuses,
    find_watch,
    look_now,
    set_client_command,
    start_watch,
    stop_watch,
    watch_status,
)
from babysitter.usecases.watching.quick_status import read_status
from babysitter.usecases.watching.wait_for import WaitCondition, WakeReason, wait_for
from tests.engine.test_check import seconds, steady, zombie
from tests.support import build, jobs
from tests.support.app import ADA, MARIN, AppHarness, home
from tests.support.build import ROOT
from tests.support.jobs import K, S, job, pipeline, tree
from tests.support.waiting import until


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.show(tree(*pipeline()))
        yield opened


async def test_a_job_that_nobody_knows_is_refused(place: AppHarness):
    with pytest.raises(NoSuchJob, match="/ada/typo"):
        await place.watch("/ada/typo")
    with pytest.raises(NoSuchJob) as caught:
        await place.watch("/ada/*")
    assert caught.value.next_step == "To watch every job that matches: babysit follow '/ada/*'."
    assert await place.events() == []


@pytest.mark.parametrize("text", ["dedup", "/ada", "ada/dedup", "/ada/", "/ada//dedup", ""])
async def test_half_an_id_is_no_job(place: AppHarness, text: str):
    with pytest.raises(UserError, match="not a full job id"):
        await start_watch(place.app, text, MARIN, by=ADA)


async def test_a_cluster_that_cannot_be_asked_is_told(place: AppHarness):
    place.cluster.broken = Unreachable("The controller refused the connection.")
    with pytest.raises(Unreachable):
        await place.watch()


@pytest.mark.parametrize("job_id", build.ODD_JOBS)
async def test_second_start_hint_can_be_pasted(place: AppHarness, job_id: JobId):
    place.cluster.show(JobTree(job(job_id), ()))
    await place.watch(job_id)
    with pytest.raises(AlreadyWatched) as told:
        await place.watch(job_id)
    command = told.value.next_step.removeprefix("`").removesuffix("` shows how it is doing.")
    assert shlex.split(command) == ["babysit", "status", job_id]


async def test_second_start_with_another_command_says_how(place: AppHarness):
    await place.watch(resubmit=build.submission())
    with pytest.raises(AlreadyWatched, match="babysit stop /ada/dedup"):
        await place.watch(resubmit=build.submission("iris", "job", "run", "--", "other"))


async def test_a_second_start_of_the_same_job_is_told(place: AppHarness):
    await place.watch()
    with pytest.raises(AlreadyWatched, match="babysit status /ada/dedup"):
        await place.watch()
    assert len(await place.events(WatchStarted)) == 1


async def test_a_job_whose_watch_finished_can_be_watched_again(place: AppHarness):
    watch = await steady(place)
    place.cluster.show(tree(*pipeline(state=S, workers=K), root=S))
    await place.pass_s(60)
    place.cluster.show(tree(*pipeline()))
    again = await place.watch()
    assert again.id != watch.id
    assert (await place.now(watch)).stopped_at is not None
    assert [status.watch.id for status in await all_watch_statuses(place.app)] == [again.id]


async def test_start_of_an_ended_job_replaces_its_watch(place: AppHarness):
    watch = await steady(place)
    place.cluster.show(tree(*pipeline(state=S, workers=K), root=S))
    await place.pass_s(60)
    assert (await place.now(watch)).phase is Phase.FINISHED
    with pytest.raises(AlreadyWatched):  # for a program that repeats itself the watch stays as it is
        await place.watch()
    again = await start_watch(place.app, ROOT, MARIN, by=ADA, replaces_finished=True)
    assert [status.watch.id for status in await all_watch_statuses(place.app)] == [again.id]


async def test_start_of_an_ended_job_keeps_its_offer(place: AppHarness):
    watch = await zombie(place)
    ended = tree(*pipeline(state=K, workers=K), root=K)
    place.cluster.show(ended)
    async with place.app.store.transaction() as tx:
        found = await tx.watches.get(watch.id)
        memory = replace(found.memory, phase=Phase.FINISHED, root_submitted_at=ended.root.submitted_at)
        await tx.watches.save(replace(found, memory=memory))
    with pytest.raises(AlreadyWatched, match="babysit approve p-"):
        await start_watch(place.app, ROOT, MARIN, by=ADA, replaces_finished=True)


async def test_stopping_leaves_the_job_alone_and_takes_back_what_was_offered(place: AppHarness):
    watch = await zombie(place)
    asked_before = list(place.cluster.asked)
    stopped = await stop_watch(place.app, ROOT, by=ADA)
    assert stopped.stopped_at is not None
    (withdrawn,) = await place.events(ProposalWithdrawn)
    assert isinstance(withdrawn, ProposalWithdrawn)
    assert withdrawn.because == "the watch was stopped"
    assert len(await place.events(WatchStopped)) == 1
    await place.pass_s(120)
    assert place.cluster.asked == asked_before
    card = [message for message in place.ear.edited if message.id == place.ear.heard[1].id][-1]
    assert not any(button.target.startswith("p-") for button in card.buttons)
    assert (await stop_watch(place.app, watch.id, by=ADA)).stopped_at == stopped.stopped_at


async def test_a_watch_cannot_be_stopped_in_the_middle_of_an_action(place: AppHarness):
    watch = await zombie(place)
    async with place.app.store.transaction() as tx:
        await tx.journal.begin(ProposalId("p-1"), watch.id, now=place.clock.now())
    with pytest.raises(UserError, match="being carried out"):
        await stop_watch(place.app, ROOT, by=ADA)


async def test_watches_are_found_by_what_a_person_says(place: AppHarness):
    watch = await place.watch()
    assert (await find_watch(place.app, ROOT)).id == watch.id
    assert (await find_watch(place.app, watch.id)).id == watch.id
    with pytest.raises(NoSuchWatch, match="babysit list"):
        await find_watch(place.app, "/ada/other")
    elsewhere = ClusterSpec(name="elsewhere", cluster="elsewhere")
    await start_watch(place.app, ROOT, elsewhere, by=ADA)
    with pytest.raises(UserError, match="Name the watch by its id"):
        await find_watch(place.app, ROOT)
    assert (await find_watch(place.app, ROOT, cluster="elsewhere")).cluster == "elsewhere"


async def test_how_things_stand_in_trouble(place: AppHarness):
    watch = await zombie(place)
    standing = await watch_status(place.app, watch.id)
    (incident,) = standing.incidents
    assert (incident.key.cause, incident.status) == (Cause.ZOMBIE_COORDINATOR, IncidentStatus.PROPOSED)
    offer = standing.proposal_of(incident)
    assert offer is not None
    assert offer.status is ProposalStatus.OPEN


async def test_looking_now_makes_a_watch_due(place: AppHarness):
    watch = await steady(place)
    checked_at = (await place.now(watch)).last_checked_at
    place.clock.advance(1)
    await look_now(place.app, watch.id)
    await place.service.tick()
    await place.service.settled()
    assert (await place.now(watch)).last_checked_at != checked_at


async def test_a_cluster_given_on_a_command_line_is_known_to_the_service(place: AppHarness):
    spec = ClusterSpec(name="127.0.0.1:1", url="http://127.0.0.1:1", token="made-up", iris_command=("a", "b"))
    await place.app.clusters.remember(spec, keeps_client=True)
    elsewhere = ClusterPool({}, place.app.store, place.app.clusters._opener)
    assert await elsewhere.spec("127.0.0.1:1") == spec
    assert await elsewhere.spec("unheard-of") == ClusterSpec(name="unheard-of", cluster="unheard-of")


async def test_cluster_given_anew_is_opened_again(place: AppHarness):
    opened: list[ClusterSpec] = []

    def opener(spec: ClusterSpec) -> OpenCluster:
        opened.append(spec)
        return place.app.clusters._opener(spec)

    service = ClusterPool({}, place.app.store, opener)
    first = ClusterSpec(name="127.0.0.1:1", url="http://127.0.0.1:1")
    await place.app.clusters.remember(first)
    reader = await service.reader(first.name)
    assert await service.reader(first.name) is reader
    second = replace(first, token="made-up")  # `start` of another process
    await place.app.clusters.remember(second)
    assert await service.reader(first.name) is not reader
    assert opened == [first, second]
    await service.close()


UV = ("uv", "run", "iris")
OF_UV = replace(MARIN, iris_command=UV)


async def test_watch_has_its_own_client_command(place: AppHarness):
    opened: list[tuple[str, ...]] = []

    def opener(spec: ClusterSpec) -> OpenCluster:
        opened.append(spec.iris_command)
        return place.app.clusters._opener(spec)

    watch = await start_watch(place.app, ROOT, OF_UV, by=ADA)
    place.cluster.show(JobTree(job("/ada/other"), ()))
    other = await start_watch(place.app, "/ada/other", MARIN, by=ADA)
    assert (watch.submit_context.client, other.submit_context.client) == (UV, ())
    clusters = ClusterPool({}, place.app.store, opener)
    for command in (watch.submit_context.client, other.submit_context.client, UV):
        await clusters.writer("marin", command)
    assert opened == [UV, MARIN.iris_command]
    await clusters.close()


async def test_client_command_of_a_watched_job_can_be_set(place: AppHarness):
    assert await set_client_command(place.app, ROOT, OF_UV) is None  # nobody watches it
    watch = await place.watch()
    assert await set_client_command(place.app, ROOT, MARIN) is None  # none is given
    changed = await set_client_command(place.app, ROOT, OF_UV)
    assert changed is not None
    assert changed.id == watch.id
    stored = await place.now(watch)
    assert stored.submit_context.client == UV
    assert stored.due_at == place.clock.now()
    assert await set_client_command(place.app, ROOT, OF_UV) is None  # it has that one


async def test_client_command_of_the_settings_is_not_the_watchs_own(tmp_path: Path):
    async with home(
        tmp_path, clusters={"marin": {"url": "http://h:1", "iris_command": "uv run iris"}}
    ) as place:
        spec = await place.app.clusters.spec("marin")
        assert await place.app.clusters.own_client(spec) == ()
        other = replace(spec, iris_command=("iris",))
        assert await place.app.clusters.own_client(other) == ("iris",)
        await place.app.clusters.remember(other)  # the settings keep theirs, and refuse nothing


async def test_the_settings_keep_the_meaning_of_a_name(tmp_path: Path):
    async with home(tmp_path, clusters={"marin": {"url": "http://h:1"}}) as place:
        with pytest.raises(UserError, match="another cluster by 'marin'"):
            await place.app.clusters.remember(ClusterSpec(name="marin", url="http://h:2"))
        await place.app.clusters.remember(ClusterSpec(name="marin", cluster="marin"))
        assert (await place.app.clusters.spec("marin")).url == "http://h:1"


async def test_incident_id_names_no_watch(place: AppHarness):
    unknown = "i-0123456789"
    with pytest.raises(NoSuchWatch, match=f"No incident has the id '{unknown}'") as caught:
        await find_watch(place.app, unknown)
    assert "babysit incidents" in (caught.value.next_step or "")
    assert await quick(place, unknown) is None
    await zombie(place)
    async with place.app.store.reading() as tx:
        (incident,) = await tx.incidents.all()
    with pytest.raises(UserError, match=f"{incident.id} is an incident of {ROOT}"):
        await find_watch(place.app, incident.id)
    with pytest.raises(NoSuchWatch, match="Nothing named 'i-other' is being watched"):
        await find_watch(place.app, "i-other")


async def quick(place: AppHarness, name: str) -> object:
    """What `status NAME` reads without the store."""
    return await asyncio.to_thread(read_status, place.app.state_folder, name, now=place.clock.now())


async def waiting(
    place: AppHarness, watch, *until: WaitCondition, cursor: int | None = None, at_most_s: float = 3600.0
):
    return await wait_for(
        place.app, watch.id, until=until or tuple(WaitCondition), cursor=cursor, at_most_s=at_most_s
    )


async def test_waiting_ends_with_what_happened_and_a_cursor_that_misses_nothing(place: AppHarness):
    watch = await steady(place)
    first = asyncio.create_task(waiting(place, watch))
    await until(lambda: place.clock.waiting)
    assert not first.done()
    place.cluster.log.append(jobs.report(seconds(place), 1, 50, stage="stage1-Reduce"))
    for _ in range(30):
        if first.done():
            break
        await place.pass_s(10)
    waited = first.result()
    assert waited.woken is WakeReason.STAGE
    place.cluster.show(tree(*pipeline(state=S, workers=K), root=S))
    await place.pass_s(60)
    ended = await waiting(place, watch, cursor=waited.cursor)
    assert ended.woken is WakeReason.TERMINAL
    assert ended.watch.phase is Phase.FINISHED
    assert not {type(item) for item in ended.news} & {
        type(item) for item in waited.news if item in ended.news
    }


async def test_waiting_for_an_incident_sleeps_through_a_stage(place: AppHarness):
    watch = await steady(place)
    async with place.app.store.reading() as tx:
        cursor = await tx.events.newest_number()
    place.cluster.log.append(jobs.report(seconds(place), 1, 50, stage="stage1-Reduce"))
    await place.pass_s(120)
    waited = await waiting(place, watch, WaitCondition.INCIDENT, cursor=cursor, at_most_s=0)
    assert waited.woken is WakeReason.TIME_LIMIT
    assert [item.kind for item in waited.news] == ["stage-changed"]


async def test_what_is_already_there_is_told_at_once(place: AppHarness):
    watch = await zombie(place)
    assert (await waiting(place, watch)).woken is WakeReason.INCIDENT
    await stop_watch(place.app, watch.id, by=ADA)
    assert (await waiting(place, watch)).woken is WakeReason.TERMINAL


async def test_an_explanation_renders_the_reasons_there_are(place: AppHarness):
    watch = await zombie(place)
    explanation = await explain(place.app, watch.id)
    lines = list(as_lines(explanation, is_whole=True))
    assert lines[0].startswith(f"{ROOT}: failing, zombie-coordinator (fatal)")
    assert any(line.startswith("yes  zombie.") for line in lines)
    short = list(as_lines(explanation))
    assert {"For:", f"`babysit explain {ROOT} --all` lists {len(explanation.reasons)} reasons."} <= {*short}
    assert len(short) < len(lines)
    about = await explain(place.app, watch.id, why_not="zombie")
    assert about.reasons
    assert all(reason.name.startswith("zombie") for reason in about.reasons)
    with pytest.raises(UserError, match=r"It speaks of: .*zombie"):
        await explain(place.app, watch.id, why_not="ghost")


async def test_before_the_first_check_there_is_nothing_to_explain(place: AppHarness):
    watch = await place.watch()
    assert list(as_lines(await explain(place.app, watch.id))) == [f"{ROOT} has not been checked yet."]


async def test_the_report_tells_the_story_in_order(place: AppHarness):
    watch = await zombie(place)
    await stop_watch(place.app, watch.id, by=ADA)
    text = await report(place.app, watch.id)
    story = (
        "began watching",
        "smoke → steady",
        "suspect → failing",
        "incident zombie-coordinator",
        "proposed",
        "stopped watching",
    )
    places = [text.index(word) for word in story]
    assert places == sorted(places)
    assert text.startswith(f"# {ROOT}\n")


async def test_a_report_keeps_what_a_job_printed_in_its_place(place: AppHarness):
    watch = await place.watch()
    async with place.app.store.transaction() as tx:
        saved = await tx.watches.get(watch.id)
        await tx.watches.save(replace(saved, root=JobId("/ada/<b>x")))
    assert "<b>" not in await report(place.app, watch.id)


def test_every_event_has_its_sentence():
    from babysitter.model.events import EVENT_KINDS
    from babysitter.usecases.incidents.report import _SENTENCES

    assert set(_SENTENCES) == set(EVENT_KINDS.values())


async def test_a_plain_job_is_watched_too(place: AppHarness):
    plain = JobId("/ada/eval")
    place.cluster.jobs[plain] = job(plain)
    watch = await place.watch(plain)
    await place.pass_s(120)
    assert (await place.now(watch)).phase is Phase.STEADY


@pytest.mark.parametrize("cursor", [-1, 10**6, 10**30])
async def test_a_cursor_that_no_answer_can_have_held_is_refused(place: AppHarness, cursor: int):
    watch = await steady(place)
    with pytest.raises(UserError, match=f"{cursor} is not a cursor"):
        await waiting(place, watch, cursor=cursor)

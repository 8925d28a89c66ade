"""The page of a message's job, added at delivery: of the job that the words are about, and read once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.engine.telling.job_pages import JobPages
from babysitter.model.ids import MessageId, WatchId
from babysitter.model.job import JobState
from babysitter.model.message import Message, MessageContent, MessageKind
from tests.support.app import AppHarness, home
from tests.support.build import ROOT
from tests.support.clock import NOON
from tests.support.jobs import job


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        opened.cluster.jobs[ROOT] = job(ROOT, JobState.RUNNING)
        yield opened


def message(watch: str, *, conversation: str = "", fields: tuple[tuple[str, str], ...] = ()) -> Message:
    words = MessageContent("t", "s", fields=fields)
    talk = conversation or watch
    return Message(MessageId("m-1"), talk, MessageKind.INCIDENT, words, NOON, watch=WatchId(watch))


class Clusters:
    """One cluster by its file."""

    def __init__(self, spec):
        self._spec = spec

    async def spec(self, _name):
        return self._spec


async def test_page_follows_the_words_and_the_file_is_read_once(place: AppHarness, tmp_path: Path):
    watch = await place.watch()
    file = tmp_path / "c.yaml"
    file.write_text("controller: {manual: {host: iris.example, port: 10000}}\n")
    pages = JobPages(place.app.store, Clusters(ClusterSpec("c", config=str(file))))
    root = (await pages.with_page(message(watch.id))).words.page
    assert root.startswith("http://iris.example:10000/#/job/")
    older = message(watch.id, fields=(("Job", "/ada/old"),))
    assert (await pages.with_page(older)).words.page.endswith("%2Fada%2Fold")
    file.unlink()
    assert (await pages.with_page(message(watch.id))).words.page == root
    other = message(watch.id, fields=(("Job", "/ada/new"),))
    with capture_logs() as said:
        assert (await pages.with_page(other)).words.page == "", "a message is delivered without it"
        await pages.with_page(other)
    assert [mutable_mapping["event"] for mutable_mapping in said] == ["page_not_known"]


async def test_page_of_nothing_that_is_watched(place: AppHarness):
    pages = JobPages(place.app.store, place.app.clusters)
    gone, of_cluster = message("w-gone"), message((await place.watch()).id, conversation="i-1")
    assert await pages.with_page(gone) == gone
    assert await pages.with_page(of_cluster) == of_cluster

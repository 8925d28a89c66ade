"""A recorded job of Ray is played as it was seen, without its secrets."""

import json

import pytest

from babysitter.backends.ray.dashboard.http_client import RayHttpClient
from babysitter.backends.ray.reader import RayReader
from babysitter.backends.ray.recorded_answers import PlayedRayReader, RecordingRayTransport
from babysitter.backends.recording.format import read_recording
from babysitter.backends.recording.recorder import RecordingFolder
from babysitter.errors import ExternalError
from babysitter.model.ids import JobId
from babysitter.model.log import LogSource
from tests.support.clock import NOON, FakeClock
from tests.support.ray_dashboard import HANG, hanging, served

ROOT = JobId(HANG)
LOG = f"job-driver-{HANG}.log"
SECRET = "hunter2made-up"


async def all_texts(reader):
    """What a look sees: the tree, the newest lines, and what comes behind them."""
    tree = await reader.tree(ROOT, tasks_of=[ROOT])
    batch = await reader.lines(LogSource(ROOT), after=None, at_most=100, newest=True)
    return tree, [line.text for line in batch.lines], batch.cursor


async def test_recording_is_played_as_it_was_seen(tmp_path):
    clock = FakeClock(NOON)
    async with served(hanging()) as dashboard:
        dashboard.jobs[HANG]["runtime_env"] = {"env_vars": {"API_KEY": SECRET, "MODE": SECRET}}
        # Ray writes the environment of an actor as JSON in a text.
        environment = json.dumps({"env_vars": {"API_KEY": SECRET}})
        dashboard.actors[0]["serialized_runtime_env"] = environment
        dashboard.files[LOG] += f"export API_KEY={SECRET}\nstep 1\n".encode()
        folder = RecordingFolder(tmp_path / "r", ROOT, clock)
        live = RayReader(RecordingRayTransport(RayHttpClient(dashboard.url), folder, clock), clock=clock)
        folder.begin("s01")
        seen_tree, seen, cursor = await all_texts(live)
        clock.advance(10.0)
        folder.begin("s02")
        dashboard.files[LOG] += b"step 2\n"
        await live.lines(LogSource(ROOT), after=cursor, at_most=100)
        folder.finish()
        await live.close()
    assert not any(SECRET in path.read_text() for path in tmp_path.rglob("*.json"))
    recording = read_recording(tmp_path / "r")
    assert (recording.root, recording.generation) == (ROOT, "ray")
    first, second = recording.steps
    reader = PlayedRayReader(recording, clock)
    reader.show(first)
    assert reader.has_looked
    tree, texts, played_cursor = await all_texts(reader)
    assert tree == seen_tree
    assert texts[-1] == "step 1"
    assert len(texts) == len(seen)
    assert played_cursor == cursor
    reader.show(second)
    later = await reader.lines(LogSource(ROOT), after=played_cursor, at_most=100)
    assert [line.text for line in later.lines] == ["step 2"]


async def test_recorded_outage_is_blindness(tmp_path):
    clock = FakeClock(NOON)
    folder = RecordingFolder(tmp_path / "r", ROOT, clock)
    live = RayReader(RecordingRayTransport(RayHttpClient("http://127.0.0.1:1"), folder, clock), clock=clock)
    with pytest.raises(ExternalError):
        await live.find(ROOT)
    folder.finish()
    await live.close()
    (request,) = [path for path in (tmp_path / "r").rglob("*.request.json") if "jobs" in path.read_text()]
    assert json.loads(request.read_text())["http_status"] is None
    recording = read_recording(tmp_path / "r")
    reader = PlayedRayReader(recording, clock)
    for step in recording.steps:
        reader.show(step)
    with pytest.raises(ExternalError):
        await reader.find(ROOT)

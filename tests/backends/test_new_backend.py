"""A third backend needs a folder of its own and one row: watched, diagnosed, restarted, examined."""

import json
from pathlib import Path

import pytest

from babysitter.backends import registry
from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.backends.registry import Backend, examine, parse_job_id
from babysitter.config import Settings
from babysitter.engine.service import Service
from babysitter.model.ids import JobId
from babysitter.model.proposal import Answer, Surface
from babysitter.usecases.answering.approvals import decide
from babysitter.usecases.watching.manage_watches import start_watch, watch_status
from babysitter.wiring import open_app
from tests.support.app import ADA, RecordingNotifier
from tests.support.cluster import HandClock
from tests.support.folder_backend.folder_reader import FolderReader, FolderWriter


def connected(spec, _clock, _home, _working_dir):
    return FolderReader(Path(spec.url)), FolderWriter(Path(spec.url))


ROW = Backend(
    connect=connected,
    parse_job_id=lambda text: JobId(text.strip()),
    unknown_job_step="Look into the folder.",
    read_command=lambda command, _spec: command,
)
KILLED = "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_BACKENDS", {**registry._BACKENDS, "folder": ROW})
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    (jobs / "train.json").write_text(json.dumps({"state": "failed", "command": ["python", "train.py"]}))
    (jobs / "train.log").write_text(f"step 1 loss=0.5\nTraceback (most recent call last):\n{KILLED}\n")
    return ClusterSpec("shelf", url=str(jobs), backend="folder")


async def test_a_new_backend_is_a_folder_and_a_row(tmp_path, spec):
    clock = HandClock()
    async with (
        open_app(Settings(state_dir=tmp_path / "s"), clock=clock, notifiers=(RecordingNotifier(),)) as app,
        Service(app) as service,
    ):

        async def pass_s(seconds):
            for _ in range(int(seconds / 10)):
                clock.pass_s(10)
                await service.tick()
                await service.settled()

        watch = await start_watch(app, "train", spec, by=ADA)
        await pass_s(30)
        (proposal,) = (await watch_status(app, watch.id)).proposals
        assert proposal.successor == "train-r1"
        await decide(app, proposal.id, ADA, Answer.YES, Surface.TERMINAL)
        await pass_s(60)
        assert (await watch_status(app, watch.id)).watch.root == "train-r1"
    new = json.loads((Path(spec.url) / "train-r1.json").read_text())
    assert new == {"state": "running", "command": ["python", "train.py"], "proposal": proposal.id}


async def test_a_new_backend_is_examined_by_its_reader(spec):
    (check,) = await examine(spec)
    assert (check.ok, check.detail) == (True, f"{spec.url} answers: folder")
    assert parse_job_id(spec, " train ") == "train"

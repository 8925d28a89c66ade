import asyncio
import base64
import json
from datetime import datetime, timedelta

import pytest
import yaml

from babysitter.backends.iris.connection.transport import NoSuchMethod
from babysitter.backends.iris.reader import IrisReader
from babysitter.backends.recording.format import TimeScale, read_recording
from babysitter.backends.recording.player import RecordedReader
from babysitter.backends.recording.recorder import RecordingFolder, RecordingTransport
from babysitter.errors import BabysitError, BadConfig, NoSuchJob, Unreachable
from babysitter.model.ids import JobId
from babysitter.model.log import LogSource
from babysitter.workbench.record import record
from babysitter.workbench.replay import replay_folder
from tests.backends.recorded import exchange, exchanges
from tests.support.cluster import HandClock

ROOT = JobId("/root/export-metrics-r2")
SCENARIO = "12a-zombie-leaked-thread"


class OldLine:
    """A line that answers from a recording, whatever the moment; then a new recording is made of it."""

    place, transport = "http://recorded", "rpc"

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self.fails: BabysitError | None = None
        self._answers = {other.method: other for other in exchanges("may", SCENARIO)}
        self._answers["ListJobs"] = exchange("may", SCENARIO, "s03-ListJobs")
        self._answers["ProfileTask"] = exchange("may", SCENARIO, "s04-ProfileTask-coord")

    async def ask(self, method, _, **__):
        self._clock.pass_s(0.1)
        if self.fails is not None:
            raise self.fails
        if method == "GetAuthInfo":
            return {"provider": ""}
        if method not in self._answers:
            raise NoSuchMethod(self.place, method)
        return self._answers[method].json

    async def close(self): ...


def start_of_recording() -> datetime:
    answer = exchange("may", SCENARIO, "s03-ListJobs").json
    submitted = int(answer["jobs"][-1]["submittedAt"]["epochMs"])
    return datetime.fromtimestamp(submitted / 1000).astimezone() + timedelta(seconds=60)


@pytest.fixture
def recorded(tmp_path):
    clock = HandClock()
    clock.moment = start_of_recording()
    line = OldLine(clock)
    folder = RecordingFolder(tmp_path / "r", ROOT, clock)
    reader = IrisReader(RecordingTransport(line, folder, clock), clock=clock)

    def told(looks, _):
        line.fails = Unreachable("Connection refused.") if looks == 4 else None

    return asyncio.run(
        record(ROOT, reader, folder, tmp_path / "r", clock, every_s=30, at_most_s=290, tell=told)
    )


def test_what_was_recorded_can_be_replayed(recorded):
    assert (recorded.looks, recorded.has_ended) == (10, False)
    steps = replay_folder(recorded.folder)
    assert steps[-1].cause == "zombie-coordinator"  # dumps of look 1 and 4, far enough apart
    assert [step.is_blind for step in steps].count(True) == 1
    told = yaml.safe_load((recorded.folder / "scenario.yaml").read_text())
    assert told["job_id"] == ROOT
    assert told["generation"] == "may"


def test_the_player_gives_back_what_the_cluster_answered(recorded):
    recording = read_recording(recorded.folder)
    reader = RecordedReader(recording, TimeScale(recording.started_ms))
    for step in recording.steps:
        reader.show(step)
    tree = asyncio.run(reader.tree(ROOT))
    assert [job.state for job in tree] == ["running", "running", "killed"]
    batch = asyncio.run(reader.lines(LogSource(ROOT), after=None, at_most=1000))
    assert any("Coordinator shutdown complete" in line.text for line in batch.lines)
    assert not asyncio.run(reader.lines(LogSource(ROOT), after=batch.cursor, at_most=10)).lines


def test_no_secret_reaches_the_disk(tmp_path):
    clock = HandClock()
    folder = RecordingFolder(tmp_path / "r", ROOT, clock)
    secret = "hf_" + "madeup" * 5
    packed = base64.b64encode(f"Process 1: run --token {secret}".encode()).decode()

    class Leaky(OldLine):
        async def ask(self, *_, **__):
            return {"entries": [{"data": f"HF_TOKEN={secret}"}], "profileData": packed}

    line = RecordingTransport(Leaky(clock), folder, clock)
    asyncio.run(line.ask("FetchLogs", {"source": f"/u/j?token={secret}"}))
    text = "".join(path.read_text() for path in (tmp_path / "r" / "wire").iterdir())
    assert secret not in text
    kept = json.loads((tmp_path / "r" / "wire" / "s00-FetchLogs.response.json").read_text())
    assert secret.encode() not in base64.b64decode(kept["profileData"])
    assert b"Process 1" in base64.b64decode(kept["profileData"])


def test_recorder_redacts_by_the_names_of_fields(tmp_path):
    clock = HandClock()
    folder = RecordingFolder(tmp_path / "r", ROOT, clock)
    argv = [
        "iris",
        "job",
        "run",
        "-e",
        "ACME_TOKEN",
        "made1up2value3",
        "--sas-token",
        "made4up5value6",
        "--",
        "x",
    ]

    class Leaky(OldLine):
        async def ask(self, *_, **__):
            environment = {"envVars": {"RUNTIME_TOKEN": "made7up8value9", "JAX_PLATFORMS": "cpu"}}
            return {"request": {"environment": environment, "submitArgv": argv}}

    asyncio.run(RecordingTransport(Leaky(clock), folder, clock).ask("GetJobStatus", {"jobId": ROOT}))
    text = "".join(path.read_text() for path in (tmp_path / "r" / "wire").iterdir())
    assert not [part for part in ("made1up", "made4up", "made7up") if part in text]
    assert '"JAX_PLATFORMS": "cpu"' in text
    assert '"ACME_TOKEN"' in text


def test_a_folder_with_a_recording_is_not_written_over(tmp_path):
    (tmp_path / "wire").mkdir()
    (tmp_path / "wire" / "x").write_text("")
    with pytest.raises(BadConfig, match="already"):
        RecordingFolder(tmp_path, ROOT, HandClock())


@pytest.mark.parametrize("fault", [NoSuchJob("There is no such job."), Unreachable("Connection refused.")])
def test_a_refusal_is_kept_and_means_the_same_when_played(tmp_path, fault):
    clock = HandClock()
    folder = RecordingFolder(tmp_path / "r", ROOT, clock)
    old = OldLine(clock)
    old.fails = fault
    line = RecordingTransport(old, folder, clock)
    with pytest.raises(type(fault)):
        asyncio.run(line.ask("GetJobStatus", {"jobId": ROOT}))
    folder.finish()
    recording = read_recording(tmp_path / "r")
    reader = RecordedReader(recording, TimeScale(recording.started_ms))
    reader.show(recording.steps[0])
    with pytest.raises(type(fault)):
        asyncio.run(reader.tree(ROOT))

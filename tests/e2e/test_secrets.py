"""A job that prints its secrets, dies with them, and was given them: none of them is anywhere afterwards."""

import io
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
import yaml
import zstandard

from babysitter.backends.recording.recorder import RecordingFolder, RecordingTransport
from babysitter.engine.service_log import configure_log
from babysitter.model.ids import JobId
from babysitter.model.log import LogSource
from babysitter.slack.blocks import render
from babysitter.surfaces.mcp.job_views import line_views
from babysitter.surfaces.views import WatchView
from babysitter.usecases.incidents.explain import as_lines, explain
from babysitter.usecases.incidents.report import report
from tests.redact.secrets import BARE, NAMED, PLACED, Secret, made, trace_of
from tests.support.sim_app import PatientLine, SimulatedApp, story

SECRETS = list(made(7))
# What a job's own lines look like; each secret is printed in its own way.
SHOWN = {**NAMED, **PLACED, **{name: BARE[name] for name in ("sentence", "key-error", "broken-in-two")}}


def printed(secret: Secret, number: int) -> str:
    names = list(NAMED | PLACED) if not secret.says_itself else list(SHOWN)
    return SHOWN[names[number % len(names)]](secret)


def scenario(folder: Path) -> Path:
    lines = [line for number, secret in enumerate(SECRETS) for line in printed(secret, number).split("\n")]
    shapes = [secret for secret in SECRETS if secret.says_itself]
    said = f"HF_TOKEN={shapes[0].value} and {shapes[3].value}, password={SECRETS[-6].value}"
    error = f"RuntimeError: refused {said}"
    root = {
        "argv": ["python", "dedup.py", "--api-key", SECRETS[10].value, f"--token={SECRETS[11].value}"],
        "env": {secret.name: secret.value for secret in SECRETS},
        "says": [{"say": line, "every_s": 0.2} for line in lines if line.strip()],
        "exits": {"code": 1, "error": error, "traceback": error},
    }
    path = folder / "leaky.yaml"
    path.write_text(yaml.safe_dump({"about": "Prints its secrets and dies with them.", "root": root}))
    return path


# Stored to act upon: the command of a restart and its environment. docs/secrets.md says so.
KEPT_TO_ACT = {("watches", "resubmit"), ("watches", "submit_context"), ("proposals", "body")}


def stored(database: Path) -> Iterator[tuple[str, str, str]]:
    """Every value of every table, unpacked: table, column, text."""
    with sqlite3.connect(database) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        for table in tables:
            rows = connection.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in rows.description]
            for row in rows:
                for column, value in zip(columns, row, strict=True):
                    is_packed = isinstance(value, bytes) and value[:4] == b"\x28\xb5\x2f\xfd"
                    text = zstandard.decompress(value).decode() if is_packed else str(value)
                    yield table, column, text


def leaks(where: str, text: str) -> list[str]:
    return [f"{where}: {secret.kind}: {part}" for secret in SECRETS if (part := trace_of(secret.value, text))]


async def shown_by(tale: SimulatedApp) -> Iterator[tuple[str, str]]:
    """What every surface says about the watch."""
    standing = await tale.standing()
    words = [
        repr(message) + repr(render(message.words, message.buttons))
        for message in tale.ear.heard + tale.ear.edited
    ]
    reader = await tale.app.clusters.reader("marin")
    batch = await reader.lines(LogSource(JobId(tale.sim.root_job)), after=None, at_most=1_000, newest=True)
    return iter(
        (
            ("messages", "".join(words)),
            ("report", await report(tale.app, tale.watch.id)),
            ("explain", "\n".join(as_lines(await explain(tale.app, tale.watch.id)))),
            ("json", WatchView.of(standing.watch).model_dump_json()),
            ("mcp", repr(line_views(batch.lines))),
        )
    )


async def recording_of(tale: SimulatedApp, folder: Path) -> str:
    """The raw answers of the cluster, as a recording holds them."""
    spec = await tale.app.clusters.spec("marin")
    writer = RecordingFolder(folder, JobId(tale.sim.root_job), tale.clock)
    line = RecordingTransport(PatientLine(spec, tale.sim), writer, tale.clock)
    await line.ask("GetJobStatus", {"jobId": tale.sim.root_job})
    await line.ask("ListTasks", {"jobId": tale.sim.root_job})
    fetch = {
        "source": f"{tale.sim.root_job}/",
        "matchScope": "MATCH_SCOPE_PREFIX",
        "maxLines": 1000,
        "tail": True,
    }
    await line.ask("FetchLogs", fetch, service="finelog.logging.LogService")
    await line.close()
    return text_of(folder)


def text_of(folder: Path) -> str:
    return "".join(path.read_text() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)
    structlog.reset_defaults()


@pytest.mark.usefixtures("open_umask")
async def test_secrets_of_a_job_are_nowhere(tmp_path: Path) -> None:
    log = io.StringIO()
    configure_log(log, as_json=True)
    state = tmp_path / "state"
    async with story(str(scenario(tmp_path)), state) as tale:
        await tale.pass_s(200)
        found = [leak for where, text in await shown_by(tale) for leak in leaks(where, text)]
        recording = await recording_of(tale, tmp_path / "recording")
        assert "RuntimeError" in "".join(text for _, text in await shown_by(tale))
        found += leaks("recording", recording)
    assert "envVars" in recording
    assert "submitArgv" in recording
    found += leaks("log", log.getvalue())
    for table, column, text in stored(state / "babysit.db"):
        if (table, column) not in KEPT_TO_ACT:
            found += leaks(f"{table}.{column}", text)
    for path in state.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
        if path.is_file() and not path.name.startswith("babysit.db"):  # read above, value by value
            found += leaks(path.name, path.read_bytes().decode("latin-1"))
    assert not found
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "recording").rglob("*")} == {
        0o700,
        0o600,
    }

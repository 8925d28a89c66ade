"""Files of incidents: what they may hold, and how a fault in one is named."""

import json
from pathlib import Path

import pytest

from babysitter.errors import UserError
from babysitter.usecases.incidents.share_incidents import read_incidents

HEADER = '{"format": "babysit-incidents", "version": 1}'
ROW = {
    "id": "i-1",
    "at": "2026-11-20T12:00:00+00:00",
    "cause": "host-oom",
    "fingerprint": {"key": "f-1", "decisive": ["memori exceed"], "templates": ["memory exceeded"]},
    "remedy": "--env HF_TOKEN=hf_" + "madeup" * 6,
}


def write(folder: Path, *lines: str) -> Path:
    file = folder / "memory.jsonl"
    file.write_text("\n".join(lines))
    return file


def test_an_export_is_read_redacted(tmp_path: Path):
    (past,) = read_incidents(write(tmp_path, HEADER, json.dumps(ROW), ""))
    assert (past.id, past.cause, past.fingerprint.templates) == ("i-1", "host-oom", ("memory exceeded",))
    assert "madeup" not in past.remedy
    assert past.at.tzinfo is not None


def test_import_is_never_taught_here(tmp_path: Path):
    taught = {"true_cause": "disk-full", "taught_by": "ada", "is_taught_here": True}
    (past,) = read_incidents(write(tmp_path, HEADER, json.dumps(ROW | taught)))
    assert (past.true_cause, past.taught_by, past.is_taught_here) == ("disk-full", "ada", False)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((), ":1: this is not an export of incidents"),
        (("[]",), ":1: this is not an export"),
        (("[" * 200_000,), ":1: this is not an export"),
        (('{"format": "babysit-incidents", "version": 9}',), "has version 9, this babysit reads version 1"),
        ((HEADER, json.dumps(ROW), "{"), ":3: the line: Invalid JSON"),
        ((HEADER, json.dumps(ROW | {"cause": "gremlins"})), ":2: cause: Input should be"),
    ],
)
def test_a_faulty_file_is_named(tmp_path: Path, lines: tuple[str, ...], fault: str):
    with pytest.raises(UserError) as raised:
        read_incidents(write(tmp_path, *lines))
    assert fault in raised.value.sentence
    assert raised.value.next_step


def test_a_device_is_not_read():
    with pytest.raises(UserError, match="/dev/zero is not a file") as raised:
        read_incidents(Path("/dev/zero"))
    assert raised.value.next_step


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_incidents(tmp_path / "none.jsonl")

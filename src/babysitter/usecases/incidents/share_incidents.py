"""The memory as a file: one JSON object per line, redacted, with a version; and back.

The first line names the format. Whatever is imported is marked so, and can be taught like any other.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from babysitter.diagnosis.similarity import terms_of
from babysitter.engine.app import App
from babysitter.engine.earlier_incidents import remember_missing
from babysitter.errors import UserError
from babysitter.model.past_incident import Ending, Origin, PastIncident
from babysitter.private_files import write_private
from babysitter.redact import redact, strip_control_characters

FORMAT = "babysit-incidents"
VERSION = 1
MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_FAULTS = 10  # told at once

_adapter = TypeAdapter(PastIncident)


@dataclass(frozen=True, slots=True)
class Imported:
    """How many incidents a file brought, and how many were known already."""

    fresh: int
    known: int


async def export_incidents(app: App, file: Path) -> int:
    """Write every remembered incident; gives how many. Raises UserError if the file cannot be written."""
    await remember_missing(app.store)
    async with app.store.reading() as tx:
        pasts = await tx.history.since()
    lines = [json.dumps({"format": FORMAT, "version": VERSION}), *map(_line, pasts)]
    try:
        write_private(file, "\n".join(lines) + "\n")
    except OSError as fault:
        raise UserError(
            f"{file} cannot be written: {fault.strerror}.", next_step="Name another file."
        ) from fault
    return len(pasts)


async def import_incidents(app: App, file: Path) -> Imported:
    """Remember what a file holds. Safe to repeat: known incidents are left as they are.

    Raises UserError that names every faulty line; then nothing is imported.
    """
    pasts = read_incidents(file)
    return await keep(app, pasts)


async def keep(app: App, pasts: Sequence[PastIncident]) -> Imported:
    """Remember incidents of others, unless their ids are known."""
    async with app.store.transaction() as tx:
        known = {past_incident.id for past_incident in await tx.history.of([past.id for past in pasts])}
        fresh = {past.id: past for past in pasts if past.id not in known}
        for past in fresh.values():
            await tx.history.put(past, terms_of(past.fingerprint))
    return Imported(len(fresh), len(pasts) - len(fresh))


def read_incidents(file: Path) -> list[PastIncident]:
    """The incidents of an exported file, redacted again."""
    try:
        if file.exists() and not file.is_file() and not file.is_dir():  # a device or a pipe has no size
            raise UserError(f"{file} is not a file.", next_step="Name a file of an export.")
        if file.stat().st_size > MAX_FILE_BYTES:
            raise UserError(f"{file} is larger than {MAX_FILE_BYTES >> 20} MB.", next_step="Split it.")
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        why = getattr(fault, "strerror", None) or "it is not a text"
        raise UserError(f"{file} cannot be read: {why}.", next_step="Name a file of an export.") from fault
    _check_header(file, lines[0] if lines else "")
    found, faults = [], []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            past = _adapter.validate_json(line)
            _ = terms_of(past.fingerprint)
        except (ValidationError, ValueError) as fault:
            faults.append(f"{file}:{number}: {_first_fault(fault)}")
            continue
        found.append(_redacted(_as_imported(past)))
    if faults:
        more = f"\nand {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
        raise UserError(
            "Some lines are not incidents; nothing was imported:\n" + "\n".join(faults[:MAX_FAULTS]) + more,
            next_step="Export the file again, or remove these lines.",
        )
    return found


def _as_imported(past: PastIncident) -> PastIncident:
    """The incident as something that was heard of: whatever the file says, nobody taught it here."""
    return replace(
        past,
        origin=Origin.IMPORTED if past.origin is Origin.OWN else past.origin,
        ending=Ending.UNKNOWN if past.ending is Ending.OPEN else past.ending,
        at=_with_zone(past.at),
        is_taught_here=False,
    )


def _check_header(file: Path, line: str) -> None:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise UserError(
            f"{file}:1: this is not an export of incidents.",
            next_step="`babysit incidents export FILE` writes one.",
        )
    version = header.get("version")
    if version != VERSION:
        raise UserError(
            f"{file}:1: the file has version {version}, this babysit reads version {VERSION}.",
            next_step="Export it with the same version of babysit.",
        )


def _first_fault(fault: Exception) -> str:
    if isinstance(fault, ValidationError):
        first = fault.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}"
    return "the line is not an incident"


def _with_zone(at: datetime) -> datetime:
    if at.tzinfo is None:
        from datetime import UTC

        return at.replace(tzinfo=UTC)
    return at


def _line(past: PastIncident) -> str:
    return json.dumps(_plain(asdict(_redacted(past))), ensure_ascii=False)


def _redacted(past: PastIncident) -> PastIncident:
    """Every text without secrets and control characters."""
    cleaned: PastIncident = _cleaned(past)
    return cleaned


def _cleaned(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return strip_control_characters(redact(value))
    if isinstance(value, tuple):
        return tuple(map(_cleaned, value))
    if hasattr(value, "__dataclass_fields__"):
        return replace(value, **dict(_fields(value)))
    return value


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    for name in value.__dataclass_fields__:
        yield name, _cleaned(getattr(value, name))


def _plain(value: Any) -> Any:
    """Values that JSON has."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value

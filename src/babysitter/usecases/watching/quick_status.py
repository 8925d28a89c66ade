"""How everything stands, read the short way: for commands that only print (docs/adr/0010)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from babysitter.engine.service_lock import is_served
from babysitter.engine.status_file import local_troubles
from babysitter.model.advisor_spend import AdvisorDay
from babysitter.model.events import DecisionRefused
from babysitter.model.ids import Person, ProposalId
from babysitter.model.proposal import Proposal, Surface
from babysitter.model.watch import Watch
from babysitter.private_files import make_private_folder
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.quick.sqlite_events import append_refusal
from babysitter.store.quick.sqlite_reader import SqliteReader
from babysitter.store.quick.sqlite_snapshot import NotReadable
from babysitter.usecases.watching.watch_status import (
    WatchStatus,
    is_incident_id,
    no_such_proposal,
    standing_from,
    the_one_meant,
)


@dataclass(frozen=True, slots=True)
class QuickStatus:
    """What `status` shows. `troubles`, `channels`: of the running service."""

    standings: Sequence[WatchStatus]
    is_served: bool
    troubles: dict[str, str]
    channels: tuple[str, ...]
    advisor: AdvisorDay = field(default_factory=AdvisorDay)


def read_status(
    folder: Path, name: str = "", cluster: str = "", *, with_stopped: bool = False, now: datetime
) -> QuickStatus | None:
    """How the watches of this folder stand; None when only the store can tell, or say what is wrong.

    `name`: of one watch, else all. Raises NoSuchWatch, and UserError for a name that several have.
    """
    served = is_served(folder)
    try:
        if not _has_state(folder):
            return QuickStatus((_found_nothing(name) if name else ()), served, {}, ())
        with SqliteReader(folder / FILE_NAME) as reader:
            if name:
                found = reader.watches_named(name, cluster)
                if not found and is_incident_id(name):
                    return None  # the store tells whose incident it is
                watches = [the_one_meant(found, name)]
            else:
                watches = list(reader.watches(with_stopped=with_stopped))
            standings = [_standing(reader, watch) for watch in watches]
            channels = reader.channels() if served else ()
            advisor = reader.advisor_day(now)
    except NotReadable:
        return None
    troubles = local_troubles(folder, now=now, is_lock_shared=False) if served else None
    return QuickStatus(standings, served, troubles or {}, channels, advisor)


def _standing(reader: SqliteReader, watch: Watch) -> WatchStatus:
    standing = standing_from(watch, reader.ledger(watch))
    return replace(standing, opinions=reader.opinions_on(standing.incidents))


def read_proposal(folder: Path, proposal: str) -> Proposal | None:
    """A proposal however it stands; None when only the store can tell. Raises UserError for an unknown id."""
    try:
        found = None
        if _has_state(folder):
            with SqliteReader(folder / FILE_NAME) as reader:
                found = reader.proposal(ProposalId(proposal))
    except NotReadable:
        return None
    if found is None:
        raise no_such_proposal(proposal)
    return found


def record_refusal(folder: Path, proposal: str, by: Person, because: str, *, now: datetime) -> bool:
    """Record that a program tried to approve; False when only the store can."""
    refused = DecisionRefused(
        at=now, proposal=ProposalId(proposal), by=by, through=Surface.TERMINAL.value, because=because
    )
    try:
        if _has_state(folder):  # else nothing was ever proposed, and no report would tell
            append_refusal(folder / FILE_NAME, refused)
    except NotReadable:
        return False
    return True


def _has_state(folder: Path) -> bool:
    """Whether there is a database. Raises NotReadable for a folder in which none could be made."""
    if (folder / FILE_NAME).exists():
        return True
    try:
        make_private_folder(folder)
    except OSError as fault:
        raise NotReadable(str(fault)) from fault
    if not os.access(folder, os.W_OK | os.X_OK):
        raise NotReadable
    return False


def _found_nothing(name: str) -> Sequence[WatchStatus]:
    the_one_meant((), name)
    return ()

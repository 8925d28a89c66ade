"""Opens the database, and gives out transactions with every repository in them.

    async with store.transaction() as tx:  # all of it, or nothing
        await tx.watches.save(watch)
        await tx.events.append(event)

Writers come one after another, in every database: a transaction reads what is true now, decides and writes,
and nobody writes in between. So "still open?" and "exactly one row changed" need no further locks.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    InterfaceError,
    InternalError,
    NoSuchModuleError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from babysitter.errors import BadConfig, StorageUnavailable, Unreachable, UserError
from babysitter.private_files import make_private_folder, open_private_bytes, restrict_state
from babysitter.store.connection import Connection, is_locked
from babysitter.store.database import WRITE_WAIT_S, Database, PostgresDatabase, SqliteDatabase
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.repositories.action_journal import ActionRepository
from babysitter.store.repositories.advisor_budget import AdvisorBudget
from babysitter.store.repositories.channels import ChannelRepository
from babysitter.store.repositories.counts import CountQueries
from babysitter.store.repositories.event_log import EventLog
from babysitter.store.repositories.feedback import FeedbackRepository
from babysitter.store.repositories.follows import FollowRepository
from babysitter.store.repositories.inbox import Inbox
from babysitter.store.repositories.incident_history import IncidentHistory
from babysitter.store.repositories.incident_index import IncidentIndex
from babysitter.store.repositories.incidents import IncidentRepository
from babysitter.store.repositories.known_clusters import ClusterRepository
from babysitter.store.repositories.ladder_runs import LadderRepository
from babysitter.store.repositories.leases import LeaseRepository
from babysitter.store.repositories.observations import ObservationRepository
from babysitter.store.repositories.opinions import OpinionRepository
from babysitter.store.repositories.outbox import Outbox
from babysitter.store.repositories.routine_lines import RoutineLines
from babysitter.store.repositories.run_profiles import RunProfileRepository
from babysitter.store.repositories.watches import WatchRepository
from babysitter.store.schema.migrations import migrate, version_of
from babysitter.store.schema.version import VERSION
from babysitter.waits import waiting_for

# Is called after each write: what is wrong with the database ("" = committed), and the seconds it took.
NoteWrite = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Transaction:
    """Every repository, over one transaction."""

    watches: WatchRepository
    observations: ObservationRepository
    incidents: IncidentRepository
    journal: ActionRepository
    events: EventLog
    outbox: Outbox
    inbox: Inbox
    leases: LeaseRepository
    feedback: FeedbackRepository
    history: IncidentHistory
    clusters: ClusterRepository
    tally: CountQueries
    channels: ChannelRepository
    ladders: LadderRepository
    run_profiles: RunProfileRepository
    opinions: OpinionRepository
    advisor: AdvisorBudget
    follows: FollowRepository
    routine: RoutineLines


class Store:
    """The database. Transactions must not be nested: the inner one would wait for the outer."""

    def __init__(self, database: Database, note_write: NoteWrite = lambda _fault, _took_s: None) -> None:
        self._database = database
        self._note_write = note_write
        self._index = IncidentIndex()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """Everything in the block is committed together; an exception leaves nothing.

        Raises StorageUnavailable when the database does not answer, is locked for too long, or cannot be
        written. Then nothing may be done that was to be stored first.
        """
        began = time.monotonic()
        try:
            with _translated():
                async with self._database.writing() as connection:
                    yield _tx(connection, self._index, is_writing=True)
                has_stored = connection.has_changed  # an empty transaction succeeds on a full disk, too
        except StorageUnavailable as fault:
            self._note_write(fault.reason, time.monotonic() - began)
            raise
        if has_stored:
            self._note_write("", time.monotonic() - began)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Transaction]:
        """One consistent picture, while others may write. Writing here is refused by the database.

        Raises StorageUnavailable when the database does not answer.
        """
        with _translated():
            async with self._database.reading() as connection:
                yield _tx(connection, self._index, is_writing=False)

    async def prepare_memory(self) -> None:
        """Fill the index of remembered incidents, so that no transaction that writes has to.

        10,000 incidents take more than a second the first time in a process; later only what is new is added.
        """
        async with self.reading() as tx:
            await tx.history.catch_up()

    async def close(self) -> None:
        self._index.close()
        await self._database.close()


async def open_store(
    where: Path | str,
    note_write: NoteWrite = lambda _fault, _took_s: None,
    *,
    write_wait_s: float = WRITE_WAIT_S,
) -> Store:
    """The store in a state folder (made when missing), or at a database URL; its schema brought up to date.

    A database with the present schema is not written to: it can be opened while it is locked or its disk is
    full. Raises UserError for a folder that cannot be written or a database of a newer babysit, BadConfig for
    a URL that cannot be one, Unreachable for a database that does not answer.
    """
    database = _postgres(where, write_wait_s) if isinstance(where, str) else _sqlite(where, write_wait_s)
    try:
        if isinstance(where, str) or (where / FILE_NAME).stat().st_size:
            with waiting_for("the database of babysit's own state"):
                is_current = await database.inspect(version_of) == VERSION
        else:
            is_current = False
        if not is_current:
            await database.change(migrate)
    except (DBAPIError, OSError, StorageUnavailable) as fault:
        await database.close()
        raise _unusable(where, fault) from fault
    except BaseException:
        await database.close()
        raise
    return Store(database, note_write)


def _sqlite(folder: Path, write_wait_s: float) -> SqliteDatabase:
    try:
        make_private_folder(folder)
        restrict_state(folder)
        if not (folder / FILE_NAME).exists():
            # Made before the database is, which gives its mode to the files beside it.
            open_private_bytes(folder / FILE_NAME, "ab").close()
    except OSError as fault:
        raise _unusable(folder, fault) from fault
    return SqliteDatabase(folder / FILE_NAME, write_wait_s=write_wait_s)


def _postgres(url: str, write_wait_s: float) -> PostgresDatabase:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "postgresql":
            raise BadConfig(
                f"babysit keeps its state in SQLite or PostgreSQL, not in '{parsed.get_backend_name()}'.",
                next_step="Write database_url as postgresql://USER@HOST/DATABASE, or leave it out.",
            )
        return PostgresDatabase(parsed.set(drivername="postgresql+psycopg"), write_wait_s=write_wait_s)
    except ArgumentError as fault:
        raise BadConfig(
            "The database URL cannot be read.",
            next_step="Write it as postgresql://USER@HOST/DATABASE.",
        ) from fault
    except (ModuleNotFoundError, NoSuchModuleError) as fault:
        raise UserError(
            "PostgreSQL needs one more package.", next_step="Install babysitter[postgres]."
        ) from fault


@contextmanager
def _translated() -> Iterator[None]:
    """No room above knows the library's exceptions; a fault of our own in a statement stays what it is."""
    try:
        yield
    except (DBAPIError, PoolTimeout) as fault:
        if not _is_of_the_database(fault):
            raise
        raise StorageUnavailable(_sentence(fault)) from fault


def _is_of_the_database(fault: BaseException) -> bool:
    """Whether the database is at fault, not our statement: lost, locked, full, read-only, damaged."""
    is_damaged = type(fault) is DatabaseError  # SQLite: "malformed", "not a database"
    return is_damaged or isinstance(fault, (OperationalError, InterfaceError, InternalError, PoolTimeout))


def _unusable(where: Path | str, fault: BaseException) -> UserError | Unreachable:
    if isinstance(where, str):
        return Unreachable(
            f"The database at {make_url(where).render_as_string()} cannot be used: {_sentence(fault)}.",
            next_step="Check that it runs and that the user may create tables.",
        )
    if "not a database" in str(fault) or "malformed" in str(fault):
        return UserError(
            f"The file {where / FILE_NAME} is damaged: {_sentence(fault)}.",
            next_step="Put back a copy, or move it aside: a new one is made, without the old watches.",
        )
    if is_locked(fault) or isinstance(fault, StorageUnavailable):
        return Unreachable(
            f"The database {where / FILE_NAME} is locked by another process.",
            next_step="Try again; if it lasts, see who holds it: `fuser` with the path of the file.",
        )
    if "disk is full" in str(fault) or "disk I/O" in str(fault) or getattr(fault, "errno", None) == ENOSPC:
        return UserError(
            f"The state folder {where} cannot be used: {_sentence(fault)}.",
            next_step="Free some space on its disk, or name another folder with --state-dir.",
        )
    return UserError(
        f"The state folder {where} cannot be used: {_sentence(fault)}.",
        next_step="Make it writable, or name another one with --state-dir or BABYSIT_STATE_DIR.",
    )


def _sentence(fault: BaseException) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror.lower()
    return str(getattr(fault, "orig", None) or fault).splitlines()[0].rstrip(".")


def _tx(connection: Connection, index: IncidentIndex, *, is_writing: bool) -> Transaction:
    events = EventLog(connection)
    return Transaction(
        watches=WatchRepository(connection),
        observations=ObservationRepository(connection),
        incidents=IncidentRepository(connection),
        journal=ActionRepository(connection, events),
        events=events,
        outbox=Outbox(connection),
        inbox=Inbox(connection),
        leases=LeaseRepository(connection),
        feedback=FeedbackRepository(connection),
        history=IncidentHistory(connection, index, is_writing=is_writing),
        clusters=ClusterRepository(connection),
        tally=CountQueries(connection),
        channels=ChannelRepository(connection),
        ladders=LadderRepository(connection),
        run_profiles=RunProfileRepository(connection),
        opinions=OpinionRepository(connection),
        advisor=AdvisorBudget(connection),
        follows=FollowRepository(connection),
        routine=RoutineLines(connection),
    )

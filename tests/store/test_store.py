"""The database: one transaction or nothing, one writer at a time, clear words when it cannot be used."""

import asyncio
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from babysitter.errors import BadConfig, Unreachable, UserError
from babysitter.model.events import WatchStopped
from babysitter.model.ids import JobId, Person, WatchId
from babysitter.model.submission import SubmissionOrigin
from babysitter.store import database
from babysitter.store.default_folder import FILE_NAME, default_state_folder
from babysitter.store.schema.migrations import migrate, version_of
from babysitter.store.schema.tables import meta, metadata
from babysitter.store.store import Store, open_store
from tests.support import build
from tests.support.quick_database import SHIPPED_SYNCHRONOUS

ADDED_TO_WATCHES = ("submit_context", "clear_at", "gone_since", "follow")  # since the first schema


async def test_a_transaction_that_breaks_leaves_nothing(store: Store):
    async def break_off() -> None:
        async with store.transaction() as tx:
            watch = build.watch()
            await tx.watches.add(watch)
            await tx.events.append(WatchStopped(at=build.NOON, watch=watch.id, by=Person("U-ada")))
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        await break_off()
    async with store.reading() as tx:
        assert await tx.watches.all() == ()
        assert await tx.events.newest_number() == 0


async def test_what_is_committed_is_there_for_the_next_process(tmp_path: Path):
    first = await open_store(tmp_path)
    async with first.transaction() as tx:
        await tx.watches.add(build.watch())
    await first.close()
    second = await open_store(tmp_path)
    async with second.reading() as tx:
        assert await tx.watches.all() == (build.watch(),)
    await second.close()


async def test_writers_of_two_processes_come_one_after_another(tmp_path: Path):
    ours, theirs = await open_store(tmp_path), await open_store(tmp_path)
    async with ours.transaction() as tx:
        await tx.watches.add(build.watch())

    async def count_up(store: Store) -> None:
        for _ in range(10):
            async with store.transaction() as tx:
                watch = await tx.watches.get(build.watch().id)
                assert await tx.watches.save(replace(watch, restarts=watch.restarts + 1))

    await asyncio.gather(count_up(ours), count_up(theirs), count_up(ours))
    async with ours.reading() as tx:
        assert (await tx.watches.get(build.watch().id)).restarts == 30
    await ours.close()
    await theirs.close()


async def test_a_reader_cannot_write(store: Store):
    with pytest.raises((DBAPIError, Unreachable), match=r"read-?only"):
        async with store.reading() as tx:
            await tx.watches.add(build.watch())


async def test_a_disk_without_room_is_told_in_our_words(tmp_path: Path):
    store = await open_store(tmp_path)

    async def fill() -> None:
        async with store.transaction() as tx:
            pages = await tx.watches._connection.scalar(text("PRAGMA page_count"))
            await tx.watches._connection.execute(text(f"PRAGMA max_page_count={pages}"))
            for number in range(1000):
                watch = build.watch(id=WatchId(f"w-{number}"), root=JobId(f"/ada/{number}"))
                await tx.watches.add(watch)

    with pytest.raises(Unreachable, match=r"database or disk is full.*Check its disk"):
        await fill()
    async with store.reading() as tx:
        assert await tx.watches.all() == ()
    await store.close()


async def test_settings_that_survive_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database, "SYNCHRONOUS", SHIPPED_SYNCHRONOUS)
    store = await open_store(tmp_path)
    async with store._database.writing() as connection:
        assert (await connection.execute(text("PRAGMA journal_mode"))).scalar() == "wal"
        assert (await connection.execute(text("PRAGMA synchronous"))).scalar() == 2
    await store.close()


async def test_the_database_is_nobody_elses_business(tmp_path: Path):
    store = await open_store(tmp_path / "state")
    async with store.transaction() as tx:
        await tx.watches.add(build.watch())
    for path in (tmp_path / "state").glob(f"{FILE_NAME}*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
async def test_a_folder_without_permission_is_named(tmp_path: Path):
    os.chmod(tmp_path, 0o500)
    with pytest.raises(UserError, match=r"permission denied.*--state-dir"):
        await open_store(tmp_path / "state")


async def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path):
    (tmp_path / "state").write_text("not a folder")
    with pytest.raises(UserError, match=rf"The state folder {tmp_path}/state cannot be used"):
        await open_store(tmp_path / "state")


async def test_a_file_that_is_no_database_is_named(tmp_path: Path):
    (tmp_path / FILE_NAME).write_text("this is not a database at all" * 100)
    with pytest.raises(UserError, match="file is not a database"):
        await open_store(tmp_path)


@pytest.mark.parametrize("url", ["mysql://h/d", "nonsense"])
async def test_urls_that_cannot_be_one(url: str):
    with pytest.raises(BadConfig):
        await open_store(url)


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HOME": "/home/ada"}, "/home/ada/.local/state/babysit"),
        ({"HOME": "/home/ada", "XDG_STATE_HOME": "/var/ada"}, "/var/ada/babysit"),
        ({"HOME": "/home/ada", "XDG_STATE_HOME": "relative"}, "/home/ada/.local/state/babysit"),
    ],
)
def test_the_state_folder_follows_the_standard(environment: dict[str, str], folder: str):
    assert default_state_folder(environment) == Path(folder)


def _drop_what_was_added(connection: Connection) -> None:
    for column in ADDED_TO_WATCHES:
        connection.exec_driver_sql(f"ALTER TABLE watches DROP COLUMN {column}")
    connection.exec_driver_sql("ALTER TABLE proposals DROP COLUMN shown_whole_at")
    connection.exec_driver_sql("ALTER TABLE feedback DROP COLUMN cause")
    connection.exec_driver_sql("DROP TABLE incident_history")
    for table in ("ladders", "ladder_attempts", "follows", "followed_jobs"):
        connection.exec_driver_sql(f"DROP TABLE {table}")
    for table in ("run_profiles", "opinions", "opinion_requests", "watch_opinions", "advisor_spending"):
        connection.exec_driver_sql(f"DROP TABLE {table}")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_step_leads_to_the_schema_of_a_new_database(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
):
    old, new = (_empty_database(kind, tmp_path / f"{name}.db", request) for name in ("old", "new"))
    with old.begin() as connection:
        metadata.create_all(
            connection, tables=[table for table in metadata.sorted_tables if table.name != "inbox"]
        )
        _drop_what_was_added(connection)
        connection.execute(meta.insert().values(key="version", value="1"))
        migrate(connection)
    with new.begin() as connection:
        migrate(connection)
    assert _shape(old) == _shape(new)
    for engine in (old, new):
        engine.dispose()


def _empty_database(kind: str, file: Path, request: pytest.FixtureRequest) -> Engine:
    if kind == "sqlite":
        return create_engine(f"sqlite:///{file}")
    new_database = request.getfixturevalue("new_database")
    return create_engine(new_database().replace("postgresql:", "postgresql+psycopg:"))


def _shape(engine: Engine) -> dict[str, object]:
    """Columns, keys and indexes of every table."""
    found = inspect(engine)
    return {
        table: (
            [
                (
                    column["name"],
                    str(column["type"]),
                    column["nullable"],
                    str(column["default"]).partition("(")[0],
                )
                for column in found.get_columns(table)
            ],
            found.get_pk_constraint(table)["constrained_columns"],
            sorted((index["column_names"], index["unique"]) for index in found.get_indexes(table)),
        )
        for table in found.get_table_names()
    }


def test_an_older_database_is_brought_up_step_by_step(tmp_path: Path):
    engine = create_engine(f"sqlite:///{tmp_path / 'old.db'}")
    taken = []

    def step(connection: Connection) -> None:
        taken.append(version_of(connection))

    with engine.begin() as connection:
        migrate(connection, version=1)
    with engine.begin() as connection:
        migrate(connection, version=3, steps={1: step, 2: step})
        assert version_of(connection) == 3
    assert taken == [1, 2]
    with engine.begin() as connection, pytest.raises(UserError, match="newer babysit"):
        migrate(connection, version=2)


async def test_migration_keeps_only_commands_that_a_person_gave(tmp_path: Path):
    given = build.submission()
    stored = replace(given, origin=SubmissionOrigin.CONTROLLER)
    store = await open_store(tmp_path)
    async with store.transaction() as tx:
        await tx.watches.add(build.watch(resubmit=given))
        await tx.watches.add(build.watch(id=WatchId("w-2"), root=JobId("/ada/two"), resubmit=stored))
    await store.close()
    with create_engine(f"sqlite:///{tmp_path / FILE_NAME}").begin() as connection:
        _drop_what_was_added(connection)
        connection.execute(meta.update().where(meta.c.key == "version").values(value="2"))
    store = await open_store(tmp_path)
    async with store.reading() as tx:
        found = {watch.id: watch.resubmit for watch in await tx.watches.all()}
    assert found == {build.watch().id: given, WatchId("w-2"): None}
    await store.close()

"""From any earlier schema to the present one: numbered, plain, each in one transaction.

A new database is made from tables.py as it is now. An older one is brought up step by step; step N leads
from version N to N + 1, and is never changed once released.
"""

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, inspect, select

from babysitter.errors import UserError
from babysitter.store.schema import advisor_tables  # noqa: F401  its tables are part of the schema
from babysitter.store.schema.tables import meta, metadata
from babysitter.store.schema.version import VERSION


def _inbox(connection: Connection) -> None:
    """Answers that were acknowledged and are not decided yet."""
    connection.exec_driver_sql(
        "CREATE TABLE inbox (id VARCHAR NOT NULL PRIMARY KEY, door VARCHAR NOT NULL, "
        "came_at BIGINT NOT NULL, body TEXT NOT NULL)"
    )


def _submit_context(connection: Connection) -> None:
    """The folder of a watch, variables it may take from the environment, what its cluster stored.

    Earlier, what the cluster stored was kept as if a person had given it: such a command has no folder, and
    running it elsewhere would ship other files.
    """
    connection.exec_driver_sql("ALTER TABLE watches ADD COLUMN submit_context TEXT")
    connection.exec_driver_sql(
        'UPDATE watches SET resubmit = NULL WHERE resubmit LIKE \'%%"origin":"controller"%%\''
    )


def _sight_of_clusters(connection: Connection) -> None:
    """What each watch last saw of its cluster: other watches of the cluster ask for it."""
    connection.exec_driver_sql("ALTER TABLE watches ADD COLUMN clear_at BIGINT")
    connection.exec_driver_sql("ALTER TABLE watches ADD COLUMN gone_since BIGINT")


def _shown_whole(connection: Connection) -> None:
    """When a command that does not fit on its card was posted whole."""
    connection.exec_driver_sql("ALTER TABLE proposals ADD COLUMN shown_whole_at BIGINT")


def _incident_history(connection: Connection) -> None:
    """What incidents looked like, and the true cause where a person said it."""
    connection.exec_driver_sql(
        "CREATE TABLE incident_history (id VARCHAR NOT NULL PRIMARY KEY, at BIGINT NOT NULL, "
        "origin VARCHAR NOT NULL, body TEXT NOT NULL, terms TEXT NOT NULL)"
    )
    connection.exec_driver_sql("CREATE INDEX ix_incident_history_at ON incident_history (at)")
    connection.exec_driver_sql("ALTER TABLE feedback ADD COLUMN cause VARCHAR")


def _ladders(connection: Connection) -> None:
    """Runs of ladders, and the attempts at their steps."""
    connection.exec_driver_sql(
        "CREATE TABLE ladders (seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, id VARCHAR NOT NULL UNIQUE, "
        "ladder VARCHAR NOT NULL, begun_at BIGINT NOT NULL, ended_at BIGINT, body TEXT NOT NULL)"
        if connection.dialect.name == "sqlite"
        else "CREATE TABLE ladders (seq BIGSERIAL PRIMARY KEY, id VARCHAR NOT NULL UNIQUE, "
        "ladder VARCHAR NOT NULL, begun_at BIGINT NOT NULL, ended_at BIGINT, body TEXT NOT NULL)"
    )
    connection.exec_driver_sql("CREATE INDEX ix_ladders_ladder ON ladders (ladder)")
    connection.exec_driver_sql(
        "CREATE TABLE ladder_attempts (run VARCHAR NOT NULL, number INTEGER NOT NULL, step VARCHAR NOT NULL, "
        "state VARCHAR NOT NULL, job VARCHAR NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, number))"
    )


def _run_profiles(connection: Connection) -> None:
    """Profiles of runs that ended well, with which later runs are compared."""
    is_postgres = connection.dialect.name == "postgresql"
    key = "BIGSERIAL NOT NULL PRIMARY KEY" if is_postgres else "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"
    body = "BYTEA" if is_postgres else "BLOB"
    connection.exec_driver_sql(
        f"CREATE TABLE run_profiles (seq {key}, cluster VARCHAR NOT NULL, program VARCHAR NOT NULL, "
        f"job VARCHAR NOT NULL, ended_at BIGINT NOT NULL, body {body} NOT NULL)"
    )
    connection.exec_driver_sql("CREATE INDEX run_profiles_by_program ON run_profiles (cluster, program, seq)")


def _opinions(connection: Connection) -> None:
    """Second opinions on incidents, and what they cost."""
    is_postgres = connection.dialect.name == "postgresql"
    key = "BIGSERIAL NOT NULL PRIMARY KEY" if is_postgres else "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"
    connection.exec_driver_sql(
        f"CREATE TABLE opinions (seq {key}, incident VARCHAR NOT NULL UNIQUE, at BIGINT NOT NULL, "
        "fingerprint VARCHAR NOT NULL, calls INTEGER NOT NULL, tokens INTEGER NOT NULL, "
        "cost_micros BIGINT, body TEXT NOT NULL)"
    )
    connection.exec_driver_sql("CREATE INDEX ix_opinions_at ON opinions (at)")
    connection.exec_driver_sql("CREATE INDEX ix_opinions_fingerprint ON opinions (fingerprint)")


def _follows(connection: Connection) -> None:
    """Patterns whose new jobs are watched, and the runs that were dealt with."""
    connection.exec_driver_sql("ALTER TABLE watches ADD COLUMN follow VARCHAR")
    connection.exec_driver_sql(
        "CREATE TABLE follows (id VARCHAR NOT NULL PRIMARY KEY, cluster VARCHAR NOT NULL, "
        "stopped_at BIGINT, body TEXT NOT NULL)"
    )
    connection.exec_driver_sql(
        "CREATE TABLE followed_jobs (cluster VARCHAR NOT NULL, job VARCHAR NOT NULL, submitted_at BIGINT, "
        "PRIMARY KEY (cluster, job))"
    )


def _advisor_spending(connection: Connection) -> None:
    """What second opinions cost, each apart; who asked for one; those on watches without an incident."""
    is_postgres = connection.dialect.name == "postgresql"
    key = "BIGSERIAL NOT NULL PRIMARY KEY" if is_postgres else "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"
    connection.exec_driver_sql(
        f"CREATE TABLE advisor_spending (seq {key}, at BIGINT NOT NULL, purpose VARCHAR NOT NULL, "
        "calls INTEGER NOT NULL, tokens INTEGER NOT NULL, cost_micros BIGINT)"
    )
    connection.exec_driver_sql("CREATE INDEX ix_advisor_spending_at ON advisor_spending (at)")
    connection.exec_driver_sql(
        "INSERT INTO advisor_spending (at, purpose, calls, tokens, cost_micros) "
        "SELECT at, 'incident', calls, tokens, cost_micros FROM opinions ORDER BY seq"
    )
    connection.exec_driver_sql(
        "CREATE TABLE opinion_requests (incident VARCHAR NOT NULL PRIMARY KEY, asked_at BIGINT NOT NULL, "
        "person VARCHAR NOT NULL)"
    )
    connection.exec_driver_sql(
        "CREATE TABLE watch_opinions (watch VARCHAR NOT NULL PRIMARY KEY, asked_at BIGINT NOT NULL, "
        "body TEXT)"
    )


STEPS: Mapping[int, Callable[[Connection], None]] = {
    1: _inbox,
    2: _submit_context,
    3: _sight_of_clusters,
    4: _shown_whole,
    5: _incident_history,
    6: _ladders,
    7: _run_profiles,
    8: _opinions,
    9: _follows,
    10: _advisor_spending,
}


def migrate(
    connection: Connection,
    *,
    version: int = VERSION,
    steps: Mapping[int, Callable[[Connection], None]] = STEPS,
) -> None:
    """Bring the database to `version`. Raises UserError for one that a later babysit has written."""
    found = version_of(connection)
    if found is None:
        metadata.create_all(connection)
        connection.execute(meta.insert().values(key="version", value=str(version)))
        return
    if found > version:
        raise UserError(
            f"The database was written by a newer babysit (its schema is {found}, this one knows {version}).",
            next_step="Install the newer babysit again, or name another state folder.",
        )
    for number in range(found, version):
        steps[number](connection)
        connection.execute(meta.update().where(meta.c.key == "version").values(value=str(number + 1)))


def version_of(connection: Connection) -> int | None:
    """The schema's version; None for an empty database."""
    if not inspect(connection).has_table(meta.name):
        return None
    value = connection.scalar(select(meta.c.value).where(meta.c.key == "version"))
    return int(value) if value is not None else None

"""The schema. A change here needs a numbered step in migrations.py; a test compares the two.

Moments are stored as microseconds since 1970 (exact, sortable, the same in every database); values of the
model as JSON, with columns beside them for whatever is searched for or changed on its own.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime as an integer."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else _EPOCH + value * _MICROSECOND


# SQLite numbers rows only when the key is exactly INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")


def numbered(name: str = "seq") -> "Column[int]":
    """A key that only grows: rows are never numbered again, not even after a deletion."""
    return Column(name, _Number, primary_key=True, autoincrement=True)


metadata = MetaData()

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))

watches = Table(
    "watches",
    metadata,
    Column("id", String, primary_key=True),
    Column("root", String, nullable=False),
    Column("first_root", String, nullable=False),
    Column("cluster", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("phase", String, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("due_at", UtcDateTime),
    Column("stopped_at", UtcDateTime),
    Column("last_checked_at", UtcDateTime),
    Column("owner", String),
    Column("restarts", Integer, nullable=False),
    Column("trouble", Text, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("memory", Text, nullable=False),
    Column("limits", Text, nullable=False),
    Column("resubmit", Text),  # the command of a restart and its environment: NOT redacted, to be acted upon
    Column("outlook", Text),
    Column("verdict", Text),  # the last one, its memory left out: what `explain` prints
    Column("submit_context", Text),  # the request as the cluster stored it: NOT redacted, to be acted upon
    Column("clear_at", UtcDateTime),  # the last check to which the cluster answered everything
    Column("gone_since", UtcDateTime),  # the cluster does not know the job since then
    Column("follow", String),  # what began it; NULL = a person did
)
Index(
    "watches_one_per_job",
    watches.c.cluster,
    watches.c.root,
    unique=True,
    sqlite_where=watches.c.stopped_at.is_(None),
    postgresql_where=watches.c.stopped_at.is_(None),
)
Index("watches_by_due", watches.c.due_at)

clusters = Table(
    "clusters",
    metadata,
    Column("name", String, primary_key=True),
    Column("description", Text, nullable=False),
)

wakes = Table(
    "wakes", metadata, numbered(), Column("watch", String, nullable=False), sqlite_autoincrement=True
)

observations = Table(
    "observations",
    metadata,
    numbered(),
    Column("watch", String, nullable=False, index=True),
    Column("taken_at", UtcDateTime, nullable=False),
    Column("body", LargeBinary, nullable=False),  # JSON, zstd
    sqlite_autoincrement=True,
)

incidents = Table(
    "incidents",
    metadata,
    numbered(),
    Column("id", String, nullable=False, unique=True),
    Column("watch", String, nullable=False, index=True),
    Column("cause", String, nullable=False),
    Column("attempt", String, nullable=False),
    Column("status", String, nullable=False, index=True),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("count", Integer, nullable=False),
    Column("parent", String),  # the group
    Column("snoozed_until", UtcDateTime),
    Column("outcome", Text, nullable=False),
    Column("diagnosis", Text, nullable=False),
    sqlite_autoincrement=True,
)

proposals = Table(
    "proposals",
    metadata,
    numbered(),
    Column("id", String, nullable=False, unique=True),
    Column("incident", String, nullable=False),
    Column("watch", String, nullable=False, index=True),
    Column("status", String, nullable=False, index=True),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("reminded_at", UtcDateTime),
    Column("may_approve", Text, nullable=False),
    Column("withdrawn_because", Text, nullable=False),
    Column("body", Text, nullable=False),  # with the command of the restart: NOT redacted, to be acted upon
    Column("shown_whole_at", UtcDateTime),
    sqlite_autoincrement=True,
)

decisions = Table(
    "decisions",
    metadata,
    numbered(),
    Column("proposal", String, nullable=False, index=True),
    Column("person", String, nullable=False),
    Column("answer", String, nullable=False),
    Column("door", String, nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Column("snooze_until", UtcDateTime),
    sqlite_autoincrement=True,
)

restarts = Table(
    "restarts",
    metadata,
    numbered(),
    Column("proposal", String, nullable=False, unique=True),  # single use
    Column("watch", String, nullable=False, index=True),
    Column("at", UtcDateTime, nullable=False),
    Column("cause", String, nullable=False),
    Column("old", String, nullable=False),
    Column("new", String, nullable=False),
    Column("high_water", Integer, nullable=False),
    sqlite_autoincrement=True,
)

actions = Table(
    "actions",
    metadata,
    Column("proposal", String, primary_key=True),
    Column("watch", String, nullable=False, index=True),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime, index=True),
    Column("outcome", Text, nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("proposal", String, nullable=False),
    Column("step", String, nullable=False),
    Column("state", String, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("detail", Text, nullable=False),
    PrimaryKeyConstraint("proposal", "step"),
)

events = Table(
    "events",
    metadata,
    numbered(),
    Column("kind", String, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("watch", String),
    Column("body", Text, nullable=False),
    sqlite_autoincrement=True,
)
Index("events_by_watch", events.c.watch, events.c.seq)

messages = Table(
    "messages",
    metadata,
    numbered(),
    Column("id", String, nullable=False, unique=True),
    Column("conversation", String, nullable=False),
    Column("occasion", String, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("hold_until", UtcDateTime),  # NULL once released
    Column("watch", String),
    Column("incident", String, index=True),
    Column("proposal", String, index=True),
    Column("body", Text, nullable=False),
    sqlite_autoincrement=True,
)

edits = Table(
    "edits",
    metadata,
    Column("message", String, primary_key=True),  # what is edited; only the newest content is kept
    Column("revision", Integer, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("body", Text, nullable=False),
)

notifiers = Table("notifiers", metadata, Column("name", String, primary_key=True))

deliveries = Table(
    "deliveries",
    metadata,
    Column("notifier", String, nullable=False),
    Column("message", String, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("conversation", String, nullable=False),
    Column("state", String, nullable=False),
    Column("hold_until", UtcDateTime),
    Column("next_try_at", UtcDateTime),
    Column("tries", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("place", String, nullable=False),
    Column("handle", String, nullable=False),
    Column("thread", String, nullable=False),
    Column("shown_revision", Integer, nullable=False),
    Column("shown_at", UtcDateTime),
    PrimaryKeyConstraint("notifier", "message"),
)
Index("deliveries_by_state", deliveries.c.notifier, deliveries.c.state, deliveries.c.seq)
Index("deliveries_by_message", deliveries.c.message)

inbox = Table(
    "inbox",
    metadata,
    Column("id", String, primary_key=True),  # the same for every delivery of one answer
    Column("door", String, nullable=False),
    Column("came_at", UtcDateTime, nullable=False),
    Column("body", Text, nullable=False),
)

replicas = Table(
    "replicas",
    metadata,
    Column("id", String, primary_key=True),
    Column("alive_until", UtcDateTime, nullable=False),
    Column("about", Text, nullable=False),  # process id and host, for a person
)

leases = Table(
    "leases",
    metadata,
    Column("name", String, primary_key=True),
    Column("owner", String, nullable=False, index=True),
    Column("fence", Integer, nullable=False),
)

run_profiles = Table(
    "run_profiles",
    metadata,
    numbered(),
    Column("cluster", String, nullable=False),
    Column("program", String, nullable=False),
    Column("job", String, nullable=False),
    Column("ended_at", UtcDateTime, nullable=False),
    Column("body", LargeBinary, nullable=False),  # JSON, zstd: counts and times of wordings, redacted
    sqlite_autoincrement=True,
)
Index("run_profiles_by_program", run_profiles.c.cluster, run_profiles.c.program, run_profiles.c.seq)

follows = Table(
    "follows",
    metadata,
    Column("id", String, primary_key=True),
    Column("cluster", String, nullable=False),
    Column("stopped_at", UtcDateTime),
    Column("body", Text, nullable=False),
)

followed_jobs = Table(
    "followed_jobs",
    metadata,
    Column("cluster", String, nullable=False),
    Column("job", String, nullable=False),
    Column("submitted_at", UtcDateTime),  # of the run that was dealt with: a name may be used again
    PrimaryKeyConstraint("cluster", "job"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("incident", String, nullable=False),
    Column("person", String, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("was_right", Boolean, nullable=False),
    Column("rules", Text, nullable=False),
    Column("cause", String),  # the true one, where the person said it
    PrimaryKeyConstraint("incident", "person"),
)

incident_history = Table(
    "incident_history",
    metadata,
    Column("id", String, primary_key=True),  # of an incident, or of an imported one
    Column("at", UtcDateTime, nullable=False, index=True),
    Column("origin", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("terms", Text, nullable=False),  # its weighted words, for the index in memory
)

ladders = Table(
    "ladders",
    metadata,
    numbered(),
    Column("id", String, nullable=False, unique=True),
    Column("ladder", String, nullable=False, index=True),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("body", Text, nullable=False),  # values given by a person: NOT redacted, to be acted upon
    sqlite_autoincrement=True,
)

ladder_attempts = Table(
    "ladder_attempts",
    metadata,
    Column("run", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("step", String, nullable=False),
    Column("state", String, nullable=False),
    Column("job", String, nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("run", "number"),
)

"""Tables of second opinions; part of the schema in tables.py."""

from sqlalchemy import BigInteger, Column, Integer, String, Table, Text

from babysitter.store.schema.tables import UtcDateTime, metadata, numbered

opinions = Table(
    "opinions",
    metadata,
    numbered(),
    Column("incident", String, nullable=False, unique=True),
    Column("at", UtcDateTime, nullable=False, index=True),
    Column("fingerprint", String, nullable=False, index=True),  # of the question
    Column("calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("cost_micros", BigInteger),  # of a US dollar; NULL = the model has no price
    Column("body", Text, nullable=False),
    sqlite_autoincrement=True,
)

opinion_requests = Table(
    "opinion_requests",
    metadata,
    Column("incident", String, primary_key=True),  # asked for by a person, not answered yet
    Column("asked_at", UtcDateTime, nullable=False),
    Column("person", String, nullable=False),
)

watch_opinions = Table(
    "watch_opinions",
    metadata,
    Column("watch", String, primary_key=True),
    Column("asked_at", UtcDateTime, nullable=False),  # of a watch without an incident, once an hour at most
    Column("body", Text),  # the newest opinion; NULL = none was to be had
)

advisor_spending = Table(
    "advisor_spending",
    metadata,
    numbered(),
    Column("at", UtcDateTime, nullable=False, index=True),
    Column("purpose", String, nullable=False),
    Column("calls", Integer, nullable=False),  # while a question is under way: the most that it may take
    Column("tokens", Integer, nullable=False),
    Column("cost_micros", BigInteger),  # of a US dollar; NULL = the model has no price
    sqlite_autoincrement=True,
)

"""The short way to read a SQLite store gives what the store gives, or says that it cannot."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from babysitter.model.events import DecisionRefused
from babysitter.model.ids import ProposalId
from babysitter.model.limits import Limits
from babysitter.model.memory import Memory
from babysitter.model.proposal import Proposal
from babysitter.model.submission import Submission, SubmitContext
from babysitter.model.verdict import Diagnosis, ProgressSummary
from babysitter.store.codec import codec, from_json
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.quick.sqlite_events import append_refusal
from babysitter.store.quick.sqlite_reader import SqliteReader, _decode
from babysitter.store.quick.sqlite_snapshot import NotReadable, is_moment
from babysitter.store.schema.tables import UtcDateTime, metadata
from babysitter.store.schema.version import VERSION
from babysitter.store.store import open_store
from tests.store.repositories.test_incidents import INCIDENT, KEY, offered, proposal, yes
from tests.support import build
from tests.support.build import NOON

STORED = (
    Memory,
    Limits,
    Submission,
    SubmitContext,
    ProgressSummary,
    Diagnosis,
    Proposal,
    tuple[build.Person, ...],
)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
st.register_type_strategy(
    Submission, st.builds(Submission, request=st.none() | st.dictionaries(st.text(), _PLAIN, max_size=3))
)
st.register_type_strategy(Limits, st.builds(Limits, pulse_s=st.floats(0.1, 1e9)))  # others check each other


@pytest.mark.parametrize("kind", STORED, ids=str)
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_reader_decodes_what_the_store_encodes(kind: type, data: st.DataObject):
    text = codec(kind).encode(data.draw(st.from_type(kind)))
    assume("NaN" not in text)  # no JSON: test_reader_leaves_what_is_unusual_to_the_store
    assume("Infinity" not in text)
    assert _decode(kind, text) == from_json(kind, text)


def test_every_moment_is_known_by_its_name():
    for table in metadata.tables.values():
        for column in table.columns:
            assert is_moment(column.name) == isinstance(column.type, UtcDateTime), (
                f"{table.name}.{column.name}"
            )


async def test_reader_gives_what_the_store_gives(tmp_path: Path):
    store = await open_store(tmp_path)
    elsewhere = replace(build.watch(), id=build.WatchId("w-2"), cluster="lagoon")
    stopped = replace(build.watch(), id=build.WatchId("w-0"), stopped_at=NOON, due_at=None)
    async with store.transaction() as tx:
        for watch in (stopped, build.watch(), elsewhere):
            await tx.watches.add(watch)
        await tx.incidents.open_incident(INCIDENT, KEY, build.diagnosis(), now=NOON)
        await tx.incidents.add_proposal(proposal())
        await tx.channels.replace(["Slack #ops"])
    with SqliteReader(tmp_path / FILE_NAME) as reader:
        async with store.reading() as tx:
            for everything in (False, True):
                assert reader.watches(with_stopped=everything) == await tx.watches.all(
                    with_stopped=everything
                )
            for name, cluster in ((build.ROOT, ""), (build.ROOT, "lagoon"), ("w-0", ""), ("nothing", "")):
                assert reader.watches_named(name, cluster) == await tx.watches.named(name, cluster=cluster)
            ledger = await tx.incidents.of(build.watch())
            read = reader.ledger(build.watch())
            assert read.incidents == ledger.incidents != ()
            assert read.proposals == ledger.proposals != ()
            assert reader.proposal(proposal().id) == await tx.incidents.proposal(proposal().id)
            assert reader.proposal(ProposalId("p-none")) is None
            assert reader.channels() == await tx.channels.all() == ("Slack #ops",)
    async with store.transaction() as tx:
        await tx.incidents.decide_once(yes())
    with SqliteReader(tmp_path / FILE_NAME) as reader:
        assert reader.decision_on(proposal().id) == yes()
    await store.close()


async def test_reader_leaves_what_is_unusual_to_the_store(tmp_path: Path):
    with pytest.raises(NotReadable), SqliteReader(tmp_path / FILE_NAME):
        pass
    assert not (tmp_path / FILE_NAME).exists()
    await (await open_store(tmp_path)).close()
    with sqlite3.connect(tmp_path / FILE_NAME) as older:
        older.execute("UPDATE meta SET value = '1' WHERE key = 'version'")
    with pytest.raises(NotReadable), SqliteReader(tmp_path / FILE_NAME):
        pass
    with sqlite3.connect(tmp_path / FILE_NAME) as odd:
        odd.execute(f"UPDATE meta SET value = '{VERSION}' WHERE key = 'version'")
        odd.execute(
            "INSERT INTO incidents SELECT 1, 'i-1', 'w-1', 'zombie-coordinator', '/a/b', 'open', 1, 1, NULL, "
            """1, NULL, NULL, '', '{"confidence": NaN}'"""
        )
    with SqliteReader(tmp_path / FILE_NAME) as reader, pytest.raises(NotReadable):
        reader.ledger(build.watch())
    (tmp_path / FILE_NAME).write_bytes(b"not a database at all" * 100)
    with pytest.raises(NotReadable), SqliteReader(tmp_path / FILE_NAME):
        pass


async def test_reader_cannot_write(tmp_path: Path):
    await (await open_store(tmp_path)).close()
    with SqliteReader(tmp_path / FILE_NAME) as reader, pytest.raises(NotReadable, match="readonly"):
        reader.rows("DELETE FROM meta")


async def test_refusal_written_the_short_way_is_read_by_the_store(tmp_path: Path):
    store = await open_store(tmp_path)
    async with store.transaction() as tx:
        await offered(tx)
    for target, watch in (("p-1", "w-1"), ("p-nothing", None)):
        tried = DecisionRefused(
            at=NOON, proposal=ProposalId(target), by="a@x", through="terminal", because="no"
        )
        append_refusal(tmp_path / FILE_NAME, tried)
        async with store.reading() as tx:
            found = (await tx.events.after(0))[-1].event
        assert found == replace(tried, watch=watch)
    await store.close()
    with pytest.raises(NotReadable):
        append_refusal(tmp_path / "nothing.db", tried)
    with sqlite3.connect(tmp_path / FILE_NAME) as older:
        older.execute("UPDATE meta SET value = '1' WHERE key = 'version'")
    with pytest.raises(NotReadable):
        append_refusal(tmp_path / FILE_NAME, tried)

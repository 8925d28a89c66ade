"""A connection to SQLite with a thread of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import create_engine, text

from babysitter.store.connection import SqliteConnection


async def test_reading_cut_off_after_the_thread_has_ended():
    thread = ThreadPoolExecutor(1)
    bare = await asyncio.get_running_loop().run_in_executor(thread, create_engine("sqlite://").connect)
    connection = SqliteConnection(bare, thread)

    async def cut_off() -> None:
        with connection.reading():
            await connection.execute(text("select 1"))
            thread.submit(bare.close)
            thread.shutdown()
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await cut_off()

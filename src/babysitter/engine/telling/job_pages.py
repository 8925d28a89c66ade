"""The page of a message's job in the dashboard of its cluster, added when the message is delivered.

The address is not stored: it follows from the settings of now.
"""

import asyncio
from dataclasses import replace

import structlog

from babysitter.backends.registry import job_page_address
from babysitter.engine.cluster_pool import ClusterPool, ClusterSpec
from babysitter.errors import BabysitError, NoSuchWatch
from babysitter.model.ids import JobId
from babysitter.model.message import Message
from babysitter.store.store import Store

log = structlog.get_logger()
MAX_KNOWN = 1000  # addresses that are remembered; the oldest make room
JOB_FIELD = "Job"  # of the words, where they are about an earlier job of the watch


class JobPages:
    """Adds the address to messages. Nothing is contacted for it; a cluster without one costs nothing more."""

    def __init__(self, store: Store, clusters: ClusterPool) -> None:
        self._store = store
        self._clusters = clusters
        self._known: dict[tuple[ClusterSpec, JobId], str] = {}

    async def with_page(self, message: Message) -> Message:
        """The message with the address of its job's page; unchanged where none can be opened by itself."""
        if message.watch is None or message.conversation != message.watch:  # about a whole cluster
            return message
        try:
            async with self._store.reading() as tx:
                watch = await tx.watches.get(message.watch)
            spec = await self._clusters.spec(watch.cluster)
        except NoSuchWatch:
            return message
        except BabysitError as fault:
            log.warning("page_not_known", message=message.id, because=fault.sentence)
            return message
        page = await self._address(spec, JobId(dict(message.words.fields).get(JOB_FIELD, watch.root)))
        return replace(message, words=replace(message.words, page=page)) if page else message

    async def _address(self, spec: ClusterSpec, job: JobId) -> str:
        """Remembered, also that there is none: files take time to read, and messages are edited often."""
        if (spec, job) not in self._known:
            if len(self._known) >= MAX_KNOWN:
                del self._known[next(iter(self._known))]
            try:
                self._known[spec, job] = await asyncio.to_thread(job_page_address, spec, job)
            except BabysitError as fault:
                log.warning("page_not_known", job=job, because=fault.sentence)
                self._known[spec, job] = ""
        return self._known[spec, job]

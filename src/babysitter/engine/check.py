"""One check of one watch, top to bottom. Read this file first."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from babysitter.backends.backend import ClusterReader
from babysitter.diagnosis.pipeline import judge
from babysitter.engine.app import App
from babysitter.engine.commit import commit
from babysitter.engine.confirm_missing import confirm_gone
from babysitter.engine.good_run_cache import keep_good_run
from babysitter.engine.observe import observe
from babysitter.engine.restarting.find_resubmission import Resubmission, resubmission
from babysitter.engine.restarting.run_action import resume_action
from babysitter.errors import BabysitError, FactsChanged, StorageUnavailable
from babysitter.model.events import CheckFailed
from babysitter.model.ids import WatchId
from babysitter.model.observation import Observation
from babysitter.model.phase import Phase
from babysitter.model.seen import Gone, Source
from babysitter.model.verdict import Verdict
from babysitter.model.watch import Watch
from babysitter.policy.not_proposed import why_not_proposed
from babysitter.policy.outages import needs_neighbours
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.respond import respond
from babysitter.store.store import Transaction

log = structlog.get_logger()

CHECK_TIMEOUT_S = 180.0  # every question has its own limit; this one bounds their sum
RETRY_DELAY = timedelta(seconds=1)


async def check(watch: Watch, app: App) -> Watch:
    """Look at one watch once, and write down everything that follows. Gives the watch as it is then kept.

    Raises FactsChanged, with nothing written, when somebody else wrote the watch while we were looking.
    """
    lease = app.leadership.lease
    reader = await app.clusters.reader(watch.cluster)
    observation = await _observe(watch, reader, app)
    good = await app.good_runs.of(watch)
    # pure: update the memory, match rules, compare with good runs, judge
    verdict = judge(watch, observation, app.playbook, good=good, demoted=await app.demotions.now())
    if verdict.gone is not None and verdict.phase is Phase.FINISHED:
        verdict = await _as_it_ended(watch, verdict, app)
    again = Resubmission(None, watch)
    if verdict.diagnosis is not None:
        async with app.store.reading() as tx:
            case = await _case(tx, watch, verdict, observation.taken_at, app)
            await tx.history.catch_up()  # for the card, before others are kept from writing
        client = watch.submit_context.client
        reader, writer = (
            await app.clusters.reader(watch.cluster, client),
            await app.clusters.writer(watch.cluster, client),
        )
        again = await resubmission(case, reader, writer, app)
    async with app.store.transaction() as tx:  # all of it, or nothing happened
        await tx.leases.must_hold(lease.name, lease.fence)
        case = await _case(tx, again.watch, verdict, observation.taken_at, app)
        case = replace(case, submission=again.submission)
        intents = respond(case)
        context = replace(case.watch.submit_context, not_proposed=why_not_proposed(case, intents))
        case = replace(case, watch=replace(case.watch, submit_context=context))
        await keep_good_run(tx, watch, verdict, observation.taken_at)
        return await commit(tx, case, observation, intents)


async def _as_it_ended(watch: Watch, verdict: Verdict, app: App) -> Verdict:
    """The verdict with what is known of the end: a cluster forgets ended jobs, and that changes nothing."""
    async with app.store.reading() as tx:
        last = await tx.watches.last_verdict(watch.id)
    return verdict if last is None else replace(verdict, diagnosis=last.diagnosis, outlook=last.outlook)


async def _case(tx: Transaction, watch: Watch, verdict: Verdict, now: datetime, app: App) -> PolicyInput:
    ledger = await tx.incidents.of(watch)
    return PolicyInput(
        verdict=verdict,
        ledger=ledger,
        watch=watch,
        policy=app.policy,
        now=now,
        inhibited_by=await tx.incidents.inhibitor_of(watch),
        neighbours=await tx.watches.beside(watch) if needs_neighbours(verdict, ledger) else (),
    )


async def _observe(watch: Watch, reader: ClusterReader, app: App) -> Observation:
    """What the cluster answers now; that it does not know the job is confirmed by another request."""
    observation = await observe(watch, reader, app.clock)
    if not isinstance(observation.tree, Gone):
        return observation
    async with app.store.reading() as tx:
        neighbours = await tx.watches.beside(watch)
    return await confirm_gone(observation, observation.tree, watch, reader, neighbours)


async def process_watch_safely(watch_id: WatchId, app: App) -> datetime | None:
    """Process one watch. Record an error on it, reschedule, never raise.

    What could not be stored did not happen: the check is discarded and repeated from the stored watch.
    """
    try:
        return await _attend_or_mark(watch_id, app)
    except StorageUnavailable as fault:
        retry_s = app.storage.retry_s
        log.warning("check_not_stored", watch=watch_id, because=fault.sentence, retry_in_s=retry_s)
        return app.clock.now() + timedelta(seconds=retry_s)


async def _attend_or_mark(watch_id: WatchId, app: App) -> datetime | None:
    try:
        return await process_watch(watch_id, app)
    except StorageUnavailable:
        raise
    except FactsChanged as moved:
        log.info("check overtaken", watch=watch_id, because=moved.sentence)
        return app.clock.now() + RETRY_DELAY
    except (BabysitError, TimeoutError) as error:
        sentence = str(error) or "The check took too long and was given up."
    except Exception as fault:  # the top of a check
        log.exception("check broke", watch=watch_id)
        sentence = f"A fault of babysit's own broke this check ({type(fault).__name__})."
    return await _mark(watch_id, sentence, app)


async def process_watch(watch_id: WatchId, app: App) -> datetime | None:
    """What a due watch needs now: its approved action carried on, or a check. Gives when it is due next."""
    async with app.store.reading() as tx:
        watch = await tx.watches.get(watch_id)
        action = await tx.journal.open_action_of(watch_id)
    if watch.stopped_at is not None or watch.due_at is None:
        app.blind_watches.pop(watch_id, None)
        return None
    if action is not None:
        return await resume_action(watch, action, app)
    async with asyncio.timeout(CHECK_TIMEOUT_S):
        checked = await check(watch, app)
    if Source.CONTROLLER in checked.memory.blind_since:
        app.blind_watches[watch_id] = watch.cluster
    else:
        app.blind_watches.pop(watch_id, None)
    return checked.due_at


async def _mark(watch_id: WatchId, sentence: str, app: App) -> datetime:
    """Note that a check broke, and look again after a pulse."""
    now = app.clock.now()
    async with app.store.transaction() as tx:
        watch = await tx.watches.get(watch_id)
        due_at = now + timedelta(seconds=watch.limits.pulse_s)
        await tx.watches.save(replace(watch, trouble=sentence, due_at=due_at))
        if watch.trouble != sentence:
            await tx.events.append(CheckFailed(at=now, watch=watch.id, sentence=sentence))
    return due_at

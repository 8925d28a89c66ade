"""An answer at a terminal that the running service decides, without opening the store (docs/adr/0010)."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from babysitter.engine.service_lock import is_served
from babysitter.errors import ExternalError, FactsChanged
from babysitter.model.events import DecisionRefused
from babysitter.model.ids import Person, ProposalId
from babysitter.model.proposal import ANSWERABLE, Answer
from babysitter.model.terminal_answer import TerminalAnswer
from babysitter.store.default_folder import FILE_NAME
from babysitter.store.quick.sqlite_inbox import put_answer, take_back_answer
from babysitter.store.quick.sqlite_reader import SqliteReader
from babysitter.store.quick.sqlite_snapshot import NotReadable
from babysitter.usecases.answering.approval_outcome import ApprovedAction, already, outcome_of, took_effect

POLL_INTERVAL_S = 0.1
MAX_POLLS = 100  # 10 s; a service that decides nothing for so long hangs, or is older than this program
FOLLOW_INTERVAL_S = 0.3
TAKE_BACK_TRIES = 10  # of half a second each, while the database is locked
SERVED_EVERY = 30  # looks of following between two checks that the service runs: 9 s

Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class QuickAnswer:
    """What the service decided about an answer. `is_interrupted`: Ctrl+C came too late to take it back."""

    proposal: ProposalId
    took_effect: bool
    sentence: str
    is_interrupted: bool = False
    standing: Answer | None = None  # the earlier answer, which counts


def answer_by_service(
    folder: Path,
    proposal: str,
    person: Person,
    answer: Answer,
    lasts: timedelta | None = None,
    *,
    now: datetime,
    sleep: Sleep = time.sleep,
) -> QuickAnswer | None:
    """Leave an answer for the running service and wait for its decision.

    None: the service did not decide it, and will not any more; the caller decides directly. That is so where
    no service runs or none answers, and where a direct decision has to say why the answer does not count.
    Raises FactsChanged where the service refused it, ExternalError where it may still be decided.
    """
    if not is_served(folder):
        return None
    snooze_s = lasts.total_seconds() if lasts is not None else None
    given = TerminalAnswer(f"terminal:{os.urandom(8).hex()}", ProposalId(proposal), person, answer, snooze_s)
    try:
        with SqliteReader(folder / FILE_NAME) as reader:
            offer = reader.proposal(given.proposal)
        if offer is None or offer.status not in ANSWERABLE or person not in offer.may_approve:
            return None
        after = put_answer(folder / FILE_NAME, given, now=now)
    except NotReadable:
        return None
    try:
        is_decided = _wait_until_decided(folder, given.id, sleep)
    except KeyboardInterrupt:
        if _take_back(folder, given):
            raise
        return replace(_decided(folder, given, after), is_interrupted=True)
    if not is_decided and _take_back(folder, given):
        return None
    return _decided(folder, given, after)


def _wait_until_decided(folder: Path, answer_id: str, sleep: Sleep) -> bool:
    for _ in range(MAX_POLLS):
        try:
            with SqliteReader(folder / FILE_NAME) as reader:
                if not reader.is_waiting(answer_id):
                    return True
        except NotReadable:
            pass  # a lock; the service may decide all the same
        if not is_served(folder):
            return False
        sleep(POLL_INTERVAL_S)
    return False


def _take_back(folder: Path, given: TerminalAnswer) -> bool:
    """Whether the answer was taken back before it was decided. Raises ExternalError if that is unknown."""
    for _ in range(TAKE_BACK_TRIES):
        try:
            return take_back_answer(folder / FILE_NAME, given.id)
        except NotReadable:
            pass  # a lock; each try waits for it
    raise ExternalError(
        f"The answer to {given.proposal} was left for the service and cannot be taken back: the database is "
        "locked. The service may still decide it.",
        next_step="`babysit status` shows whether it did.",
    )


def _decided(folder: Path, given: TerminalAnswer, after: int) -> QuickAnswer:
    """What became of an answer that is not in the inbox any more."""
    try:
        with SqliteReader(folder / FILE_NAME) as reader:
            event = reader.event_about(given.id, after=after)
            earlier = reader.decision_on(given.proposal)
    except NotReadable as fault:
        raise FactsChanged(
            f"The service decided about {given.proposal}, and what it decided cannot be read just now.",
            next_step="`babysit status` shows it.",
        ) from fault
    if isinstance(event, DecisionRefused):
        raise FactsChanged(event.because)
    if event is not None:
        return QuickAnswer(given.proposal, True, took_effect(given.answer, event.by))
    if earlier is None:
        raise FactsChanged(
            f"The service could not read the answer to {given.proposal}; nothing was decided.",
            next_step="Answer again; if babysit was updated, `babysit serve --stop` first.",
        )
    return QuickAnswer(given.proposal, False, already(earlier), standing=earlier.answer)


def follow_by_reading(folder: Path, proposal: ProposalId, *, sleep: Sleep = time.sleep) -> str | None:
    """Wait until the approved action has ended, and say how. Raises what `outcome_of` does.

    None: the service has ended, or the database cannot be read so; whoever opens the store goes on.
    """
    looks = 0
    while True:
        if looks % SERVED_EVERY == 0 and not is_served(folder):
            return None
        try:
            seen = _approved_action(folder, proposal)
        except NotReadable:
            return None
        if seen is None:
            return None
        if (sentence := outcome_of(seen)) is not None:
            return sentence
        looks += 1
        sleep(FOLLOW_INTERVAL_S)


def _approved_action(folder: Path, proposal: ProposalId) -> ApprovedAction | None:
    with SqliteReader(folder / FILE_NAME) as reader:
        offer = reader.proposal(proposal)
        if offer is None:
            return None
        return ApprovedAction(
            offer=offer,
            action=reader.action(proposal),
            steps=reader.steps_of(proposal),
            incident=reader.incident(offer.incident),
        )

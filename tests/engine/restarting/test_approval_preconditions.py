"""Before an approved restart: who approved, the folder, the verdict now; and what is kept of the job."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from babysitter.backends.iris.submission.bundle import folder_state
from babysitter.engine.restarting import approval_preconditions
from babysitter.engine.restarting.approval_preconditions import folder_moved, save_evidence, what_moved
from babysitter.errors import ExternalError, Unreachable
from babysitter.model.finding import Cause
from babysitter.model.ids import JobId, Person, TaskId
from babysitter.model.job import JobState
from babysitter.model.memory import Memory
from babysitter.model.phase import Phase
from babysitter.model.policy import Policy
from babysitter.model.proposal import Surface
from babysitter.model.seen import Source, Unseen
from babysitter.model.verdict import Gone, Verdict
from tests.engine.restarting.test_restart_outcome import Approval, approve
from tests.support.app import ADA, AppHarness, home
from tests.support.build import COORDINATOR, NOON, ROOT, diagnosis, submission, verdict
from tests.support.jobs import raw

BOB = Person("U-bob")
ZOMBIE = verdict(diagnosis())
BLIND = tuple(Unseen(Source.CONTROLLER, reason, NOON) for reason in ("Refused.", "Too slow."))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[AppHarness]:
    async with home(tmp_path) as opened:
        yield opened


async def moved(
    approval: Approval, monkeypatch, seen: Verdict = ZOMBIE, approvers: tuple[Person, ...] = ()
) -> str:
    """What the last look before the act finds, when it comes to this verdict."""
    place = approval.place
    policy = Policy(approvers=(approvers,) if approvers else ())
    monkeypatch.setattr(approval_preconditions, "judge", lambda *_, **_changes: seen)
    async with place.app.store.reading() as tx:
        decision = await tx.incidents.decision_on(approval.action.proposal)
    assert decision is not None
    watch = await approval.watch()
    return await what_moved(
        approval.approved, decision, watch, place.cluster, replace(place.app, policy=policy)
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        ({"recovered": True}, "the job recovered by itself"),
        ({"phase": Phase.STEADY}, "the job recovered by itself"),
        ({"healing": True}, "the job's own recovery is at work"),
        ({"gone": Gone(2, NOON)}, f"the cluster does not know {ROOT} any more"),
        ({"two_coordinators": True}, "two coordinators run at once"),
        ({"diagnosis": diagnosis(Cause.HOST_OOM)}, "the cause is now host-oom, it was zombie-coordinator"),
        ({"diagnosis": None}, ""),
        ({"attempt": JobId(f"{COORDINATOR}1")}, f"a newer attempt runs: {COORDINATOR}1"),
        ({"attempt": None}, ""),
    ],
)
async def test_verdict_now_is_compared_with_the_facts_shown(place: AppHarness, monkeypatch, changes, said):
    approval = await approve(place)
    assert await moved(approval, monkeypatch, replace(ZOMBIE, **changes)) == said


@pytest.mark.parametrize(
    ("state", "said"), [(JobState.FAILED, f"{ROOT} is now failed, it was running"), (None, "")]
)
async def test_state_now_is_compared_with_the_one_shown(place: AppHarness, monkeypatch, state, said):
    approval = await approve(place)
    assert await moved(approval, monkeypatch, verdict(diagnosis(), state=state)) == said


async def test_blindness_names_its_first_reason(place: AppHarness, monkeypatch):
    approval = await approve(place)
    for blind in (BLIND, BLIND[:1]):
        with pytest.raises(ExternalError, match="Cannot look once more before acting: Refused"):
            await moved(approval, monkeypatch, replace(ZOMBIE, blind=blind))


@pytest.mark.parametrize(
    ("approvers", "said"),
    [
        ((BOB,), "U-ada, who approved, may not approve any more"),
        ((BOB, ADA), ""),
        ((BOB, Person("S-team")), ""),  # whose members only their own door knows
    ],
)
async def test_approver_must_still_be_asked(place: AppHarness, monkeypatch, approvers, said):
    approval = await approve(place)
    assert await moved(approval, monkeypatch, approvers=approvers) == said


@pytest.mark.parametrize("said", ["", "U-ada left the group"])
async def test_door_of_the_approver_has_the_last_word(place: AppHarness, monkeypatch, said):
    approval = await approve(place)

    async def voucher(person: Person, asked: Sequence[Person]) -> str:
        assert (person, tuple(asked)) == (ADA, (BOB,))
        return said

    place.app.approval_checks[Surface.TERMINAL] = voucher
    assert await moved(approval, monkeypatch, approvers=(BOB,)) == said


async def test_folder_that_changed_is_an_objection(place: AppHarness, monkeypatch, tmp_path: Path):
    code = tmp_path / "code"
    code.mkdir()
    (code / "d.py").write_text("one")
    sent = replace(submission(), workdir=str(code), folder=folder_state(code))
    approval = await approve(place, submission=sent)
    proposal = approval.approved.proposal
    assert await moved(approval, monkeypatch) == ""
    (code / "d.py").write_text("two")
    said = await moved(approval, monkeypatch)
    assert said.startswith(f"the folder {code} changed since this was proposed: ")
    (code / "d.py").unlink()
    code.rmdir()
    assert str(code) in await folder_moved(proposal)
    unrecorded = replace(proposal, submission=replace(sent, folder=None))
    assert await folder_moved(unrecorded) == ""


async def test_evidence_is_the_newest_lines_and_the_threads(place: AppHarness):
    watch = (await approve(place)).action.watch
    followed = replace(await _watch(place, watch), memory=Memory(newest_attempt=COORDINATOR))
    token = "hf_" + "madeup" * 6
    place.cluster.log = [raw(float(n), f"line {n}.") for n in range(2_001)]
    place.cluster.texts[TaskId(f"{COORDINATOR}/0")] = f"main thread, {token}"
    said = await save_evidence(followed, place.cluster, place.app)
    folder = place.app.state_folder / "evidence"
    assert folder.stat().st_mode & 0o777 == 0o700
    log, threads = folder / f"{watch}-dedup.log", folder / f"{watch}-dedup.threads"
    assert said == f"{log}; {threads}"
    lines = log.read_text().splitlines()
    assert (len(lines), lines[0].endswith("line 1."), lines[-1].endswith("line 2000.")) == (2_000, True, True)
    assert "main thread" in threads.read_text()
    assert token not in threads.read_text()


async def test_evidence_of_the_job_itself_without_an_attempt(place: AppHarness):
    watch = await _watch(place, (await approve(place)).action.watch)
    place.cluster.texts[TaskId(f"{ROOT}/0")] = "the root's threads"
    await save_evidence(watch, place.cluster, place.app)
    kept = place.app.state_folder / "evidence" / f"{watch.id}-dedup.threads"
    assert kept.read_text() == "the root's threads"


async def test_evidence_that_cannot_be_read_is_named(place: AppHarness):
    watch = await _watch(place, (await approve(place)).action.watch)
    place.cluster.broken = Unreachable("Away.")
    said = await save_evidence(watch, place.cluster, place.app)
    assert said == "log not saved: Away.; threads not saved: Away."


async def _watch(place: AppHarness, name):
    async with place.app.store.reading() as tx:
        return await tx.watches.get(name)

"""How a job would be submitted again now: which way is taken, what is asked for it, what is missing."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from babysitter.backends.backend import Abilities
from babysitter.engine.restarting.find_resubmission import known_submission, obstacle, resubmission
from babysitter.errors import ExternalError, Unreachable
from babysitter.model.finding import ActionKind, Cause
from babysitter.model.ids import IncidentId, JobId
from babysitter.model.incident import Ledger, Restart
from babysitter.model.proposal import Proposal, ProposalStatus
from babysitter.model.submission import ONLY_WATCHED, FolderState, Submission, SubmissionOrigin, SubmitContext
from babysitter.model.verdict import Change
from babysitter.policy.policy_input import PolicyInput
from babysitter.policy.respond import offer_of
from babysitter.preflight.preflight_finding import (
    NOT_CHECKED,
    PreflightFinding,
    PreflightSeverity,
)
from tests.support.build import ROOT, at, blind_verdict, case, diagnosis, submission, verdict, watch
from tests.support.cluster import SmallCluster

STORED = Submission(
    ("iris", "job", "run", "--", "python", "d.py"),
    SubmissionOrigin.CONTROLLER,
    job=ROOT,
    request={"resources": {}},
)
HTTP = replace(STORED, argv=())
BLOCKED = PreflightFinding("bundle-gone", PreflightSeverity.BLOCK, "The bundle is gone.")
OPEN = PreflightFinding(NOT_CHECKED, PreflightSeverity.INFO, "Not asked yet.", may_pass=True)
ZOMBIE = diagnosis()


class Keeper(SmallCluster):
    """A cluster that keeps a submission of each job."""

    def __init__(self, stored: Submission | None = STORED, constants: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.stored = stored
        self.constants = constants

    @property
    def abilities(self) -> Abilities:
        return Abilities(client_constants=self.constants)

    async def submission(self, job: JobId) -> Submission | None:
        await super().submission(job)
        return self.stored


class Checker:
    """Checks submissions: findings over HTTP, and those of a command. Can do nothing else."""

    def __init__(self, http=(), command=()) -> None:
        self.findings = {True: tuple(http), False: tuple(command)}
        self.checked: list[Submission] = []

    async def preflight(self, submission, *, purpose):  # noqa: ARG002
        self.checked.append(submission)
        return self.findings[submission.is_http]


def stored_case(
    seen=None,
    ledger: Ledger = Ledger(),  # noqa: B008
    *,
    workdir: str = "",
    given=None,
    **of_watch,
) -> PolicyInput:
    followed = watch(submit_context=SubmitContext(workdir), resubmit=given, **of_watch)
    return case(seen or verdict(ZOMBIE), ledger, watch=followed, submission=None)


def offer(of: Submission, status: ProposalStatus = ProposalStatus.OPEN, **changes) -> Proposal:
    made = offer_of(case(verdict(ZOMBIE), submission=of), IncidentId("i-1"), ZOMBIE)
    return replace(made, status=status, **changes)


async def found(seen: PolicyInput, reader: Keeper | None = None, writer: Checker | None = None, env_from=()):
    app = SimpleNamespace(settings=SimpleNamespace(env_from=env_from))
    return await resubmission(seen, reader or Keeper(), writer or Checker(), app)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.py").write_text("one")
    return str(tmp_path)


async def test_stored_request_is_the_first_way():
    writer = Checker()
    got = await found(stored_case(), writer=writer)
    assert got.submission is not None
    assert got.submission.is_http
    assert got.watch.submit_context.missing == ()
    assert got.watch.submit_context.stored == STORED
    assert [item.job for item in writer.checked] == ["/ada/dedup-r1"]


async def test_way_with_an_obstacle_is_passed_over(folder):
    got = await found(stored_case(workdir=folder), writer=Checker(http=[BLOCKED]))
    assert got.submission is not None
    assert not got.submission.is_http
    assert got.submission.workdir == folder


async def test_closed_way_is_passed_over(folder):
    got = await found(stored_case(workdir=folder), Keeper(replace(STORED, request=None)))
    assert got.submission is not None
    assert not got.submission.is_http


async def test_every_closed_way_is_told(folder):
    writer = Checker(http=[OPEN], command=[BLOCKED])
    got = await found(stored_case(workdir=folder), writer=writer)
    assert got.submission is None
    http, command = got.watch.submit_context.missing
    assert "not checked yet: Not asked yet" in http
    assert "The bundle is gone" in command
    got = await found(stored_case(), Keeper(replace(STORED, request=None)))
    assert len(got.watch.submit_context.missing) == 2


async def test_change_that_the_request_cannot_express_takes_the_command(folder):
    oom = diagnosis(Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE, evidence=())
    stored = replace(STORED, request={"resources": {"memoryBytes": 2**31}})
    got = await found(stored_case(verdict(oom), workdir=folder), Keeper(stored))
    assert got.submission is not None
    assert got.submission.is_http


async def test_change_that_only_a_command_can_express_closes_the_request(folder):
    needs = diagnosis(Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE, change=Change("extra", "", "tpu", "x"))
    got = await found(stored_case(verdict(needs), workdir=folder))
    assert got.submission is not None
    assert not got.submission.is_http


@pytest.mark.parametrize(("name", "is_child"), [("/ada/dedup", False), ("/ada/dedup/tokenize", True)])
async def test_job_below_another_is_known_as_a_child(name, is_child):
    app = SimpleNamespace(settings=SimpleNamespace(env_from=()))
    known = await known_submission(watch(first_root=JobId(name)), Keeper(), app)
    assert known.is_child is is_child


@pytest.mark.parametrize(
    ("seen", "asked"),
    [
        (verdict(), False),
        (verdict(diagnosis(action=ActionKind.WAIT)), False),
        (verdict(diagnosis(Cause.CODE_ERROR, ActionKind.RESTART_WITH_CHANGE)), False),  # its owner's change
        (replace(blind_verdict(at(0)), diagnosis=ZOMBIE), False),
        (verdict(ZOMBIE), True),
    ],
)
async def test_nothing_is_asked_unless_a_restart_may_help(seen, asked):
    reader = Keeper()
    got = await found(stored_case(seen), reader)
    assert (got.submission is not None) is asked
    assert any("submission" in text for text in reader.asked) is asked
    told = stored_case(seen)
    earlier = replace(told.watch.submit_context, missing=("an old reason",))
    got = await found(replace(told, watch=replace(told.watch, submit_context=earlier)))
    assert got.watch.submit_context.missing == ()


@pytest.mark.parametrize("status", [ProposalStatus.OPEN, ProposalStatus.SNOOZED])
async def test_standing_offer_keeps_its_way_unchecked(status, folder):
    writer = Checker(http=[BLOCKED])
    command = replace(STORED, workdir=folder, folder=FolderState("as shown", ""))
    as_request = replace(STORED, argv=(), workdir="")
    waits = verdict(diagnosis(action=ActionKind.WAIT))  # an agent asked for the restart
    for way in (as_request, command):
        ledger = Ledger(proposals=(offer(way, status),))
        got = await found(stored_case(waits, ledger, workdir=folder), writer=writer)
        assert got.submission is not None
        assert got.submission.is_http is way.is_http
    assert got.submission.folder == FolderState("as shown", "")
    assert writer.checked == []


async def test_standing_offer_of_a_way_that_is_closed_is_lost(folder):
    ledger = Ledger(proposals=(offer(replace(STORED, argv=(), workdir="")),))
    reader = Keeper(replace(STORED, request=None))
    got = await found(stored_case(verdict(ZOMBIE), ledger, workdir=folder), reader)
    assert got.submission is None
    assert "keeps no request" in got.watch.submit_context.missing[0]
    given = stored_case(verdict(ZOMBIE), ledger, given=replace(submission(), workdir=folder))
    assert (await found(given)).submission is None


@pytest.mark.parametrize(
    ("status", "checks"),
    [(ProposalStatus.DENIED, 0), (ProposalStatus.UNANSWERED, 0), (ProposalStatus.WITHDRAWN, 1)],
)
async def test_answered_offer_is_not_checked_again(status, checks):
    writer = Checker(http=[BLOCKED])
    first = (await found(stored_case())).submission
    assert first is not None
    earlier = offer(first, status)
    await found(stored_case(ledger=Ledger(proposals=(earlier,))), writer=writer)
    assert len(writer.checked) == checks
    moved = replace(earlier, facts=replace(earlier.facts, cause=Cause.HOST_OOM))
    writer.checked.clear()
    await found(stored_case(ledger=Ledger(proposals=(earlier, moved))), writer=writer)
    assert len(writer.checked) == 1


async def test_restart_that_the_policy_forbids_is_not_checked():
    writer = Checker(http=[BLOCKED])
    before = Ledger(restarts=(Restart(at(-60), Cause.ZOMBIE_COORDINATOR, ROOT, ROOT, high_water=10),))
    got = await found(stored_case(ledger=before), writer=writer)
    assert got.submission is not None
    assert writer.checked == []


async def test_stored_submission_is_asked_for_once_a_job():
    reader = Keeper()
    seen = stored_case()
    kept = replace(seen.watch, submit_context=SubmitContext(stored=STORED))
    await found(replace(seen, watch=kept), reader)
    assert reader.asked == []
    followed = replace(kept, root=JobId("/ada/dedup-r1"))
    await found(replace(seen, watch=followed), reader)
    assert reader.asked == ["submission of /ada/dedup-r1"]


async def test_stored_submission_that_cannot_be_read_is_not_known():
    reader = Keeper()
    reader.broken = Unreachable("Away.")
    seen = stored_case()
    kept = replace(seen.watch, submit_context=SubmitContext(stored=replace(STORED, job=JobId("/ada/old"))))
    got = await found(replace(seen, watch=kept), reader)
    assert (got.submission, got.watch.submit_context.stored) == (None, None)


async def test_variables_come_from_the_watch_and_the_settings(monkeypatch):
    monkeypatch.setenv("FROM_WATCH", "x")
    monkeypatch.setenv("FROM_SETTINGS", "")
    followed = watch(submit_context=SubmitContext(env_from=("FROM_WATCH",)))
    app = SimpleNamespace(settings=SimpleNamespace(env_from=("FROM_SETTINGS", "FROM_WATCH")))
    known = await known_submission(followed, Keeper(constants=frozenset({"FIXED"})), app)
    assert known.env_from == ("FROM_WATCH", "FROM_SETTINGS")
    assert known.set_variables == {"FROM_WATCH"}
    assert known.client_constants == {"FIXED"}
    assert (known.folder, known.folder_fault) == (None, "")


async def test_folder_is_read_anew_unless_an_offer_shows_it(folder):
    app = SimpleNamespace(settings=SimpleNamespace(env_from=()))
    followed = watch(submit_context=SubmitContext(folder))
    shown = FolderState("as shown", "")
    other = offer(replace(STORED, workdir="/elsewhere", folder=shown))
    same = offer(replace(STORED, workdir=folder, folder=shown))
    for standing, is_read in ((None, True), (other, True), (same, False)):
        known = await known_submission(followed, Keeper(), app, standing)
        assert (known.folder != shown) is is_read
        assert known.folder is not None
    gone = watch(submit_context=SubmitContext(f"{folder}/gone"))
    known = await known_submission(gone, Keeper(), app)
    assert known.folder is None
    assert f"{folder}/gone" in known.folder_fault


async def test_obstacle_is_what_blocks_before_what_is_open():
    assert await obstacle(HTTP, Checker()) == ""
    assert await obstacle(HTTP, Checker(http=[OPEN, BLOCKED])) == "The bundle is gone."
    with pytest.raises(ExternalError, match="Not asked yet"):
        await obstacle(HTTP, Checker(http=[OPEN]))


class WatcherOnly(Keeper):
    """Eyes on a cluster where nothing can be submitted."""

    @property
    def abilities(self) -> Abilities:
        return Abilities(submits=False)


async def test_cluster_that_is_only_watched_gets_no_proposal(folder):
    writer = Checker()
    got = await found(stored_case(workdir=folder, given=STORED), reader=WatcherOnly(), writer=writer)
    assert got.submission is None
    assert got.watch.submit_context.missing == (ONLY_WATCHED,)
    assert writer.checked == []

"""Each change of a restart, in a command and in a stored request; what cannot be carried, with its reason."""

from dataclasses import replace

import pytest

from babysitter.model.ids import IncidentId, JobId
from babysitter.model.incident import Ledger
from babysitter.model.launch_request import LaunchRequest
from babysitter.model.proposal import ProposalStatus
from babysitter.model.submission import FolderState, RequestSummary, Submission, SubmissionOrigin, ValueSource
from babysitter.model.verdict import MORE_DETAIL, Change
from babysitter.policy.build_proposal import plan_restart, submission_facts
from babysitter.policy.respond import as_asked, offer_of
from babysitter.policy.written_change import apply, is_expressible, why_not_written, with_before
from tests.support.build import case, diagnosis, submission, verdict, watch

IRIS = ("iris", "job", "run")
PROGRAM = ("--", "python", "x.py", "-e", "A", "1", "--tpu", "v4-8")
TPU = {
    "name": "/ada/train",
    "entrypoint": {"runCommand": {"argv": ["python", "x.py"]}},
    "resources": {"device": {"tpu": {"variant": "v5litepod-8", "count": 8}}, "memoryBytes": "5368709120"},
    "environment": {"envVars": {"A": "1", "HF_TOKEN": "[REDACTED]"}},
    "constraints": [
        {"key": "device-variant", "op": "CONSTRAINT_OP_IN"},
        {"key": "region", "value": {"stringValue": "us-west4"}},
    ],
    "replicas": 1,
}
STORED = Submission((), SubmissionOrigin.CONTROLLER, job=JobId("/ada/train"), request=TPU)


def change(what: str, after: str) -> Change:
    return Change(what, "", after, "asked for")


@pytest.mark.parametrize(
    ("options", "what", "after", "before", "expected"),
    [
        ((), "env.A", "2", "", ("-e", "A", "2")),
        (("-e", "A", "0"), "env.A", "2", "0", ("-e", "A", "2")),
        (("-e", "B", "0", "-eA", "1"), "env.A", "", "1", ("-e", "B", "0", "-eA", "")),
        (("--env-vars=A", "0"), "env.A", "2", "0", ("--env-vars=A", "2")),
        ((), "tpu", "v5litepod-8", "", ("--enable-extra-resources", "--tpu", "v5litepod-8")),
        (("--extra", "cpu"), "extra", "tpu", "cpu", ("--extra", "tpu")),
        (("--extra=marin:cpu",), "extra", "marin:tpu", "marin:cpu", ("--extra=marin:tpu",)),
        (("--extra", "eval"), "extra", "tpu", "eval", ("--extra", "tpu", "--extra", "eval")),
        (("--extra", "tpu"), "extra", "tpu", "tpu", ("--extra", "tpu")),
        (("--priority", "batch"), "flag.priority", "production", "batch", ("--priority", "production")),
        (("--no-preemptible",), "flag.preemptible", "on", "--no-preemptible", ("--preemptible",)),
        ((), "region", "us-central2", "", ("--region", "us-central2")),
    ],
)
def test_change_is_written_into_the_command(options, what, after, before, expected):
    given = submission(*IRIS, *options, *PROGRAM)
    wanted = with_before(change(what, after), given)
    assert wanted.before == before
    assert apply(wanted, given).argv == (*IRIS, *expected, *PROGRAM)


@pytest.mark.parametrize(
    ("options", "wanted", "reason"),
    [
        ((), change("exclude-host", "h1"), "no option for a host to avoid"),
        (("--gpu", "h100x8"), change("tpu", "v4-8"), "excludes it"),
        (("--tpu", "v4-8", "--replicas", "2"), change("tpu", "v4-32"), "--replicas 2"),
        ((), change("flag.priority", "on"), "does not take"),
        ((), change("batch-size", "4"), "batch-size"),
    ],
)
def test_change_that_a_command_cannot_carry_has_its_reason(options, wanted, reason):
    given = submission(*IRIS, *options, *PROGRAM)
    assert reason in why_not_written(wanted, given)
    assert apply(wanted, given) == given


def test_tpu_of_a_request_takes_chips_tasks_and_gang_along():
    wanted = with_before(change("tpu", "v5litepod-16"), STORED)
    assert wanted.before == "v5litepod-8"
    changed = LaunchRequest(apply(wanted, STORED).request or {})
    assert changed.devices == "tpu v5litepod-16"
    assert (changed.number("replicas"), changed.raw["coscheduling"]) == (4, {"groupBy": "tpu-name"})
    assert [constraint["key"] for constraint in changed.raw["constraints"]] == ["region"]
    back = LaunchRequest(
        apply(change("tpu", "v5litepod-8"), replace(STORED, request=changed.raw)).request or {}
    )
    assert (back.number("replicas"), "coscheduling" in back.raw) == (1, False)
    assert not is_expressible(change("tpu", "v9-1"), STORED)
    assert not is_expressible(change("tpu", "v4-8"), replace(STORED, request={}))


def test_excluded_hosts_are_slices_that_the_scheduler_compares():
    names = "tpu-a-7,tpu-b-worker-3,tpu-b"
    once = apply(change("exclude-host", names), STORED)
    added = [
        constraint for constraint in (once.request or {})["constraints"] if constraint["key"] == "tpu-name"
    ]
    assert {item["op"] for item in added} == {"CONSTRAINT_OP_NE"}
    assert {item["mode"] for item in added} == {"CONSTRAINT_MODE_REQUIRED"}
    assert LaunchRequest(once.request or {}).excluded_slices == ("tpu-a-7", "tpu-b")
    more = with_before(change("exclude-host", "tpu-c"), once)
    assert more.before == "tpu-a-7, tpu-b"
    assert LaunchRequest(apply(more, once).request or {}).excluded_slices == ("tpu-a-7", "tpu-b", "tpu-c")


@pytest.mark.parametrize("device", [{}, {"gpu": {"variant": "H100", "count": 8}}])
def test_excluded_host_would_never_fit_a_job_without_tpus(device):
    cpu = replace(STORED, request={**TPU, "resources": {"device": device}})
    assert "only a job on TPUs" in why_not_written(change("exclude-host", "tpu-a-7"), cpu)
    assert apply(change("exclude-host", "tpu-a-7"), cpu) == cpu


OTHER_SHAPE = Submission(
    (),
    SubmissionOrigin.CONTROLLER,
    job=JobId("train-r1"),
    request={"entrypoint": "python x.py"},
    fills={"MODE": ValueSource.RECORD},
    summary=RequestSummary(("python", "x.py"), variables=("MODE",), takes_variables=True),
)


def test_variable_of_a_request_of_another_shape():
    first = with_before(change("env.NCCL_DEBUG", "INFO"), OTHER_SHAPE)
    second = with_before(change("env.MODE", "y"), OTHER_SHAPE)
    assert (first.before, second.before) == ("", "a value that is not kept")
    changed = apply(second, apply(first, OTHER_SHAPE))
    assert changed.changed_variables == {"NCCL_DEBUG": "INFO", "MODE": "y"}
    assert changed.summary is not None
    assert (changed.summary.variables, changed.fills) == (("MODE", "NCCL_DEBUG"), {})
    assert submission_facts(changed) != submission_facts(OTHER_SHAPE)


@pytest.mark.parametrize("what", ["memory", "region", "tpu", "extra", "flag.priority", "max-retries"])
def test_other_changes_of_a_request_of_another_shape(what):
    reason = why_not_written(change(what, "8GB"), OTHER_SHAPE)
    assert what in reason
    assert "it takes other variables (env.NAME=VALUE)" in reason


def test_more_detail_is_asked_for_once():
    more = Change("env.NCCL_DEBUG", "", "INFO", MORE_DETAIL)
    wanted = as_asked(diagnosis(), (more,))
    first = plan_restart(wanted, OTHER_SHAPE, watch(), Ledger(), None)
    assert first.submission.changed_variables == {"NCCL_DEBUG": "INFO"}
    offer = offer_of(case(verdict(wanted), submission=OTHER_SHAPE), IncidentId("i-1"), wanted)
    assert [item.after for item in offer.changes] == ["INFO"]
    done = replace(offer, status=ProposalStatus.APPROVED)
    assert plan_restart(wanted, OTHER_SHAPE, watch(), Ledger(proposals=(done,)), None).changes == ()


def test_variable_of_a_request_needs_no_other_source():
    blanked = replace(STORED, request_blanks=("A", "B"), fills={"A": ValueSource.ENVIRONMENT})
    changed = apply(change("env.A", "2"), blanked)
    assert LaunchRequest(changed.request or {}).variables["A"] == "2"
    assert (changed.request_blanks, changed.fills) == (("B",), {})
    assert LaunchRequest(TPU).variables["A"] == "1"


@pytest.mark.parametrize(
    ("what", "after", "before"),
    [
        ("region", "us-east5", "us-west4"),
        ("memory", "8GB", "5GB"),
        ("max-retries", "3", ""),
        ("env.A", "2", "1"),
    ],
)
def test_change_of_a_request_shows_the_value_before(what, after, before):
    assert with_before(change(what, after), STORED).before == before


def test_priority_is_the_only_option_that_a_request_takes():
    changed = apply(change("flag.priority", "batch"), STORED)
    assert LaunchRequest(changed.request or {}).raw["priorityBand"] == "PRIORITY_BAND_BATCH"
    assert not is_expressible(change("flag.preemptible", "on"), STORED)
    assert not is_expressible(change("extra", "tpu"), STORED)


def test_plan_carries_every_change_that_is_asked_for():
    wanted = (change("memory", "5GB"), change("env.A", "1"))
    plan = plan_restart(as_asked(diagnosis(), wanted), submission(*IRIS, *PROGRAM), watch(), Ledger(), None)
    assert [item.what for item in plan.changes] == ["memory", "env.A"]
    head = plan.submission.argv[: plan.submission.argv.index("--")]
    assert {"--memory", "5GB", "-e", "A", "--enable-extra-resources"} <= set(head)


def test_fixed_code_is_shipped_from_a_folder_only():
    fixed = change("code", "the files as they are now")
    given = replace(submission(*IRIS, *PROGRAM), folder=FolderState("a" * 8))
    assert apply(fixed, given) == given
    assert is_expressible(fixed, given)
    assert "stored bundle" in why_not_written(fixed, STORED)
    assert with_before(fixed, given) == fixed

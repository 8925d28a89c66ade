"""The one thing that a restart changes, in the command that is shown and run."""

from dataclasses import replace

import pytest

from babysitter.model.finding import ActionKind, Cause, Evidence
from babysitter.model.ids import JobId
from babysitter.model.incident import Ledger
from babysitter.model.launch_request import GIB
from babysitter.model.log import Role
from babysitter.model.submission import Submission, SubmissionOrigin, SubmitContext
from babysitter.model.verdict import Change
from babysitter.policy.build_proposal import as_named, plan_restart
from babysitter.policy.resource_change import change_for, format_gb
from babysitter.policy.written_change import apply, is_expressible
from babysitter.preflight.command_line import flag_value, with_flag
from tests.support.build import diagnosis, submission, watch

GB = 10**9
RUN = ("iris", "job", "run", "--memory", "5GB", "--no-wait", "--", "python", "x.py", "--memory", "1")


@pytest.mark.parametrize(
    ("argv", "flag", "value", "expected"),
    [
        (RUN, "--memory", "10GB", (*RUN[:4], "10GB", *RUN[5:])),
        (
            ("iris", "job", "run", "--memory=5GB", "--", "x"),
            "--memory",
            "9GB",
            ("iris", "job", "run", "--memory=9GB", "--", "x"),
        ),
        (
            ("iris", "job", "run", "--", "x", "--disk", "1"),
            "--disk",
            "9GB",
            ("iris", "job", "run", "--disk", "9GB", "--", "x", "--disk", "1"),
        ),
        (
            ("uv", "run", "iris", "job", "run", "--", "x"),
            "--region",
            "us",
            ("uv", "run", "iris", "job", "run", "--region", "us", "--", "x"),
        ),
    ],
)
def test_exactly_one_option_is_set_and_the_users_program_is_left_alone(argv, flag, value, expected):
    assert with_flag(argv, flag, value) == expected
    assert flag_value(expected, flag) == value


OOM = diagnosis(
    Cause.HOST_OOM,
    ActionKind.RESTART_WITH_CHANGE,
    evidence=(Evidence("OOM killed", "/a/b/0", role=Role.PARENT),),
)


def test_memory_is_doubled_or_follows_the_measured_peak():
    change = change_for(OOM, submission(*RUN), peak_bytes=5 * GB)
    assert (change.before, change.after) == ("5GB", "10GB")
    assert "peak 5GB of 5GB" in change.why
    assert change_for(OOM, submission(*RUN), peak_bytes=8 * GB).after == "12GB"
    large = ("iris", "job", "run", "--enable-extra-resources", "--memory", "10GB", *RUN[5:])
    assert apply(change, submission(*RUN)).argv == large
    assert apply(change, submission(*large)).argv == large


def test_an_unset_memory_is_the_submitters_default_of_one_gigabyte():
    change = change_for(OOM, submission("iris", "job", "run", "--", "x"), peak_bytes=None)
    assert (change.before, change.after) == ("1GB (default)", "2GB")


def test_a_full_disk_is_doubled_where_the_command_says_how_large_it_is():
    full = diagnosis(Cause.DISK_FULL, ActionKind.RESTART_WITH_CHANGE)
    argv = ("iris", "job", "run", "--disk", "20GB", "--", "python", "x.py")
    change = change_for(full, submission(*argv), None)
    assert change == Change("disk", "20GB", "40GB", "no space left on 20GB")
    large = ("iris", "job", "run", "--enable-extra-resources", "--disk", "40GB", *argv[5:])
    assert apply(change, submission(*argv)).argv == large
    assert change_for(full, submission("iris", "job", "run", "--", "x"), None) is None


def test_no_change_is_known_for_a_pipelines_workers():
    worker = diagnosis(
        Cause.HOST_OOM, ActionKind.RESTART_WITH_CHANGE, evidence=(Evidence("OOM", "w", role=Role.WORKER),)
    )
    assert change_for(worker, submission(*RUN), peak_bytes=None) is None


def test_a_resubmission_gets_its_fresh_name_and_never_waits():
    named = as_named(("uv", "run", "iris", "job", "run", "--", "python", "x.py"), JobId("/ada/dedup-r1"))
    assert named == (
        "uv",
        "run",
        "iris",
        "job",
        "run",
        "--no-wait",
        "--user",
        "ada",
        "--job-name",
        "dedup-r1",
        "--",
        "python",
        "x.py",
    )
    assert as_named(named, JobId("/ada/dedup-r1")) == named


def test_small_change_needs_no_extra_flag():
    small = apply(Change("memory", "1GB", "2GB", ""), submission("iris", "job", "run", "--", "x"))
    assert small.argv == ("iris", "job", "run", "--memory", "2GB", "--", "x")


STORED = Submission(
    (),
    SubmissionOrigin.CONTROLLER,
    request={"resources": {"memoryBytes": str(5 * GIB), "diskBytes": str(5 * GIB)}, "maxRetriesFailure": 0},
)


def test_stored_request_is_changed_in_its_own_units():
    change = change_for(OOM, STORED, peak_bytes=5 * GIB)
    assert change == Change("memory", "5GB", "10GB", "out of memory: peak 5GB of 5GB")
    assert apply(change, STORED).request == {
        "resources": {"memoryBytes": str(10 * GIB), "diskBytes": str(5 * GIB)},
        "maxRetriesFailure": 0,
    }
    full = diagnosis(Cause.DISK_FULL, ActionKind.RESTART_WITH_CHANGE)
    assert change_for(full, STORED, None) == Change("disk", "5GB", "10GB", "no space left on 5GB")


@pytest.mark.parametrize(
    ("flags", "after"),
    [((), "10GB"), (("--memory", "1GB"), "10GB"), (("--memory", "12GB"), "12GB")],
)
def test_change_begins_from_what_the_failed_job_had(flags, after):
    command = submission("iris", "job", "run", *flags, "--", "python", "x.py")
    failed = replace(STORED, job=watch().root)
    about = replace(watch(), submit_context=SubmitContext(stored=failed))
    plan = plan_restart(OOM, command, about, Ledger(), None)
    assert plan.change == Change("memory", "5GB", after, "out of memory: limit 5GB")
    assert flag_value(plan.submission.argv, "--memory") == after
    other = replace(about, submit_context=SubmitContext(stored=replace(failed, job=JobId("/ada/other"))))
    assert plan_restart(OOM, command, other, Ledger(), None).change.before != "5GB"


def test_full_disk_of_the_failed_job_is_doubled():
    full = diagnosis(Cause.DISK_FULL, ActionKind.RESTART_WITH_CHANGE)
    command = submission("iris", "job", "run", "--", "python", "x.py")
    assert change_for(full, command, None, STORED) == Change("disk", "5GB", "10GB", "no space left on 5GB")


@pytest.mark.parametrize(("what", "after", "exact"), [("max-retries", "3", True), ("extra", "tpu", False)])
def test_stored_request_takes_what_it_can_express(what, after, exact):
    assert is_expressible(Change(what, "", after, ""), STORED) is exact
    assert is_expressible(Change(what, "", after, ""), submission(*RUN))


def test_plan_holds_the_change_it_names():
    plan = plan_restart(OOM, submission(*RUN), watch(), Ledger(), 5 * GB)
    assert plan.change is not None
    assert flag_value(plan.submission.argv, "--memory") == plan.change.after
    assert flag_value(plan.submission.argv, "--job-name") == "dedup-r1"
    assert plan.submission.job == "/ada/dedup-r1"


def test_sizes_are_rounded_up_to_whole_gigabytes():
    assert [format_gb(item) for item in (None, 4 * GB, 4 * GB + 4)] == ["0GB", "4GB", "5GB"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [(Change("memory", "5GB", "8GB", "measured"), True), (Change("batch-size", "8", "4", "measured"), False)],
)
def test_change_of_the_diagnosis_is_taken_where_an_option_sets_it(change, expected):
    carried = replace(OOM, change=change)
    assert change_for(carried, submission(*RUN), None) == (change if expected else None)


def test_change_names_what_is_known():
    unset = change_for(OOM, submission("iris", "job", "run", "--", "x"), peak_bytes=None)
    assert unset.why == "out of memory: limit 1GB"
    assert change_for(OOM, STORED, peak_bytes=8 * GIB).after == "12GB"
    unreadable = submission("iris", "job", "run", "--memory", "lots", "--", "x")
    assert change_for(OOM, unreadable, None, STORED).after == "10GB"
    assert change_for(OOM, submission(*RUN), None, replace(STORED, request=None)).before == "5GB"


def test_only_the_first_evidence_says_where_the_memory_ran_out():
    worker = Evidence("a worker was killed too", "w", role=Role.WORKER)
    both = replace(OOM, evidence=(*OOM.evidence, worker))
    assert change_for(both, submission(*RUN), None).after == "10GB"


def test_stored_request_is_left_alone_where_it_cannot_be_changed():
    assert apply(Change("extra", "", "tpu", ""), STORED) == STORED
    assert is_expressible(Change("region", "", "us-central2", ""), STORED) is (
        apply(Change("region", "", "us-central2", ""), STORED) != STORED
    )


def test_change_of_another_option_adds_no_flag():
    argv = ("iris", "job", "run", "--memory", "10GB", "--", "x")
    changed = apply(Change("max-retries", "0", "3", ""), submission(*argv))
    assert "--enable-extra-resources" not in changed.argv

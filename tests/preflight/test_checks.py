"""Each check on its own: what it finds, how severe that is, and the corrected command."""

import shlex
from dataclasses import replace
from datetime import date, timedelta

import pytest

from babysitter.model.submission import FolderState, SubmissionOrigin
from babysitter.preflight.checks import CHECKS
from babysitter.preflight.client.client_tables import GENERATIONS, limits
from babysitter.preflight.facts import BundleSize, Folder, Known, Login, NotKnown, Purpose
from babysitter.preflight.preflight_finding import (
    NOT_CHECKED,
    PreflightSeverity,
    blocking,
    undecided,
)
from babysitter.preflight.run import check_submission
from tests.support.submissions import IN_ORDER, LAUNCHABLE, TODAY, command_facts, request_facts

BLOCK, WARN = PreflightSeverity.BLOCK, PreflightSeverity.WARN
UNREACHABLE = NotKnown("The controller did not answer.", may_pass=True)
RUN = "iris job run --no-wait"


def found(facts, *, only: str):
    """The findings of this id; nothing else may be found."""
    findings = check_submission(facts)
    assert [finding.id for finding in findings if finding.id != only] == []
    return findings


@pytest.mark.parametrize("generation", GENERATIONS)
def test_command_in_order(generation):
    assert check_submission(command_facts(f"{RUN} -- python x.py", generation=generation)) == ()
    assert check_submission(request_facts(generation=generation)) == ()


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        (f"{RUN} --memory 5GB -- x", "iris job run --enable-extra-resources --no-wait --memory 5GB -- x"),
        (f"{RUN} --disk=10GB -- x", "iris job run --enable-extra-resources --no-wait --disk=10GB -- x"),
        (
            "uv run iris job run --extra tpu --tpu v6e-4 -- x",
            "uv run iris job run --enable-extra-resources --extra tpu --tpu v6e-4 -- x",
        ),
        (
            f"{RUN} --gpu 8 -- x --gpu 1",
            "iris job run --enable-extra-resources --no-wait --gpu 8 -- x --gpu 1",
        ),
    ],
)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_extra_resources_corrected(typed, corrected, generation):
    (finding,) = found(command_facts(typed, generation=generation), only="extra-resources")
    assert finding.severity is BLOCK
    assert shlex.join(finding.command) == corrected
    assert check_submission(command_facts(corrected, generation=generation)) == ()


@pytest.mark.parametrize(
    "options",
    [
        "--memory 3999999999",
        "--memory 3.99GB",
        "--disk 9GiB",
        "--memory 1TB --enable-extra-resources",
        "-- x --memory 5GB",
    ],
)
def test_extra_resources_not_needed(options):
    program = "" if "--" in options.split() else "-- x"
    assert check_submission(command_facts(f"{RUN} {options} {program}")) == ()


@pytest.mark.parametrize(
    ("generation", "typed", "corrected"),
    [
        ("august", "--terminate-on-exit", "--cancel-on-exit"),
        ("may", "--cancel-on-exit", "--terminate-on-exit"),
        ("may", "--reservation 4:H100x8", "--reserve 4:H100x8"),
        ("may", "--reservation=4:H100x8", "--reserve=4:H100x8"),
        ("april", "--env_vars K V", "--env-vars K V"),
        ("may", "--memroy 2GB", "--memory 2GB"),
        ("may", "--name x", "--job-name x"),
        ("april", "--no-preemptible", ""),
        ("may", "--sync-package marin", ""),
        ("may", "--zz 1", ""),
    ],
)
def test_unknown_flag(generation, typed, corrected):
    (finding,) = found(command_facts(f"{RUN} {typed} -- x", generation=generation), only="unknown-flag")
    assert finding.severity is BLOCK
    assert typed.split("=")[0].split()[0] in finding.reason
    assert generation.capitalize() in finding.reason
    assert shlex.join(finding.command) == (f"{RUN} {corrected} -- x" if corrected else "")


def test_unknown_flag_names_generations_that_know_it():
    (finding,) = check_submission(command_facts(f"{RUN} --no-sync -- x"))
    assert "Others do: August" in finding.reason


def test_flag_of_unknown_generation_not_checked():
    facts = command_facts(f"{RUN} --preemptible -- x", generation="may")
    (finding,) = check_submission(replace(facts, generation=UNREACHABLE))
    assert (finding.id, finding.about, finding.may_pass) == (NOT_CHECKED, "unknown-flag", True)
    assert check_submission(replace(command_facts(f"{RUN} -- x"), generation=UNREACHABLE)) == ()


@pytest.mark.parametrize(("origin", "severity"), [("resubmit-flag", BLOCK), ("controller", WARN)])
def test_size_without_unit(origin, severity):
    facts = command_facts(f"{RUN} --memory 8 -- x", origin=SubmissionOrigin(origin))
    (finding,) = found(facts, only="size-without-unit")
    assert finding.severity is severity
    assert shlex.join(finding.command) == f"{RUN} --memory 8GB -- x"


def test_separator_missing_only_warns_while_nothing_is_taken():
    (finding,) = found(command_facts(f"{RUN} python x.py"), only="missing-separator")
    assert finding.severity is WARN
    assert shlex.join(finding.command) == f"{RUN} -- python x.py"


@pytest.mark.parametrize("purpose", Purpose)
def test_no_wait_demanded_of_a_resubmission(purpose):
    findings = found(command_facts("iris job run -- x", purpose=purpose), only="no-wait")
    assert [shlex.join(finding.command) for finding in findings] == (
        ["iris job run --no-wait -- x"] if purpose is Purpose.RESUBMIT else []
    )


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [("A9000", ""), ("h100X8", "H100x8"), ("H1000", "H100"), ("h100x8", None), ("8", None)],
)
def test_unknown_gpu(typed, corrected):
    findings = found(command_facts(f"{RUN} --enable-extra-resources --gpu {typed} -- x"), only="unknown-gpu")
    assert bool(findings) == (corrected is not None)
    for finding in findings:
        assert (corrected in finding.command) if corrected else "H100" in finding.fix


def command(**changes):
    return command_facts(f"{RUN} -- x", command=replace(IN_ORDER, **changes))


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (BundleSize(25 * 2**20), ""),
        (BundleSize(25 * 2**20 + 1), "packs to 25.0 MB; iris takes at most 25 MB"),
        (BundleSize(26 * 2**20, is_exact=False, largest=("a.bin",)), "at least 26.0 MB"),
    ],
)
def test_bundle_size(size, words):
    findings = found(command(bundle=Known(size)), only="bundle-too-large")
    assert len(findings) == bool(words)
    assert all(words in finding.reason for finding in findings)


def test_folder_gone():
    (finding,) = found(command(folder=Known(Folder("/home/ada/job", None))), only="folder-missing")
    assert "/home/ada/job" in finding.reason


def test_folder_changed():
    recorded, now = FolderState("a1", "0123456789ab"), FolderState("b2", "ba9876543210", changed_files=2)
    facts = command(folder=Known(Folder("/home/ada/job", now)))
    assert check_submission(facts) == ()  # nothing was recorded
    facts = replace(facts, submission=replace(facts.submission, folder=recorded))
    (finding,) = found(facts, only="folder-changed")
    assert "commit 012345678, now it is commit ba9876543 with 2 changed files" in finding.reason
    same = replace(facts, submission=replace(facts.submission, folder=now))
    assert check_submission(same) == ()


def test_program_not_found():
    (finding,) = found(command(program_found=Known(False)), only="command-not-runnable")
    assert "`iris` cannot be run here" in finding.reason


@pytest.mark.parametrize(
    ("changes", "id_"),
    [
        ({"missing_variables": ("HF_TOKEN",)}, "variable-missing"),
        ({"login": Known(Login.REFUSED)}, "login-missing"),
        ({"name_is_taken": Known(True)}, "name-taken"),
        ({"user": Known("bob")}, "other-user"),
        ({"fault": "Nobody knows the command."}, "nothing-to-submit"),
        ({"request": replace(LAUNCHABLE, bundle_exists=Known(False))}, "bundle-gone"),
        ({"request": replace(LAUNCHABLE, client_revision=Known(None))}, "client-too-old"),
    ],
)
def test_request_blocked(changes, id_):
    (finding,) = found(request_facts(**changes), only=id_)
    assert finding.severity is BLOCK


def test_other_user_corrected_where_the_client_chooses():
    (finding,) = found(command_facts(f"{RUN} -- x", user=Known("root")), only="other-user")
    assert shlex.join(finding.command) == "iris job run --user ada --no-wait -- x"
    bound = command_facts(f"{RUN} -- x", user=Known("root"), login=Known(Login.ACCEPTED))
    (finding,) = found(bound, only="other-user")
    assert (finding.command, "iris login" in finding.fix) == ((), True)


@pytest.mark.parametrize(
    ("generation", "age_days", "outcome"),
    [
        ("april", 900, None),
        ("april", None, None),
        ("may", 14, None),
        ("may", 15, "client-too-old"),
        ("may", None, "client-too-old"),
        ("august", None, None),
        ("august", 14, None),
        ("august", 15, NOT_CHECKED),
    ],
)
def test_client_age(generation, age_days, outcome):
    revision = None if age_days is None else TODAY - timedelta(days=age_days)
    request = replace(LAUNCHABLE, client_revision=Known(revision))
    findings = check_submission(request_facts(generation=generation, request=request))
    assert [finding.id for finding in findings] == ([outcome] if outcome else [])


def test_client_without_date_counts_from_the_start_of_the_check():
    request = replace(LAUNCHABLE, client_revision=Known(None))
    assert check_submission(request_facts(request=request, today=date(2026, 5, 6))) == ()


@pytest.mark.parametrize(
    ("facts", "about"),
    [
        (request_facts(login=UNREACHABLE), "login-missing"),
        (request_facts(user=UNREACHABLE), "other-user"),
        (request_facts(name_is_taken=UNREACHABLE), "name-taken"),
        (request_facts(request=replace(LAUNCHABLE, bundle_exists=UNREACHABLE)), "bundle-gone"),
        (request_facts(request=replace(LAUNCHABLE, client_revision=UNREACHABLE)), "client-too-old"),
        (replace(request_facts(), generation=UNREACHABLE), "client-too-old"),
        (command(program_found=UNREACHABLE), "command-not-runnable"),
        (command(folder=UNREACHABLE), "folder-missing"),
        (command(bundle=UNREACHABLE), "bundle-too-large"),
    ],
)
def test_unknown_fact_is_not_checked(facts, about):
    (finding,) = check_submission(facts)
    assert (finding.id, finding.severity, finding.about) == (NOT_CHECKED, WARN, about)
    assert about in CHECKS
    assert undecided([finding])


def test_blocking_findings_come_first():
    facts = command_facts(f"{RUN} --memory 5GB python x.py", name_is_taken=UNREACHABLE)
    findings = check_submission(facts)
    assert [finding.blocks for finding in findings] == [True, False, False]
    assert [finding.id for finding in blocking(findings)] == ["extra-resources"]


def test_every_id_is_its_row():
    assert len(CHECKS) == 46
    assert limits().max_bundle_bytes == 26_214_400

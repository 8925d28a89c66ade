"""What a careful engineer would ask before a submission; none of it forbids the submission."""

from collections.abc import Iterator

from babysitter.preflight.client.environment import OUTPUT_PREFIX, job_environment
from babysitter.preflight.command_line import with_flag, with_switch
from babysitter.preflight.facts import Purpose, SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.resources.extras import asked_extras
from babysitter.preflight.run_command import run_command

MEMORY = "default-memory"
RESERVE = "reserve-is-no-accelerator"
TREE = "uncommitted-changes"
RETRIES = "no-retries"
PREFIX_MISSING = "output-prefix-missing"


def check_default_memory(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A job that says nothing about memory gets 1 GB, which long pipelines outgrow."""
    command = run_command(facts)
    if command is None or command.value("--memory") or not _is_new(facts):
        return
    if command.value("--tpu") or command.value("--gpu"):
        yield PreflightFinding(
            MEMORY,
            PreflightSeverity.WARN,
            "Without --memory a task gets 1 GB, which is little beside an accelerator.",
            "Give --memory what the program needs.",
        )
    elif command.has("--no-wait"):
        yield PreflightFinding(
            MEMORY,
            PreflightSeverity.INFO,
            "Without --memory the job gets 1 GB; the coordinator of a long pipeline outgrows that.",
            "Give for example --memory 3GB.",
            with_flag(facts.submission.argv, "--memory", "3GB"),
        )


def check_reserve(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """--reserve holds machines for children of the job; the job itself gets no accelerator by it."""
    command = run_command(facts)
    if command is None or not command.value("--reserve") or command.value("--tpu") or command.value("--gpu"):
        return
    reserved = command.value("--reserve")
    mistaken = any("tpu" in extra or "gpu" in extra for extra in asked_extras(command))
    corrected = (
        with_flag(facts.submission.argv, "--tpu", reserved) if mistaken and ":" not in reserved else ()
    )
    yield PreflightFinding(
        RESERVE,
        PreflightSeverity.WARN,
        f"--reserve {reserved} holds machines for jobs that this one starts; it gets no accelerator itself.",
        f"If the program itself computes on it, ask with --tpu {reserved} --enable-extra-resources.",
        with_switch(corrected, "--enable-extra-resources") if corrected else (),
    )


def check_tree(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The files that are shipped are those of a commit that others can see."""
    workspace = facts.command.workspace if facts.command else None
    if workspace is None or not _is_new(facts):
        return
    if workspace.changed_files:
        number = f"{workspace.changed_files} file{'s' if workspace.changed_files > 1 else ''}"
        yield PreflightFinding(
            TREE,
            PreflightSeverity.WARN,
            f"{number} differ from the last commit, and are shipped as they are.",
            "Commit them, so that the run can be repeated.",
        )
    if workspace.unpushed_commits:
        yield PreflightFinding(
            TREE,
            PreflightSeverity.WARN,
            f"{workspace.unpushed_commits} commits are not pushed.",
            "Push them, so that others can see what ran.",
        )


def check_retries(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A coordinator of preemptible machines survives its own failures only with retries."""
    command = run_command(facts)
    if command is None or not _is_new(facts):
        return
    replicas = command.value("--replicas")
    is_gang = bool(command.value("--tpu")) or (replicas.isdigit() and int(replicas) > 1)
    if is_gang and not command.value("--max-retries"):
        yield PreflightFinding(
            RETRIES,
            PreflightSeverity.INFO,
            "Without --max-retries the first failure of a task ends the job.",
            "Give --max-retries 3 if the program resumes from checkpoints.",
        )


def check_prefix_given(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Experiments need a place for their outputs, which some clusters supply."""
    command = run_command(facts)
    if command is None or facts.offer is None or not _is_new(facts):
        return
    runs_experiment = any(word.startswith("experiments") for word in command.program)
    if runs_experiment and OUTPUT_PREFIX not in job_environment(facts, command):
        yield PreflightFinding(
            PREFIX_MISSING,
            PreflightSeverity.WARN,
            f"{OUTPUT_PREFIX} is set neither by the command nor in the cluster file.",
            f"Pass -e {OUTPUT_PREFIX} gs://BUCKET/PATH unless the cluster sets it.",
        )


def _is_new(facts: SubmissionFacts) -> bool:
    """Whether somebody is about to submit a new job from a folder that was looked at."""
    workspace = facts.command.workspace if facts.command else None
    return workspace is not None and facts.purpose is Purpose.SUBMIT

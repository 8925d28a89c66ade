"""Does the command say which cluster it means, in a way that its client accepts?"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from babysitter.preflight.command_line import CLUSTER_OPTIONS, flag_value, run_index
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import run_command

ID = "cluster-not-named"
LOCAL = "local-cluster-ends"


def check_cluster_named(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """--cluster, --config or --controller-url stands before `job run`, and names a cluster that is there."""
    argv = facts.submission.argv
    if run_command(facts) is None:
        return
    head = argv[: run_index(argv)]
    if swallowed := _swallowed(head):
        flag, value = swallowed
        yield PreflightFinding(
            ID,
            PreflightSeverity.BLOCK,
            f"`{flag} {value}` takes `{value}` as its value: no command is left.",
            f"Write a value behind {flag}.",
        )
        return
    if facts.cluster_fault:
        yield PreflightFinding(
            ID,
            PreflightSeverity.BLOCK,
            facts.cluster_fault,
            "Correct the name, the path or the address of the cluster.",
        )
        return
    given = [flag for flag in CLUSTER_OPTIONS if flag_value(head, flag)]
    if "--config" in given and "--controller-url" in given:
        yield PreflightFinding(
            ID,
            PreflightSeverity.BLOCK,
            "--config and --controller-url exclude each other.",
            "Give one of them.",
        )
    elif not given and facts.command is not None and facts.command.workspace is not None:
        yield PreflightFinding(
            ID,
            PreflightSeverity.WARN,
            "The command names no cluster.",
            "Give --cluster NAME, --config FILE or --controller-url URL before `job run`.",
        )


def _swallowed(head: Sequence[str]) -> tuple[str, str] | None:
    """An option that takes `job` or another option as its value."""
    for at, (word, following) in enumerate(pairwise(head)):
        is_job = following == "job" and at == len(head) - 2
        if word in CLUSTER_OPTIONS and (is_job or following.startswith("--")):
            return word, following
    return None


def check_local_cluster(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """A local cluster lives in the client's own process: --no-wait ends it, and the job with it."""
    command = run_command(facts)
    if command is None or facts.offer is None or not facts.offer.is_local or not command.has("--no-wait"):
        return
    head = facts.submission.argv[: run_index(facts.submission.argv)]
    if flag_value(head, "--controller-url"):
        return
    yield PreflightFinding(
        LOCAL,
        PreflightSeverity.BLOCK,
        f"The cluster {facts.offer.name} lives inside of the command: with --no-wait both end, and the job.",
        "Leave --no-wait out, or start a cluster of its own and give --controller-url.",
    )

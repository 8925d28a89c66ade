"""Does the job get the variables that it needs?"""

import re
from collections.abc import Iterator, Mapping

from babysitter.preflight.command_line import RunCommand
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding, PreflightSeverity
from babysitter.preflight.run_command import run_command

UNSET = "unset-variable"
PREFIX = "output-prefix"
READ = "variable-not-passed"
DATA_REGION = "data-region"
BAD_FILE = "bad-env-file"

OUTPUT_PREFIX = "MARIN_PREFIX"
_REGION_OF_BUCKET = re.compile(
    r"(?:gs|s3)://[a-z]+-(?P<region>(?:us|eu|europe|asia|northamerica|me)-[a-z]+\d+)(?:-[a-z])?[/-]?"
)
_BUCKET = re.compile(r"(?:gs|s3)://[^\s\"',;:]+")
# Set in every task by the cluster, its image or its shell.
_ALWAYS_SET = re.compile(
    r"IRIS_|TPU_|RAY_|JAX_|XLA_|CUDA_|NVIDIA_|HOME$|PATH$|PWD$|USER$|HOSTNAME$|LANG$|TMPDIR$|PYTHON"
)


def job_environment(facts: SubmissionFacts, command: RunCommand) -> Mapping[str, str]:
    """What the job gets: of the cluster, the project's file, this machine, and last the flags."""
    workspace = facts.command.workspace if facts.command else None
    cluster = facts.offer.task_env if facts.offer else {}
    project = workspace.env if workspace else {}
    inherited = {name: value for name, value in facts.inherited_env.items() if name not in project}
    flags = {values[0]: values[1] for values in command.values("--env-vars")}
    return {**cluster, **project, **inherited, **flags}


def region_of_bucket(url: str) -> str:
    """The region that a bucket's name ends in, "" when it names none."""
    found = _REGION_OF_BUCKET.match(url)
    if found is None:
        return ""
    region = found["region"]
    return f"europe-{region.partition('-')[2]}" if region.startswith("eu-") else region


def check_unset_variables(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Every variable that the shell expands in the command line is set."""
    for name in facts.unset_variables:
        yield PreflightFinding(
            UNSET,
            PreflightSeverity.BLOCK,
            f"The command line uses ${name}, which is not set here: the shell puts nothing in its place.",
            f"Set it first (export {name}=...), or write the value.",
        )


def check_env_file(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The project's file of variables can be read."""
    workspace = facts.command.workspace if facts.command else None
    if workspace and workspace.env_fault:
        yield PreflightFinding(
            BAD_FILE, PreflightSeverity.BLOCK, workspace.env_fault, "Correct the file; the client reads it."
        )


def check_output_prefix(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """The place for outputs is not empty, and is in the region of the job."""
    command = run_command(facts)
    if command is None:
        return
    environment = job_environment(facts, command)
    prefix = environment.get(OUTPUT_PREFIX)
    if prefix is None:
        return
    if not prefix.strip():
        yield PreflightFinding(
            PREFIX,
            PreflightSeverity.BLOCK,
            f"{OUTPUT_PREFIX} is empty: the job has no place for its outputs.",
            f"Give a bucket, for example -e {OUTPUT_PREFIX} gs://BUCKET/PATH, or leave the variable out.",
        )
        return
    places = _regions(command)
    region = region_of_bucket(prefix)
    if region and places and region not in places:
        yield PreflightFinding(
            PREFIX,
            PreflightSeverity.BLOCK,
            f"{OUTPUT_PREFIX} is in {region}, and the job runs in {', '.join(places)}.",
            "Use a bucket of the job's region, or run the job where the bucket is.",
        )


def check_data_region(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """Data that the command names is in the region of the job: reading it elsewhere is slow and is billed."""
    command = run_command(facts)
    places = _regions(command) if command else ()
    if command is None or not places:
        return
    texts = (
        *command.program,
        *(values[1] for values in command.values("--env-vars") if values[0] != OUTPUT_PREFIX),
    )
    for url in dict.fromkeys(url for text in texts for url in _BUCKET.findall(text)):
        region = region_of_bucket(url)
        if region and region not in places:
            yield PreflightFinding(
                DATA_REGION,
                PreflightSeverity.WARN,
                f"{url} is in {region}, and the job runs in {', '.join(places)}.",
                f"Run the job with --region {region}, or use data of its own region.",
            )
            return


def check_variables_read(facts: SubmissionFacts) -> Iterator[PreflightFinding]:
    """What the script reads from its environment, and cannot do without, is passed to the job."""
    command = run_command(facts)
    workspace = facts.command.workspace if facts.command else None
    if command is None or workspace is None:
        return
    passed = job_environment(facts, command)
    for name in sorted(workspace.reads):
        if name in passed or _ALWAYS_SET.match(name):
            continue
        blocks = name == OUTPUT_PREFIX
        yield PreflightFinding(
            READ,
            PreflightSeverity.BLOCK if blocks else PreflightSeverity.WARN,
            f"The script reads {name} from its environment, and the job does not get it.",
            f"Pass it with -e {name} VALUE: a job sees no variables of this machine.",
        )


def _regions(command: RunCommand) -> tuple[str, ...]:
    """Regions that the command names itself."""
    zone = command.value("--zone").lower()
    regions = [values[0].lower() for values in command.values("--region")]
    return tuple(dict.fromkeys([*regions, *([zone.rpartition("-")[0]] if zone else [])]))

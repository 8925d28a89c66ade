"""Which environment variables a new job gets. Pure: files and the process's environment are arguments."""

from collections.abc import Mapping, Sequence

from babysitter.errors import UserError
from babysitter.preflight.client.client_environment import (
    CLIENT_CONSTANTS,
    PASSED_THROUGH,
    flag_fault,
    variables_of_file,
)

PASSED_THROUGH_STANDARD = ("GCS_RESOLVE_REFRESH_SECS",)
STANDARD_VARIABLES: Mapping[str, str] = {  # of commands only
    "PYTHONPATH": ".",
    "PYTHONUNBUFFERED": "1",
    "HF_HOME": "~/.cache/huggingface",
    "HF_HUB_ENABLE_HF_TRANSFER": "0",
}


def job_variables(
    file: object, flags: Sequence[Sequence[str]], environ: Mapping[str, str]
) -> Mapping[str, str]:
    """The variables of a job, lowest priority first: the file's `env:`, tokens of `environ`, `flags`.

    `file`: the parsed environment file, None without one. A flag is KEY or KEY VALUE; KEY alone is empty, and
    so is a null of the file. A token is passed through only where the file does not set it. Raises UserError
    that names every fault at once.
    """
    faults: list[str] = []
    variables = variables_of_file(file, faults)
    for name in PASSED_THROUGH:
        if name not in variables and environ.get(name):
            variables[name] = environ[name]
    for flag in flags:
        if fault := flag_fault(flag):
            faults.append(fault)
        else:
            variables[flag[0]] = flag[1] if len(flag) == 2 else ""
    if faults:
        raise UserError(" ".join(faults), next_step="Write -e KEY VALUE, or -e KEY for an empty value.")
    return variables


def with_standard_variables(
    variables: Mapping[str, str], environ: Mapping[str, str], *, is_command: bool = True
) -> Mapping[str, str]:
    """The variables with those that the cluster's own client adds; none is overwritten."""
    standard = dict(CLIENT_CONSTANTS)
    if is_command:
        standard |= STANDARD_VARIABLES
        standard |= {name: environ[name] for name in PASSED_THROUGH_STANDARD if environ.get(name)}
    return {**standard, **variables}

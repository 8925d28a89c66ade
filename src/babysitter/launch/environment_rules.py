"""Which environment variables a new job gets. Pure: files and the process's environment are arguments."""

from collections.abc import Mapping, Sequence

from babysitter.errors import UserError

ENVIRONMENT_FILE = ".marin.yaml"
PASSED_THROUGH = ("HF_TOKEN", "WANDB_API_KEY")
PASSED_THROUGH_STANDARD = ("GCS_RESOLVE_REFRESH_SECS",)
# What the clients of all generations set where the job does not set it itself.
CLIENT_CONSTANTS: Mapping[str, str] = {
    "HF_DATASETS_TRUST_REMOTE_CODE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
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
    variables = _of_file(file, faults)
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


def flag_fault(flag: Sequence[str]) -> str:
    """Why these words are not a variable; "" if they are one."""
    if not flag or not flag[0]:
        return "A variable has no name."
    if len(flag) > 2:
        return f"Too many values for the variable {flag[0]}: {' '.join(flag[1:])}."
    if "=" in flag[0]:
        name, _, value = flag[0].partition("=")
        return f"The name of a variable cannot contain '=': {flag[0]} (meant: -e {name} {value})."
    if any(sign.isspace() or sign == "\0" for sign in flag[0]):
        return f"The name of a variable cannot contain spaces: '{flag[0]}'."
    return ""


def _of_file(file: object, faults: list[str]) -> dict[str, str]:
    """The `env:` of the file. Values that are not scalars have no form in an environment."""
    if file is None:
        return {}
    if not isinstance(file, Mapping):
        faults.append(f"{ENVIRONMENT_FILE} does not hold a mapping.")
        return {}
    env = file.get("env")
    if env is None:
        return {}
    if not isinstance(env, Mapping):
        faults.append(f"`env` of {ENVIRONMENT_FILE} is not a mapping of names to values.")
        return {}
    variables: dict[str, str] = {}
    for name, value in env.items():
        if fault := flag_fault((str(name),)):
            faults.append(f"{ENVIRONMENT_FILE}: {fault}")
        elif isinstance(value, Mapping | list):
            faults.append(f"`env.{name}` of {ENVIRONMENT_FILE} is not a single value.")
        else:
            variables[str(name)] = "" if value is None else str(value)
    return variables

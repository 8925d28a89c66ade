"""Which variables a client gives a job by itself, and what the project's file of variables holds. Pure."""

from collections.abc import Mapping, Sequence

ENVIRONMENT_FILE = ".marin.yaml"
PASSED_THROUGH = ("HF_TOKEN", "WANDB_API_KEY")  # taken from the client's own environment, unasked
# What the clients of all generations set where the job does not set it itself.
CLIENT_CONSTANTS: Mapping[str, str] = {
    "HF_DATASETS_TRUST_REMOTE_CODE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def variables_of_file(file: object, faults: list[str]) -> dict[str, str]:
    """The `env:` of the parsed file, None without one; a null is empty. What is wrong goes to `faults`."""
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

"""The options of `iris job run` in each generation, read as the real client's parser reads them.

Options of the client are taken from anywhere before `--`; others pass as words of the program, and a program
that begins with one is refused. The refusals have the words that the real client prints.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from babysitter.sim.iris import accelerators

MAY_ON, AUGUST_ON = ("may", "august"), ("august",)
_ACCELERATOR = (
    "The top-level entrypoint (coordinator) job only needs CPU to schedule and dispatch work; accelerators "
    "are attached to worker tasks spawned by the job. If you truly need an accelerator on this entrypoint, "
    "pass --enable-extra-resources."
)
_LARGE = (
    "The top-level entrypoint (coordinator) job typically needs only modest CPU/RAM/disk to schedule and "
    "dispatch work. If this large resource request is intentional, pass --enable-extra-resources."
)
_USAGE = "Usage: iris job run [OPTIONS] CMD...\nTry 'iris job run --help' for help.\n\n"
_VALUED = (
    *("--tpu", "--gpu", "--cpu", "--memory", "--disk", "--job-name", "--user", "--replicas", "--max-retries"),
    *("--timeout", "--region", "--zone", "--extra", "--reserve", "--priority"),
)
_VALUED_SINCE = dict.fromkeys(
    ("--target-cluster", "--sync-package", "--task-image", "--container-profile", "--exclude"), AUGUST_ON
)
_PLAIN = ("--enable-extra-resources", "--no-wait")
_PLAIN_SINCE = {
    **dict.fromkeys(("--preemptible", "--no-preemptible"), MAY_ON),
    **dict.fromkeys(("--terminate-on-exit", "--no-terminate-on-exit"), ("april", "may")),
    **dict.fromkeys(("--cancel-on-exit", "--no-cancel-on-exit", "--no-sync"), AUGUST_ON),
}
_INTEGERS = ("--replicas", "--max-retries", "--timeout")
_BANDS = ("production", "interactive", "batch")
_POWERS = "kmgtpezy"


class OptionError(Exception):
    """The parser gives up: exit code 2. The text is all that is printed."""


class ClientFault(Exception):
    """The client stumbles over a value: exit code 1. The text is the last line of its traceback."""


@dataclass(slots=True)
class RunOptions:
    """What was given. `values`: the last one of each option. `reserved`: every --reserve."""

    values: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    reserved: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    program: list[str] = field(default_factory=list)


def read_run(words: Sequence[str], generation: str) -> RunOptions:
    """The words behind `job run`. Raises OptionError and ClientFault as the client prints them."""
    found, rest = RunOptions(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.program += rest
            break
        if word.startswith("--"):
            _long(word, rest, found, generation)
        elif word.startswith("-") and len(word) > 1:
            _short(word, rest, found)
        else:
            found.program.append(word)
    if not found.program:
        raise OptionError(f"{_USAGE}Error: Missing argument 'CMD...'.")
    _check_types(found)
    _check_extra_resources(found)
    if (first := found.program[0]).startswith("-"):
        meant = "Iris options must come before '--'. Did you mean a different flag?"
        raise OptionError(f"{_USAGE}Error: Unknown option '{first}'. {meant}")
    if generation == "may" and "--reserve" in found.values and {"--region", "--zone"} & set(found.values):
        why = "Use --region/--zone to target a specific location, or --reserve to claim from a reservation"
        raise OptionError(f"{_USAGE}Error: --reserve cannot be combined with --region or --zone. {why}.")
    for key in found.env:
        if "=" in key:
            raise ClientFault(f"ValueError: Key cannot contain '=': {key}")
    _check_accelerators(found, generation)
    if (replicas := int(found.values.get("--replicas", "0"))) < 0:
        raise ClientFault(f"ValueError: replicas must be >= 1, got {replicas}")
    return found


def _long(word: str, rest: list[str], found: RunOptions, generation: str) -> None:
    name, has_value, value = word.partition("=")
    if name == "--env-vars":
        _env(name, ([value] if has_value else []), rest, found)
    elif name in _PLAIN or generation in _PLAIN_SINCE.get(name, ()):
        if has_value:
            raise OptionError(f"Error: Option '{name}' does not take a value.")
        found.flags.add(name)
    elif name in _VALUED or generation in _VALUED_SINCE.get(name, ()):
        if not has_value and not rest:
            raise OptionError(f"Error: Option '{name}' requires an argument.")
        found.values[name] = value if has_value else rest.pop(0)
        if name == "--reserve":
            found.reserved.append(found.values[name])
    else:
        found.program.append(word)


def _short(word: str, rest: list[str], found: RunOptions) -> None:
    """`-e K V`; a cluster of letters is taken apart, and the letters that are not known pass on."""
    letters, is_e, attached = word[1:].partition("e")
    if is_e:
        _env("-e", [attached] if attached else [], rest, found)
    if letters:
        found.program.append(f"-{letters}")


def _env(name: str, given: list[str], rest: list[str], found: RunOptions) -> None:
    while len(given) < 2 and rest:
        given.append(rest.pop(0))
    if len(given) < 2:
        raise OptionError(f"Error: Option '{name}' requires 2 arguments.")
    found.env[given[0]] = given[1]


def _check_types(found: RunOptions) -> None:
    for name in _INTEGERS:
        value = found.values.get(name, "0")
        if not value.lstrip("-").isdigit():
            raise OptionError(f"{_USAGE}Error: Invalid value for '{name}': '{value}' is not a valid integer.")
    cpu = found.values.get("--cpu", "1")
    try:
        float(cpu)
    except ValueError as fault:
        raise OptionError(
            f"{_USAGE}Error: Invalid value for '--cpu': '{cpu}' is not a valid float."
        ) from fault
    band = found.values.get("--priority", "batch")
    if band.lower() not in _BANDS:
        known = ", ".join(f"'{text}'" for text in _BANDS)
        raise OptionError(f"{_USAGE}Error: Invalid value for '--priority': '{band}' is not one of {known}.")


def _check_accelerators(found: RunOptions, generation: str) -> None:
    """As the client builds its request: first the resources, then their alternatives, then reservations."""
    tpu, gpu = found.values.get("--tpu"), found.values.get("--gpu")
    if tpu and generation != "april":
        try:
            accelerators.check_alternatives(tpu)
        except accelerators.BadAccelerator as fault:
            raise OptionError(f"{_USAGE}Error: Invalid value: {fault}") from fault
    try:
        if gpu and not tpu:
            accelerators.check_gpu(gpu, generation)
        accelerators.check_reservations(found.reserved, generation)
    except accelerators.BadAccelerator as fault:
        raise ClientFault(f"ValueError: {fault}") from fault
    for spec in found.reserved if generation == "august" else ():
        if spec.rpartition(":")[2].isdigit():
            raise OptionError(f"{_USAGE}Error: --reserve {spec!r} does not name an accelerator variant.")


def _check_extra_resources(found: RunOptions) -> None:
    flag = "--enable-extra-resources"
    if flag in found.flags:
        return
    for name in ("--tpu", "--gpu"):
        if found.values.get(name):
            raise OptionError(f"{_USAGE}Error: {name} requires {flag}.\n{_ACCELERATOR}")
    for name, least_gb in (("--memory", 4), ("--disk", 10)):
        size = found.values.get(name, "")
        if size and decimal_size(size) >= least_gb * 10**9:
            raise OptionError(f"{_USAGE}Error: {name} {size} (>= {least_gb} GB) requires {flag}.\n{_LARGE}")


def decimal_size(text: str) -> int:
    """Bytes with decimal units, as the check for extra resources reads them; 0 for what it cannot read."""
    number = text.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text.strip()[len(number) :].strip().lower().rstrip("s")
    try:
        amount = float(number)
    except ValueError:
        return 0
    base = 1024 if unit[1:2] == "i" and unit[2:] in ("b", "bibyte") else 1000
    return int(amount * base ** (_POWERS.find(unit[:1]) + 1 if unit else 0))

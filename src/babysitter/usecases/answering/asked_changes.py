"""The changes that a person or an agent asks a restart to carry, read from words such as `memory=5GB`."""

import re
from collections.abc import Callable, Mapping, Sequence

from babysitter.errors import UserError
from babysitter.model.verdict import Change
from babysitter.policy.written_change import CODE, EXCLUDE_HOST, FLAG, ON, VARIABLE, option_of
from babysitter.preflight.resources.sizes import Units, parse_size
from babysitter.redact import redact

EXAMPLES = (
    "memory=5GB, max-retries=3, region=us-central2, tpu=v5litepod-8, extra=tpu, env.NAME=VALUE, "
    "exclude-host=SLICE"
)
MAX_CHANGES = 10
MAX_VALUE_CHARS = 500
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Set by every restart itself, or not about the job.
_OWN_FLAGS = frozenset({"--job-name", "--user", "--no-wait", "--help"})
_CHANGED_BY_NAME = {
    "--memory": "memory",
    "--disk": "disk",
    "--max-retries": "max-retries",
    "--region": "region",
    "--extra": "extra",
    "--tpu": "tpu",
    "--env-vars": "env.NAME",
}


def asked_changes(texts: Sequence[str], *, asked_by: str) -> tuple[Change, ...]:
    """The changes in the order in which they are asked for. Raises UserError that names the one at fault."""
    if len(texts) > MAX_CHANGES:
        raise UserError(
            f"A restart carries at most {MAX_CHANGES} changes, not {len(texts)}.",
            next_step="Give the whole command with --resubmit.",
        )
    found = tuple(_change(text, f"asked for by {asked_by}") for text in texts)
    names = [change.what for change in found]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise UserError(f"{twice} is changed twice.", next_step="Name each change once.")
    return found


def _change(text: str, why: str) -> Change:
    what, is_given, value = text.partition("=")
    what = what.strip()
    if len(value) > MAX_VALUE_CHARS or not value.isprintable():
        raise UserError(
            f"The value of the change {what[:60]} is too long or holds control characters.",
            next_step=f"Give at most {MAX_VALUE_CHARS} printable characters.",
        )
    if what.startswith(VARIABLE):
        return Change(what, "", _variable_value(what, is_given, value), why)
    if what.startswith(FLAG):
        return Change(what, "", _flag_value(what, is_given, value), why)
    check = _CHECKS.get(what)
    if check is None:
        raise UserError(
            f"'{what[:60]}' is not a change that a restart can carry.", next_step=_write(EXAMPLES)
        )
    if fault := check(value):
        raise UserError(f"'{text[:100]}' is not a valid change: {fault}.", next_step=_write(EXAMPLES))
    return Change(what, "", _FIXED if what == CODE else value, why)


def _variable_value(what: str, is_given: str, value: str) -> str:
    name = what.removeprefix(VARIABLE)
    if not _VARIABLE_NAME.fullmatch(name) or not is_given:
        raise UserError(
            f"'{what[:60]}' does not set an environment variable.", next_step=_write("env.NAME=VALUE")
        )
    if redact(f"{name}={value}") != f"{name}={value}":
        raise UserError(
            f"{name} looks like a secret, and a change is stored and shown.",
            next_step=f"Let it be taken from the environment of the service: --env-from {name}.",
        )
    return value


def _flag_value(what: str, is_given: str, value: str) -> str:
    spelled = f"--{what.removeprefix(FLAG)}"
    option = option_of(Change(what, "", "", ""))
    if option is None:
        raise UserError(
            f"{spelled} is not an option of the command that submits.",
            next_step="Name one of its options, for example flag.priority=batch or flag.preemptible.",
        )
    if _OWN_FLAGS.intersection(option.names):
        raise UserError(
            f"{spelled} cannot be changed: every restart sets it itself.", next_step="Leave it out."
        )
    if named := next((_CHANGED_BY_NAME[name] for name in option.names if name in _CHANGED_BY_NAME), ""):
        raise UserError(f"{spelled} has a change of its own name.", next_step=_write(f"{named}=..."))
    if bool(option.takes) != bool(is_given):
        wanted = f"{what}=VALUE" if option.takes else what
        raise UserError(f"'{what}' is not a valid change of an option.", next_step=_write(wanted))
    choices = [choice for choice in option.choices if choice.lower() == value.lower()]
    if option.choices and not choices:
        raise UserError(f"{spelled} does not take '{value}'.", next_step=_write(", ".join(option.choices)))
    return (choices[0] if choices else value) if option.takes else ON


def _size_fault(value: str) -> str:
    is_size = parse_size(value, Units.BINARY) and not value.replace(".", "").isdigit()
    return "" if is_size else "it needs a size with its unit, such as 5GB"


def _matching(pattern: str, fault: str) -> Callable[[str], str]:
    return lambda value: "" if re.fullmatch(pattern, value) else fault


_FIXED = "the files of the folder as they are now"
_CHECKS: Mapping[str, Callable[[str], str]] = {
    CODE: _matching("", "it takes no value"),
    "memory": _size_fault,
    "disk": _size_fault,
    "max-retries": _matching(r"\d{1,4}", "it needs a number of attempts"),
    "region": _matching(r"[a-z][a-z0-9-]*", "it needs one region, such as us-central2"),
    "tpu": _matching(r"[A-Za-z0-9]+(-[0-9]+)(,[A-Za-z0-9]+(-[0-9]+))*", "it needs a TPU type"),
    EXCLUDE_HOST: _matching(
        r"[a-z][a-z0-9-]*(,[a-z][a-z0-9-]*)*",
        "it needs the name of a slice of TPUs, or of a machine of it, as the cluster calls it",
    ),
    "extra": _matching(r"[A-Za-z0-9][\w:.-]*", "it needs the name of an extra"),
}


def _write(example: str) -> str:
    return f"Write for example {example}."

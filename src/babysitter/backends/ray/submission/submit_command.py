"""`ray job submit` as a person writes it -> the request that it makes. Pure.

The command is never run: the request goes over HTTP. What the command reads from a file is not supported.
"""

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babysitter.backends.ray.dashboard.dashboard_address import dashboard_address
from babysitter.backends.ray.submission.stored_job import (
    KEPT_OUT,
    kept_request,
    secret_variables,
    summary_of,
    variables_of,
)
from babysitter.errors import UserError
from babysitter.model.submission import Submission, SubmissionOrigin, ValueSource
from babysitter.redact import redact

EXAMPLE = "It looks like: 'ray job submit --working-dir . --entrypoint-num-gpus 1 -- python train.py'."
LOCAL_PACKAGE = "gcs://_ray_pkg_0000000000000000.zip"  # stands for the folder's files until they are packed
_FROM_ENVIRONMENT = re.compile(r"\$\{?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}?")
_URI = re.compile(r"[a-z][a-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class SubmitCommand:
    """`folder`: the working directory that is to be packed, "" for none. `address`: as given."""

    body: Mapping[str, Any]
    folder: str = ""
    address: str = ""
    submission_id: str = ""


def read_submit_command(argv: tuple[str, ...]) -> SubmitCommand:
    """What the command asks for. Raises UserError for what is not `ray job submit`, or cannot be repeated."""
    place = next((at for at in range(len(argv)) if argv[at : at + 2] == ("job", "submit")), None)
    if place is None:
        raise UserError("The resubmit command is not a submission to Ray.", next_step=EXAMPLE)
    values, entrypoint = _options(argv[place + 2 :])
    if not entrypoint:
        raise UserError("The resubmit command names no program.", next_step=EXAMPLE)
    body: dict[str, Any] = {"entrypoint": shlex.join(entrypoint)}
    environment = _json(values, "--runtime-env-json")
    folder = ""
    if working_dir := values.get("--working-dir") or str(environment.get("working_dir") or ""):
        environment["working_dir"] = working_dir if _URI.match(working_dir) else LOCAL_PACKAGE
        folder = "" if _URI.match(working_dir) else working_dir
    if environment:
        body["runtime_env"] = environment
    if metadata := _json(values, "--metadata-json"):
        body["metadata"] = {str(name): str(value) for name, value in metadata.items()}
    body |= {name: read(values) for name, read in _RESOURCES.items() if _flag(name) in values}
    return SubmitCommand(
        body,
        folder,
        values.get("--address", ""),
        values.get("--submission-id") or values.get("--job-id", ""),
    )


def given_submission(command: Submission, url: str) -> Submission:
    """The command as the request that it makes to the dashboard at `url`.

    Values of variables that look secret are not kept: they are read from the environment at the act, as are
    values written as `$NAME`. `workdir` becomes the folder that is packed, "" where none is. Raises UserError
    for a secret elsewhere in the command, and for a command to another cluster.
    """
    found = read_submit_command(command.argv)
    if found.address and dashboard_address(found.address).url != dashboard_address(url).url:
        raise UserError(
            f"The resubmit command names {found.address}, and the job is watched at {url}.",
            next_step="Leave --address out of the command.",
        )
    body = dict(found.body)
    fills: dict[str, ValueSource] = {}
    if variables := variables_of(body):
        given = body["runtime_env"]["env_vars"]
        kept, secret = dict[str, str](), secret_variables(given)
        for name in variables:
            reference = _FROM_ENVIRONMENT.fullmatch(str(given[name]))
            if name in secret or (reference and reference["name"] == name):
                kept[name], fills[name] = KEPT_OUT, ValueSource.ENVIRONMENT
            else:
                kept[name] = str(given[name])
        body["runtime_env"] = {**body["runtime_env"], "env_vars": kept}
    if redact(body["entrypoint"]) != body["entrypoint"]:
        raise UserError(
            "The program of the resubmit command holds a secret, and commands are kept.",
            next_step='Pass it as a variable: --runtime-env-json \'{"env_vars": {"NAME": "$NAME"}}\'.',
        )
    summary = summary_of(kept_request(body))
    if found.folder:
        summary = replace(summary, code=f"the files of {found.folder}")
    folder = Path(command.workdir) / found.folder if found.folder else Path()
    is_recorded = bool(found.folder) and folder == Path(command.workdir)
    return replace(
        command,
        argv=(),
        workdir=str(folder) if found.folder else "",
        folder=command.folder if is_recorded else None,
        origin=SubmissionOrigin.RESUBMIT_FLAG,
        request=body,
        fills=fills,
        summary=summary,
    )


def _options(words: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Values by option, and the program behind them."""
    values: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at].startswith("--"):
        name, separator, value = words[at].partition("=")
        if name == "--":
            return values, words[at + 1 :]
        if name not in _KNOWN:
            raise UserError(
                f"The option {name} of `ray job submit` cannot be repeated by babysit.",
                next_step=f"Leave it out; known are {', '.join(sorted(_KNOWN))}.",
            )
        if name in _SWITCHES:
            at += 1
            continue
        if not separator and at + 1 >= len(words):
            raise UserError(f"The option {name} has no value.", next_step=EXAMPLE)
        values[name] = value if separator else words[at + 1]
        at += 1 if separator else 2
    return values, words[at:]


def _json(values: Mapping[str, str], option: str) -> dict[str, Any]:
    text = values.get(option, "")
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError as fault:
        raise UserError(f"{option} is not JSON: {fault}.") from fault
    if not isinstance(found, dict):
        raise UserError(f"{option} is not a JSON object.")
    return found


def _number(option: str, kind: Callable[[str], float]) -> Callable[[Mapping[str, str]], float]:
    def read(values: Mapping[str, str]) -> float:
        try:
            return kind(values[option])
        except ValueError as fault:
            raise UserError(f"{option} {values[option]!r} is not a number.") from fault

    return read


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


_RESOURCES: Mapping[str, Callable[[Mapping[str, str]], Any]] = {
    "entrypoint_num_cpus": _number("--entrypoint-num-cpus", float),
    "entrypoint_num_gpus": _number("--entrypoint-num-gpus", float),
    "entrypoint_memory": _number("--entrypoint-memory", int),
    "entrypoint_resources": lambda values: _json(values, "--entrypoint-resources"),
    "entrypoint_label_selector": lambda values: _json(values, "--entrypoint-label-selector"),
}
_SWITCHES = frozenset({"--no-wait"})
_KNOWN = (
    _SWITCHES
    | {_flag(name) for name in _RESOURCES}
    | {"--address", "--submission-id", "--job-id", "--runtime-env-json", "--working-dir", "--metadata-json"}
)

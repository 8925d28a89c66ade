"""What a person runs in a shell instead of babysit: a submission, or the end of a driver. Pure."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from babysitter.backends.ray.dashboard.ray_answers import DriverInfo, RayJob
from babysitter.backends.ray.submission.stored_job import (
    KEPT_OUT,
    RECORD,
    RESOURCE_FIELDS,
    to_be_sent,
    variables_of,
    with_variables,
    words_of,
)
from babysitter.model.ids import JobId
from babysitter.model.submission import Submission
from babysitter.redact import redact

_MARK = "\ue000"  # of the private use area: no command has it


def submission_by_hand(submission: Submission, address: str) -> str:
    """The `ray job submit` that makes this request; "" where there is none.

    Values that are not kept stand in it as variables of the shell, which the person sets.
    """
    if submission.request is None or submission.job is None:
        return ""
    record = submission.request.get(RECORD)
    if isinstance(record, Mapping) and record.get("is_masked"):
        return ""  # a secret is part of the program, or of something that is not a variable
    body = to_be_sent(submission.request, submission.job, submission.proposal)
    given = (body.get("runtime_env") or {}).get("env_vars") or {}
    kept_out = [name for name in variables_of(body) if given[name] == KEPT_OUT]
    body = with_variables(body, {name: f"{_MARK}{name}{_MARK}" for name in kept_out})
    body = with_variables(body, submission.changed_variables)
    words = submit_words(body, submission.job, address, folder=submission.workdir)
    return " ".join(map(_in_a_shell, words))


def submit_words(body: Mapping[str, Any], job: JobId, address: str, *, folder: str = "") -> tuple[str, ...]:
    """The command that makes this request, with the files of `folder` where one is named."""
    environment = dict(body.get("runtime_env") or {})
    words = ["ray", "job", "submit", "--address", address, "--submission-id", job, "--no-wait"]
    if folder:
        environment.pop("working_dir", None)
        words += ["--working-dir", folder]
    if environment:
        words += ["--runtime-env-json", json.dumps(environment, ensure_ascii=False)]
    if body.get("metadata"):
        words += ["--metadata-json", json.dumps(body["metadata"], ensure_ascii=False)]
    for name in RESOURCE_FIELDS:
        if name in body:
            value = body[name]
            text = json.dumps(value) if isinstance(value, Mapping) else str(value)
            words += [f"--{name.replace('_', '-')}", text]
    program = words_of(str(body["entrypoint"]))
    is_shell_line = len(program) == 1 and len(program[0].split()) > 1
    return (*words, "--", *(("bash", "-c") if is_shell_line else ()), *program)


def driver_by_hand(raw: RayJob) -> str:
    """How a person ends and starts again what nobody submitted: a sentence."""
    info = raw.driver_info or DriverInfo()
    if not info.pid:
        return "End it where it was started, and start it again there."
    where = f" on {info.node_ip_address}" if info.node_ip_address else ""
    program = redact(raw.entrypoint or "")
    again = f"then `{program}` in the folder of its code" if program else "then start it again"
    return f"By hand{where}: `kill {info.pid}`, {again}."


def _in_a_shell(word: str) -> str:
    """The word quoted for a shell, marked variables outside of the quotes."""
    parts = word.split(_MARK)
    return "".join(
        f'"${{{part}:?}}"' if at % 2 else shlex.quote(part) for at, part in enumerate(parts) if part
    )

"""A job of Ray as it is submitted again: what Ray's record of it says, without its secrets. Pure.

Ray returns the runtime environment with secrets in plain text. A request that is kept has none of them: the
values of all variables are left out, other secrets are masked, and at the act the record is read again. The
record lacks what the entrypoint asked for; babysit writes that into the metadata of the jobs it submits.
"""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from babysitter.backends.ray.dashboard.ray_answers import PROPOSAL_KEY, RayJob
from babysitter.model.ids import JobId
from babysitter.model.submission import RequestSummary, Submission, SubmissionOrigin, ValueSource
from babysitter.redact import redact, redact_value

RESOURCES_KEY = "babysit_resources"  # in the metadata: what was asked for the entrypoint, as JSON
RECORD = "babysit_record"  # in a kept request: which record it is a copy of; never sent
KEPT_OUT = "<kept out>"  # in a kept request: the value of a variable
RESOURCE_FIELDS = (
    "entrypoint_num_cpus",
    "entrypoint_num_gpus",
    "entrypoint_memory",
    "entrypoint_resources",
    "entrypoint_label_selector",
)
UNKNOWN_RESOURCES = (
    "Ray does not say which CPUs, GPUs and memory were asked for the entrypoint; the new job asks for none. "
    "If the job asked for some, deny this, and start the watch again with --resubmit 'ray job submit ...'."
)
_PACKAGE = re.compile(r"gcs://(?P<name>_ray_pkg_[0-9A-Za-z]+\.(?:zip|whl|jar))$")
LAUNCH_KEY = "babysit_launch"  # in the metadata of a new job: one word for each submission
_MARKS = frozenset({PROPOSAL_KEY, LAUNCH_KEY})
_OURS = _MARKS | {RESOURCES_KEY}

Request = Mapping[str, Any]


def request_of(raw: RayJob) -> dict[str, Any]:
    """The body that would submit the same job again, with its secrets. It is for the act only."""
    metadata = {name: value for name, value in (raw.metadata or {}).items() if name not in _OURS}
    body: dict[str, Any] = {"entrypoint": raw.entrypoint or ""}
    if raw.runtime_env:
        body["runtime_env"] = raw.runtime_env
    if metadata:
        body["metadata"] = metadata
    return body | (known_resources(raw) or {})


def known_resources(raw: RayJob) -> dict[str, Any] | None:
    """What was asked for the entrypoint, where babysit submitted the job; None where nobody knows."""
    try:
        found = json.loads((raw.metadata or {})[RESOURCES_KEY])
    except (KeyError, ValueError):
        return None
    if not isinstance(found, dict):
        return None
    return {name: found[name] for name in RESOURCE_FIELDS if name in found}


def kept_request(body: Request) -> dict[str, Any]:
    """The body as it may be kept and shown: without values of variables, other secrets masked."""
    kept = dict(body)
    if isinstance(environment := body.get("runtime_env"), Mapping):
        without = {name: value for name, value in environment.items() if name != "env_vars"}
        shown = redact_value(without)
        assert isinstance(shown, dict), "a mapping stays one"
        if variables := variables_of(body):
            shown["env_vars"] = dict.fromkeys(variables, KEPT_OUT)
        kept["runtime_env"] = shown
    kept["entrypoint"] = redact(str(body.get("entrypoint", "")))
    if metadata := body.get("metadata"):
        kept["metadata"] = redact_value(metadata)
    return kept


def stored_submission(raw: RayJob, job: JobId, session: str) -> Submission:
    """How the job would be submitted again, as far as Ray's record says."""
    body = request_of(raw)
    unknown = () if known_resources(raw) is not None else (UNKNOWN_RESOURCES,)
    kept = kept_request(body)
    return Submission(
        (),
        SubmissionOrigin.CONTROLLER,
        job=job,
        request={**kept, RECORD: _record_of(raw, job, is_masked=_is_masked(body, kept))},
        fills=dict.fromkeys(variables_of(body), ValueSource.RECORD),
        summary=summary_of(kept, unknown),
        incarnation=session,
    )


def is_record(raw: RayJob, kept: Request) -> bool:
    """Whether this is the record that a kept request is a copy of: the same submission, saying the same."""
    record = kept.get(RECORD) or {}
    now = kept_request(request_of(raw))
    said, shown = (
        {name: details.get(name) for name in ("entrypoint", "runtime_env", "metadata")}
        for details in (now, kept)
    )
    return (raw.start_time or 0) == record.get("start_time") and said == shown


def asked_resources(body: Request) -> dict[str, Any]:
    """What a request asks for its entrypoint."""
    return {name: body[name] for name in RESOURCE_FIELDS if name in body}


def summary_of(kept: Request, unknown: tuple[str, ...] = ()) -> RequestSummary:
    """What a request without secrets asks for."""
    working_dir = working_dir_of(kept)
    package = package_of(kept)
    return RequestSummary(
        program=words_of(str(kept.get("entrypoint", ""))),
        code=f"its own package, {package}" if package else redact(working_dir),
        takes_folder=bool(package),
        takes_variables=True,
        resources=tuple(_resources(kept)) or (("not known",) if unknown else ()),
        variables=tuple(sorted(variables_of(kept))),
        unknown=unknown,
    )


def words_of(entrypoint: str) -> tuple[str, ...]:
    """The words of a shell line; the line as one word where it needs a shell to be understood."""
    try:
        words = tuple(shlex.split(entrypoint))
    except ValueError:
        return (entrypoint,)
    return words if shlex.join(words) == entrypoint else (entrypoint,)


def working_dir_of(body: Request) -> str:
    environment = body.get("runtime_env")
    return str(environment.get("working_dir") or "") if isinstance(environment, Mapping) else ""


def package_of(body: Request) -> str:
    """The name of the package in Ray's own storage that holds the job's files; "" for other places."""
    found = _PACKAGE.match(working_dir_of(body))
    return found["name"] if found else ""


def with_package(body: Request, name: str) -> dict[str, Any]:
    """The same request with this package as the job's files."""
    environment = {**(body.get("runtime_env") or {}), "working_dir": f"gcs://{name}"}
    return {**body, "runtime_env": environment}


def variables_of(body: Request) -> tuple[str, ...]:
    """Names of the variables that the job gets."""
    environment = body.get("runtime_env")
    found = environment.get("env_vars") if isinstance(environment, Mapping) else None
    return tuple(map(str, found)) if isinstance(found, Mapping) else ()


def secret_variables(values: Mapping[str, str]) -> frozenset[str]:
    """Names of the variables whose values look secret."""
    shown = {name: redact_value({"env_vars": {name: value}}) for name, value in values.items()}
    return frozenset(name for name, value in values.items() if shown[name] != {"env_vars": {name: value}})


def with_variables(body: Request, values: Mapping[str, str]) -> dict[str, Any]:
    """The same request with these values of its variables."""
    if not values:
        return dict(body)
    environment = dict(body.get("runtime_env") or {})
    environment["env_vars"] = {**(environment.get("env_vars") or {}), **values}
    return {**body, "runtime_env": environment}


def to_be_sent(body: Request, job: JobId, proposal: str = "", *, launch: str = "") -> dict[str, Any]:
    """The body of the request: under this id, marked with the proposal or the launch it is submitted for."""
    sent = {name: value for name, value in body.items() if name != RECORD}
    resources = asked_resources(sent)
    metadata = dict(sent.get("metadata") or {})
    if proposal:
        metadata[PROPOSAL_KEY] = proposal
    if launch:
        metadata[LAUNCH_KEY] = launch
    metadata[RESOURCES_KEY] = json.dumps(resources, sort_keys=True)
    return {**sent, "submission_id": job, "metadata": metadata}


def is_same_job(raw: RayJob, sent: Request) -> bool:
    """Whether the job that has an id is the one that was sent: by entrypoint and metadata."""
    ours = sent.get("metadata") or {}
    theirs = raw.metadata or {}
    is_marked = not _MARKS.isdisjoint(ours) and all(theirs.get(name) == ours[name] for name in ours)
    return is_marked and raw.entrypoint == sent.get("entrypoint")


def _record_of(raw: RayJob, job: JobId, *, is_masked: bool) -> dict[str, object]:
    return {"job": job, "start_time": raw.start_time or 0, "is_masked": is_masked}


def _is_masked(body: Request, kept: Request) -> bool:
    """Whether something else than values of variables was kept out."""
    return with_variables(kept, dict.fromkeys(variables_of(body), KEPT_OUT)) != with_variables(
        body, dict.fromkeys(variables_of(body), KEPT_OUT)
    )


def _resources(body: Request) -> list[str]:
    found = []
    for name, unit in (("entrypoint_num_cpus", "CPU"), ("entrypoint_num_gpus", "GPU")):
        if isinstance(amount := body.get(name), (int, float)):
            found.append(f"{amount:g} {unit}")
    if isinstance(memory := body.get("entrypoint_memory"), (int, float)):
        found.append(f"{memory / 2**30:.3g}GB memory")
    for name in ("entrypoint_resources", "entrypoint_label_selector"):
        if isinstance(table := body.get(name), Mapping):
            found += [f"{key}: {value}" for key, value in sorted(table.items())]
    return found

"""Which fields the requests of each generation have, and how a controller refuses the others."""

import json
import re
from collections.abc import Mapping
from typing import Any

Shape = Mapping[str, Any]

_TEXT, _INT, _LONG, _BOOL, _TEXTS, _ANY = "text", "int", "long", "bool", "texts", "any"
_QUERY = {
    "scope": _TEXT,
    "parentJobId": _TEXT,
    "nameFilter": _TEXT,
    "stateFilter": _TEXT,
    "sortField": _TEXT,
    "sortDirection": _TEXT,
    "offset": _INT,
    "limit": _INT,
}
_FETCH = {
    "source": _TEXT,
    "sinceMs": _LONG,
    "cursor": _LONG,
    "substring": _TEXT,
    "maxLines": _INT,
    "tail": _BOOL,
    "minLevel": _TEXT,
}
_LAUNCH = {
    "name": _TEXT,
    "entrypoint": _ANY,
    "resources": _ANY,
    "environment": _ANY,
    "bundleId": _TEXT,
    "bundleBlob": _TEXT,
    "maxTaskFailures": _INT,
    "maxRetriesFailure": _INT,
    "maxRetriesPreemption": _INT,
    "constraints": _ANY,
    "coscheduling": _ANY,
    "replicas": _INT,
    "failIfExists": _BOOL,
    "preemptionPolicy": _TEXT,
    "existingJobPolicy": _TEXT,
    "priorityBand": _TEXT,
    "taskImage": _TEXT,
    "ports": _TEXTS,
    "schedulingTimeout": _ANY,
    "timeout": _ANY,
}

_COMMON: dict[str, Shape] = {
    "GetJobStatus": {"jobId": _TEXT},
    "GetJobState": {"jobIds": _TEXTS},
    "ListTasks": {"jobId": _TEXT},
    "GetTaskStatus": {"taskId": _TEXT},
    "TerminateJob": {"jobId": _TEXT},
    "ProfileTask": {"target": _TEXT, "durationSeconds": _INT, "profileType": _ANY},
}
_APRIL: dict[str, Shape] = _COMMON | {
    "ListJobs": {
        "query": _QUERY,
        **{name: _QUERY[name] for name in ("offset", "limit", "sortField", "sortDirection")},
        **{name: _QUERY[name] for name in ("nameFilter", "stateFilter", "parentJobId")},
    },
    "FetchLogs": _FETCH,
    "GetTaskLogs": {
        "id": _TEXT,
        "includeChildren": _BOOL,
        "sinceMs": _LONG,
        "maxTotalLines": _LONG,
        "substring": _TEXT,
        "attemptId": _INT,
        "minLevel": _TEXT,
        "cursor": _LONG,
        "tail": _BOOL,
    },
    "LaunchJob": _LAUNCH | {"reservation": _ANY},
    "ListWorkers": {},
    "GetAuthInfo": {},
    "GetCurrentUser": {},
    "Login": {"identityToken": _TEXT},
}
_MAY: dict[str, Shape] = {name: shape for name, shape in _APRIL.items() if name != "GetTaskLogs"} | {
    "ListJobs": {"query": _QUERY | {"jobIdPrefix": _TEXT}},
    "FetchLogs": _FETCH | {"matchScope": _TEXT},
    "LaunchJob": _LAUNCH | {"reservation": _ANY, "submitArgv": _TEXTS, "clientRevisionDate": _TEXT},
    "ListWorkers": {"query": {"contains": _TEXT, "sortField": _TEXT, "offset": _INT, "limit": _INT}},
}
_NO_MORE = ("GetAuthInfo", "GetCurrentUser", "Login")
_AUGUST: dict[str, Shape] = {name: shape for name, shape in _MAY.items() if name not in _NO_MORE} | {
    "ListJobs": {"query": _QUERY | {"jobIdPrefix": _TEXT, "backendId": _TEXT, "cluster": _TEXT}},
    "FetchLogs": _FETCH | {"matchScope": _TEXT, "regex": _TEXT, "untilCursor": _LONG, "cluster": _TEXT},
    "LaunchJob": _LAUNCH | {"submitArgv": _TEXTS, "clientRevisionDate": _TEXT},
}
REQUESTS: dict[str, dict[str, Shape]] = {"april": _APRIL, "may": _MAY, "august": _AUGUST}

_PACKAGES = {"FetchLogs": {"april": "iris.logging", "may": "finelog.logging", "august": "finelog.logging"}}


class Malformed(Exception):
    """A request body that cannot be read; the message is the parser's."""


def read(generation: str, method: str, text: bytes) -> dict[str, Any]:
    """The body of a request with camelCase names. Raises Malformed."""
    try:
        body = json.loads(text or b"{}")
    except ValueError as fault:
        raise Malformed(f"Failed to load JSON: {fault}.") from fault
    message = f"{method}Request"
    package = _PACKAGES.get(method, {}).get(generation, "iris.cluster.Controller")
    return _message(body, REQUESTS[generation][method], f"{package}.{message}", message)


def _message(value: Any, shape: Shape, full_name: str, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Malformed(f"Failed to parse {path}: expected a mapping, got '{type(value).__name__}'.")
    found: dict[str, Any] = {}
    for name, item in value.items():
        camel = re.sub(r"_([a-z])", lambda match: match[1].upper(), name)
        if camel not in shape:
            raise Malformed(
                f'Message type "{full_name}" has no field named "{name}" at "{path}".\n'
                f' Available Fields(except extensions): "{list(shape)}"'
            )
        if item is not None:
            found[camel] = _field(item, shape[camel], camel, full_name, path)
    return found


def _field(value: Any, kind: Any, name: str, full_name: str, path: str) -> Any:
    if isinstance(kind, Mapping):
        return _message(value, kind, f"{full_name}.{name}", f"{path}.{name}")
    if kind == _TEXT and not isinstance(value, str):
        got = type(value).__name__
        raise Malformed(f"Failed to parse {name} field: expected string or bytes-like object, got '{got}'.")
    if kind in (_INT, _LONG):
        try:
            return int(value)
        except (TypeError, ValueError) as fault:
            raise Malformed(f"Failed to parse {name} field: Couldn't parse integer: {value!r}.") from fault
    if kind == _BOOL and not isinstance(value, bool):
        raise Malformed(f"Failed to parse {name} field: Expected true or false without quotes.")
    if kind == _TEXTS and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
        raise Malformed(
            f"Failed to parse {name} field: repeated field {name} must be in [] which is {value}."
        )
    return value

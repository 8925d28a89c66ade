"""LaunchJob requests as clients of each generation send them: for jobs that scenarios submit themselves."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the stand-in command starts without reading YAML
    from babysitter.sim.iris.scenario import Root

_SIZE = re.compile(r"(?i)\s*([\d.]+)\s*([kmgt]?)i?b?\s*")
DEFAULT_USER = "ada"
_PLAIN_MEMORY_BYTES = 3 << 30  # in whole gigabytes: more needs --enable-extra-resources
_KEYED_BY_USER = ("envVars", "workdirFiles", "workdirFileRefs")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_BUNDLE = "23c66acce1b251e675f1820a3be2effc7b61c0b2f56dbce3049cdabe3ba9f762"
_SECRET_APRIL = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET = re.compile(r"api[_-]?key|secret|token|password|passwd|pwd|auth|credential|session", re.IGNORECASE)
_ALWAYS = {
    "PYTHONUNBUFFERED": "1",
    "HF_HUB_ENABLE_HF_TRANSFER": "0",
    "PYTHONPATH": ".",
    "HF_DATASETS_TRUST_REMOTE_CODE": "1",
    "HF_HOME": "~/.cache/huggingface",
}


def size_of(text: str) -> int:
    """Bytes of `5GB`, `512MB`, `1.5GiB`; the cluster's units are binary, whatever they are called."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount of memory such as 5GB")
    return int(float(match[1]) * 1024 ** _POWERS[match[2].lower()])


def root_request(
    root: "Root", generation: str, controller_url: str = "http://127.0.0.1:10000"
) -> dict[str, Any]:
    """The request behind `iris job run --no-wait --job-name ... -- argv`."""
    cpu = root.cpu or (0.5 if generation == "april" else 0.1)
    request = _request(
        root.id,
        argv=list(root.argv),
        resources=resources(cpu, root.memory, "5GB"),
        env={**root.env, **_ALWAYS, "TOKENIZERS_PARALLELISM": "false"},
    )
    request |= {"maxRetriesFailure": root.max_retries, "maxRetriesPreemption": 1000}
    request["constraints"] = [_constraint("preemptible", "false")]
    if generation != "april":
        request["submitArgv"] = _submit_argv(root, controller_url)
    return request


def child_request(
    job_id: str,
    *,
    env: Mapping[str, str],
    generation: str,
    replicas: int = 1,
    memory: str = "1GB",
    cpu: float = 0.1,
) -> dict[str, Any]:
    """The request with which a running program submits a coordinator, or a coordinator its workers."""
    workers = replicas > 1 or cpu > 0.1
    request = _request(
        job_id,
        argv=["bash", "-c", "exec $IRIS_PYTHON -u $IRIS_WORKDIR/_callable_runner.py"],
        resources=resources(cpu, memory, "16GB"),
        env={**env, **_ALWAYS, "TOKENIZERS_PARALLELISM": "false", "JAX_PLATFORMS": "cpu"},
    )
    request |= {"replicas": replicas, "maxRetriesPreemption": 1000 if workers else 100}
    if workers:
        request |= {"maxRetriesFailure": 10, "ports": ["actor"]}
    else:
        request["existingJobPolicy"] = "EXISTING_JOB_POLICY_KEEP"
    if generation == "april":
        request["constraints"] = [_constraint("region", "local")]
    return request


def completed(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request from the wire as the controller keeps it: what was left out has its default."""
    defaults = _request(str(request["name"]), argv=[], resources=resources(0.1, "1GB", "5GB"), env={})
    request = _camel(request)
    kept = {name: value for name, value in request.items() if name != "clientRevisionDate"}
    return {**defaults, **kept, "resources": {**defaults["resources"], **request.get("resources", {})}}


def _camel(value: Any) -> Any:
    """The wire's spelling of fields that came in the command's; names of variables stay as they are."""
    if isinstance(value, Mapping):
        named = {
            re.sub(r"_([a-z])", lambda part: part[1].upper(), name): item for name, item in value.items()
        }
        return {name: item if name in _KEYED_BY_USER else _camel(item) for name, item in named.items()}
    return [_camel(item) for item in value] if isinstance(value, list) else value


def shown(request: Mapping[str, Any], generation: str) -> dict[str, Any]:
    """A kept request as the controller gives it back: values whose names sound secret are blanked."""
    blank, sounds_secret = "[REDACTED]", _SECRET
    if generation == "april":
        blank, sounds_secret = "**REDACTED**", _SECRET_APRIL
    environment = dict(request.get("environment", {}))
    variables = environment.get("envVars", {})
    environment["envVars"] = {
        name: blank if sounds_secret.search(name) else value for name, value in variables.items()
    }
    return {**request, "environment": environment}


def _request(job_id: str, *, argv: Sequence[str], resources: Any, env: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": job_id,
        "entrypoint": {"setupCommands": ["<elided>"], "runCommand": {"argv": list(argv)}},
        "resources": resources,
        "environment": {"envVars": dict(env), "pythonVersion": "3.12"},
        "bundleId": _BUNDLE,
        "maxTaskFailures": 0,
        "maxRetriesFailure": 0,
        "maxRetriesPreemption": 100,
        "replicas": 1,
        "failIfExists": False,
        "preemptionPolicy": "JOB_PREEMPTION_POLICY_UNSPECIFIED",
        "existingJobPolicy": "EXISTING_JOB_POLICY_UNSPECIFIED",
        "priorityBand": "PRIORITY_BAND_UNSPECIFIED",
        "taskImage": "",
    }


def resources(cpu: float, memory: str, disk: str) -> dict[str, Any]:
    """What a job asks for, as LaunchJob spells it."""
    return {
        "cpuMillicores": round(cpu * 1000),
        "memoryBytes": str(size_of(memory)),
        "device": {},
        "diskBytes": str(size_of(disk)),
    }


def _constraint(key: str, value: str) -> dict[str, Any]:
    return {
        "key": key,
        "op": "CONSTRAINT_OP_EQ",
        "value": {"stringValue": value},
        "mode": "CONSTRAINT_MODE_REQUIRED",
    }


def _submit_argv(root: "Root", controller_url: str) -> list[str]:
    argv = ["/srv/iris-venv/bin/iris", "--controller-url", controller_url, "job", "run", "--no-wait"]
    argv += ["--job-name", root.name, "--memory", root.memory]
    if size_of(root.memory) > _PLAIN_MEMORY_BYTES:
        argv.append("--enable-extra-resources")
    if root.user != DEFAULT_USER:
        argv += ["--user", root.user]
    if root.max_retries:
        argv += ["--max-retries", str(root.max_retries)]
    for key, value in root.env.items():
        argv += ["-e", key, value]
    return [*argv, "--", *root.argv]

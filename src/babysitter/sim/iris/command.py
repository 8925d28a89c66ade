"""A stand-in for the `iris` command over a simulated cluster: asks over HTTP, prints as the real one does.

Usage: python -m babysitter.sim.iris (--controller-url URL | --config FILE) [--as april|may|august] COMMAND

COMMAND is `job run|list|summary|logs|stop|kill` (August: `job run|list|describe|logs|cancel`) or
`rpc controller CALL [--json BODY] [--field-name VALUE]...`. Like the real one it retries `job` commands for a
long time when nobody answers, ends a refusal with a traceback, and takes a plain `job stop` for a prefix.
"""

# ruff: noqa: T201  a command prints
import base64
import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babysitter.sim.iris import cli_output
from babysitter.sim.iris.bundles import TooLarge, pack
from babysitter.sim.iris.run_options import ClientFault, OptionError, RunOptions, read_run
from babysitter.sim.iris.submissions import DEFAULT_USER, resources

SERVICE = "iris.cluster.ControllerService"
BUILT_ON = "2099-01-01"  # young enough for every clock that a simulated cluster may have
FINAL = ("SUCCEEDED", "FAILED", "KILLED", "WORKER_FAILED", "UNSCHEDULABLE")
TRIES, MAX_PAUSE_S = 240, 30.0
Json = dict[str, Any]


class Refused(Exception):
    """The controller said no."""


class Unreachable(Exception):
    """Nobody answers."""


class Usage(Exception):
    """The words make no command."""


class Controller:
    """Asks one controller, `tries` times when it does not answer: `job` commands are patient."""

    def __init__(self, url: str, *, tries: int) -> None:
        self.url, self._tries = url, tries

    def ask(self, method: str, body: Json, service: str = SERVICE) -> Json:
        pause_s, started = 0.5, time.monotonic()
        for attempt in range(1, self._tries + 1):
            try:
                return self._post(method, body, service)
            except Unreachable as fault:
                if attempt == self._tries:
                    raise Refused(str(fault)) from fault
                kind = re.sub(r"(?<!^)(?=[A-Z])", "_", method).lower()
                spent = f"{time.monotonic() - started:.1f}s elapsed"
                said = f"Operation {kind} failed (attempt {attempt}/{self._tries}, {spent})"
                note("rigging.timing", f"{said}, retrying in {pause_s:.2f}s: {fault}", level="W")
                time.sleep(pause_s)
                pause_s = min(MAX_PAUSE_S, pause_s * 2)
        raise AssertionError("the last try returns or raises")

    def _post(self, method: str, body: Json, service: str) -> Json:
        request = urllib.request.Request(
            f"{self.url}/{service}/{method}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                found: Json = json.load(answer)
                return found
        except urllib.error.HTTPError as refusal:
            text = refusal.read()
            message = json.loads(text).get("message", "") if text.startswith(b"{") else "Not Found"
            if refusal.code in (503, 504):
                raise Unreachable(message) from refusal
            raise Refused(message) from refusal
        except OSError as fault:
            raise Unreachable(
                f"Request failed: error sending request for url ({self.url}): {fault}"
            ) from fault


def main(words: Sequence[str], *, tries: int = TRIES) -> int:
    """0 done, 1 refused or failed, 2 usage. `tries`: how often a `job` command asks who does not answer."""
    try:
        url, generation, rest = _options(list(words))
        group, command = rest[:1], rest[1:2]
        if group == ["rpc"] and command == ["controller"]:
            return _rpc(Controller(url, tries=1), rest[2:])
        if group != ["job"] or not command:
            raise Usage(f"No such command '{' '.join(rest[:2])}'.")
        known = _AUGUST if generation == "august" else _JOB
        if command[0] not in known:
            raise Usage(f"No such command '{command[0]}'.")
        return known[command[0]](Controller(url, tries=tries), generation, rest[2:])
    except Usage as fault:
        print(f"Usage: iris [OPTIONS] COMMAND [ARGS]...\n\nError: {fault}", file=sys.stderr)
        return 2
    except OptionError as fault:
        print(fault, file=sys.stderr)
        return 2
    except Refused as fault:
        return _crash(f"connectrpc.errors.ConnectError: {fault}")
    except (ClientFault, TooLarge) as fault:
        return _crash(str(fault))


def _crash(last_line: str) -> int:
    """A traceback, as the real command ends when something is refused."""
    print("Traceback (most recent call last):", file=sys.stderr)
    print('  File "/srv/iris/cli/main.py", line 1, in invoke', file=sys.stderr)
    print(last_line, file=sys.stderr)
    return 1


def note(logger: str, text: str, *, level: str = "I") -> None:
    """A line of the command's own log, on stderr."""
    now = datetime.now(UTC)
    print(f"{level}{now:%Y%m%d %H:%M:%S} 140615771028352 {logger} {text}", file=sys.stderr)


def _options(words: list[str]) -> tuple[str, str, list[str]]:
    url, generation = "", "may"
    while words and words[0].startswith("--"):
        if words[0] not in ("--controller-url", "--config", "--as") or len(words) < 2:
            raise Usage(f"No such option: {words[0]}")
        if words[0] == "--as":
            generation = words[1]
        elif words[0] == "--config":
            url = _url_of(words[1])
        else:
            url = words[1]
        del words[:2]
    if not url:
        raise Usage("no controller specified; use --controller-url, --config or --cluster")
    return url, generation, words


def _url_of(file: str) -> str:
    """The controller of a cluster file that names its host."""
    import yaml  # here: most calls do without it

    with open(file, encoding="utf-8") as stream:
        at = yaml.safe_load(stream)["controller"]["manual"]
    return f"http://{at['host']}:{at['port']}"


def _rpc(controller: Controller, words: Sequence[str]) -> int:
    name = words[0] if words else ""
    body: Json = {}
    for option, value in zip(words[1::2], words[2::2], strict=False):
        if option == "--json":
            body |= json.loads(value)
        else:
            body[option.removeprefix("--").replace("-", "_")] = value
    try:
        answer = controller.ask("".join(part.capitalize() for part in name.split("-")), body)
    except Refused as fault:
        if str(fault) == "Not Found":
            raise Usage(f"No such command '{name}'.") from fault
        raise
    print(json.dumps(cli_output.snake(answer), indent=2))
    return 0


def _run(controller: Controller, generation: str, words: Sequence[str]) -> int:
    given = read_run(words, generation)
    values, argv = given.values, given.program
    name = values.get("--job-name") or f"iris-run-job-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    note("iris.cli.job", f"Submitting job: {name}")
    note("iris.cli.job", f"Command: {' '.join(argv)}")
    if "/" in name:
        raise ClientFault("ValueError: Job name cannot contain '/'")
    if not values.get("--user", DEFAULT_USER).strip():
        raise ClientFault("ValueError: Job user must not be empty")
    if "/" in (user := values.get("--user", DEFAULT_USER)):
        raise ClientFault(f"ValueError: JobName component cannot contain '/': {user}")
    body: Json = {
        "name": f"/{values.get('--user', DEFAULT_USER)}/{name}",
        "entrypoint": {"runCommand": {"argv": argv}},
        "resources": _resources(given, generation),
        "environment": {"envVars": given.env},
        "maxRetriesFailure": int(values.get("--max-retries", 0)),
        "replicas": int(values.get("--replicas", 0)) or 1,
        "bundleBlob": base64.b64encode(pack(Path.cwd())).decode(),
    }
    if priority := values.get("--priority"):
        body["priorityBand"] = f"PRIORITY_BAND_{priority.upper()}"
    places = [(key, values.get(f"--{key}")) for key in ("region", "zone")]
    if constraints := [{"key": key, "value": {"stringValue": name}} for key, name in places if name]:
        body["constraints"] = constraints
    if generation != "april":
        body |= {"submitArgv": ["/srv/bin/iris", "job", "run", *words], "clientRevisionDate": BUILT_ON}
    job = str(controller.ask("LaunchJob", body)["jobId"])
    note("iris.cli.job", f"Job submitted: {job}")
    print(job)
    return 0 if "--no-wait" in given.flags else _wait_for(controller, job)


def _resources(given: RunOptions, generation: str) -> Json:
    values = given.values
    cpu = float(values.get("--cpu", 0.5 if generation == "april" else 0.1))
    try:
        wanted = resources(cpu, values.get("--memory", "1GB"), values.get("--disk", "5GB"))
    except ValueError as fault:
        raise ClientFault(f"ValueError: Failed to parse size! ({fault})") from fault
    if tpu := values.get("--tpu"):
        wanted["device"] = {"tpu": {"variant": tpu}}
    elif gpu := values.get("--gpu"):
        wanted["device"] = {"gpu": {"variant": gpu.partition("x")[0].lower()}}
    return wanted


def _wait_for(controller: Controller, job: str) -> int:
    while True:
        state = str(controller.ask("GetJobState", {"jobIds": [job]})["states"][job]).removeprefix(
            "JOB_STATE_"
        )
        if state in FINAL:
            return 0 if state == "SUCCEEDED" else 1
        time.sleep(1.0)


def _list(controller: Controller, generation: str, words: Sequence[str]) -> int:
    values, flags = _plain_options(words)[:2]
    jobs = _all_jobs(controller, generation, values.get("--prefix", ""))
    if wanted := values.get("--state"):
        jobs = [job for job in jobs if cli_output.state(job) == wanted]
    if "--json" in flags:
        print(json.dumps(cli_output.snake(jobs), indent=2))
    else:
        print(cli_output.job_table(jobs, with_resources=generation == "april"))
    return 0


def _summary(controller: Controller, _generation: str, words: Sequence[str]) -> int:
    _, flags, names = _plain_options(words)
    job = controller.ask("GetJobStatus", {"jobId": names[0]})["job"]
    tasks = controller.ask("ListTasks", {"jobId": names[0]}).get("tasks", [])
    as_json = "--json" in flags
    print(cli_output.summary_json(job, tasks) if as_json else cli_output.summary(job, tasks))
    return 0


def _logs(controller: Controller, generation: str, words: Sequence[str]) -> int:
    values, flags, names = _plain_options(words)
    asked: Json = {"source": f"{names[0]}/", "matchScope": "MATCH_SCOPE_PREFIX"}
    if generation == "april":
        asked = {"source": re.escape(names[0]) + "/.*"}
    asked |= {"maxLines": int(values.get("--max-lines", 1000)), "tail": "--no-tail" not in flags}
    if since := values.get("--since-ms"):
        asked["sinceMs"] = since
    if level := values.get("--level"):
        asked["minLevel"] = level.upper()
    if text := values.get("--substring"):
        asked["substring"] = text
    service = "iris.logging.LogService" if generation == "april" else "finelog.logging.LogService"
    for entry in controller.ask("FetchLogs", asked, service).get("entries", []):
        print(cli_output.log_line(entry, with_attempt=generation == "august"))
    return 0


def _stop(controller: Controller, generation: str, words: Sequence[str]) -> int:
    """Stop everything that begins like the words; with `cancel`, or told so, exactly those jobs."""
    _, flags, names = _plain_options(words)
    is_exact = "--prefix" not in flags if generation == "august" else "--no-include-children" in flags
    stopped = []
    for name in names:
        if is_exact:
            controller.ask("TerminateJob", {"jobId": name})
            stopped.append(name)
            continue
        for job in _all_jobs(controller, generation, name):
            if cli_output.state(job).upper() not in FINAL:
                controller.ask("TerminateJob", {"jobId": job["jobId"]})
                stopped.append(job["jobId"])
    print("\n".join(["Terminated jobs:", *(f"  {job}" for job in stopped)]) if stopped else _NOTHING)
    return 0


def _all_jobs(controller: Controller, generation: str, prefix: str) -> list[Json]:
    found: list[Json] = []
    while True:
        query: Json = {"limit": 500, "offset": len(found)}
        if generation != "april" and prefix:
            query["jobIdPrefix"] = prefix
        page = controller.ask("ListJobs", {"query": query})
        found += page.get("jobs", [])
        if not page["hasMore"]:
            return [job for job in found if str(job["jobId"]).startswith(prefix)]


def _plain_options(words: Sequence[str]) -> tuple[dict[str, str], set[str], list[str]]:
    """Options with a value, those without, and the arguments."""
    values: dict[str, str] = {}
    flags: set[str] = set()
    names: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in _VALUED and rest:
            values[word] = rest.pop(0)
        elif word.startswith("-"):
            flags.add(word)
        else:
            names.append(word)
    return values, flags, names


_NOTHING = "No running jobs matched."
_VALUED = ("--prefix", "--state", "--max-lines", "--since-ms", "--level", "--substring", "--limit")
_Command = Callable[[Controller, str, Sequence[str]], int]
_JOB: dict[str, _Command] = {
    "run": _run,
    "list": _list,
    "summary": _summary,
    "logs": _logs,
    "stop": _stop,
    "kill": _stop,
}
_AUGUST: dict[str, _Command] = {
    "run": _run,
    "list": _list,
    "describe": _summary,
    "logs": _logs,
    "cancel": _stop,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A stand-in `iris` command: options before the subcommand, `rpc controller`, `job run|stop|logs`.

Run as a program. Talks to the controller at --controller-url. Like the real one it prints snake_case, ends a
refusal with a traceback and `ConnectError`, and its plain `job stop` stops everything that begins alike.
Environment: STAND_IN_LACKS (calls the command does not have), STAND_IN_SAYS (printed instead), STAND_IN_HANGS
(never ends, ignores SIGTERM, has a child that does so too; their process ids are written to the file named).
"""

# ruff: noqa: T201 - a command prints
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

SERVICE = "iris.cluster.ControllerService"


def main(words: list[str]) -> int:
    if pid_file := os.environ.get("STAND_IN_HANGS"):
        return hang(pid_file)
    if said := os.environ.get("STAND_IN_SAYS"):
        print(said)
        return 0
    if words[:1] != ["--controller-url"]:
        print("Error: no controller specified", file=sys.stderr)
        return 2
    url, command, rest = words[1], words[2:4], words[4:]
    match command:
        case ["rpc", "controller"]:
            return rpc(url, rest)
        case ["job", "stop"]:
            return stop_by_prefix(url, rest)
        case ["job", "run"]:
            return run(url, rest)
        case ["job", "logs"]:
            return logs(url, rest)
    print(f"Error: No such command '{command[0]}'.", file=sys.stderr)
    return 2


def rpc(url: str, rest: list[str]) -> int:
    name, option, body = rest
    assert option == "--json"
    if name in os.environ.get("STAND_IN_LACKS", "").split(","):
        print(f"Usage: iris rpc controller\n\nError: No such command '{name}'.", file=sys.stderr)
        return 2
    method = "".join(part.capitalize() for part in name.split("-"))
    status, answer = post(url, method, json.loads(body))
    if status != 200:
        return refused(status, answer)
    print(json.dumps(snake(answer), indent=2))
    return 0


def stop_by_prefix(url: str, rest: list[str]) -> int:
    _, page = post(url, "ListJobs", {"query": {"jobIdPrefix": rest[-1], "limit": 500}})
    print("Terminated jobs:")
    for job in page.get("jobs", []):
        post(url, "TerminateJob", {"jobId": job["jobId"]})
        print(f"  {job['jobId']}")
    return 0


def run(url: str, rest: list[str]) -> int:
    options, _, _command = " ".join(rest).partition(" -- ")
    if "--no-wait" not in options.split():
        time.sleep(3600)
    found = re.search(r"--job-name (\S+)", options)
    status, answer = post(url, "LaunchJob", {"name": f"/ada/{found[1] if found else 'iris-run-x'}"})
    print("I20261120 20:12:12 140615771028352 iris.cli.job Submitting job", file=sys.stderr)
    if status != 200:
        return refused(status, answer)
    print(answer["jobId"])
    return 0


def logs(url: str, rest: list[str]) -> int:
    _, answer = post(url, "JobLogs", {"words": rest})
    print(answer["printed"], end="")
    return 0


def hang(pid_file: str) -> int:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(
        [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
    )
    with open(pid_file, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    time.sleep(600)
    return 0


def post(url: str, method: str, body: object) -> tuple[int, dict]:
    request = urllib.request.Request(
        f"{url}/{SERVICE}/{method}",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text else {"message": "Not Found"}
    except OSError as error:
        return 0, {"message": f"Request failed: error sending request for url ({url}): {error}"}


def refused(status: int, answer: dict) -> int:
    print("Traceback (most recent call last):", file=sys.stderr)
    print('  File "/srv/iris/cli/main.py", line 1, in rpc', file=sys.stderr)
    print(f"connectrpc.errors.ConnectError: {answer.get('message', status)}", file=sys.stderr)
    return 1


def snake(value: object) -> object:
    if isinstance(value, dict):
        return {
            (key if key.startswith("/") else re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()): snake(each)
            for key, each in value.items()
        }
    return [snake(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A stand-in for the `iris` command over a simulated cluster: as much of `job run` as a resubmission needs.

Usage: python -m babysitter.sim.iris --controller-url URL job run [options] -- command
"""

import json
import sys
import urllib.error
import urllib.request


def main(argv: list[str]) -> int:
    """Submit, print the job id. 0 done, 1 refused, 2 usage."""
    head = argv[: argv.index("--")] if "--" in argv else argv
    if "--controller-url" not in head or "run" not in head or "--job-name" not in head:
        print("usage: iris --controller-url URL job run --job-name NAME -- command", file=sys.stderr)  # noqa: T201
        return 2
    url, name = head[head.index("--controller-url") + 1], head[head.index("--job-name") + 1]
    body = {"name": name, "entrypoint": {"runCommand": {"argv": argv[len(head) + 1 :]}}, "submitArgv": argv}
    request = urllib.request.Request(
        f"{url}/iris.cluster.ControllerService/LaunchJob",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            print(json.load(answer)["jobId"])  # noqa: T201
    except urllib.error.HTTPError as refusal:
        message = json.load(refusal).get("message", "")
        print(f"connectrpc.errors.ConnectError: {message}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

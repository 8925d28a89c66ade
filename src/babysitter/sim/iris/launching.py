"""What LaunchJob refuses, generation by generation, with the words of real controllers."""

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from babysitter.sim.iris import encode
from babysitter.sim.iris.bundles import MAX_BYTES
from babysitter.sim.iris.records import Job
from babysitter.sim.iris.request_fields import Malformed

Json = dict[str, Any]
CLIENT_AGE = timedelta(days=14)
UNDATED_CLIENT = date(2026, 4, 22)
BUILT_ON = date(2026, 8, 22)  # August's controller compares with its own build
PRODUCTION = "PRIORITY_BAND_PRODUCTION"
BANDS = (
    *("PRIORITY_BAND_UNSPECIFIED", "PRIORITY_BAND_INHERIT"),  # the second one is August's name of the first
    *(PRODUCTION, "PRIORITY_BAND_INTERACTIVE", "PRIORITY_BAND_BATCH"),
)
CAPACITY = {
    "cpuMillicores": ("cpu", 32_000),
    "memoryBytes": ("memory", 64 << 30),
    "diskBytes": ("disk", 200 << 30),
}


class ConnectError(Exception):
    """An answer that is an error of the protocol."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code

    def body(self, at: float) -> Json:
        """Faults inside the controller carry details; refusals do not."""
        body: Json = {"code": self.code, "message": str(self)}
        if self.code == "internal":
            debug = {
                "exceptionType": "builtins.ValueError",
                "message": str(self),
                "timestamp": encode.moment(at),
            }
            value = base64.b64encode(str(self).encode()).decode()
            body["details"] = [{"type": "iris.rpc.ErrorDetails", "value": value, "debug": debug}]
        return body


def check_client(asked: Json, generation: str, now: float) -> None:
    """The gate for old clients: since May, for root jobs only."""
    if generation == "april":
        return
    sent = str(asked.get("clientRevisionDate", ""))
    if not sent and generation == "august":
        return
    try:
        built = date.fromisoformat(sent) if sent else UNDATED_CLIENT
    except ValueError as fault:
        said = f"client_revision_date must be ISO YYYY-MM-DD, got {sent!r}"
        raise ConnectError(400, "invalid_argument", said) from fault
    today = datetime.fromtimestamp(now, UTC).date()
    oldest = (today if generation == "may" else BUILT_ON) - CLIENT_AGE
    if built >= oldest:
        return
    said = (
        f"marin-iris client is too old (build {built}; minimum {oldest}). "
        "Run `uv sync` or upgrade marin-iris and retry."
    )
    if generation == "august":
        said = (
            f"marin-iris client is too old: your build is {built}, this controller runs {BUILT_ON}, and the "
            f"oldest client accepted is {oldest} (14 days). A build date is the last commit touching "
            "lib/iris. From a checkout, merge or rebase onto a newer main; from an installed marin-iris, "
            "upgrade it and re-run `uv sync`."
        )
    raise ConnectError(400, "failed_precondition", said)


def check_name(existing: Job | None, asked: Json) -> bool:
    """Whether the job that has this name already is kept instead. Refuses by the policy of the request."""
    if existing is None:
        return False
    policy = asked.get("existingJobPolicy", "")
    if policy == "EXISTING_JOB_POLICY_ERROR":
        state = f"JOB_STATE_{existing.state.upper()}"
        raise ConnectError(409, "already_exists", f"Job {existing.id} already exists (state={state})")
    if existing.state.final or policy == "EXISTING_JOB_POLICY_RECREATE":
        return False
    if policy == "EXISTING_JOB_POLICY_KEEP":
        return True
    raise ConnectError(409, "already_exists", f"Job {existing.id} already exists and is still running")


def check_priority(job: str, asked: Json, generation: str) -> None:
    """Nobody is listed for more than the default: no production. April lets everybody have it."""
    band = asked.get("priorityBand", BANDS[0])
    if band not in BANDS:
        where = "" if generation == "april" else " at LaunchJobRequest.priorityBand"
        said = f"Failed to parse priorityBand field: Invalid enum value {band}"
        raise Malformed(f"{said} for enum type iris.job.PriorityBand{where}.")
    if generation != "april" and band == PRODUCTION:
        said = (
            f"User {job.split('/')[1]} cannot submit production jobs (max band: interactive). Resubmit with"
        )
        raise ConnectError(
            403,
            "permission_denied",
            f"{said} `--priority interactive` (e.g. `--priority batch`) to launch opportunistically",
        )


def unpacked(asked: Json) -> bytes:
    """The bundle that came with the request, b"" without one. Refuses one over the limit."""
    try:
        pack = base64.b64decode(str(asked.get("bundleBlob", "")), validate=True)
    except binascii.Error as fault:
        raise ConnectError(400, "invalid_argument", "Failed to parse bundleBlob field") from fault
    if len(pack) > MAX_BYTES:
        said = f"Bundle size {len(pack) / 2**20:.1f}MB exceeds maximum 25MB"
        raise ConnectError(400, "invalid_argument", said)
    return pack


def check_placement(job: str, asked: Json, generation: str) -> None:
    """April takes everything; May refuses accelerators and regions that no group has; August amounts too."""
    if generation == "april":
        return
    resources: Mapping[str, Any] = asked.get("resources", {})
    device = resources.get("device", {})
    for kind in ("tpu", "gpu"):
        if kind in device:
            wanted = f"{kind}:{device[kind].get('variant', '')}"
            raise _unschedulable(job, f"no scaling group provides device {wanted} (available: cpu)")
    for constraint in asked.get("constraints", []):
        if (key := constraint.get("key")) in ("region", "zone"):
            place = constraint.get("value", {}).get("stringValue", "")
            raise _unschedulable(job, f"no groups in {key} {place}")
    if generation == "august":
        for name, (word, available) in CAPACITY.items():
            if (need := int(resources.get(name, 0))) > available:
                lacks = f"cpu ({word}: need {need}, available {available})"
                raise _unschedulable(job, f"no matching scaling group has enough per-VM capacity: {lacks}")


def _unschedulable(job: str, why: str) -> ConnectError:
    return ConnectError(400, "failed_precondition", f"Job {job} is unschedulable: {why}")

"""Commands as typed, what the real `iris job run` of May did with them, and what preflight is to say.

Measured on 2026-11-22 with client and controller of 29c1e4749 (one scale group of CPUs), in a git folder with
two small files. Exit 0: the controller accepted the job; 1: an error of the client or a refusal of the
controller; 2: a usage error. The words are from the last lines of stderr.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """`blocks`: ids that preflight blocks with; `warns`: ids of its warnings."""

    options: str
    exit_code: int
    words: str = ""
    blocks: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()
    program: str = "-- python job.py"

    @property
    def line(self) -> str:
        return f"iris job run --no-wait {self.options} {self.program}"


EXTRA = "requires --enable-extra-resources."
BAD_RESERVE, RESERVES = ("bad-reserve",), ("reserve-is-no-accelerator",)
REFUSED = [
    Measured("--memory 4GB", 2, f"--memory 4GB (>= 4 GB) {EXTRA}", ("extra-resources",)),
    Measured("--memory 4GiB", 2, f"--memory 4GiB (>= 4 GB) {EXTRA}", ("extra-resources",)),
    Measured("--memory 3.8GiB", 2, f"--memory 3.8GiB (>= 4 GB) {EXTRA}", ("extra-resources",)),
    Measured("--memory 5gigs", 2, f"--memory 5gigs (>= 4 GB) {EXTRA}", ("extra-resources",)),
    Measured("--disk 10GB", 2, f"--disk 10GB (>= 10 GB) {EXTRA}", ("extra-resources",)),
    Measured("--tpu v5litepod-4 --extra tpu", 2, f"--tpu {EXTRA}", ("extra-resources",)),
    Measured("--gpu H100x8", 2, f"--gpu {EXTRA}", ("extra-resources",)),
    Measured("--memory lots", 1, "Failed to parse size!", ("bad-value",)),
    Measured("--memory -5GB", 1, "Failed to parse size!", ("bad-value",)),
    Measured("--memory", 2, "Option '--memory' requires", ("bad-value", "no-program"), program=""),
    Measured("--reservation v5litepod-4", 2, "Unknown option '--reservation'.", ("unknown-flag",)),
    Measured("--max-retry 3", 2, "Unknown option '--max-retry'.", ("unknown-flag",)),
    Measured("--task-image x", 2, "Unknown option '--task-image'.", ("unknown-flag",)),
    Measured("--cancel-on-exit", 2, "Unknown option '--cancel-on-exit'.", ("unknown-flag",)),
    Measured("-x 3", 2, "Unknown option '-x'.", ("unknown-flag",)),
    Measured("", 2, "Unknown option '--cpu'.", ("unknown-flag",), program="-- --cpu 4 python job.py"),
    Measured("--max-retries three", 2, "'three' is not a valid integer.", ("bad-value",)),
    Measured("--cpu two", 2, "Invalid value for '--cpu': 'two' is not a valid float.", ("bad-value",)),
    Measured("--timeout 1h", 2, "'1h' is not a valid integer.", ("bad-value",)),
    Measured("--priority urgent", 2, "'urgent' is not one of", ("bad-value",)),
    Measured("--priority=", 2, "'' is not one of 'production', 'interactive', 'batch'.", ("bad-value",)),
    Measured("--reserve x:v5p-8", 1, "invalid literal for int() with base 10: 'x'", BAD_RESERVE, RESERVES),
    Measured("--reserve 0:v5p-8", 1, "Reservation count must be >= 1, got 0", BAD_RESERVE, RESERVES),
    Measured("--reserve v5p-9", 1, "ValueError: Unknown GPU spec: 'v5p-9'. Expected", BAD_RESERVE, RESERVES),
    Measured("--reserve=", 1, "ValueError: GPU spec must not be empty", BAD_RESERVE),
    Measured("--reserve 4:", 1, "ValueError: GPU spec must not be empty", BAD_RESERVE, RESERVES),
    Measured("--reserve H100x0", 1, "ValueError: GPU count must be positive, got 0", BAD_RESERVE, RESERVES),
    Measured(
        "--gpu 0 --enable-extra-resources",
        1,
        "ValueError: GPU count must be positive, got 0",
        ("unknown-gpu",),
    ),
    Measured(
        "--tpu v6e-4,v6e-16 --extra tpu --enable-extra-resources",
        2,
        "TPU alternative 'v6e-16' has vm_count=4 but primary 'v6e-4' has vm_count=1.",
        ("replicas-of-slice",),
    ),
    Measured(
        "--tpu , --extra tpu --enable-extra-resources",
        2,
        "Error: Invalid value: --tpu must specify at least one TPU variant",
        ("unknown-tpu",),
    ),
    Measured("--no-wait=true", 2, "'--no-wait' does not take a value.", ("bad-value",)),
    Measured("-e KEY=1 x", 1, "Key cannot contain '='", ("bad-value",)),
    Measured("--job-name a/24", 1, "Job name cannot contain '/'", ("bad-value",)),
    Measured("--user ada/x", 1, "ValueError: JobName component cannot contain '/': ada/x", ("bad-value",)),
    Measured("--replicas=-1", 1, "ValueError: replicas must be >= 1, got -1", ("bad-value",)),
    Measured("--user ''", 1, "Job user must not be empty", ("bad-value",)),
    Measured(
        "--reserve v5litepod-4 --region mars",
        2,
        "--reserve cannot be",
        ("bad-value",),
        warns=("reserve-is-no-accelerator",),
    ),
    Measured("--job-name a31", 2, "Missing argument 'CMD...'.", ("no-program",), program=""),
    Measured("--job-name a32 --", 2, "Missing argument 'CMD...'.", ("no-program",), program=""),
    Measured(
        "--gpu A9000 --enable-extra-resources",
        1,
        "Unknown GPU spec: 'A9000'.",
        ("unknown-gpu",),
    ),
]
ACCEPTED = [
    Measured("", 0),
    Measured("--memory 3.9GB", 0),
    Measured("--memory 4GB --enable-extra-resources", 0),
    Measured("--memory=6GB --enable-extra-resources", 0, program="-- python job.py --memory 8"),
    Measured("--disk 9GB", 0),
    Measured("--memory 0", 0),
    Measured("--memory 2TB --enable-extra-resources", 0),
    Measured("--cpu 200", 0),
    Measured("--cpu -1", 0),
    Measured("--replicas 0", 0),
    Measured("--priority BATCH", 0),
    Measured("--gpu= --enable-extra-resources", 0),
    Measured("--preemptible", 0),
    Measured("--extra tpu --extra cpu", 0),
    Measured("--user ada", 0),
    Measured("--job-name a33 --job-name a34", 0),  # the last one counts
    Measured("--job-name 'a 47'", 0),
    Measured("", 0, warns=("missing-separator",), program="python job.py"),
    Measured("", 0, warns=("missing-separator",), program="python job.py --cpu 4"),
]
DOOMED = [  # accepted, but what runs is not what was meant
    Measured("--memory 8", 0, blocks=("size-without-unit",)),
    Measured("", 0, blocks=("missing-separator",), program="bash -lec 'echo hi'"),
    Measured("-e KEY", 0, blocks=("swallowed-word",)),
    Measured("", 0, blocks=("not-executable",), program="-- ./run.sh"),
]
# What only the cluster file or the controller tells: the scale groups. Without either, nothing is guessed.
ONLY_THE_CONTROLLER_KNOWS = [
    Measured("--tpu v5litepod-4 --extra tpu --enable-extra-resources", 1, "no scaling group provides device"),
    Measured("--priority production", 1, "cannot submit production jobs (max band: interactive). Resubmit"),
    Measured("--region mars", 1, "no groups in region mars"),
    Measured("--zone us-east5-a", 1, "no groups in zone us-east5-a"),
]

"""What holds for every test: the same examples in every run, no limit of time, no process left behind."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests.support import processes
from tests.support.quick_database import quicken, share_statements
from tests.support.shared_rules import share_rules

# A slow machine is no finding. `HYPOTHESIS_PROFILE=search` looks for new examples, and prints what it finds.
_PATIENT = {"deadline": None, "suppress_health_check": (HealthCheck.too_slow,)}
settings.register_profile("same", **_PATIENT, derandomize=True)
settings.register_profile("search", **_PATIENT, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a job in the background of a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)  # else programs never notice a Ctrl-C
    os.environ.pop("COLUMNS", None)  # of the terminal in which the tests run
    os.environ["OPENBLAS_NUM_THREADS"] = (
        "1"  # each worker has one core; more threads only wait for each other
    )
    share_rules()
    quicken()
    share_statements()
    if not hasattr(config, "workerinput"):  # the workers of xdist are marked as children of this process
        processes.begin_run()

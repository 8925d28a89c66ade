"""Which cause a message names by its words: *who*, and *what* befell it.

Words are compared by their stems (`word_stems.py`), so singular, plural and tense do not matter; `a_b` is a
phrase. One word stands for a code or a place (`CODES_AND_PLACES`). Behind the name of an exception stands the
name as one word: `valueexc` for `ValueError`.
"""

from dataclasses import dataclass

from babysitter.model.finding import Cause

# What `word_stems.py` puts in place of codes and places, for a person.
CODES_AND_PLACES = {
    "httpauth": "401 or 403",
    "httpabsent": "404",
    "httpbusy": "429",
    "httpserver": "a 5xx status",
    "httpclient": "a 4xx status",
    "exitcode": "exit code",
    "exitkill": "killed",
    "objectstore": "object store",
    "weburl": "URL",
    "netaddress": "address",
    "sharedlib": "shared library",
    "datafile": "data file",
    "settingfile": "settings file",
    "devicefile": "device",
    "filepath": "path",
    "flagname": "flag",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A message with a word of `who` and one of `what` names the cause; without `what` `who` is enough.

    `is_vague`: the words stand in reports of many causes. `is_behind_names`: from here on the name of an
    exception says more.
    """

    cause: Cause
    who: str
    what: str = ""
    is_vague: bool = False
    is_behind_names: bool = False


# The first that holds counts, so rows with rare words stand before those whose words are everywhere.
ROWS: tuple[Row, ...] = (
    Row(Cause.SLOW_STARTUP, "long_work", "takes_long"),
    Row(Cause.STRAGGLERS, "straggler_alone"),
    Row(Cause.DEVICE_OOM, "device_oom_alone"),
    Row(Cause.COMPILE_ERROR, "kernel_maker", "exhausted"),
    Row(Cause.CONFIG_ERROR, "shm", "shm_fault"),
    Row(Cause.DISK_FULL, "disk", "exhausted"),
    Row(Cause.DEVICE_OOM, "on_chip", "exhausted"),
    Row(Cause.DEVICE_OOM, "chip_side", "oom"),
    Row(Cause.DEVICE_OOM, "chip_side", "allocation"),
    Row(Cause.HOST_OOM, "oom"),
    Row(Cause.HOST_OOM, "memory", "exhausted"),
    Row(Cause.NUMERICAL_DIVERGENCE, "diverged"),
    Row(Cause.NUMERICAL_DIVERGENCE, "value", "nonfinite"),
    Row(Cause.UNSCHEDULABLE, "unplaceable"),
    Row(Cause.CAPACITY_WAIT, "scheduling"),
    Row(Cause.CONFIG_ERROR, "lifetime"),
    Row(Cause.CONFIG_ERROR, "time_limit", "time_limit_reached"),
    Row(Cause.BAD_ACCELERATOR, "chip_alone"),
    Row(Cause.PREEMPTION, "preempted"),
    Row(Cause.MISSING_DEPENDENCY, "dependency_alone"),
    Row(Cause.CONFIG_ERROR, "submission"),
    Row(Cause.BUILD_OR_BUNDLE_FAILURE, "build_alone"),
    Row(Cause.AUTH_ERROR, "auth_alone"),
    Row(Cause.AUTH_ERROR, "credential", "refused"),
    Row(Cause.AUTH_ERROR, "token", "denied"),
    Row(Cause.MISSING_DEPENDENCY, "package", "package_fault"),
    Row(Cause.WORKER_CHURN, "churn_alone"),
    Row(Cause.WORKER_CHURN, "workers", "churn"),
    Row(Cause.BAD_ACCELERATOR, "chip", "chip_fault"),
    Row(Cause.BUILD_OR_BUNDLE_FAILURE, "build", "unbuilt"),
    Row(Cause.COLLECTIVE_TIMEOUT, "collective_alone"),
    Row(Cause.COLLECTIVE_TIMEOUT, "collective", "collective_fault"),
    Row(Cause.CAPACITY_WAIT, "supply", "waiting"),
    Row(Cause.UNSCHEDULABLE, "placement", "impossible"),
    Row(Cause.CONTROLLER_UNREACHABLE, "controller_phrase"),
    Row(Cause.CONTROLLER_UNREACHABLE, "controller_alone", "lost"),
    Row(Cause.CONTROLLER_UNREACHABLE, "controller", "lost"),
    Row(Cause.COMPILE_ERROR, "compiler", "miscompiled"),
    Row(Cause.STORAGE_ERROR, "store_alone"),
    Row(Cause.DATA_ERROR, "data_alone"),
    Row(Cause.NETWORK_TIMEOUT, "net_alone"),
    Row(Cause.CONFIG_ERROR, "config_alone"),
    Row(Cause.CONFIG_ERROR, "store", "absent"),
    Row(Cause.STORAGE_ERROR, "store", "store_fault"),
    Row(Cause.CONFIG_ERROR, "objectstore", "absent"),
    Row(Cause.DATA_ERROR, "data", "data_fault"),
    Row(Cause.STORAGE_ERROR, "objectstore", "store_fault"),  # a path alone is where, not what
    Row(Cause.CONFIG_ERROR, "config", "config_fault"),
    Row(Cause.NETWORK_TIMEOUT, "network", "network_fault"),
    Row(Cause.STAGE_STUCK, "standstill"),
    Row(Cause.CONFIG_ERROR, "http_client", is_behind_names=True),
    Row(Cause.NETWORK_TIMEOUT, "http_server"),
    Row(Cause.CONFIG_ERROR, "not_there", is_vague=True),
    Row(Cause.CODE_ERROR, "code", is_vague=True),
    Row(Cause.STAGE_STUCK, "stage", "stuck"),
    Row(Cause.ACTOR_DIED, "actor", "died"),
    Row(Cause.NETWORK_TIMEOUT, "late", is_vague=True),
    Row(Cause.CONFIG_ERROR, "value_exc", "demand", is_vague=True),
    Row(Cause.CODE_ERROR, "exception", is_vague=True),
)

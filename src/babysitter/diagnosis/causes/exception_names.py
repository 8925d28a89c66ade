"""The cause that the name of an exception says: `NoBrokersAvailable`, `UndefinedTable`, `EngineDeadError`.

Classes that nobody listed are named by the same words. Of the phrases in a name the longest counts, of equal
ones the last: the noun stands behind what describes it.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from babysitter.model.finding import Cause

MAX_CHARACTERS = 1500


@dataclass(frozen=True, slots=True)
class _Names:
    """Phrases in names of exceptions that mean a cause."""

    cause: Cause
    phrases: str


_NAMES = (
    _Names(Cause.HOST_OOM, "out_of_memory oom memory_limit memory"),
    _Names(Cause.DISK_FULL, "out_of_disk disk_full disk_quota no_space out_of_space insufficient_storage"),
    _Names(
        Cause.AUTH_ERROR,
        "auth authentication authorization unauthenticated unauthorized permission permissions "
        "access_denied access_control denied forbidden credential credentials login token oauth "
        "signature kerberos not_authorized identity refresh_token certificate verification",
    ),
    _Names(
        Cause.CAPACITY_WAIT, "quota_exceeded capacity resource_exhausted resources_unavailable vcpu_limit"
    ),
    _Names(Cause.UNSCHEDULABLE, "unschedulable infeasible"),
    _Names(Cause.PREEMPTION, "preempted preemption evicted"),
    _Names(Cause.CONTROLLER_UNREACHABLE, "leader not_leader leader_lost no_leader no_master etcd api_server"),
    _Names(Cause.COLLECTIVE_TIMEOUT, "rendezvous barrier collective process_group"),
    _Names(Cause.COMPILE_ERROR, "compile compilation compiler lowering codegen inductor nvrtc ptx"),
    _Names(
        Cause.MISSING_DEPENDENCY,
        "import module_not_found module_missing dependency class_not_found class_def_found "
        "no_such_method package_not_found version_conflict unsupported_class_version unsatisfied_link",
    ),
    _Names(Cause.BUILD_OR_BUNDLE_FAILURE, "build image_pull wheel installation runtime_env_setup"),
    _Names(
        Cause.DATA_ERROR,
        "decode decoding decompression parse parser parsing json corrupt corruption corrupted checksum "
        "crc malformed truncated deserialization schema integrity violation cast unpickling format "
        "bad_data invalid_data dataset unicode incomplete encoding_detection data_loss",
    ),
    _Names(
        Cause.STORAGE_ERROR,
        "storage upload read_only lock_timeout locked deadlock_detected blob_storage file_system "
        "slow_down stale_file_handle server_busy object_store",
    ),
    _Names(
        Cause.NETWORK_TIMEOUT,
        "timeout timed_out connection connect connector disconnected disconnect network socket dns "
        "unreachable not_available brokers_available unavailable protocol proxy ssl tls rpc "
        "deadline_exceeded bad_gateway too_many_requests throttling throttled rate_limit rate_limited "
        "max_retry retries_exceeded gateway transport internal_server name_resolution unknown_host "
        "connection_closed",
    ),
    _Names(
        Cause.CONFIG_ERROR,
        "config configuration misconfigured misconfiguration improperly_configured setting settings "
        "option argument parameter usage flag validation not_found does_not_exist no_such_file "
        "no_such_key no_such_table already_exists exists no_section undefined_table undefined_column "
        "unknown_topic "
        "unsupported invalid_argument missing_mandatory conflict bad_request environment_variable "
        "not_a_directory is_a_directory precondition not_implemented mandatory",
    ),
    _Names(Cause.STAGE_STUCK, "no_progress stalled stall stuck deadlock hang"),
    _Names(Cause.NUMERICAL_DIVERGENCE, "nan non_finite divergence diverged"),
    _Names(
        Cause.ACTOR_DIED, "died dead crashed worker_lost killed process_exited broken_process broken_executor"
    ),
    _Names(
        Cause.CODE_ERROR,
        "assertion attribute null_pointer index illegal_argument illegal_state class_cast out_of_range "
        "unsupported_operation panic invariant zero_division no_such_element no_such_field "
        "stop_iteration recursion invalid_state",
    ),
)
# "pkg.module.NotReady: ..." or "SomethingError(...)"; a bare word without such an end may be anything.
_NAME = re.compile(
    r"(?<![\w/.$-])(?:(?:[A-Za-z_]\w*\.)+_?(?P<dotted>[A-Z]\w*[a-z]\w*)(?=: |\(|$)"
    r"|_?(?P<plain>[A-Z]\w*?(?:Error|Exception|Failure|Timeout|NotFound|Exceeded|Unavailable|Denied|Died))"
    r"(?=: |\(|$))"
)
# A status of gRPC, as C++ and Java (`UNAVAILABLE: ...`) or Go (`code = Unavailable`) print it.
_STATUS = re.compile(r"\b(?P<upper>[A-Z]{4,}(?:_[A-Z]+)*)(?=: )|\bcode = (?P<camel>[A-Z]\w+)")
_STATUSES = (
    _Names(Cause.NETWORK_TIMEOUT, "unavailable deadlineexceeded"),
    _Names(Cause.CAPACITY_WAIT, "resourceexhausted"),
    _Names(Cause.AUTH_ERROR, "permissiondenied unauthenticated"),
    _Names(Cause.CONFIG_ERROR, "notfound alreadyexists invalidargument failedprecondition unimplemented"),
    _Names(Cause.DATA_ERROR, "dataloss"),
)
_NO_PART = frozenset({"error", "exception"})
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


@lru_cache(maxsize=2048)
def cause_of_exception(message: str) -> tuple[Cause, str] | None:
    """The cause that the first telling exception, or else a status of gRPC, names, with that name."""
    for found in _NAME.finditer(message[:MAX_CHARACTERS]):
        name = found["dotted"] or found["plain"]
        if (cause := _cause_of(name)) is not None:
            return cause, name
    for found in _STATUS.finditer(message[:MAX_CHARACTERS]):
        status = found["upper"] or found["camel"]
        if (cause := _table(_STATUSES).get(status.replace("_", "").lower())) is not None:
            return cause, status
    return None


def _cause_of(name: str) -> Cause | None:
    parts = [part.lower() for part in _PART.findall(name)]
    parts = [part for part in parts if part not in _NO_PART]
    best: tuple[int, int, Cause] | None = None
    for end in range(1, len(parts) + 1):
        for first in range(end):
            cause = _table(_NAMES).get("_".join(parts[first:end]))
            if cause is not None and (best is None or (end - first, end) >= best[:2]):
                best = (end - first, end, cause)
    return best[2] if best is not None else None


@cache
def _table(rows: tuple[_Names, ...]) -> dict[str, Cause]:
    return {phrase: row.cause for row in rows for phrase in row.phrases.split()}

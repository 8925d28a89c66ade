"""What can lead to what: facts about machines and programs behind `root_cause.py`; no judgement."""

from collections.abc import Mapping

from babysitter.model.finding import Cause

BENIGN_CAUSES = frozenset({Cause.HEALTHY, Cause.TRANSIENT_NOISE, Cause.USER_CANCEL, Cause.SLOW_STARTUP})

# Ends of others: a process that loses its partner prints one of these, whatever took the partner.
ENDS_OF_OTHERS = frozenset(
    {Cause.NETWORK_TIMEOUT, Cause.COLLECTIVE_TIMEOUT, Cause.ACTOR_DIED, Cause.WORKER_CHURN, Cause.STAGE_STUCK}
)
_PROCESS_ENDED = ENDS_OF_OTHERS | {Cause.STRAGGLERS, Cause.USER_CANCEL, Cause.UNKNOWN}

# cause -> what may be seen because of it. The earliest member of a chain is the one to name.
LEADS_TO: Mapping[Cause, frozenset[Cause]] = {
    Cause.BUILD_OR_BUNDLE_FAILURE: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.MISSING_DEPENDENCY},
    Cause.MISSING_DEPENDENCY: _PROCESS_ENDED | {Cause.CODE_ERROR},
    Cause.CONFIG_ERROR: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.DATA_ERROR, Cause.STORAGE_ERROR},
    Cause.AUTH_ERROR: _PROCESS_ENDED
    | {Cause.CODE_ERROR, Cause.CONFIG_ERROR, Cause.STORAGE_ERROR, Cause.BUILD_OR_BUNDLE_FAILURE},
    Cause.HOST_OOM: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.STORAGE_ERROR, Cause.PREEMPTION},
    Cause.DEVICE_OOM: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.COMPILE_ERROR, Cause.BAD_ACCELERATOR},
    Cause.DISK_FULL: _PROCESS_ENDED
    | {
        Cause.CODE_ERROR,
        Cause.STORAGE_ERROR,
        Cause.DATA_ERROR,
        Cause.PREEMPTION,
        Cause.BUILD_OR_BUNDLE_FAILURE,
    }
    | {Cause.CONTROLLER_UNREACHABLE},
    Cause.BAD_ACCELERATOR: _PROCESS_ENDED
    | {Cause.CODE_ERROR, Cause.COMPILE_ERROR, Cause.MISSING_DEPENDENCY, Cause.CONFIG_ERROR, Cause.DEVICE_OOM},
    Cause.PREEMPTION: _PROCESS_ENDED
    | {
        Cause.CODE_ERROR,
        Cause.HOST_OOM,
        Cause.STORAGE_ERROR,
        Cause.CAPACITY_WAIT,
        Cause.CONTROLLER_UNREACHABLE,
    },
    Cause.CAPACITY_WAIT: frozenset(
        {
            Cause.NETWORK_TIMEOUT,
            Cause.STAGE_STUCK,
            Cause.STRAGGLERS,
            Cause.SLOW_STARTUP,
            Cause.COLLECTIVE_TIMEOUT,
        }
    ),
    Cause.UNSCHEDULABLE: frozenset({Cause.CAPACITY_WAIT, Cause.STAGE_STUCK, Cause.NETWORK_TIMEOUT}),
    Cause.CONTROLLER_UNREACHABLE: frozenset(
        {Cause.NETWORK_TIMEOUT, Cause.WORKER_CHURN, Cause.ACTOR_DIED, Cause.CAPACITY_WAIT, Cause.STAGE_STUCK}
    ),
    Cause.ZOMBIE_COORDINATOR: frozenset({Cause.WORKER_CHURN, Cause.STAGE_STUCK, Cause.NETWORK_TIMEOUT}),
    Cause.NUMERICAL_DIVERGENCE: frozenset({Cause.CODE_ERROR, Cause.COLLECTIVE_TIMEOUT}),
    Cause.COMPILE_ERROR: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.SLOW_STARTUP},
    Cause.DATA_ERROR: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.NUMERICAL_DIVERGENCE},
    Cause.CODE_ERROR: _PROCESS_ENDED,
    Cause.STORAGE_ERROR: _PROCESS_ENDED | {Cause.CODE_ERROR, Cause.DATA_ERROR, Cause.CONTROLLER_UNREACHABLE},
    Cause.NETWORK_TIMEOUT: frozenset(
        {Cause.COLLECTIVE_TIMEOUT, Cause.ACTOR_DIED, Cause.WORKER_CHURN, Cause.STAGE_STUCK, Cause.CODE_ERROR}
    ),
    Cause.COLLECTIVE_TIMEOUT: frozenset({Cause.ACTOR_DIED, Cause.NETWORK_TIMEOUT, Cause.CODE_ERROR}),
    Cause.ACTOR_DIED: frozenset(
        {
            Cause.COLLECTIVE_TIMEOUT,
            Cause.NETWORK_TIMEOUT,
            Cause.WORKER_CHURN,
            Cause.CODE_ERROR,
            Cause.STAGE_STUCK,
        }
    ),
    Cause.WORKER_CHURN: frozenset(
        {Cause.STAGE_STUCK, Cause.STRAGGLERS, Cause.NETWORK_TIMEOUT, Cause.ACTOR_DIED}
    ),
    Cause.STAGE_STUCK: frozenset({Cause.STRAGGLERS, Cause.NETWORK_TIMEOUT}),
}

# Progress after the line does not overcome these: they are about the progress itself, about placing, or stay
# (a disk does not empty itself).
OUTLAST_PROGRESS = frozenset(
    {
        Cause.DISK_FULL,
        Cause.NUMERICAL_DIVERGENCE,
        Cause.STRAGGLERS,
        Cause.STAGE_STUCK,
        Cause.ZOMBIE_COORDINATOR,
        Cause.WORKER_CHURN,
        Cause.CAPACITY_WAIT,
        Cause.UNSCHEDULABLE,
    }
)

# A success does not make these unseen: the run ended, its result is worth a look.
OUTLAST_SUCCESS = frozenset({Cause.NUMERICAL_DIVERGENCE})


def leads_to(cause: Cause, effect: Cause) -> bool:
    """Whether `effect` is often seen because of `cause`."""
    return effect in LEADS_TO.get(cause, frozenset())

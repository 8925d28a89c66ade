"""Who plans a submission to which kind of cluster. A backend with a planner of its own is a row."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.clock import Clock
from babysitter.launch.ray_plan import plan_on_ray
from babysitter.launch.submit_options import SubmitOptions
from babysitter.launch.submit_plan import SubmitPlan

Planner: TypeAlias = Callable[
    [SubmitOptions, ClusterSpec, Path, Mapping[str, str], Path, Clock], Awaitable[SubmitPlan]
]

_PLANNERS: Mapping[str, Planner] = {"ray": plan_on_ray}


def planner_of(cluster: ClusterSpec) -> Planner | None:
    """What plans submissions to this cluster; None where `submit_plan.plan_submission` does."""
    return _PLANNERS.get(cluster.backend)

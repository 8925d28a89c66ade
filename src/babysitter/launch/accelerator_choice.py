"""--scale-group and --auto: the accelerator that they stand for, from what a cluster offers."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.errors import UserError
from babysitter.preflight.resources.offer import ClusterOffer, Device, ScaleGroup

NEEDS_FILE = "Name the cluster's file with --config, or the cluster with --cluster."


def with_scale_group(job: NewJob, name: str, offer: ClusterOffer | None) -> tuple[NewJob, str]:
    """The job on the accelerator of this scale group, and a sentence about it."""
    _refuse_both(job, "--scale-group")
    groups = [group for group in _offered(offer, "--scale-group").groups if group.name == name]
    if not groups:
        assert offer is not None, "asked for above"
        names = sorted({group.name for group in offer.groups})
        near = get_close_matches(name, names, n=3) or names[:10]
        raise UserError(
            f"The cluster {offer.name} does not have a scale group '{name}'.",
            next_step=f"Nearest names: {', '.join(near)}." if near else "Its file has none.",
        )
    return _on(job, groups[0]), f"--scale-group {name} stands for {_words(groups[0])}."


def with_auto(job: NewJob, offer: ClusterOffer | None) -> tuple[NewJob, str]:
    """The job on the smallest TPU slice that the cluster offers where the job may run, and a sentence."""
    _refuse_both(job, "--auto")
    offer = _offered(offer, "--auto")
    groups = [group for group in offer.groups if group.device is Device.TPU and _is_allowed(group, job)]
    if not groups:
        where = f" in {', '.join(job.regions) or job.zone}" if job.regions or job.zone else ""
        raise UserError(
            f"The cluster {offer.name} offers no TPUs{where}.", next_step="Leave out --auto, or name a --tpu."
        )
    smallest = min(groups, key=lambda group: (group.machines, group.device_count or 0, group.variant))
    kinds = sorted({group.variant for group in groups})
    return _on(job, smallest), f"--auto chose {_words(smallest)}, the smallest of {', '.join(kinds)}."


def _offered(offer: ClusterOffer | None, option: str) -> ClusterOffer:
    if offer is None:
        raise UserError(
            f"{option} needs the file of the cluster, which tells its groups.", next_step=NEEDS_FILE
        )
    return offer


def _refuse_both(job: NewJob, option: str) -> None:
    if given := [name for name, value in (("--tpu", job.tpus), ("--gpu", job.gpu)) if value]:
        raise UserError(f"{option} and {given[0]} exclude each other.", next_step="Give one of them.")


def _is_allowed(group: ScaleGroup, job: NewJob) -> bool:
    regions: Sequence[str] = [region.lower() for region in job.regions]
    in_place = (not regions or group.region.lower() in regions) and (
        not job.zone or group.zone.lower() == job.zone.lower()
    )
    return in_place and (job.preemptible is None or group.is_preemptible is job.preemptible)


def _on(job: NewJob, group: ScaleGroup) -> NewJob:
    if group.device is Device.TPU:
        return replace(job, tpus=(group.variant,))
    if group.device is Device.GPU:
        count = group.device_count or 1
        return replace(job, gpu=f"{group.variant}x{count}" if group.variant else str(count))
    return job


def _words(group: ScaleGroup) -> str:
    if group.device is Device.TPU:
        return f"--tpu {group.variant}"
    if group.device is Device.GPU:
        return f"--gpu {group.variant}x{group.device_count or 1}"
    return "machines without an accelerator"

"""A new job as the options of `iris job run`, translated for the generation that answers."""

from collections.abc import Iterator, Sequence

from babysitter.backends.iris.submission.new_job import NewJob
from babysitter.preflight.client.client_tables import limits, option_table
from babysitter.preflight.command_line import with_switch
from babysitter.preflight.resources.extra_resources import with_extra_resources


def run_words(iris: Sequence[str], job: NewJob, variables: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The whole command. `iris`: the command with its options for the cluster. `variables`: of -e, in order.

    The flag that large requests need is added where it is needed.
    """
    words = (*iris, "job", "run", "--no-wait", *_options(job), *_variables(variables), "--", *job.command)
    extra = limits().extra_resources
    if job.tpus or job.gpu:
        return with_switch(words, extra.flag)
    return with_extra_resources(words)


def options_lacking(job: NewJob, generation: str) -> tuple[str, ...]:
    """Options in use that the command of this generation does not have."""
    known = {name for option in option_table().run_options(generation) for name in option.names}
    used = [word for word in _options(job) if word.startswith("--") and word not in known]
    return (*job.http_only, *used)


def _options(job: NewJob) -> tuple[str, ...]:
    valued: Sequence[tuple[str, object]] = (
        ("--job-name", job.name),
        ("--user", job.user),
        ("--tpu", ",".join(job.tpus)),
        ("--gpu", job.gpu),
        ("--cpu", "" if job.cpu is None else f"{job.cpu:g}"),
        ("--memory", job.memory),
        ("--disk", job.disk),
        ("--replicas", job.replicas or ""),
        ("--max-retries", job.max_retries or ""),
        ("--timeout", job.timeout_s or ""),
        ("--zone", job.zone),
        ("--priority", job.priority),
    )
    words = [part for name, value in valued if value != "" for part in (name, str(value))]
    for name, values in (("--region", job.regions), ("--extra", job.extras), ("--reserve", job.reserve)):
        words += [part for value in values for part in (name, value)]
    if job.preemptible is not None:
        words.append("--preemptible" if job.preemptible else "--no-preemptible")
    return tuple(words)


def _variables(variables: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, value in variables:
        yield from ("-e", name, value)

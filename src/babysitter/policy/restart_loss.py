"""What a restart loses: the work since the last checkpoint, and whether the new run can find it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from babysitter.model.launch_request import LaunchRequest
from babysitter.model.memory import Memory
from babysitter.model.proposal import KeptValue, RestartLoss
from babysitter.model.submission import Submission
from babysitter.policy.command_differences import read_options
from babysitter.policy.written_change import variables_of_command

_TRAINING = "training"  # a kind of `Memory.kind`
_RUN_ID_OPTIONS = (
    "run-id",
    "trainer.id",
    "wandb-run-id",
    "wandb-id",
    "trainer.wandb.id",
    "run-name",
    "wandb-name",
)
_RUN_ID_VARIABLES = ("RUN_ID", "WANDB_RUN_ID", "WANDB_NAME")
_OUTPUT_OPTIONS = (
    "output-dir",
    "output-path",
    "output",
    "out-dir",
    "save-dir",
    "save",
    "checkpoint-dir",
    "checkpoint-path",
    "ckpt-dir",
    "work-dir",
    "workdir",
    "base-output-directory",
    "default-root-dir",
    "hydra.run.dir",
    "trainer.checkpointer.base-path",
    "trainer.default-root-dir",
    "prefix",
)
_OUTPUT_VARIABLES = ("OUTPUT_DIR", "OUTPUT_PATH", "CHECKPOINT_DIR", "MARIN_PREFIX")


@dataclass(frozen=True, slots=True)
class _Run:
    """What is known of a submission: the job's own program, and its variables; blanked values are ""."""

    program: tuple[str, ...]
    variables: Mapping[str, str]


def restart_loss(memory: Memory, before: Submission | None, after: Submission) -> RestartLoss | None:
    """What stopping the present job loses; None for a job that is not known to save anything.

    `before`: what the cluster stored of the job, None where that is not known.
    """
    if memory.checkpoint is None and memory.kind != _TRAINING:
        return None
    then, now = _run_of(before) if before else None, _run_of(after)
    return RestartLoss(
        checkpoint=memory.checkpoint,
        step=memory.progress.done if memory.progress and memory.kind == _TRAINING else None,
        run_id=_kept(then, now, _RUN_ID_OPTIONS, _RUN_ID_VARIABLES),
        output_path=_kept(then, now, _OUTPUT_OPTIONS, _OUTPUT_VARIABLES),
    )


def _kept(
    before: _Run | None, after: _Run, options: tuple[str, ...], variables: tuple[str, ...]
) -> KeptValue:
    now = _value(after, options, variables)
    then = _value(before, options, variables) if before else None
    return KeptValue(
        name=now[0] if now else then[0] if then else "",
        before=then[1] if then else "",
        after=now[1] if now else "",
        is_known_before=before is not None,
    )


def _value(run: _Run, options: tuple[str, ...], variables: tuple[str, ...]) -> tuple[str, str] | None:
    """Name and value of what the submission sets, the program's own options first."""
    given = dict(_options(run.program))
    for name in options:
        if name in given:
            return f"--{name}", given[name]
    return next(((name, run.variables[name]) for name in variables if name in run.variables), None)


def _options(program: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """`--name value`, `--name=value` and `name=value`, names in lower case with hyphens."""
    for word, following in zip(program, (*program[1:], ""), strict=True):
        name, is_given, value = word.partition("=")
        if not is_given and not word.startswith("--"):
            continue
        if not is_given:
            value = "" if following.startswith("-") else following
        yield name.lstrip("-+").lower().replace("_", "-"), value


def _run_of(submission: Submission) -> _Run:
    if submission.argv:
        return _Run(read_options(submission.argv).program, variables_of_command(submission.argv))
    if submission.summary is not None:
        return _Run(submission.summary.program, dict.fromkeys(submission.summary.variables, ""))
    request = LaunchRequest(submission.request or {})
    return _Run(request.command, request.variables)

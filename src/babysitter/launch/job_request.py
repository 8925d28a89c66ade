"""A job to start, as a training script describes it: program, resources, environment, retries."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from babysitter.launch.resource_config import ResourceConfig
from babysitter.preflight.client.client_environment import CLIENT_CONSTANTS, PASSED_THROUGH

DEFAULT_PREEMPTION_RETRIES = 100


class JobStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"

    @staticmethod
    def finished(status: "JobStatus") -> bool:
        return status in (JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.STOPPED)


@dataclass(frozen=True, slots=True)
class BinaryEntrypoint:
    command: str
    args: Sequence[str] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        return (self.command, *self.args)


@dataclass(frozen=True, slots=True)
class CallableEntrypoint:
    callable: Callable[..., Any]
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entrypoint:
    """What a task runs: a function with its arguments, or a command. Exactly one of them."""

    callable_entrypoint: CallableEntrypoint | None = None
    binary_entrypoint: BinaryEntrypoint | None = None

    def __post_init__(self) -> None:
        if (self.callable_entrypoint is None) == (self.binary_entrypoint is None):
            raise ValueError("An entrypoint is either a function or a command.")

    @staticmethod
    def from_callable(
        function: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> "Entrypoint":
        """Run this function. It is pickled when the job is submitted; its result is dropped."""
        return Entrypoint(callable_entrypoint=CallableEntrypoint(function, tuple(args), dict(kwargs or {})))

    @staticmethod
    def from_binary(command: str, args: Sequence[str] = ()) -> "Entrypoint":
        return Entrypoint(binary_entrypoint=BinaryEntrypoint(command, tuple(args)))

    @staticmethod
    def from_command(*command: str) -> "Entrypoint":
        """Run this command: words, or one string as a shell would split it."""
        words = shlex.split(command[0]) if len(command) == 1 else list(command)
        if not words:
            raise ValueError("The command is empty.")
        return Entrypoint.from_binary(words[0], words[1:])


@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """Where and with what a task runs. `workspace`: the folder that is shipped."""

    workspace: str | None = None
    docker_image: str | None = None
    pip_packages: Sequence[str] = ()
    env_vars: Mapping[str, str] = field(default_factory=dict)
    extras: Sequence[str] = ()

    @staticmethod
    def create(
        workspace: str | None = None,
        docker_image: str | None = None,
        pip_packages: Sequence[str] | None = None,
        env_vars: Mapping[str, str] | None = None,
        extras: Sequence[str] | None = None,
    ) -> "EnvironmentConfig":
        """The environment with what every job gets: this process's HF_TOKEN and WANDB_API_KEY, two constants.

        `env_vars` win. Without a workspace and an image, the current folder is the workspace.
        """
        if workspace and docker_image:
            raise ValueError("An environment has a workspace or a docker_image, not both.")
        passed = {name: os.environ[name] for name in PASSED_THROUGH if os.environ.get(name)}
        return EnvironmentConfig(
            workspace=workspace or (None if docker_image else str(Path.cwd())),
            docker_image=docker_image,
            pip_packages=tuple(pip_packages or ()),
            env_vars={**CLIENT_CONSTANTS, **passed, **(env_vars or {})},
            extras=tuple(extras or ()),
        )


def create_environment(**settings: Any) -> EnvironmentConfig:
    """EnvironmentConfig.create under the name that older scripts use."""
    return EnvironmentConfig.create(**settings)


@dataclass(slots=True)
class JobRequest:
    """A job to start.

    `replicas`: tasks; None = as many as `resources` says. `max_retries_failure`: more attempts of a task that
    failed. `max_retries_preemption`: of a task that lost its machine.
    """

    name: str
    entrypoint: Entrypoint
    resources: ResourceConfig = field(default_factory=ResourceConfig)
    environment: EnvironmentConfig | None = None
    replicas: int | None = None
    max_retries_failure: int = 0
    max_retries_preemption: int = DEFAULT_PREEMPTION_RETRIES

    def __post_init__(self) -> None:
        if not self.name or any(sign in self.name for sign in " /\t\n"):
            raise ValueError(f"'{self.name}' is not a job name: give one word without '/'.")
        if self.replicas is None:
            self.replicas = self.resources.replicas
        for what in ("replicas", "max_retries_failure", "max_retries_preemption"):
            least = 1 if what == "replicas" else 0
            if getattr(self, what) < least:
                raise ValueError(f"{what} is at least {least}, not {getattr(self, what)}.")

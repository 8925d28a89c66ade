"""A training script as the launch protocol's users have one; the tests run it with clients of their own."""

import dataclasses

from babysitter.launch import (
    Client,
    Entrypoint,
    EnvironmentConfig,
    JobRequest,
    ResourceConfig,
    current_client,
)


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    resources: ResourceConfig
    run_id: str
    marker: str = ""


def main(config: TrainConfig) -> None:
    if config.marker:
        with open(config.marker, "w") as file:
            file.write(config.run_id)


def _get_client() -> Client:
    return current_client()


def run_levanter_train_lm(config: TrainConfig) -> None:
    job = _get_client().submit(
        JobRequest(
            name="train_lm",
            entrypoint=Entrypoint.from_callable(main, args=[config]),
            resources=config.resources,
            environment=EnvironmentConfig.create(env_vars={"RUN_ID": config.run_id, "WANDB_PROJECT": "tiny"}),
        )
    )
    job.wait(raise_on_failure=True)

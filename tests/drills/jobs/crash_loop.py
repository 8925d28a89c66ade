"""A job on Ray whose actor ends its own process again and again, unless it begins after it was healed."""

import os
import sys
import time

import ray

HEALED = sys.argv[1]


@ray.remote(max_restarts=-1, max_task_retries=-1, num_cpus=0)
class TrainerActor:
    def __init__(self) -> None:
        self.steps = 0

    def step(self, is_bad: bool) -> int:
        time.sleep(0.1)
        if is_bad and self.steps >= 2:
            os._exit(1)
        self.steps += 1
        return self.steps


def main() -> None:
    is_bad = not os.path.exists(HEALED)  # asked once: what loops goes on looping
    ray.init(address="auto")
    trainer = TrainerActor.remote()
    for number in range(1, 100_000):
        done = ray.get(trainer.step.remote(is_bad))
        print(f"step={done if is_bad else number} loss=0.5", flush=True)
        time.sleep(0.4)


main()

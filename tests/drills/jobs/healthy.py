"""A healthy job on Ray: eight actors that train for so many seconds."""

import sys
import time

import ray

SECONDS = float(sys.argv[1])


@ray.remote(num_cpus=0)
class TrainerActor:
    def __init__(self, rank: int) -> None:
        self.rank = rank
        print(f"[Rank {rank}] Device mesh (1D) is ready", flush=True)

    def step(self, number: int) -> float:
        time.sleep(0.5)
        if number % 10 == 0:
            print(f"[Rank {self.rank}] step={number} loss={1 / number:.4f}", flush=True)
        return 1 / number


ray.init(address="auto")
ranks = [TrainerActor.remote(rank) for rank in range(8)]
began, number = time.time(), 0
while time.time() - began < SECONDS:
    number += 1
    losses = ray.get([rank.step.remote(number) for rank in ranks])
    print(f"step={number} loss={sum(losses) / 8:.4f}", flush=True)
    time.sleep(1.0)
print(f"Training completed: {number} steps", flush=True)

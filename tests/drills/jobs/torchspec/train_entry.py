"""A training run on Ray with the actor classes and lines of TorchSpec: sound, or with one fault.

`python -m torchspec.train_entry FAULT [PAUSE_S]`: `none` passes all seven phases of the start.
"""

import logging
import os
import sys
import time

import ray
from ray.util.placement_group import placement_group

FAULT = sys.argv[1]
PAUSE_S = float(sys.argv[2]) if len(sys.argv) > 2 else 0.5
ON_SECOND = {"small" if FAULT == "oom" else "second": 1}  # of the node that can be lost
STEPS = 4000
FORMAT = "[%(asctime)s] %(filename)s:%(lineno)d %(levelname)s %(message)s"


def say(text: str) -> None:
    logging.basicConfig(level=logging.INFO, format=FORMAT, stream=sys.stderr)
    logging.info(text)


@ray.remote(num_cpus=0)
class MooncakeMaster:
    def start(self) -> str:
        say("Starting mooncake master on port 50051")
        time.sleep(PAUSE_S)
        return "50051"


@ray.remote(num_cpus=0)
class TrainerActor:
    def __init__(self, rank: int) -> None:
        self.rank = rank
        if FAULT == "import-error":
            import torch_spec_kernels  # type: ignore[import-not-found]  # noqa: F401
        say(f"[Rank {rank}] Device mesh (1D): world_size=2, dp_size=2")

    def init(self) -> int:
        time.sleep(PAUSE_S)
        say(f"[Rank {self.rank}] Eagle3 model initialized with FSDP2")
        return os.getpid()

    def connect(self) -> None:
        say(f"[Rank {self.rank}] EagleMooncakeStore initialized")
        time.sleep(PAUSE_S)

    def step(self, number: int) -> str:
        time.sleep(0.5)
        if FAULT == "oom" and self.rank == 1 and number == 3:
            held = []
            while True:
                held.append(bytearray(os.urandom(1 << 20) * 64))
                time.sleep(0.05)
        if FAULT == "barrier" and number == 20:
            if self.rank == 1:
                self.next_batch()
            say(f"rank {self.rank} entering barrier")
            self.barrier()
        loss = "nan" if FAULT == "nan" and number >= 5 else f"{2 / number:.3f}"
        print(f"step={number} loss={loss} grad_norm={loss}", flush=True)
        return loss

    def next_batch(self) -> None:
        say(f"rank {self.rank} waits for its batch")
        time.sleep(100_000)

    def barrier(self) -> None:
        while True:  # the other rank never comes
            time.sleep(1.0)


@ray.remote(num_cpus=0)
class SglEngine:
    def __init__(self, rank: int) -> None:
        self.rank = rank

    def init(self) -> None:
        say(f"SglEngine rank {self.rank}: BEFORE init - gpu 0")
        stalls = {"shards-stall": 62, "shards-quiet": 100}.get(FAULT, 0)
        for percent in (10, 62, 100):
            print(
                f"Multi-thread loading shards: {percent}% Completed | {percent}/100",
                file=sys.stderr,
                flush=True,
            )
            time.sleep(PAUSE_S)
            if percent == stalls:
                time.sleep(100_000)
        say(f"SglEngine rank {self.rank}: initialized from /models/k2 (tp_size=1)")


def main() -> None:
    say("Resolved config:\n  model: k2")
    time.sleep(PAUSE_S)
    ray.init(address="auto", log_to_driver=True)
    say("Connected to Ray cluster at 127.0.0.1")
    bundles = [{"GPU": 1, "CPU": 1}] * 3 if FAULT == "never-fits" else [{"CPU": 0.1}] * 2
    say(f"Creating unified placement group with {len(bundles)} GPUs (PACK)...")
    ray.get(placement_group(bundles, name="unified_pg").ready())
    time.sleep(PAUSE_S)
    say("  bundle 0, actual_bundle_index: 0, node: 127.0.0.1, gpu: 0")
    say("Placement (strategy=PACK): training bundles=[0], inference bundles=[1]")
    say("Auto-resolved mooncake master_server_address: 127.0.0.1:50051")
    master = MooncakeMaster.options(name=f"mooncake_{os.getpid()}").remote()
    say(f"mooncake master actor started: {ray.get(master.start.remote())}")
    say("Dataset loaded on controller: 100 train, 10 eval")
    trainers = [TrainerActor.options(resources=ON_SECOND if rank else {}).remote(rank) for rank in range(2)]
    say("Waiting for 2 training actors and 1 inference engines to initialize in parallel...")
    ray.get([trainer.init.remote() for trainer in trainers])
    say("Initializing 1 Sgl engines (tp_size=1)")
    engine = SglEngine.remote(0)
    ray.get(engine.init.remote())
    say("All 2 training actors and 1 inference engines initialized")
    ray.get([trainer.connect.remote() for trainer in trainers])
    say("Initialization timing:\n  engines 1.0s (blocked 0.1s)")
    say(f"Starting: num_steps={STEPS}, num_epochs=1, steps_per_epoch={STEPS}, global_batch_size=8")
    train(trainers)


def train(trainers: list) -> None:  # type: ignore[type-arg]
    for number in range(1, 16 if FAULT in ("none", "nan") else STEPS):
        losses = ray.get([trainer.step.remote(number) for trainer in trainers])
        done = f"{number}/{STEPS} [00:{number:02d}<10:00, loss={losses[0]}, thru=8.0]"
        print(f"\rTraining:  {100 * number // STEPS}%|#| {done}", end="", file=sys.stderr, flush=True)
    say("Training completed: 15 steps in 8.0s")


main()

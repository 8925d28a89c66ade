"""A job on Ray whose two ranks wait for each other for ever, after a few lines."""

import ray


@ray.remote(num_cpus=0)
class Rank:
    def meet(self, other: object) -> None:
        print("rank enters the barrier", flush=True)
        if other is not None:
            ray.get(other.meet.remote(None))

    def wait(self) -> None:
        import time

        time.sleep(100_000)


ray.init(address="auto")
print("starts", flush=True)
first, second = Rank.remote(), Rank.remote()
second.wait.remote()
print("deadlock from here on", flush=True)
ray.get(first.meet.remote(second))

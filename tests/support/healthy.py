"""What healthy programs of every kind print, hour after hour: progress, chatter, words that only sound bad.

Each program is a function of a generator and a moment (seconds since its start) that gives the lines of the
minutes before it. Formats are those of the programs; values and texts are made up.
"""

import json
import random
from collections.abc import Callable, Iterator

from babysitter.model.log import LogLine
from tests.support.build import ROOT, at
from tests.support.jobs import CONTEXT, line, raw, report

Program = Callable[[random.Random, float, float], Iterator[LogLine]]

COORDINATOR = f"{ROOT}/{CONTEXT}-p0-a0/0"
WORKERS = f"{ROOT}/{CONTEXT}-p0-a0/{CONTEXT}-p0-workers-a0"

# Sentences as crawled pages, forums and prompts hold them.
DOCUMENTS = (
    "RuntimeError: CUDA out of memory is the most asked question of this forum",
    "the process was killed by the OOM killer, he wrote, and nobody knew why",
    "Traceback (most recent call last): how to read one, a tutorial for beginners",
    "NaN is not a number; the loss of a game is no disaster",
    "No space left on device? Ten tips to free your disk",
    "ERROR 503 Service Unavailable was all that the page said",
    "Segmentation fault (core dumped) is a band from Bristol",
    "the watchdog caught the collective operation timeout of the power plant",
)


TOO_LONG = (
    "Token indices sequence length is longer than the specified maximum sequence length for this model "
    "(9013 > 8192). Running this sequence through the model will result in indexing errors"
)
NO_AGENT = (
    "(raylet) E1120 12:00:08.1 71 metrics_exporter.cc:12] Failed to connect to metrics agent, metrics will "
    "not be exported"
)
SPILLED = (
    "(raylet) Spilled 2048 MiB, 31 objects, write throughput 911 MiB/s. Set RAY_verbose_spill_logs=0 to "
    "disable this message."
)
PREEMPTED = (
    "WARNING scheduler.py:1057] Sequence group 71 is preempted by PreemptionMode.RECOMPUTE mode because "
    "there is not enough KV cache space. total_num_cumulative_preemption=1"
)
SERVED = (
    "INFO metrics.py:455] Avg prompt throughput: 911.1 tokens/s, Avg generation throughput: "
    "{rate:.1f} tokens/s, Running: 61 reqs, Swapped: 0 reqs, Pending: 2 reqs, GPU KV cache usage: {used:.1f}%"
)
DEPRECATED = (
    "/usr/lib/python3/site-packages/y.py:3: DeprecationWarning: pkg_resources is deprecated as an API"
)


def _times(start_s: float, end_s: float, every_s: float) -> Iterator[float]:
    first = int(start_s // every_s) + 1
    for number in range(first, int(end_s // every_s) + 1):
        yield number * every_s


def _said(seconds: float, text: str, source: str = f"{ROOT}/0") -> LogLine:
    return raw(seconds, f"{at(seconds):%Y-%m-%d %H:%M:%S} {text}", source)


def pipeline(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A Zephyr run: a stage an hour, retries that end well, a worker that comes back."""
    for now in _times(start_s, end_s, 5):
        stage, inside = divmod(now, 3600)
        done = min(900, int(inside / 3590 * 900))
        in_flight = min(30, 900 - done)
        yield report(
            now, done, 900, in_flight=in_flight, alive=30, workers=30, stage=f"stage{int(stage)}-Map"
        )
        if chance.random() < 0.3:
            shard, worker = chance.randrange(900), chance.randrange(30)
            yield line(now, f"Task completed for shard {shard} in 12.2 seconds", f"{WORKERS}/{worker}")
            yield line(now, f"discover_new: 30 endpoints known, 0 new ({shard} polls)", COORDINATOR, "fray")
        if chance.random() < 0.002:
            worker = chance.randrange(30)
            yield line(now, f"Operation pull_task failed (attempt 1/5), retrying in {worker}.1s", COORDINATOR)
            yield line(now + 1, f"Actor call pull_task to w-{worker} succeeded after 1 retry", COORDINATOR)


def levanter(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A TPU run: a long compilation first, then steps, evaluations and checkpoints."""
    if start_s == 0:
        yield _said(5, "INFO     jax._src.xla_bridge: Unable to initialize backend 'cuda': module not found")
        yield _said(6, "INFO     levanter.trainer: First batch loaded in 41.3s, starting first train step")
        yield _said(7, "INFO     levanter.trainer: Tracing train_step for jaxpr... this may take a while")
        return
    for now in _times(max(start_s, 1500), end_s, 20):
        step = int(now / 4)
        if 40_000 < now < 46_000:
            yield _said(now, f"INFO     levanter.eval_harness: {int(now) - 40_000} of 6000 answered")
            continue
        if now % 7200 < 600:
            if now % 7200 < 20:
                yield _said(
                    now, f"INFO     levanter.checkpoint: Saving checkpoint at step {step} to gs://b/ck"
                )
            continue
        loss = 2.4 + 6 / (1 + now / 3000) + chance.uniform(-0.04, 0.04)
        yield raw(now, f"Progress on:train {step / 1000:.1f}kit/90.0kit rate:4.0s/it postfix:loss={loss:.2f}")
        if chance.random() < 0.01:
            yield _said(
                now, "WARNING  google.resumable_media: Retrying after 1.0s: 503 from storage, attempt 1"
            )
            yield _said(now + 1, "INFO     google.resumable_media: upload resumed, finished after 2 attempts")
    for now in _times(max(start_s, 1500), end_s, 3600):
        yield _said(now, f"INFO     levanter.eval: eval loss {2.6 + 1 / (1 + now / 9000):.3f}, bpb 0.91")


def torch(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A GPU run of several ranks with a scaler that skips a step now and then."""
    if start_s == 0:
        for rank in range(4):
            yield raw(
                3, f"[rank{rank}]: NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal"
            )
            yield raw(4, f"node-0:{rank}:{rank} [{rank}] NCCL INFO NVLS multicast support is not available")
            yield raw(9, f"node-0:{rank}:{rank} [{rank}] NCCL INFO comm 0x55d0 rank {rank} Init COMPLETE")
    for now in _times(start_s, end_s, 15):
        step = int(now * 2)
        loss = 1.9 + 4 / (1 + now / 5000) + chance.uniform(-0.05, 0.05)
        yield raw(now, f"step: {step} loss: {loss:.4f} grad_norm: {chance.uniform(0.3, 1.4):.3f} lr: 3.0e-04")
        if chance.random() < 0.02:
            yield raw(now, "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0")
        if now % 3600 == 0:
            yield raw(now, f"saved checkpoint at step {step} (timeout=1800, max_failures=3, on_error=raise)")


def trainer(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A fine-tuning run that prints dictionaries, and bars that redraw themselves."""
    for now in _times(start_s, end_s, 30):
        step, loss = int(now), 0.8 + chance.uniform(-0.05, 0.05)
        yield raw(
            now, f"{{'loss': {loss:.4f}, 'grad_norm': 1.2, 'learning_rate': 1e-05, 'epoch': {now / 9e4:.2f}}}"
        )
        percent = int(now / 90_000 * 100)
        yield raw(now, f"\r {percent:3d}%|███       | {step}/90000 [{int(now) // 60}:00<9:00:00,  1.00it/s]")
        if chance.random() < 0.01:
            yield raw(now, TOO_LONG)
            yield raw(
                now, "/usr/lib/python3/site-packages/x.py:12: FutureWarning: this will raise an error in 3.0"
            )


def ray(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A Ray program with its exporter's complaints and its autoscaler's chatter."""
    if start_s == 0:
        yield raw(2, "2026-11-20 12:00:02,100 INFO worker.py:1900 -- Started a local Ray instance.")
        yield raw(8, NO_AGENT)
    for now in _times(start_s, end_s, 20):
        done = int(now / 20)
        yield raw(
            now, f"(train_worker pid={700 + done % 4}, ip=192.0.2.7) iteration {done} finished, reward 0.41"
        )
        if chance.random() < 0.02:
            yield raw(now, "(autoscaler +1m) Tip: use `ray status` to view detailed cluster status.")
            yield raw(now, SPILLED)


def serving(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """An inference engine: a long start, then its statistics."""
    if start_s == 0:
        yield raw(4, "INFO 11-20 12:00:04 loader.py:410] Loading weights took 130.20 seconds")
        yield raw(5, "Capturing CUDA graphs: this can take some minutes and additional memory")
        return
    for now in _times(max(start_s, 900), end_s, 10):
        used = chance.uniform(20, 88)
        yield raw(now, SERVED.format(rate=chance.uniform(800, 1200), used=used))
        if chance.random() < 0.01:
            yield raw(now, PREEMPTED)


def corpus(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A program that shows samples of the texts it works on."""
    for now in _times(start_s, end_s, 10):
        done = int(now * 50)
        yield _said(now, f"INFO tokenized {done} documents, {done * 700} tokens")
        if chance.random() < 0.3:
            text = chance.choice(DOCUMENTS)
            yield _said(now, "INFO sample: " + json.dumps({"text": text, "url": "https://example.org/a"}))


def crawl(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A downloader: pages that are gone are its daily bread."""
    for now in _times(start_s, end_s, 10):
        done = int(now * 30)
        yield _said(
            now, f"INFO fetched {done} pages, {done // 40} gone (404), {done // 900} refused by robots.txt"
        )
        if chance.random() < 0.05:
            yield _said(now, f"WARNING page {done} got HTTP 503, retrying in 2 s (attempt 1 of 5)")
            yield _said(now + 2, f"INFO page {done} fetched on attempt 2")


def plain(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """A script: an environment that is built, warnings about the future, then one line a minute."""
    if start_s == 0:
        yield raw(1, "Resolved 214 packages in 31ms")
        yield raw(2, "Installed 214 packages in 1.02s")
        yield raw(3, DEPRECATED)
        yield raw(
            4, "config: max_retries=3 fail_fast=False on_failure='restart' oom_score_adj=0 timeout_s=600"
        )
    for now in _times(start_s, end_s, 60):
        yield _said(now, f"INFO processed batch {int(now // 60)} of 1500, 0 errors, 0 failed, 0 skipped")
        if chance.random() < 0.02:
            yield _said(now, "INFO test_out_of_memory_error PASSED")


def benchmarked(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:
    """An evaluation harness whose tasks have frightening names."""
    for now in _times(start_s, end_s, 40):
        done = int(now / 40)
        yield _said(now, f"INFO Running loglikelihood requests: {done}/2300, task=error_detection acc=0.61")
        if chance.random() < 0.05:
            yield _said(now, "INFO task crash_bench/segfault_localization: exact_match 0.21 (stderr 0.01)")


def quiet(chance: random.Random, start_s: float, end_s: float) -> Iterator[LogLine]:  # noqa: ARG001
    """A program that says one thing in a quarter of an hour."""
    for now in _times(start_s, end_s, 900):
        yield _said(now, f"INFO still working, {int(now // 900)} of 120 parts written")


PROGRAMS: dict[str, Program] = {
    log_line.__name__: log_line
    for log_line in (
        pipeline,
        levanter,
        torch,
        trainer,
        ray,
        serving,
        corpus,
        crawl,
        plain,
        benchmarked,
        quiet,
    )
}

"""Pairs of logs: one incident seen twice, with other numbers, hosts, ids and order of lines.

Every pair is another fault in another program, so that the words of a fault alone do not find the twin.
"""

import random
from dataclasses import dataclass

FAULTS = (
    ("MemoryError: cannot hold {n} rows of {id}", "merge_blocks", "heap at {n} MB, {n} blocks pending"),
    ("OSError: [Errno 28] No space left on device: '/scratch/{id}/part-{n}'", "spill", "spilled {n} files"),
    (
        "ConnectionResetError: [Errno 104] Connection reset by peer {host}:{n}",
        "pull_page",
        "peer {host} slow",
    ),
    ("KeyError: 'label_{n}'", "look_up_label", "labels read from {host}"),
    ("PermissionError: 403 Forbidden for bucket-{id}", "sign_request", "token renewed {n} s ago"),
    ("ValueError: shape mismatch: ({n}, {n}) against ({n}, {n})", "add_bias", "batch of {n} made on {host}"),
    ("RuntimeError: CUDA error: device-side assert triggered on {host}", "gather", "launched {n} kernels"),
    ("TimeoutError: barrier {id} not reached by rank {n} after {n} s", "wait_all", "rank {n} at barrier"),
    ("ModuleNotFoundError: No module named 'fastgrid'", "import_plugins", "plugins listed in {n} ms"),
    ("ZeroDivisionError: float division by zero", "mean_of", "weights summed over {n} shards"),
    (
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x{n} in position {n}",
        "parse",
        "file {id}.csv open",
    ),
    ("BrokenPipeError: [Errno 32] Broken pipe to writer {id}", "flush_rows", "writer {id} on {host} paused"),
    ("AssertionError: checksum of block {id} differs", "verify_block", "block {id} copied from {host}"),
    ("IndexError: list index {n} out of range", "next_window", "window of {n} tokens"),
    (
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/{id}/idx'",
        "open_index",
        "index {n} old",
    ),
    ("NotImplementedError: no kernel for type float{n}", "pick_kernel", "kernels scanned: {n}"),
    ("RecursionError: maximum recursion depth exceeded", "expand_tree", "tree of {n} nodes from {host}"),
    ("LookupError: no leader for group {id}", "find_leader", "group {id} has {n} members"),
    ("OverflowError: int too large to convert", "pack_counts", "counts of {n} keys packed"),
    ("RuntimeError: actor {id} on {host} has exited", "call_actor", "actor {id} called {n} times"),
)
PROGRAMS = (
    ("grid", ("mixer.py", "run_grid"), ("grid step {n} done on {host}", "grid cache holds {n} cells")),
    ("crawl", ("fetcher.py", "crawl_site"), ("crawled {n} pages of site {id}", "queue length {n} at {host}")),
    ("tune", ("trainer.py", "fit_epoch"), ("epoch {n} loss 0.{n}", "saved weights {id} in {n} ms")),
)


@dataclass(frozen=True)
class TwinLogs:
    """One incident seen twice."""

    name: str
    first: str
    second: str


def twin_logs(count: int = len(FAULTS) * len(PROGRAMS), *, seed: int = 14) -> list[TwinLogs]:
    """So many pairs, spread over faults and programs; the same for the same seed."""
    pairs = [(fault, program) for program in range(len(PROGRAMS)) for fault in range(len(FAULTS))]
    chosen = random.Random(seed).sample(pairs, count)
    return [
        TwinLogs(
            f"{PROGRAMS[program][0]}-{FAULTS[fault][1]}",
            _log(fault, program, random.Random(f"{seed}-{fault}-{program}-1")),
            _log(fault, program, random.Random(f"{seed}-{fault}-{program}-2")),
        )
        for fault, program in chosen
    ]


def _log(fault: int, program: int, dice: random.Random) -> str:
    """Work in any order, then the fault with its traceback, between lines of other workers."""
    message, function, beside = FAULTS[fault]
    name, (file, caller), usual = PROGRAMS[program]
    work = [_filled(dice.choice([*usual, beside]), dice) for _ in range(dice.randrange(12, 30))]
    work += [_filled(part, dice) for part in (*usual, beside)]
    dice.shuffle(work)
    lines = [f"{_clock(dice)} {dice.choice(['INFO', 'DEBUG'])} {name}: {text}" for text in work]
    lines += [
        "Traceback (most recent call last):",
        f'  File "/srv/{name}/{file}", line {dice.randrange(10, 900)}, in {caller}',
        f"    {function}(state)",
        f'  File "/srv/{name}/{function}.py", line {dice.randrange(10, 900)}, in {function}',
        "    return inner(state)",
        _filled(message, dice),
    ]
    return "\n".join(lines) + "\n"


def _filled(text: str, dice: random.Random) -> str:
    while "{" in text:
        text = text.replace("{n}", str(dice.randrange(10, 99_999)), 1)
        text = text.replace("{id}", f"{dice.getrandbits(40):010x}", 1)
        text = text.replace("{host}", f"node-{dice.randrange(100)}.rack{dice.randrange(9)}.internal", 1)
    return text


def _clock(dice: random.Random) -> str:
    return f"2026-11-{dice.randrange(1, 28):02} {dice.randrange(24):02}:{dice.randrange(60):02}:07"

"""How fast are lines held against all rules? A million generated coordinator lines, and pages of 5,000.

The rival is ripgrep with the same patterns, in the same run, on the same core (`apt-get install ripgrep`). It
counts matching lines; we say which rule matched which line, with captures. Our patterns work on bytes, so
ripgrep gets `--no-unicode`: with its defaults it needs over a hundred times as long on them. Both look for
what is scanned for in every line.

    python benchmarks/classify.py [--json] [--lines 1000000]
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from babysitter.diagnosis.causes.match_rules import classify_text
from babysitter.diagnosis.causes.rule import AppliesTo, Rule
from babysitter.diagnosis.causes.rule_index import RuleIndex, index_of
from babysitter.diagnosis.causes.rules_in_force import LocatedRule, Playbook
from babysitter.diagnosis.signatures.pattern import Pattern, capturer
from babysitter.diagnosis.signatures.scanner import tidy
from babysitter.diagnosis.signatures.scanner_hyperscan import HyperscanScanner
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.playbook.load import load
from babysitter.usecases.looking.classify_text import examine

RULES = 500
PAGE_LINES = 5_000
REPEATS = 3
PROGRESS = (
    "I20261120 19:{m:02d}:{s:02d} zephyr.execution [20261120-194436-86827518] [stage{k}-Map → Scatter] "
    "{d}/9000 complete, 30 in-flight, {q} queued, 30/30 workers alive, 0 dead"
)
NOISE = (
    "I20261120 19:{m:02d}:{s:02d} iris.actor.client Resolved actor zephyr-w-{b} to 10.0.{b}.12:{a} in 3.2ms",
    "I20261120 19:{m:02d}:{s:02d} fray.cluster discover_new: 30 endpoints known, 0 new ({a} polls)",
    "I20261120 19:{m:02d}:{s:02d} zephyr.execution pull_task worker=w-{b} shard={a} queue=812 op=x{a}{b}",
    "D20261120 19:{m:02d}:{s:02d} rigging.timing actor call pull_task took 0.0{b}s (endpoint 10.1.2.{b})",
    "I20261120 19:{m:02d}:{s:02d} zephyr.worker Task completed for shard {a} in {b}.2 seconds",
)
ERRORS = (
    "W20261120 19:{m:02d}:{s:02d} zephyr.execution Shard {a} failed on worker {b} (attempt 1/3), re-queuing.",
    "W20261120 19:{m:02d}:{s:02d} zephyr.execution Zephyr worker w-{b} missed its heartbeat for {b}.4s",
    "E20261120 19:{m:02d}:{s:02d} zephyr.worker KeyError: 'field_{a}'",
    "E20261120 19:{m:02d}:{s:02d} gcs upload of part-{a} got HTTP 503 Service Unavailable",
    "E20261120 19:{m:02d}:{s:02d} w-{b} jaxlib RESOURCE_EXHAUSTED: out of memory allocating {a} bytes",
    "E20261120 19:{m:02d}:{s:02d} [Errno 28] No space left on device: '/tmp/spill-{a}'",
    "E20261120 19:{m:02d}:{s:02d} ConnectionRefusedError: [Errno 111] 10.0.{b}.1:{a}",
    "E20261120 19:{m:02d}:{s:02d} ModuleNotFoundError: No module named 'mod{a}'",
)


def generated(count: int, density: float, seed: int = 7) -> bytes:
    """Progress lines drowned in noise, with this part of errors."""
    draw = random.Random(seed)

    def lines() -> Iterator[str]:
        for number in range(count):
            chance = draw.random()
            kind = (
                draw.choice(ERRORS)
                if chance < density
                else PROGRESS
                if chance < density + 0.05
                else draw.choice(NOISE)
            )
            done = number * 9000 // count
            words = {
                "a": draw.randrange(60_000),
                "b": draw.randrange(250),
                "k": 1,
                "d": done,
                "q": 9000 - done,
            }
            yield kind.format(m=number // 60 % 60, s=number % 60, **words)

    return ("\n".join(lines()) + "\n").encode()


def padded(playbook: Playbook, count: int) -> Playbook:
    """The shipped rules, and as many made-up ones of the same make as are missing."""
    words = ("quota", "cordon", "wheel", "mosaic", "barrier", "manifest", "parquet", "tokenizer", "megascale")
    verbs = ("refused", "expired", "exhausted", "mismatched", "unavailable")
    draw = random.Random(3)
    placed = list(playbook.placed)
    while len(placed) < count:
        one, two, verb, number = draw.choice(words), draw.choice(words), draw.choice(verbs), len(placed)
        rule = Rule.model_validate(
            {
                "id": f"padding.rule-{number}",
                "cause": "unknown",
                "severity": "degraded",
                "match": {
                    "logs": [
                        f"{one} {two} {verb} by peer {number}",
                        rf"/{one}-{number} (?P<what>\S+) {verb} after (?P<n>\d+)/",
                    ]
                },
                "explain": "Padding.",
                "action": "wait",
            }
        )
        placed.append(LocatedRule(rule, AppliesTo(), playbook.placed[0].place))
    return Playbook(tuple(placed), f"{playbook.fingerprint}-padded")


def cpu_s() -> float:
    """CPU seconds of this process and of those that it ran: other work on the machine does not count."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """CPU seconds of the quickest run."""
    times = []
    for _ in range(repeats):
        started = cpu_s()
        work()
        times.append(cpu_s() - started)
    return min(times)


def attributed(engine: HyperscanScanner, book: RuleIndex, text: bytes) -> int:
    """All (line, rule, captures) of a text; returns how many."""
    rules = [book.triggered[pattern] for pattern in book.patterns]
    captures = [capturer(pattern) if pattern.names else None for pattern in book.patterns]
    text = tidy(text)
    found = 0
    for _line, index, start, end in engine.scan(text):
        capture = captures[index]
        if capture is not None:
            capture(text[start:end])
        found += len(rules[index])
    return found


def ripgrep_s(binary: str, patterns: tuple[Pattern, ...], text: bytes) -> float:
    """Seconds that ripgrep needs beyond its start-up with the same patterns."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, log, empty = Path(folder, "patterns"), Path(folder, "log"), Path(folder, "empty")
        spelled = (re.sub(r"\(\?P<\w+>", "(?:", pattern.regex) for pattern in patterns)
        wanted.write_text(
            "\n".join(
                f"(?i:{word})" if p.ignore_case else word for p, word in zip(patterns, spelled, strict=True)
            )
        )
        log.write_bytes(text)
        empty.write_bytes(b"")

        def run(path: Path) -> None:
            command = [binary, "-j1", "-a", "--no-unicode", "-c", "-f", str(wanted), str(path)]
            subprocess.run(command, check=False, capture_output=True, timeout=300)

        return best(lambda: run(log)) - best(lambda: run(empty))


def memory_kb(name: str) -> int:
    """A line of /proc/self/status."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(name)).split()[1])


class Entry(msgspec.Struct):
    """What of a log entry the page benchmark needs; the rest is skipped while decoding."""

    data: str = ""


class Page(msgspec.Struct):
    """An answer of the log service."""

    entries: list[Entry] = []


def page_of(text: bytes) -> bytes:
    """The same lines as the log service sends them."""
    lines = text.decode().splitlines()
    common = {"source": "stderr", "attemptId": 0, "level": "LOG_LEVEL_INFO", "key": "/me/job/0:0"}
    entries = [
        {"timestamp": {"epochMs": str(1_790_000_000_000 + number)}, "data": line, **common}
        for number, line in enumerate(lines)
    ]
    return json.dumps({"entries": entries, "cursor": "1"}).encode()


def page_ms(playbook: Playbook, text: bytes) -> tuple[float, float]:
    """Milliseconds for 5,000 lines: from bytes to findings; from the JSON page to findings and progress."""
    facts = JobFacts(state=JobState.RUNNING)
    decoder = msgspec.json.Decoder(Page)
    page = page_of(text)

    def from_page() -> tuple[object, str]:
        lines = [entry.data for entry in decoder.decode(page).entries]
        progress = next((line for line in reversed(lines) if " complete, " in line), "")
        return classify_text("\n".join(lines), playbook, facts), progress

    classify_text(text, playbook, facts)
    return (
        best(lambda: classify_text(text, playbook, facts), 15) * 1000,
        best(from_page, 15) * 1000,
    )


def judged_ratio(playbook: Playbook, book: RuleIndex, engine: HyperscanScanner) -> float:
    """How many times as long as scanning it takes to judge a page that nobody has read before."""
    facts = JobFacts(state=JobState.RUNNING)
    pages = [generated(PAGE_LINES, 0.005, seed) for seed in range(REPEATS + 1)]
    unread = iter([page.decode() for page in pages])
    examine(next(unread), playbook, facts)
    return best(lambda: examine(next(unread), playbook, facts)) / best(
        partial(attributed, engine, book, pages[0])
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--lines", type=int, default=1_000_000)
    options = parser.parse_args()
    ripgrep = shutil.which("rg")
    if ripgrep is None:
        print("ripgrep is missing: apt-get update && apt-get install -y ripgrep", file=sys.stderr)
        return 2
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    playbook = padded(load(), RULES)
    book = index_of(playbook)
    book.engine(1 << 30)
    engine = HyperscanScanner(book.patterns)
    result: dict[str, float] = {}
    took_s: dict[str, float] = {}
    for name, density in (("", 0.005), ("_dense", 0.2)):
        text = generated(options.lines, density)
        Path("/proc/self/clear_refs").write_text("5")
        before_kb = memory_kb("VmRSS")
        took_s[name] = best(partial(attributed, engine, book, text))
        peak_mb = (memory_kb("VmHWM") - before_kb) / 1024
        result["rss_mb"] = max(peak_mb, result.get("rss_mb", 0.0))
        result[f"ripgrep_ratio{name}"] = ripgrep_s(ripgrep, book.patterns, text) / took_s[name]
        result[f"memchr_ratio{name}"] = best(partial(text.find, b"\x00")) / took_s[name]
    page = generated(PAGE_LINES, 0.005)
    result["ms_per_5000_lines"], result["ms_per_5000_lines_from_page"] = page_ms(playbook, page)
    result["judged_page_in_units_of_its_scan"] = judged_ratio(playbook, book, engine)
    if options.json:
        print(json.dumps({name: round(value, 3) for name, value in result.items()}))
        return 0
    print(f"{len(playbook.placed)} rules, {len(book.patterns)} patterns, {options.lines:,} lines")
    sparse, dense = result["ripgrep_ratio"], result["ripgrep_ratio_dense"]
    print(f"against ripgrep, 0.5 % errors: {sparse:.2f} x as fast ({took_s['']:.2f} s)")
    print(f"against ripgrep, 20 % errors:  {dense:.2f} x as fast ({took_s['_dense']:.2f} s)")
    print(f"against a plain memchr scan:   {result['memchr_ratio']:.4f} x as fast")
    print(f"memory beyond the text:        {result['rss_mb']:.0f} MB")
    print(f"5,000 new lines to findings:   {result['ms_per_5000_lines']:.1f} ms")
    print(f"judging them as well:          {result['judged_page_in_units_of_its_scan']:.1f} x the scan alone")
    print(f"the same from the JSON page:   {result['ms_per_5000_lines_from_page']:.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())

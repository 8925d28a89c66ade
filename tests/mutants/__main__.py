"""`make mutants`: are wrong changes of the safety-critical code noticed by its tests?

    python -m tests.mutants [--sample 260] [--seed 1] [--only saga] [--list] [--jobs 2]

Each mutant runs in a process of its own, forked from one that has the libraries imported, and only against
the tests of its file. A survivor is answered with a test, or with a line and its reason in accepted.txt.
"""

# ruff: noqa: T201 - a command prints
import argparse
import importlib.abc
import importlib.util
import os
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.mutate import Mutant, mutants
from tests.mutants.targets import NAMED, ROOT, TARGETS, Target

ACCEPTED = Path(__file__).with_name("accepted.txt")
# A mutant that takes much longer than the tests without it loops for ever, and so is noticed.
CPU_S, CPU_SPARE_S, CPU_FACTOR, WALL_S = 120, 5, 2, 900
LIBRARIES = (
    *("pytest", "pytest_asyncio", "hypothesis", "sqlalchemy.ext.asyncio", "aiohttp", "structlog", "yaml"),
    *("pydantic", "msgspec", "tenacity", "apscheduler.schedulers.asyncio"),
)
SURVIVED, KILLED, BROKEN = "survived", "killed", "not run"


class Swap(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another text than its file's."""

    def __init__(self, module: str, file: Path, text: str) -> None:
        self._module, self._file, self._text = module, file, text

    def find_spec(self, name: str, path: object, target: object = None) -> object:  # noqa: ARG002
        if name != self._module:
            return None
        return importlib.util.spec_from_file_location(name, self._file, loader=self)

    def create_module(self, spec: object) -> None:  # noqa: ARG002
        return None

    def exec_module(self, module: object) -> None:
        exec(compile(self._text, str(self._file), "exec"), module.__dict__)


def attempt(target: Target, text: str, cpu_s: int = CPU_S) -> tuple[str, float]:
    """Run the target's tests on this text of it, in a child process; how it ended, and its CPU seconds."""
    child = os.fork()
    if child == 0:
        os._exit(_in_child(target, text, cpu_s))
    _, status, used = os.wait4(child, 0)
    used_s = used.ru_utime + used.ru_stime
    if os.WIFSIGNALED(status):
        return KILLED, used_s
    return {0: SURVIVED, 1: KILLED}.get(os.WEXITSTATUS(status), BROKEN), used_s


def _in_child(target: Target, text: str, cpu_s: int) -> int:
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
    signal.alarm(WALL_S)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.meta_path.insert(0, Swap(target.module, target.file, text))
    tests = [test for test in target.tests if (ROOT / test).exists()]
    try:
        code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-k", "not postgres", *tests]))
    except BaseException:  # noqa: BLE001  whatever a mutant does to the run was noticed
        return 1
    # An import that fails stops the collection (2); a report that fails is an internal error (3): noticed.
    return 1 if code in (2, 3) else code


def chosen(sample: int, seed: int, only: str) -> Iterator[tuple[Target, Mutant]]:
    """Mutants to run: those with a name, and a sample of the others."""
    by_path = {target.path: target for target in TARGETS}
    for named in NAMED:
        source = by_path[named.path].file.read_text(encoding="utf-8")
        found = re.compile(named.pattern).search(source, max(0, source.find(named.after)))
        assert found, f"{named.name}: {named.path} has no such place any more; mend tests/mutants/targets.py"
        line = source[: found.start()].count("\n") + 1
        text = source[: found.start()] + named.new + source[found.end() :]
        yield by_path[named.path], Mutant(named.path, line, f"named {named.name}", text)
    every = [(t, m) for t in TARGETS for m in mutants(t.path, t.file.read_text(encoding="utf-8"))]
    yield from sorted(
        random.Random(seed).sample(every, min(sample, len(every))) if sample and not only else every,
        key=lambda candidate: candidate[1].key,
    )


def accepted() -> dict[str, str]:
    """Survivors that change nothing, by key, with the reason."""
    lines = ACCEPTED.read_text(encoding="utf-8").splitlines() if ACCEPTED.exists() else []
    return dict(line.split(" | ", 1) for line in lines if line and not line.startswith("#"))


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--sample", type=int, default=260, help="how many, beside the named ones; 0 = all")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="only mutants whose key holds this text")
    options.add_argument("--list", action="store_true", help="say them, run none")
    options.add_argument("--jobs", type=int, default=2)
    given = options.parse_args()
    picked = [item for item in chosen(given.sample, given.seed, given.only) if given.only in item[1].key]
    if given.list:
        for _, mutant in picked:
            print(f"{mutant.line:4} {mutant.key}")
        print(f"{len(picked)} mutants")
        return 0
    for name in LIBRARIES:
        __import__(name)
    return _run(picked, given.jobs, f"seed {given.seed}")


def _run(picked: list[tuple[Target, Mutant]], jobs: int, label: str) -> int:
    known, began_s = accepted(), time.monotonic()
    limits: dict[tuple[str, ...], int] = {}
    for target in {target.tests: target for target, _ in picked}.values():
        ending, used_s = attempt(target, target.file.read_text(encoding="utf-8"))
        limits[target.tests] = CPU_SPARE_S + int(CPU_FACTOR * used_s)
        if ending != SURVIVED:
            print(f"The tests of {target.path} do not pass without a mutant ({ending}).")
            return 2
    print(f"{len(picked)} mutants ({label}); the tests pass without them.", flush=True)
    endings: dict[str, int] = {}
    unanswered = 0
    with ThreadPoolExecutor(jobs) as pool:
        ran = pool.map(
            lambda candidate: attempt(candidate[0], candidate[1].text, limits[candidate[0].tests]), picked
        )
        for (_, mutant), (ending, _used_s) in zip(picked, ran, strict=True):
            if ending == SURVIVED and mutant.key in known:
                ending = "accepted"
            endings[ending] = endings.get(ending, 0) + 1
            if ending in (SURVIVED, BROKEN):
                unanswered += 1
                print(f"{ending}: line {mutant.line} {mutant.key}", flush=True)
    counts = ", ".join(f"{count} {ending}" for ending, count in sorted(endings.items()))
    print(f"{len(picked)} mutants in {time.monotonic() - began_s:.0f} s: {counts}.")
    return 1 if unanswered else 0


if __name__ == "__main__":
    sys.exit(main())

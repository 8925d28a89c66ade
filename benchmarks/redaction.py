"""What redaction costs: as a ratio to one plain scan of the same megabyte (`str.split` into lines).

Ordinary lines are those that no secret is in; the hostile ones are made to be slow.
"""

import time
from collections.abc import Callable

from babysitter.redact import redact
from tests.redact.innocent import generated

LENGTH = 1_000_000
HOSTILE = (
    "password ",
    "token=",
    "key: ",
    '{"token":',
    "eyJ",
    "://a:b@",
    "Bearer ",
    "-----BEGIN PRIVATE KEY-----",
    "hf_\n",
    "|token|x\n",
)


def best_s(work: Callable[[], object], times: int = 3) -> float:
    durations = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        durations.append(time.perf_counter() - started)
    return min(durations)


def main() -> None:
    lines = list(generated(9_000))
    ordinary = "\n".join(lines)[:LENGTH]
    redact(ordinary)  # the scanners build their automata when they are first used
    plain_s = best_s(ordinary.split)
    print(f"plain scan of {len(ordinary):,} characters: {1000 * plain_s:.1f} ms")
    whole_s = best_s(lambda: redact(ordinary))
    print(f"ordinary text, whole:        {1000 * whole_s:7.0f} ms, {whole_s / plain_s:6.0f} x the plain scan")
    one_by_one_s = best_s(lambda: [redact(line) for line in lines])
    per_s = len(lines) / one_by_one_s
    print(f"ordinary lines, one by one:  {1000 * one_by_one_s:7.0f} ms, {per_s:,.0f} lines a second")
    for piece in HOSTILE:
        text = piece * (LENGTH // len(piece))
        hostile_s = best_s(lambda text=text: redact(text), times=1)
        print(f"{piece!r:31} {1000 * hostile_s:5.0f} ms, {hostile_s / plain_s:6.0f} x the plain scan")


if __name__ == "__main__":
    main()

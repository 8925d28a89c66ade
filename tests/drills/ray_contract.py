"""`python -m tests.drills.ray_contract --ray BIN`: the contract suites of reader and writer on a real Ray."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.drills.local_ray import local_ray, with_token


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ray", type=Path, required=True, help="folder of `ray` and its python")
    parser.add_argument("--token", default="", help="start the head so that it wants this token")
    chosen = parser.parse_args()
    with local_ray(chosen.ray, token=chosen.token) as ray:
        print(
            f"Ray {ray.get('/api/version')['ray_version']} at {ray.url}, {ray.memory_mb():.0f} MB", flush=True
        )
        live = {"BABYSIT_LIVE_RAY": ray.url, "BABYSIT_LIVE_RAY_PYTHON": str(ray.python)}
        live |= with_token(chosen.token)
        suites = ("tests/contract/test_reader.py", "tests/contract/test_writer.py")
        words = (sys.executable, "-m", "pytest", "-q", "-n0", "-k", "ray-live", *suites)
        code = subprocess.run(words, env={**os.environ, **live}, check=False).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()

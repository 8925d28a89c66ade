"""What redaction costs a command that redacts nothing."""

import subprocess
import sys


def test_import_compiles_no_scanner() -> None:
    program = "import sys, babysitter.redact; print('re2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

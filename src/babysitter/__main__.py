"""The command `babysit`: runs a command, and turns what went wrong into one sentence and an exit code."""

import sys


def main() -> None:
    """Run the command line; never shows a traceback."""
    from babysitter.surfaces.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()

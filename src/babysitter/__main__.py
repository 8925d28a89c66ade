"""The command `babysit`: runs a command, and turns what went wrong into one sentence and an exit code."""

import sys


def main() -> None:
    """Run the command line; never shows a traceback."""
    if sys.version_info < (3, 11):  # noqa: UP036  pip checks it, a copied folder does not
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(f"babysit needs Python 3.11 or newer; this is {found}. Run it with a newer one.")
    try:
        from babysitter.surfaces.cli.commands import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while it is still being imported; later `run` answers for it
        print("babysit: interrupted.", file=sys.stderr)  # noqa: T201
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()

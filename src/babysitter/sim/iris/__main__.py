"""`python -m babysitter.sim.iris`: the stand-in for the `iris` command."""

import sys

from babysitter.sim.iris.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

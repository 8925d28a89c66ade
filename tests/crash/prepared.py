"""Imported by the server that forks the lives of the matrices, and nowhere else: what all of them share."""

import tests.crash.driver_life
import tests.crash.life  # noqa: F401
from tests.support.before_fork import prepare

prepare()

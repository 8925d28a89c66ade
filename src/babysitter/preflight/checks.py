"""The table of checks: a new check is a module and a row. The ids are stable: programs rely on them."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from babysitter.preflight import folder, possible, program
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.finding import PreflightFinding

Check = Callable[[SubmissionFacts], Iterator[PreflightFinding]]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        possible.ID: possible.check_possible,
        program.ID: program.check_program,
        folder.ID: folder.check_folder,
    }
)

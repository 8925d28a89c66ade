"""The table of checks: a new check is a function and a row. The ids are stable: programs rely on them."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from babysitter.preflight import (
    bundle_available,
    bundle_limit,
    client_age,
    extra_resources,
    flags,
    folder,
    gpu_name,
    job_owner,
    login,
    name_taken,
    no_wait,
    option_values,
    possible,
    program,
    program_words,
    size_units,
    variables,
)
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding

Check = Callable[[SubmissionFacts], Iterator[PreflightFinding]]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        possible.ID: possible.check_possible,
        program.ID: program.check_program,
        folder.MISSING: folder.check_folder_exists,
        folder.CHANGED: folder.check_folder_unchanged,
        flags.ID: flags.check_flags,
        option_values.ID: option_values.check_values,
        program_words.NO_PROGRAM: program_words.check_program_given,
        program_words.MISSING_SEPARATOR: program_words.check_separator,
        program_words.SWALLOWED_WORD: program_words.check_swallowed_words,
        extra_resources.ID: extra_resources.check_extra_resources,
        size_units.ID: size_units.check_size_units,
        no_wait.ID: no_wait.check_no_wait,
        gpu_name.ID: gpu_name.check_gpu_name,
        bundle_limit.ID: bundle_limit.check_bundle_size,
        variables.ID: variables.check_variables,
        login.ID: login.check_login,
        job_owner.ID: job_owner.check_identity,
        name_taken.ID: name_taken.check_name_taken,
        bundle_available.ID: bundle_available.check_stored_bundle,
        client_age.ID: client_age.check_client_age,
    }
)

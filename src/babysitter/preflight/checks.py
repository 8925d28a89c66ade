"""The table of checks: a new check is a function and a row. The ids are stable: programs rely on them."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from babysitter.preflight import advice, possible
from babysitter.preflight.client import (
    bundle_available,
    bundle_limit,
    client_age,
    cluster_named,
    environment,
    flags,
    folder,
    job_owner,
    login,
    name_taken,
    no_wait,
    option_values,
    variables,
)
from babysitter.preflight.facts import SubmissionFacts
from babysitter.preflight.preflight_finding import PreflightFinding
from babysitter.preflight.program import program, program_files, program_found, program_words, project_setup
from babysitter.preflight.resources import (
    extra_resources,
    extras,
    gpu_name,
    machines_offered,
    priority_band,
    reserve_spec,
    size_units,
    tpu_type,
)
from babysitter.preflight.shell import line_for_shell

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
        program_found.ID: program_found.check_program_found,
        line_for_shell.ID: line_for_shell.check_line_for_shell,
        program_words.MISSING_SEPARATOR: program_words.check_separator,
        program_words.SWALLOWED_WORD: program_words.check_swallowed_words,
        extra_resources.ID: extra_resources.check_extra_resources,
        size_units.ID: size_units.check_size_units,
        no_wait.ID: no_wait.check_no_wait,
        gpu_name.ID: gpu_name.check_gpu_name,
        tpu_type.UNKNOWN: tpu_type.check_tpu_type,
        tpu_type.REPLICAS: tpu_type.check_replicas,
        machines_offered.ID: machines_offered.check_machines,
        machines_offered.TARGET: machines_offered.check_target_cluster,
        reserve_spec.ID: reserve_spec.check_reserve_spec,
        priority_band.ID: priority_band.check_priority,
        extras.ID: extras.check_accelerator_extra,
        extras.UNKNOWN: extras.check_extras_declared,
        project_setup.ID: project_setup.check_project,
        project_setup.DEV_GROUP: project_setup.check_dev_group,
        program_files.NOT_SHIPPED: program_files.check_files_shipped,
        program_files.NOT_EXECUTABLE: program_files.check_executable,
        environment.UNSET: environment.check_unset_variables,
        environment.BAD_FILE: environment.check_env_file,
        environment.PREFIX: environment.check_output_prefix,
        environment.DATA_REGION: environment.check_data_region,
        environment.READ: environment.check_variables_read,
        cluster_named.ID: cluster_named.check_cluster_named,
        cluster_named.LOCAL: cluster_named.check_local_cluster,
        advice.MEMORY: advice.check_default_memory,
        advice.RESERVE: advice.check_reserve,
        advice.TREE: advice.check_tree,
        advice.RETRIES: advice.check_retries,
        advice.PREFIX_MISSING: advice.check_prefix_given,
        bundle_limit.ID: bundle_limit.check_bundle_size,
        variables.ID: variables.check_variables,
        login.ID: login.check_login,
        job_owner.ID: job_owner.check_identity,
        name_taken.ID: name_taken.check_name_taken,
        bundle_available.ID: bundle_available.check_stored_bundle,
        client_age.ID: client_age.check_client_age,
    }
)

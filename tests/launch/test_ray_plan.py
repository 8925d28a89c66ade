"""`submit` on Ray: the request, what is kept of it, and what is refused."""

import pytest

from babysitter.backends.cluster_spec import ClusterSpec
from babysitter.clock import SystemClock
from babysitter.errors import UserError
from babysitter.launch.ray_plan import submit_argv
from babysitter.launch.submit_options import SubmitOptions
from babysitter.usecases.submitting.submit_job import LocalContext, plan_submit, submit_job
from tests.support.ray_dashboard import RayDashboard, served

COMMAND = ("python", "train.py")
SECRET = "made-up-7f3a9c2b1d"


async def test_submit_on_ray_sends_folder_resources_and_variables(tmp_path):
    (tmp_path / "train.py").write_text("print(1)\n")
    variables = (("MODE", "fast"), ("WANDB_API_KEY", SECRET))
    options = SubmitOptions(COMMAND, variables, job_name="train", gpu="H100x2", cpu=4, memory="8GB")
    async with served(RayDashboard()) as dashboard:
        spec = ClusterSpec("torch", url=dashboard.url, backend="ray")
        machine = LocalContext(tmp_path, {}, tmp_path)
        plan = await plan_submit(options, spec, machine, SystemClock())
        assert dashboard.acted == []
        assert (plan.job_id, [finding.id for finding in plan.findings]) == ("train", [])
        assert SECRET not in " ".join(plan.argv)
        assert plan.resubmission is not None
        dashboard.cut_off = "after"
        assert await submit_job(plan, machine, SystemClock()) == "train"
        (sent,) = dashboard.posted
        assert sent["runtime_env"]["env_vars"] == {"MODE": "fast", "WANDB_API_KEY": SECRET}
        assert (sent["entrypoint"], sent["entrypoint_num_gpus"]) == ("python train.py", 2)
        assert (sent["entrypoint_num_cpus"], sent["entrypoint_memory"]) == (4, 8 * 2**30)
        again = await plan_submit(options, spec, machine, SystemClock())
        assert [finding.id for finding in again.findings] == ["name-taken"]


def test_the_command_that_is_kept_names_secrets_and_holds_none():
    argv = submit_argv(SubmitOptions(COMMAND, gpu="1"), {"HF_TOKEN": f"hf_{'a1B2' * 8}", "MODE": "x"})
    assert '{"env_vars": {"HF_TOKEN": "$HF_TOKEN", "MODE": "x"}}' in argv
    assert argv[-3:] == ("--", *COMMAND)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (SubmitOptions(()), "Which command"),
        (SubmitOptions(COMMAND, tpu=("v5p-8",), preemptible=False), "--tpu, --preemptible"),
        (SubmitOptions(COMMAND, cpu=-1), "--cpu"),
        (SubmitOptions(COMMAND, memory="lots"), "not a size"),
        (SubmitOptions(COMMAND, job_name="a/b"), "--job-name"),
    ],
)
async def test_what_ray_does_not_have_is_refused(tmp_path, options, match):
    spec = ClusterSpec("torch", url="http://127.0.0.1:1", backend="ray")
    with pytest.raises(UserError, match=match):
        await plan_submit(options, spec, LocalContext(tmp_path, {}, tmp_path), SystemClock())

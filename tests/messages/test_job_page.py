"""The address of a job's page: beside the words where somebody can open it."""

import pytest

from babysitter.backends.registry import ClusterSpec, job_page_address
from babysitter.messages.job_page import for_others
from babysitter.model.ids import JobId
from babysitter.model.message import MessageContent
from babysitter.sim.slack.validate import fault_of_blocks
from babysitter.slack.blocks import render

JOB = JobId("/ada/train")
GCP = "platform: {gcp: {project_id: made-up}, label_prefix: x}\ncontroller: {gcp: {port: 10000}}\n"
MANUAL = "controller: {manual: {host: iris.example, port: 10000}}\n"
PROXY = "controller: {gcp: {}}\nauth: {iap: {url: 'https://iris.example/'}}\n"
PUBLIC = "http://iris.example:10000/#/job/%2Fada%2Ftrain"


@pytest.mark.parametrize(
    ("file", "dashboard", "page"),
    [
        (GCP, "", ""),
        (GCP, "https://see.example", "https://see.example/#/job/%2Fada%2Ftrain"),
        (MANUAL, "", PUBLIC),
        (PROXY, "", "https://iris.example/#/job/%2Fada%2Ftrain"),
    ],
)
def test_page_of_a_cluster_file(file, dashboard, page, tmp_path):
    (tmp_path / "c.yaml").write_text(file)
    spec = ClusterSpec("c", config=str(tmp_path / "c.yaml"), dashboard_url=dashboard)
    assert job_page_address(spec, JOB) == page


@pytest.mark.parametrize(
    ("spec", "page"),
    [
        (ClusterSpec("c", url="http://ada:pw@iris.example:10000"), PUBLIC),
        (ClusterSpec("r", url="http://head:8265/", backend="ray"), "http://head:8265/#/jobs/%2Fada%2Ftrain"),
        (
            ClusterSpec("r", url="http://ada:pw@head:8265", backend="ray"),
            "http://head:8265/#/jobs/%2Fada%2Ftrain",
        ),
        (ClusterSpec("s", config="/tmp", backend="ray-session"), ""),
    ],
)
def test_page_of_an_address(spec, page):
    assert job_page_address(spec, JOB) == page


@pytest.mark.parametrize(
    ("page", "is_shown"),
    [
        ("http://127.0.0.1:9/#/job/x", False),
        ("http://localhost:9/x", False),
        ("http://[::1]:9/x", False),
        ("http://0.0.0.0/x", False),
        ("http://10.0.0.1:8265/#/jobs/x", True),
        (PUBLIC, True),
    ],
)
def test_page_of_this_machine_is_not_sent_to_others(page, is_shown):
    words = MessageContent(title="t", sentence="s", page=page)
    assert bool(for_others(words).page) is is_shown
    blocks = render(words).blocks
    assert fault_of_blocks(list(blocks)) is None
    _, *links = str(blocks).split("'url': '")
    assert [link.partition("'")[0] for link in links] == ([page] if is_shown else [])

"""The setup of a task runs `uv sync`: which folders it ends in."""

from dataclasses import replace

import pytest

from babysitter.preflight.facts import Known, ProjectFile
from babysitter.preflight.program.project_setup import check_dev_group, check_project
from babysitter.preflight.resources.offer import ClusterOffer
from tests.engine.test_preflight_act import folder_with

REEF = ClusterOffer("reef", ())
LOCAL = ClusterOffer("here", (), is_local=True)


def told(check, words, offer, generation, **found):
    facts = replace(folder_with(words, **found), offer=offer, generation=Known(generation))
    return [finding.severity.value for finding in check(facts)]


@pytest.mark.parametrize("generation", ["april", "may", "august"])
@pytest.mark.parametrize(
    ("project", "offer", "severity"),
    [
        (ProjectFile.SHIPPED, REEF, []),
        (ProjectFile.MISSING, REEF, ["warn"]),
        (ProjectFile.ABOVE, REEF, ["block"]),
        (ProjectFile.IGNORED, REEF, ["block"]),
        (ProjectFile.UNREADABLE, REEF, ["block"]),
        (ProjectFile.ABOVE, None, ["warn"]),  # the cluster may be a local one
        (ProjectFile.ABOVE, LOCAL, []),
    ],
)
def test_project_by_place(project, offer, severity, generation):
    assert told(check_project, "-- x", offer, generation, project=project) == severity


@pytest.mark.parametrize(
    ("options", "severity"),
    [
        ("--no-sync -- x", []),
        ("--task-image reef/image -- x", ["warn"]),
        ("-e UV_PROJECT /app/sub -- x", ["warn"]),
        ("-e OTHER 1 -- x", ["block"]),
    ],
)
def test_setup_that_is_changed(options, severity):
    assert told(check_project, options, REEF, "august", project=ProjectFile.ABOVE) == severity


@pytest.mark.parametrize(
    ("generation", "groups", "severity"),
    [
        ("april", frozenset({"eval"}), ["warn"]),
        ("may", frozenset(), ["warn"]),
        ("may", frozenset({"dev"}), []),
        ("may", None, []),
        ("august", frozenset(), []),
    ],
)
def test_dev_group(generation, groups, severity):
    assert told(check_dev_group, "-- x", REEF, generation, groups=groups) == severity

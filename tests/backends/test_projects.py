"""What pyproject.toml files declare, against what uv 0.10.3 says of the same files."""

import pytest

from babysitter.backends.iris.submission.projects import project_file, read_projects
from babysitter.preflight.facts import ProjectFile

UNREADABLE = ProjectFile.UNREADABLE


@pytest.mark.parametrize(
    ("text", "status", "fault"),
    [
        ('[project]\nname = "job"\nversion = "0"\n', ProjectFile.SHIPPED, ""),
        ('[project]\nname = "job"\ndynamic = ["version"]\n', ProjectFile.SHIPPED, ""),
        ("[tool.ruff]\n", ProjectFile.SHIPPED, ""),
        ("", ProjectFile.SHIPPED, ""),
        ("[project\n", UNREADABLE, "it is not proper TOML"),
        pytest.param("a = " + "[" * 5_000, UNREADABLE, "it is not proper TOML", id="nested"),
        pytest.param("a = " + "9" * 5_000, UNREADABLE, "it is not proper TOML", id="digits"),
        ('[project]\nname = "job"\n', UNREADABLE, "its project has no version"),
        ('[project]\nversion = "0"\n', UNREADABLE, "its project has no name"),
        ("[tool.uv]\nmanaged = false\n", UNREADABLE, "tool.uv.managed is false"),
    ],
)
def test_project_file(text, status, fault, tmp_path):
    (tmp_path / "pyproject.toml").write_text(text)
    assert project_file(tmp_path, {"pyproject.toml"}) == (status, fault)
    if fault == "it is not proper TOML":
        assert read_projects(tmp_path, ["pyproject.toml"]) is None


def test_project_file_that_is_not_shipped(tmp_path):
    folder = tmp_path / "repository" / "experiments"
    folder.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("")  # outside of the repository
    assert project_file(folder, ()) == (ProjectFile.MISSING, "")
    (tmp_path / "repository" / "pyproject.toml").write_text("")
    assert project_file(folder, ()) == (ProjectFile.ABOVE, "")
    (folder / "pyproject.toml").write_text("")
    assert project_file(folder, ()) == (ProjectFile.IGNORED, "")


def test_names_are_spelt_as_by_uv(tmp_path):
    text = '[project]\nname = "Reef.Core"\n[project.optional-dependencies]\nflash_attn = []\n'
    (tmp_path / "pyproject.toml").write_text(
        f'{text}[project.scripts]\nreef = "reef:main"\n[tool.poetry.scripts]\nold = "a:b"\n'
    )
    found = read_projects(tmp_path, ["pyproject.toml"])
    assert (found.extras, found.names, found.commands) == ({"flash-attn"}, {"reef-core"}, {"reef", "old"})

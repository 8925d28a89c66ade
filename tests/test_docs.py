"""The reference pages say what the code says; `make docs` writes them anew."""

import re
from pathlib import Path

import pytest

from babysitter.model.finding import Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.playbook.load import load
from babysitter.usecases.looking.classify_text import examine
from tests.support.field_meanings import MEANINGS
from tests.support.write_docs import DOCS, PAGES

ROOT = DOCS.parent


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_the_code_says(name: str):
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


def test_no_meaning_of_a_field_is_left_over():
    table = re.findall(r"^## (\w+)$|^\| `(\w+)` \|.*\| (.*) \|$", PAGES["json.md"](), flags=re.MULTILINE)
    meanings = {(field, meaning) for _, field, meaning in table if field}
    unused = [name for name, text in MEANINGS.items() if (name.rpartition(".")[2], text) not in meanings]
    assert unused == []


def test_every_field_has_a_meaning():
    page = PAGES["json.md"]()
    assert re.findall(r"^\| `\w+` \| [^|]+ \| *\|$", page, flags=re.MULTILINE) == []


def test_nothing_promises_a_web_page():
    """There is none yet: not in a message, a manual, a skill, a setting."""
    places = [*(ROOT / "src").rglob("*.py"), *DOCS.rglob("*.md"), *(ROOT / "skills").rglob("*.md")]
    places += [*(ROOT / "playbooks").rglob("*.yaml"), ROOT / "README.md"]
    promise = re.compile(r"web[ -]?page|on the web\b|web (?:ui|interface)|slack, web\b", re.IGNORECASE)
    named = [
        f"{place.relative_to(ROOT)}:{number}"
        for place in places
        for number, line in enumerate(place.read_text(encoding="utf-8").splitlines(), start=1)
        if promise.search(line)
    ]
    assert named == []


PAGES_FOR_PEOPLE = sorted(
    [
        *ROOT.glob("*.md"),
        *DOCS.rglob("*.md"),
        *(ROOT / "skills").rglob("*.md"),
        *(ROOT / "fixtures").rglob("README.md"),
    ]
)
each_page = pytest.mark.parametrize(
    "page", PAGES_FOR_PEOPLE, ids=lambda page: page.relative_to(ROOT).as_posix()
)
# Folders that a path on a page may start from, after the page's own.
STARTS = (
    *(ROOT, DOCS, ROOT / "tests", ROOT / "fixtures", ROOT / "playbooks"),
    *(ROOT / "src/babysitter" / folder for folder in ("", "advisor", "diagnosis", "surfaces")),
)
# Paths of a user's own files, and of files outside of this repository.
NOT_OURS = {"my-playbooks/rules.yaml", "cli/"}
A_FILE = re.compile(r"[\w./-]*[a-z_]\.(?:py|yaml|md|tsv|npz|toml)|[\w.-]+/(?:[\w.-]+/)*")
A_MODULE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+\.(?:py|tsv|npz)")
SECTIONS = ("**Status.**", "**Context.**", "**Decision.**", "**Consequences.**", "**Revisit when**")


def prose_of(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), flags=re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead to no file, or to no heading of it."""
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        if target.startswith(("http://", "https://")):
            continue
        if not place.exists() or (anchor and anchor not in anchors_of(place)):
            dead.append(target)
    return dead


def missing_paths(page: Path, names: set[str]) -> list[str]:
    """The quoted paths of a page that are nowhere in the repository. `names`: of all its files."""
    quoted = set(re.findall(r"`([^`\s]+)`", prose_of(page))) - NOT_OURS
    missing = [name for name in quoted if A_MODULE.fullmatch(name) and name not in names]
    for path in quoted:
        is_ours = A_FILE.fullmatch(path) and "/" in path and not path.startswith(("/", ".", "~"))
        if is_ours and not any((start / path).exists() for start in (page.parent, *STARTS)):
            missing.append(path)
    return sorted(missing)


@pytest.fixture(scope="module")
def file_names() -> set[str]:
    folders = ("src", "tests", "benchmarks", "playbooks", "fixtures")
    return {path.name for folder in folders for path in (ROOT / folder).rglob("*.*")}


@each_page
def test_links_lead_somewhere(page: Path):
    assert dead_links(page) == []


@each_page
def test_paths_on_a_page_exist(page: Path, file_names: set[str]):
    assert missing_paths(page, file_names) == []


def test_a_dead_link_or_path_is_found(tmp_path: Path, file_names: set[str]):
    page = tmp_path / "page.md"
    page.write_text(
        "# A heading\n[a](#a-heading) [b](#another) [c](gone.md) `diagnosis/pipeline.py` `diagnosis/old.py`\n"
        "`check.py` `old_check.py` `olden/folder/` `https://x/y.md` `~/a/b.py` `train.py`\n",
        encoding="utf-8",
    )
    assert dead_links(page) == ["#another", "gone.md"]
    assert missing_paths(page, file_names) == ["diagnosis/old.py", "old_check.py", "olden/folder/"]


def test_pages_that_the_code_names_exist():
    places = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py"), ROOT / "pyproject.toml"]
    named = {
        (place.relative_to(ROOT).as_posix(), path)
        for place in places
        for path in re.findall(
            r"(?<![\w/.-])docs/((?:adr/\d{4})|[a-z-]+\.md)", place.read_text(encoding="utf-8")
        )
    }
    assert len(named) > 10
    assert [named_path for named_path in named if not list(DOCS.glob(named_path[1] + "*"))] == []


def test_every_decision_has_a_number_of_its_own_and_all_sections():
    pages = sorted((DOCS / "adr").glob("0*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    index = (DOCS / "adr" / "README.md").read_text(encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {int(page.name[:4])}. "), page.name
        assert [part for part in SECTIONS if part not in text] == [], page.name
        assert f"({page.name})" in index


def test_the_sample_log_of_the_readme_has_the_cause_that_it_shows():
    """A record without a field ended the pipeline; that its workers were told to stop came of it."""
    log = (ROOT / "docs" / "sample.log").read_text(encoding="utf-8")
    for state in (None, JobState.FAILED, JobState.KILLED):
        diagnosis = examine(log, load(), JobFacts(state=state)).diagnosis
        assert diagnosis.cause in (Cause.DATA_ERROR, Cause.CODE_ERROR)
        assert diagnosis.severity is Severity.FATAL

"""The reference pages say what the code says; `make docs` writes them anew."""

import re
from pathlib import Path

import pytest

from babysitter.model.finding import Cause, Severity
from babysitter.model.job import JobState
from babysitter.model.job_facts import JobFacts
from babysitter.playbook.load import load
from babysitter.usecases.classify_text import examine
from tests.support.write_docs import DOCS, PAGES

ROOT = DOCS.parent


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_the_code_says(name: str):
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


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


@pytest.mark.parametrize(
    "page",
    sorted([*DOCS.glob("*.md"), *DOCS.glob("adr/*.md"), *ROOT.glob("*.md")]),
    ids=lambda page: page.name,
)
def test_links_lead_somewhere(page: Path):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_sample_log_of_the_readme_has_the_cause_that_it_shows():
    """A record without a field ended the pipeline; that its workers were told to stop came of it."""
    log = (ROOT / "docs" / "sample.log").read_text(encoding="utf-8")
    for state in (None, JobState.FAILED, JobState.KILLED):
        diagnosis = examine(log, load(), JobFacts(state=state)).diagnosis
        assert diagnosis.cause in (Cause.DATA_ERROR, Cause.CODE_ERROR)
        assert diagnosis.severity is Severity.FATAL

"""The ways to submit a job again: their order, what closes each, and where blanked values come from."""

from dataclasses import replace

import pytest

from babysitter.model.ids import JobId
from babysitter.model.submission import (
    FolderState,
    Submission,
    SubmissionOrigin,
    SubmitContext,
    ValueSource,
)
from babysitter.model.verdict import Change
from babysitter.policy.resubmission import KnownSubmission, Way, closed_by, missing, ways
from tests.support import build

FOLDER = FolderState("digest", "c" * 40)
STORED = Submission(
    ("iris", "job", "run", "--", "python", "d.py"),
    SubmissionOrigin.CONTROLLER,
    job=JobId("/ada/dedup"),
    request={"resources": {}},
    request_blanks=("TOKENIZERS_PARALLELISM",),
)


def known(stored: Submission | None = STORED, **changes: object) -> KnownSubmission:
    values: dict[str, object] = {
        "context": SubmitContext(workdir="/code", stored=stored),
        "folder": FOLDER,
        "client_constants": frozenset({"TOKENIZERS_PARALLELISM"}),
    }
    return KnownSubmission(**(values | changes))  # type: ignore[arg-type]


def test_stored_request_goes_before_the_stored_command():
    http, command = ways(known())
    assert http.submission is not None
    assert http.submission.is_http
    assert http.submission.fills == {"TOKENIZERS_PARALLELISM": ValueSource.CLIENT_CONSTANT}
    assert command.submission == replace(STORED, workdir="/code", folder=FOLDER)


def test_command_cannot_start_a_child_job():
    http, command = ways(known(is_child=True))
    assert http.submission is not None
    assert command.submission is None
    assert "another job submitted this one" in command.closed
    (given,) = ways(known(given=replace(build.submission(), workdir="/mine"), is_child=True))
    assert given.submission is None


def test_given_command_is_the_only_way():
    given = replace(build.submission(), workdir="/mine")
    (way,) = ways(known(given=given))
    assert way.submission == replace(given, folder=FOLDER)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"given": replace(build.submission(), workdir=""), "context": SubmitContext()},
            "nobody named the folder",
        ),
        (
            {"given": build.submission(), "folder": None, "folder_fault": "The folder x is not there."},
            "not there",
        ),
    ],
)
def test_given_command_without_its_folder_is_not_run(changes, said):
    (way,) = ways(known(**changes))
    assert way.submission is None
    assert said in way.closed
    assert "--workdir" in way.closed or "not there" in way.closed


@pytest.mark.parametrize(
    ("blanks", "changes", "fills", "closed"),
    [
        (("HF_TOKEN",), {}, None, "blanked HF_TOKEN; let it be taken along with --env-from HF_TOKEN"),
        (
            ("HF_TOKEN",),
            {"env_from": ("HF_TOKEN",)},
            None,
            "HF_TOKEN, and it is not set where the service runs",
        ),
        (
            ("HF_TOKEN",),
            {"env_from": ("HF_TOKEN",), "set_variables": frozenset({"HF_TOKEN"})},
            {"HF_TOKEN": ValueSource.ENVIRONMENT},
            "",
        ),
        (("OTHER",), {"set_variables": frozenset({"OTHER"})}, None, "blanked OTHER"),
        (("workdirFiles",), {}, None, "submitted from Python"),
    ],
)
def test_blanked_values_come_from_a_known_source_or_close_the_way(blanks, changes, fills, closed):
    http = ways(known(replace(STORED, request_blanks=blanks), **changes))[0]
    assert (http.submission is None) == (fills is None)
    assert closed in http.closed
    if http.submission is not None:
        assert http.submission.fills == fills


@pytest.mark.parametrize(
    "words",
    [
        ("-e", "TOKENIZERS_PARALLELISM", "[REDACTED]"),
        ("-eTOKENIZERS_PARALLELISM", "x"),
        ("--env-vars", "TOKENIZERS_PARALLELISM", "x"),
        ("--env-vars=TOKENIZERS_PARALLELISM", "x"),
    ],
)
def test_variable_set_by_hand_is_not_the_clients_constant(words):
    stored = replace(STORED, argv=("iris", "job", "run", *words, "--", "x"))
    assert "blanked TOKENIZERS_PARALLELISM" in ways(known(stored))[0].closed


def test_word_of_the_program_sets_no_variable():
    stored = replace(STORED, argv=("iris", "job", "run", "--", "x", "--TOKENIZERS_PARALLELISM"))
    assert ways(known(stored))[0].submission is not None


def test_way_that_was_not_stored_is_closed():
    only_command, only_request = replace(STORED, request=None), replace(STORED, argv=())
    assert "keeps no request" in ways(known(only_command))[0].closed
    assert "keeps no command" in ways(known(only_request))[1].closed


def test_folder_that_cannot_be_read_is_named():
    assert ways(known(folder=None))[1].closed == "the folder /code cannot be read"
    assert ways(known(folder=None, folder_fault="Not there."))[1].closed == "Not there."


def test_stored_command_needs_its_values_and_a_folder():
    blanked = replace(STORED, redacted=("HF_TOKEN",))
    assert "blanked HF_TOKEN" in ways(known(blanked))[1].closed
    named = known(blanked, env_from=("HF_TOKEN",), set_variables=frozenset({"HF_TOKEN"}))
    command = ways(named)[1].submission
    assert command is not None
    assert command.fills == {"HF_TOKEN": ValueSource.ENVIRONMENT}
    assert "nobody named the folder" in ways(known(context=SubmitContext(stored=STORED)))[1].closed


def test_nothing_stored_is_told_with_what_to_give():
    sentences = missing(ways(known(None)))
    assert len(sentences) == 1
    assert "--resubmit and --workdir" in sentences[0]


def test_change_that_only_a_command_can_express_closes_the_request():
    http, command = ways(known())
    extra = Change("extra", "", "tpu", "")
    assert "change of extra cannot be written" in closed_by(extra, http).closed
    assert closed_by(extra, command) == command
    assert closed_by(Change("memory", "1GB", "2GB", ""), http) == http
    assert closed_by(None, http) == http


def test_reasons_are_said_once():
    same = "the command 'iris' is not there"
    closed = (Way("a", closed=f"{same}."), Way("b", closed=same), Way("c", closed="nobody named the folder"))
    assert missing(closed) == (f"Not by a, nor by b: {same}.", "Not by c: nobody named the folder.")

"""A command that does not fit on its card."""

from dataclasses import replace

import pytest

from babysitter.messages.compose import buttons_for, compose_message
from babysitter.messages.whole_command import (
    MAX_PAGES,
    PAGE_CHARS,
    must_be_shown,
    pages_of,
    whole_command,
)
from babysitter.model.message import ButtonKind, MessageKind
from babysitter.model.proposal import Proposal
from babysitter.model.verdict import Change
from babysitter.sim.slack.validate import texts_in
from babysitter.slack import blocks
from tests.messages.test_compose import proposal, subject
from tests.messages.test_proposal_text import HTTP, REQUEST
from tests.support import build

FLAGS = tuple(f"--flag-{number}=value" for number in range(1_500))


def long_command(count: int = 1_500) -> Proposal:
    return proposal(submission=build.submission("iris", "job", "run", "--", "python", "d.py", *FLAGS[:count]))


def over_http() -> Proposal:
    request = REQUEST | {"entrypoint": {"runCommand": {"argv": ["python", "d.py", *FLAGS]}}}
    return proposal(submission=replace(HTTP, request=request))


LONG = {
    "command": long_command(),
    "over-http": over_http(),
    "change": proposal(change=Change("memory", "5GB", "10GB", "x" * 400)),
    "differences": proposal(differences=tuple(f"--flag-{number}: a → b" for number in range(100))),
    "earlier-try": proposal(earlier_try="y" * 800),
}


@pytest.mark.parametrize("offer", LONG.values(), ids=LONG)
def test_card_asks_to_show_what_does_not_fit(offer: Proposal):
    kinds = [button.kind for button in buttons_for(MessageKind.INCIDENT, subject(proposal=offer))]
    assert ButtonKind.SHOW_COMMAND in kinds
    assert ButtonKind.APPROVE not in kinds
    shown = replace(offer, shown_whole_at=build.NOON)
    kinds = [button.kind for button in buttons_for(MessageKind.REMINDER, subject(proposal=shown))]
    assert ButtonKind.SHOW_COMMAND not in kinds
    assert ButtonKind.APPROVE in kinds


def test_a_card_with_room_can_be_approved_at_once():
    assert not must_be_shown(proposal())


@pytest.mark.parametrize("offer", LONG.values(), ids=LONG)
def test_pages_hold_every_word(offer: Proposal):
    pages = pages_of(offer)
    assert "".join(pages) == whole_command(offer)
    assert len(whole_command(offer)) > 350
    for page in pages:
        assert len(page) <= PAGE_CHARS
        lines = blocks.render_lines("The whole command", (page,)).blocks
        assert page.strip("\n") in texts_in(list(lines))
    words = [*offer.submission.argv, *offer.differences]
    assert all(word in whole_command(offer) for word in words)


def test_command_too_long_for_slack_has_no_pages():
    flags = tuple("--x=" + "y" * PAGE_CHARS for _ in range(MAX_PAGES))
    assert pages_of(proposal(submission=build.submission("iris", *flags))) == ()


def test_cut_command_is_not_posted_before_it_is_asked_for():
    about = subject(proposal=long_command())
    words, buttons = compose_message(MessageKind.INCIDENT, about), buttons_for(MessageKind.INCIDENT, about)
    rendered = blocks.render(words, buttons)
    assert rendered.surplus == ""
    assert any("show the whole command" in text for text in texts_in(list(rendered.blocks)))


def test_plain_form_has_no_approval_before_it_was_shown():
    about = subject()
    words, buttons = compose_message(MessageKind.INCIDENT, about), buttons_for(MessageKind.INCIDENT, about)
    plain = str(blocks.render_plainly(words, buttons).blocks)
    assert "show-command" in plain
    assert "approve" not in plain
    shown = replace(words, commands_shown_at=build.NOON)
    assert "approve" in str(blocks.render_plainly(shown, buttons).blocks)

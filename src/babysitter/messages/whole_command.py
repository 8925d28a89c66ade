"""What an approval would run, whole, where the card of a proposal has no room for it. Pure.

A person must have seen everything that they approve. What does not fit on the card is posted in its thread,
in as many messages as needed; only then can the proposal be approved in Slack.
"""

from babysitter.messages.proposal_text import (
    change_of,
    commands_of,
    notes_of,
    whole_commands_of,
)
from babysitter.messages.restart_loss_text import loss_of
from babysitter.model.message import MessageContent
from babysitter.model.proposal import Proposal
from babysitter.redact import redact
from babysitter.slack.blocks import inert, is_cut

PAGE_CHARS = 2_700  # of one message: below blocks.MAX_REPLY_CHARS
MAX_PAGES = 15  # about one a second: Slack's limit for a channel


def must_be_shown(proposal: Proposal) -> bool:
    """Whether something that approval would run was not shown to anybody yet."""
    return proposal.shown_whole_at is None and is_cut(
        MessageContent(
            "", "", commands=commands_of(proposal), change=change_of(proposal), notes=notes_of(proposal)
        )
    )


def whole_command(proposal: Proposal) -> str:
    """Every line of what approval would run, the change and the differences; redacted, never cut."""
    lines = list(whole_commands_of(proposal))
    for change in proposal.changes:
        before = f"{redact(change.before)} -> " if change.before else ""
        lines.append(f"# changed: {change.what}: {before}{redact(change.after)} ({redact(change.why)})")
    if loss := loss_of(proposal):
        lines.append(f"# what it loses: {loss}")
    lines += [
        f"# differs from what the cluster stored: {redact(difference)}" for difference in proposal.differences
    ]
    if proposal.earlier_try:
        lines.append(f"# first try: {redact(proposal.earlier_try)}")
    return "\n".join(lines)


def pages_of(proposal: Proposal) -> tuple[str, ...]:
    """The whole command in pieces of one message each; empty for one that is too long for Slack."""
    text = inert(whole_command(proposal))
    pages = tuple(text[at : at + PAGE_CHARS] for at in range(0, len(text), PAGE_CHARS))
    return pages if len(pages) <= MAX_PAGES else ()

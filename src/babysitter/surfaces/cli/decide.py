"""`approve`, `deny`, `snooze`: a person's answer, at a terminal."""

import asyncio
import re
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import NotAllowed, UserError
from babysitter.surfaces.cli.options import Json, SettingsFile, StateDir, me, settings_from

if TYPE_CHECKING:
    from babysitter.model.proposal import Answer

Id = Annotated[str, typer.Argument(help="Id of the proposal, as `babysit status` shows it.")]
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def approve(
    proposal: Id, settings: SettingsFile = None, state_dir: StateDir = None, as_json: Json = False
) -> None:
    """Approve a proposal: show what would be done, ask for confirmation, do it.

    Needs a person at a terminal: called by a program it exits 4 and the attempt is kept in the report.
    """
    from babysitter.model.proposal import Answer

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        refused = NotAllowed(
            "Approving needs a person at a terminal.",
            next_step="Run this command in a terminal of your own, or press the button in Slack.",
        )
        asyncio.run(_keep_refusal(proposal, refused.sentence, settings, state_dir))
        raise refused
    _answer(proposal, Answer.YES, None, settings, state_dir, as_json=as_json)


def deny(
    proposal: Id, settings: SettingsFile = None, state_dir: StateDir = None, as_json: Json = False
) -> None:
    """Deny a proposal: nothing is done to the job."""
    from babysitter.model.proposal import Answer

    _answer(proposal, Answer.NO, None, settings, state_dir, as_json=as_json)


def snooze(
    proposal: Id,
    span: Annotated[str, typer.Option("--for", help="How long: 30m, 2h, 1d.")] = "1h",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Put a proposal off for a while: it stays open, and is brought up again after that."""
    from babysitter.model.proposal import Answer

    found = re.fullmatch(r"(\d{1,5})([smhd])", span)
    if not found:
        raise UserError(f"'{span}' is no span of time.", next_step="Write 30m, 2h or 1d.")
    lasts = timedelta(seconds=int(found[1]) * _UNITS[found[2]])
    _answer(proposal, Answer.SNOOZE, lasts, settings, state_dir, as_json=as_json)


async def _keep_refusal(proposal: str, because: str, settings: SettingsFile, state_dir: StateDir) -> None:
    """A program that tries to approve is told in the timeline."""
    from babysitter.model.proposal import Door
    from babysitter.service.approvals import refuse
    from babysitter.service.wiring import open_hall

    async with open_hall(settings_from(settings, state_dir)) as hall:
        await refuse(hall, proposal, me(), Door.TERMINAL, because)


def _answer(
    proposal: str,
    answer: "Answer",
    lasts: timedelta | None,
    settings: SettingsFile,
    state_dir: StateDir,
    *,
    as_json: bool,
) -> None:
    async def answering() -> tuple[bool, str]:
        from babysitter.model.ids import ProposalId
        from babysitter.model.proposal import Door
        from babysitter.service.approvals import decide, offered
        from babysitter.service.wiring import open_hall
        from babysitter.surfaces.cli import render
        from babysitter.surfaces.views import ProposalView

        async with open_hall(settings_from(settings, state_dir)) as hall:
            offer = await offered(hall, ProposalId(proposal))
            if lasts is None and answer.value == "yes":
                render.console().print(render.proposal_block(ProposalView.of(offer)))
                if not typer.confirm(f"Stop {offer.job} and submit {offer.successor}?"):
                    return False, "Nothing was answered; the offer stays open."
            until = hall.clock.now() + lasts if lasts else None
            ruling = await decide(hall, offer.id, me(), answer, Door.TERMINAL, snooze_until=until)
            return ruling.took_effect, ruling.sentence

    from babysitter.surfaces.views import DecisionReply

    accepted, sentence = asyncio.run(answering())
    if as_json:
        reply = DecisionReply(accepted=accepted, proposal=proposal, sentence=sentence)
        typer.echo(reply.model_dump_json())
    else:
        typer.echo(sentence)

"""`approve`, `deny`, `snooze`: a person's answer, at a terminal."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from babysitter.errors import FactsChanged, NotAllowed
from babysitter.surfaces.cli.terminal.options import (
    Json,
    SettingsFile,
    StateDir,
    is_at_terminal,
    me,
    quick_state_folder,
    settings_from,
)
from babysitter.surfaces.duration_option import parse_duration
from babysitter.waits import waiting_for

if TYPE_CHECKING:
    from babysitter.config import Settings
    from babysitter.engine.app import App
    from babysitter.model.ids import ProposalId
    from babysitter.model.proposal import Answer, Proposal

Id = Annotated[str, typer.Argument(help="Id of the proposal, as `babysit status` shows it.")]
MAX_SNOOZE = timedelta(days=30)
CARRIED_OUT = "the service to carry it out"
ASK_AGAIN = "`babysit status` shows what is proposed now; `babysit propose JOB --why REASON` asks again."


@dataclass(frozen=True, slots=True)
class _Told:
    """What became of an answer. `standing`: an earlier one, which counts instead."""

    took_effect: bool
    sentence: str
    standing: "Answer | None" = None


def approve(
    proposal: Id, settings: SettingsFile = None, state_dir: StateDir = None, as_json: Json = False
) -> None:
    """Approve a proposal: show all that would be done, ask for confirmation, do it.

    Needs a person at a terminal: called by a program it exits 4 and the attempt is kept in the report.
    Exit code 3: the submission failed. 5: it was withdrawn, expired, answered otherwise, or called off.
    """
    from babysitter.model.proposal import Answer

    if not is_at_terminal():
        refused = NotAllowed(
            "Approving needs a person at a terminal.",
            next_step="Run this command in a terminal of your own, or press the button in Slack.",
        )
        _keep_refusal(proposal, refused.sentence, settings, state_dir)
        raise refused
    _answer(proposal, Answer.YES, None, settings, state_dir, as_json=as_json)


def deny(
    proposal: Id, settings: SettingsFile = None, state_dir: StateDir = None, as_json: Json = False
) -> None:
    """Deny a proposal: nothing is done to the job. Exit code 5: it was approved, or is not open."""
    from babysitter.model.proposal import Answer

    _answer(proposal, Answer.NO, None, settings, state_dir, as_json=as_json)


def snooze(
    proposal: Id,
    span: Annotated[str, typer.Option("--for", help="How long: 30m, 2h, 1d.")] = "1h",
    settings: SettingsFile = None,
    state_dir: StateDir = None,
    as_json: Json = False,
) -> None:
    """Be asked again about a proposal later. It stays open until it expires."""
    from babysitter.model.proposal import Answer

    lasts = parse_duration(span, at_most=MAX_SNOOZE, option="--for", above_zero=True)
    _answer(proposal, Answer.SNOOZE, lasts, settings, state_dir, as_json=as_json)


def _keep_refusal(proposal: str, because: str, settings: SettingsFile, state_dir: StateDir) -> None:
    """A program that tries to approve is told in the timeline."""
    folder = quick_state_folder(settings, state_dir)
    if folder is not None:
        from babysitter.usecases.watching.quick_status import record_refusal

        if record_refusal(folder, proposal, me(), because, now=datetime.now(UTC)):
            return
    import asyncio

    asyncio.run(_refuse(settings_from(settings, state_dir), proposal, because))


async def _refuse(settings: "Settings", proposal: str, because: str) -> None:
    from babysitter.model.proposal import Surface
    from babysitter.usecases.answering.approvals import refuse
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        await refuse(app, proposal, me(), Surface.TERMINAL, because)


def _answer(
    proposal: str,
    answer: "Answer",
    lasts: timedelta | None,
    settings: SettingsFile,
    state_dir: StateDir,
    *,
    as_json: bool,
) -> None:
    from babysitter.surfaces.views import DecisionReply
    from babysitter.usecases.answering.approval_outcome import check_answer_stands

    try:
        # Asked between two visits to the state: while somebody thinks, nothing is held, and Ctrl+C ends it.
        if answer.value == "yes" and not _is_confirmed(_offered(settings, state_dir, proposal)):
            told = _Told(False, "Nothing was answered; the proposal stays open.")
        else:
            told = _decided(settings, state_dir, proposal, answer, lasts)
        if as_json:
            reply = DecisionReply(accepted=told.took_effect, proposal=proposal, sentence=told.sentence)
            typer.echo(reply.model_dump_json())
        check_answer_stands(answer, told.standing, told.sentence)
    except FactsChanged as fault:
        raise FactsChanged(fault.sentence, next_step=fault.next_step or ASK_AGAIN) from fault
    if not as_json:
        typer.echo(told.sentence)


def _decided(
    settings: SettingsFile, state_dir: StateDir, proposal: str, answer: "Answer", lasts: timedelta | None
) -> _Told:
    """What became of the answer: decided by the running service, else here."""
    folder = quick_state_folder(settings, state_dir)
    if folder is not None:
        from babysitter.usecases.answering.quick_answer import answer_by_service, follow_by_reading

        with waiting_for("the service to decide"):
            quick = answer_by_service(folder, proposal, me(), answer, lasts, now=datetime.now(UTC))
        if quick is not None and not (quick.took_effect and answer.value == "yes"):
            return _Told(quick.took_effect, quick.sentence, quick.standing)
        if quick is not None:
            _say_who_goes_on(quick.sentence)
            if quick.is_interrupted:
                raise KeyboardInterrupt
            with waiting_for(CARRIED_OUT):
                followed = follow_by_reading(folder, quick.proposal)
            if followed is None:
                import asyncio

                followed = asyncio.run(_follow(settings_from(settings, state_dir), settings, quick.proposal))
            return _Told(True, f"{quick.sentence} {followed}")
    import asyncio

    return asyncio.run(_decide(settings_from(settings, state_dir), settings, proposal, answer, lasts))


def _offered(settings: SettingsFile, state_dir: StateDir, proposal: str) -> "Proposal | None":
    """The offer, where it can still be answered; None where `decide` has to say why not."""
    found = None
    folder = quick_state_folder(settings, state_dir)
    if folder is not None:
        from babysitter.usecases.watching.quick_status import read_proposal

        found = read_proposal(folder, proposal)
    if found is None:
        import asyncio

        found = asyncio.run(_read_offer(settings_from(settings, state_dir), proposal))
    return found if found.status.value in ("open", "snoozed") else None


async def _read_offer(settings: "Settings", proposal: str) -> "Proposal":
    from babysitter.model.ids import ProposalId
    from babysitter.usecases.answering.approvals import offered
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        return await offered(app, ProposalId(proposal))


def _is_confirmed(offer: "Proposal | None") -> bool:
    """Whether the person, having seen exactly what would be done, still wants it."""
    from babysitter.surfaces.cli.terminal import terminal_view
    from babysitter.surfaces.views import ProposalView

    if offer is None:
        return True
    terminal_view.console().print(terminal_view.proposal_block(ProposalView.of(offer)))
    then = f"submit {offer.successor}" if offer.submits else "submit nothing"
    return typer.confirm(f"Stop {offer.job} and {then}?")


async def _decide(
    settings: "Settings", file: SettingsFile, proposal: str, answer: "Answer", lasts: timedelta | None
) -> _Told:
    """What became of the answer. An approval is carried out by the service."""
    from babysitter.model.ids import ProposalId
    from babysitter.model.proposal import Surface
    from babysitter.usecases.answering.approvals import decide
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        until = app.clock.now() + lasts if lasts else None
        ruling = await decide(app, ProposalId(proposal), me(), answer, Surface.TERMINAL, snooze_until=until)
        if ruling.took_effect and answer.value == "yes":
            if not await app.leadership.somebody_serves():
                typer.echo("The service does not run; it is started to carry this out.", err=True)
            _say_who_goes_on(ruling.sentence)
            return _Told(True, f"{ruling.sentence} {await _followed(app, file, ProposalId(proposal))}")
    standing = None if ruling.took_effect or ruling.decision is None else ruling.decision.answer
    return _Told(ruling.took_effect, ruling.sentence, standing)


async def _follow(settings: "Settings", file: SettingsFile, proposal: "ProposalId") -> str:
    from babysitter.wiring import open_app

    async with open_app(settings) as app:
        return await _followed(app, file, proposal)


async def _followed(app: "App", file: SettingsFile, proposal: "ProposalId") -> str:
    """What became of an approved action, which the service carries out; it is started where none runs."""
    from babysitter.surfaces.cli.serving.serve import while_served
    from babysitter.usecases.answering.follow_approval import follow_approval

    with waiting_for(CARRIED_OUT):
        return await while_served(app, file, follow_approval(app, proposal))


def _say_who_goes_on(sentence: str) -> None:
    typer.echo(f"{sentence} The service carries it out; Ctrl+C only ends this wait.", err=True)

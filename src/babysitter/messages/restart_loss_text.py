"""What a restart loses, in sentences for the card. Pure; redacted and escaped."""

from babysitter.messages.formatting import format_duration
from babysitter.messages.subject import escape
from babysitter.model.proposal import KeptValue, Proposal, RestartLoss


def loss_of(proposal: Proposal) -> str:
    """The last checkpoint, what came after it, and whether the new run finds it; "" for nothing known."""
    loss = proposal.loss
    if loss is None:
        return ""
    if not proposal.submits:
        return _checkpoint(loss, proposal)
    kept = f" {_kept('Run id', loss.run_id)} {_kept('Output path', loss.output_path)}"
    return _checkpoint(loss, proposal) + kept


def _checkpoint(loss: RestartLoss, proposal: Proposal) -> str:
    found = loss.checkpoint
    if found is None:
        return "No checkpoint was seen in the log: everything since the start may be lost."
    step = f" at step {found.step:,}" if found.step is not None else ""
    age = ""
    if found.at is not None:
        age = (
            f", {format_duration((proposal.created_at - found.at).total_seconds())} before this was proposed"
        )
    text = f"Last checkpoint{step}{age}: `{escape(found.text)}`."
    if not found.is_done:
        text += " The log does not say that it was completed."
    if loss.step is not None and found.step is not None and loss.step > found.step:
        text += f" The run is at step {loss.step:,}: {loss.step - found.step:,} steps are lost."
    return text


def _kept(what: str, value: KeptValue) -> str:
    """One sentence: the same, another, or not set by the submission."""
    if not value.name:
        return f"{what}: not set by the submission, so the program chooses it."
    name = escape(value.name)
    if value.is_known_before and value.before != value.after:
        before, after = escape(value.before) or "not set", escape(value.after) or "not set"
        return f"{what}: changes from {before} to {after} ({name})."
    is_same = "the same" if value.is_known_before else "set"
    return f"{what}: {is_same}, {escape(value.after) or 'a value that is not shown'} ({name})."

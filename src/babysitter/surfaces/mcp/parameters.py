"""The arguments that many tools share: one word, one type and one meaning each, the words of the CLI."""

from datetime import timedelta
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import AfterValidator, BeforeValidator, Field

from babysitter.errors import UserError
from babysitter.surfaces.duration_option import parse_duration
from babysitter.usecases.answering.request_restart import agent

MAX_ROWS = 50  # of one page. Every answer stays below what clients cut: some 25,000 tokens
MAX_WAIT = timedelta(hours=1)


def _as_text(value: Any) -> Any:
    """A number where a text is asked for: models send `17` for "17"."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _as_duration(text: str) -> str:
    try:
        parse_duration(text, at_most=MAX_WAIT)
    except UserError as fault:
        raise ValueError(str(fault)) from fault
    return text


JobName = Annotated[
    str, Field(description="Full job id, /user/name or a child of it, or a watch id. Never a prefix.")
]
TaskName = Annotated[str, Field(description="Full task id: a job id and /number, e.g. /user/name/0.")]
ClusterName = Annotated[
    str,
    Field(
        pattern=r"^(\w[\w.:-]*)?$",  # a name; never a path or an address of the agent's choice
        description="Cluster name; default: that of the job's watch, else the server's.",
    ),
]
Cursor = Annotated[
    str, BeforeValidator(_as_text), Field(description="`cursor` of the previous answer: goes on from there.")
]
Containing = Annotated[
    str, Field(max_length=200, description="Only what holds exactly this text; not a pattern.")
]
Duration = Annotated[
    str,
    BeforeValidator(_as_text),
    AfterValidator(_as_duration),
    Field(description="Longest wait: seconds, or 90s, 30m; at most 1h."),
]


def name_of(ctx: Context) -> str:
    """The client as a person will read it, in its own words."""
    params = ctx.session.client_params
    info = params.client_info if params else None
    return agent(f"{info.name} {info.version}" if info else "")


def conversation_of(ctx: Context) -> str:
    """A key of one client's calls: its HTTP session, else its name."""
    headers = ctx.headers or {}
    return headers.get("mcp-session-id") or name_of(ctx)

"""Who somebody is in Slack: a member, a bot, a stranger; and who is in a user group. Remembered briefly."""

from collections import OrderedDict
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from babysitter.clock import Clock

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

T = TypeVar("T")

KNOWN_FOR = timedelta(minutes=5)
MAX_KNOWN = 1_000
STRANGER = "Only members of this workspace may answer."
CANNOT_TELL = "Slack could not say who you are; please try again, or answer in the terminal."


@dataclass(frozen=True, slots=True)
class Team:
    """The workspace that the app belongs to."""

    id: str
    enterprise: str = ""  # the organisation around it, "" where there is none

    def holds(self, team: str) -> bool:
        return team != "" and team in (self.id, self.enterprise)


class MemberDirectory:
    """Asks Slack, at most once in five minutes about the same person or group.

    When Slack cannot be asked, nobody is let in: the terminal remains.
    """

    def __init__(self, client: "AsyncWebClient", clock: Clock) -> None:
        self._client = client
        self._team: Team | None = None
        self._users = _Known[str](clock)
        self._groups = _Known[frozenset[str]](clock)

    async def objection_to(self, user: str, *teams: str) -> str:
        """Why this user, pressing in these workspaces, may not answer at all; "" = a person of ours."""
        team = await self._own_team()
        if team is None:
            return CANNOT_TELL
        if not all(map(team.holds, teams)):
            return STRANGER
        known = self._users.get(user)
        if known is None:
            answer = await self._ask(self._client.users_info(user=user))
            if answer is None:
                return CANNOT_TELL
            known = _objection(answer["user"], team)
            self._users.put(user, known)
        return known

    async def members_of(self, group: str) -> frozenset[str]:
        """The user ids in a user group (`S...`); empty when Slack cannot be asked."""
        known = self._groups.get(group)
        if known is None:
            answer = await self._ask(self._client.usergroups_users_list(usergroup=group))
            if answer is None:
                return frozenset()
            known = frozenset(map(str, answer["users"]))
            self._groups.put(group, known)
        return known

    async def _own_team(self) -> Team | None:
        """Our own workspace, asked once; None when Slack cannot be asked now."""
        if self._team is None and (answer := await self._ask(self._client.auth_test())) is not None:
            self._team = Team(str(answer["team_id"]), str(answer.get("enterprise_id") or ""))
        return self._team

    async def _ask(self, call: Awaitable[Any]) -> Any:
        import aiohttp
        from slack_sdk.errors import SlackClientError

        try:
            return await call
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return None


def _objection(user: dict[str, Any], team: Team) -> str:
    if user.get("is_bot") or user.get("is_workflow_bot"):
        return "Only people may answer; bots and apps may not."
    if user.get("deleted"):
        return "This account has been deactivated."
    home = str(user.get("team_id") or "")
    if user.get("is_stranger") or (home and not team.holds(home)):
        return STRANGER
    return ""


class _Known(Generic[T]):
    """A few answers, kept for a while."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[datetime, T]] = OrderedDict()

    def get(self, key: str) -> T | None:
        at, value = self._kept.get(key, (None, None))
        return value if at is not None and self._clock.now() - at < KNOWN_FOR else None

    def put(self, key: str, value: T) -> None:
        self._kept[key] = (self._clock.now(), value)
        while len(self._kept) > MAX_KNOWN:
            self._kept.popitem(last=False)

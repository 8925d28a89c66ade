"""The model of the settings. Defaults live here and nowhere else."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)

from babysitter.config.advisor_settings import AdvisorSettings
from babysitter.config.follow_settings import FollowSettings, as_patterns
from babysitter.config.section import Section as _Section
from babysitter.config.section import span_s
from babysitter.errors import BadConfig
from babysitter.model.finding import Cause
from babysitter.model.ids import Person
from babysitter.model.limits import Limits
from babysitter.model.policy import Policy, QuietHours, Silence


def _spans(value: object) -> object:
    """Thresholds with their spans in seconds: 90, "90", "90s", "5m", "12h", "2d"."""
    if not isinstance(value, dict):
        return value
    return {name: span_s(item) for name, item in value.items()}


def _command(value: object) -> object:
    """A command line as a person writes it, or a list of words."""
    return tuple(shlex.split(value)) if isinstance(value, str) else value


def _with_host(command: str) -> str:
    """A command line that says where the host stands: without it, every machine would be the same one."""
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise ValueError(f"cannot be read as a command: {fault}") from fault
    if words and not any("{host}" in word for word in words):
        raise ValueError("does not say where the host stands, as in ssh -o BatchMode=yes {host}")
    return command


def _one_or_many(value: object) -> object:
    """One text is a list of one."""
    return (value,) if isinstance(value, str) else value


def _as_date(value: object) -> object:
    """A date as YAML reads it, or as text."""
    return value.isoformat() if isinstance(value, date) else value


class ClusterSettings(_Section):
    """One cluster. Give exactly one of url, config and cluster; the name itself is looked up otherwise."""

    url: str = Field(default="", description="address of the controller, http://HOST:PORT")
    config: str = Field(default="", description="an Iris cluster file")
    cluster: str = Field(default="", description="a cluster name that iris knows")
    transport: Literal["rpc", "cli"] = Field(default="rpc", description="rpc: HTTP; cli: the iris command")
    iris_command: Annotated[tuple[str, ...], BeforeValidator(_command)] = Field(
        default=("iris",),
        description="how to call iris, e.g. uv run iris; a watch may have its own (`start --iris-command`)",
    )
    token: SecretStr | None = Field(default=None, description="bearer token; better: token_file")
    token_file: Path | None = Field(default=None, description="file with the bearer token")
    service_account: str = Field(
        default="", description="service account to impersonate before an identity-aware proxy"
    )
    client_revision_date: Annotated[str, BeforeValidator(_as_date)] = Field(
        default="",
        pattern=r"^(\d{4}-\d{2}-\d{2})?$",
        description="date of the iris client to present, YYYY-MM-DD; to launch over HTTP without iris",
    )
    backend: str = Field(default="iris", description="kind of cluster: iris, ray or ray-session")
    ssh: Annotated[str, AfterValidator(_with_host)] = Field(
        default="", description="command that reads other machines of a Ray session: ssh {host}"
    )
    dashboard_url: str = Field(
        default="",
        pattern=r"^(https?://\S+)?$",
        description="where people open the dashboard, if the controller is reached through a tunnel",
    )

    @model_validator(mode="after")
    def _one_way_there(self) -> "ClusterSettings":
        given = [name for name in ("url", "config", "cluster") if getattr(self, name)]
        if len(given) > 1:
            raise ValueError(f"give one of url, config and cluster, not {' and '.join(given)}")
        return self


class SlackSettings(_Section):
    """Slack. Off while there is no bot token."""

    bot_token: SecretStr | None = Field(
        default=None, description="bot token, xoxb-...; better: bot_token_file"
    )
    bot_token_file: Path | None = Field(default=None, description="file with the bot token")
    app_token: SecretStr | None = Field(default=None, description="app token for Socket Mode, xapp-...")
    app_token_file: Path | None = Field(default=None, description="file with the app token")
    signing_secret: SecretStr | None = Field(
        default=None, description="signing secret, for HTTP instead of Socket Mode"
    )
    signing_secret_file: Path | None = Field(default=None, description="file with the signing secret")
    listen: str = Field(
        default="127.0.0.1:8087",
        pattern=r"^[\w.:\[\]-]+:\d{1,5}$",
        description="host:port that receives clicks over HTTP",
    )
    channel: str = Field(default="", description="id of the channel to post to, C...")
    on_call: str = Field(
        default="", description="user or user group id to mention where the owner cannot help"
    )
    api_url: str = Field(default="", description="another Slack, such as the simulated one")

    @model_validator(mode="after")
    def _has_a_channel(self) -> "SlackSettings":
        if (self.bot_token or self.bot_token_file) and not self.channel:
            raise ValueError("a bot token needs a channel (its id, C...)")
        return self


class WebhookSettings(_Section):
    """Signed JSON to any URL. Off while there is no URL."""

    url: str = Field(default="", description="address that every message is posted to")
    secret: SecretStr | None = Field(default=None, description="shared secret that signs each message")
    secret_file: Path | None = Field(default=None, description="file with the secret")

    @model_validator(mode="after")
    def _is_signed(self) -> "WebhookSettings":
        if self.url and not (self.secret or self.secret_file):
            raise ValueError("a webhook needs a secret or a secret_file, to sign what it sends")
        return self


class NotifySettings(_Section):
    """Channels beside Slack and the webhook."""

    apprise: Annotated[tuple[SecretStr, ...], BeforeValidator(_one_or_many)] = Field(
        default=(), description="URLs of apprise: mail and some hundred services; each is a secret"
    )
    desktop: bool = Field(
        default=True, description="pop-ups on the machine where the service runs, where it has a screen"
    )
    bell: bool = Field(default=True, description="ring the terminal in which the service runs")

    @field_validator("apprise")
    @classmethod
    def _are_urls(cls, urls: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for number, url in enumerate(urls, start=1):
            if not re.match(r"\s*[a-zA-Z][a-zA-Z0-9]*://\S", url.get_secret_value()):
                raise ValueError(f"number {number} is not a URL such as mailto://...")
        return urls


class WebSettings(_Section):
    """What the running service tells over HTTP. Off while there is no address."""

    listen: str = Field(
        default="",
        pattern=r"^([\w.:\[\]-]+:\d{1,5})?$",
        description="host:port of /metrics, /healthz and /readyz, e.g. 127.0.0.1:8088",
    )


class HeartbeatSettings(_Section):
    """Heartbeat for a dead-man's switch. Off without a URL."""

    url: SecretStr | None = Field(
        default=None,
        description="address requested (GET) while jobs are watched; an outside alarm fires when that stops",
    )
    interval_s: Annotated[float, BeforeValidator(span_s)] = Field(
        default=60.0, ge=5.0, le=86400.0, description="time between two heartbeats; seconds, or 90s, 5m"
    )

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: SecretStr | None) -> SecretStr | None:
        if url is None or not url.get_secret_value():
            return None
        if not re.match(r"https?://[^/\s]+", url.get_secret_value()):
            raise ValueError("must begin with http:// or https://")
        return url


class MemorySettings(_Section):
    """How people's feedback on earlier incidents is used."""

    demote_after: int = Field(
        default=3,
        ge=0,
        description="a rule that people called wrong for this many incidents, and more often than right, "
        "counts as a hint; 0 = never",
    )


class QuietHoursSettings(_Section):
    """Only fatal incidents are told between these times; the rest waits for the morning."""

    begins: time = Field(description="local time, e.g. 22:00")
    ends: time = Field(description="local time, e.g. 07:00")
    timezone: str = Field(default="UTC", description="e.g. Europe/Berlin")

    @field_validator("timezone")
    @classmethod
    def _is_known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError) as fault:
            raise ValueError(f"there is no time zone '{name}'") from fault
        return name


class SilenceSettings(_Section):
    """Incidents that match are recorded and not told."""

    jobs: str = Field(default="*", description="shell pattern over full job ids")
    causes: frozenset[Cause] = Field(default=frozenset(), description="empty = every cause")
    until: datetime | None = Field(default=None, description="time with zone; empty = until removed")
    why: str = Field(default="", description="reason, for people who read the settings later")

    @field_validator("until")
    @classmethod
    def _has_a_zone(cls, until: datetime | None) -> datetime | None:
        if until is not None and until.tzinfo is None:
            raise ValueError("needs a time zone, e.g. 2026-11-20T08:00:00Z")
        return until


class Settings(_Section):
    """Everything that can be set."""

    state_dir: Path | None = Field(
        default=None, description="folder of the database and logs; empty = ~/.local/state/babysit"
    )
    database_url: SecretStr | None = Field(
        default=None, description="postgresql://..., in place of an SQLite file"
    )
    playbooks: tuple[Path, ...] = Field(
        default=(), description="further folders of rules; they win over the shipped rules"
    )
    default_cluster: str = Field(default="", description="the cluster when none is named")
    clusters: dict[str, ClusterSettings] = Field(default={}, description="clusters by name; see below")
    limits: Annotated[Limits, BeforeValidator(_spans)] = Field(
        default=Limits(), description="thresholds; seconds, or 90s, 5m, 12h"
    )
    slack: SlackSettings = SlackSettings()
    webhook: WebhookSettings = WebhookSettings()
    notify: NotifySettings = NotifySettings()
    web: WebSettings = WebSettings()
    heartbeat: HeartbeatSettings = HeartbeatSettings()
    advisor: AdvisorSettings = AdvisorSettings()
    memory: MemorySettings = MemorySettings()
    approvers: tuple[tuple[str, ...], ...] = Field(
        default=(), description="who may approve, in tiers asked one after another: U..., S... or user@host"
    )
    env_from: tuple[str, ...] = Field(
        default=(),
        description="names of variables that every restart may take from the service's environment",
    )
    follow: Annotated[tuple[FollowSettings, ...], BeforeValidator(as_patterns)] = Field(
        default=(), description="patterns of root jobs that are watched as soon as they exist"
    )
    owners: dict[str, str] = Field(
        default={}, description="whom to mention about a followed job, by the user in its id: ada: U0ADA"
    )
    reminder_share: float = Field(
        default=0.5, gt=0, lt=1, description="a reminder is sent after this share of a proposal's time"
    )
    quiet_hours: QuietHoursSettings | None = Field(
        default=None, description="hours in which messages wait; empty = none"
    )
    silences: tuple[SilenceSettings, ...] = Field(
        default=(), description="messages to suppress, by jobs and causes"
    )

    @field_validator("env_from")
    @classmethod
    def _are_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise ValueError(f"'{name.partition('=')[0]}' is not the name of an environment variable")
        return names

    @field_validator("approvers", mode="before")
    @classmethod
    def _as_tiers(cls, value: object) -> object:
        """A plain list is one tier."""
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, str) for item in value):
            return [value]
        return value

    @model_validator(mode="after")
    def _follows_have_a_cluster(self) -> "Settings":
        for number, follow_settings in enumerate(self.follow):
            if not (follow_settings.cluster or self.default_cluster):
                raise ValueError(
                    f"follow.{number}: '{follow_settings.pattern}' needs a cluster, or default_cluster"
                )
        return self

    def as_policy(self) -> Policy:
        """What people want, as the product's own value."""
        hours = self.quiet_hours
        return Policy(
            approvers=tuple(tuple(map(Person, tier)) for tier in self.approvers),
            silences=tuple(
                Silence(silence.jobs, silence.causes, silence.until, silence.why) for silence in self.silences
            ),
            quiet_hours=QuietHours(hours.begins, hours.ends, hours.timezone) if hours else None,
            reminder_share=self.reminder_share,
        )


def secret(value: SecretStr | None, file: Path | None, *, what: str) -> str:
    """A secret given directly or in a file, "" when neither. Raises BadConfig for an unreadable file."""
    if value is not None:
        return value.get_secret_value()
    if file is None:
        return ""
    try:
        return file.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else "it is not text"
        raise BadConfig(f"The file with the {what}, {file}, cannot be read: {why}.") from fault


def setting_names() -> tuple[tuple[str, ...], ...]:
    """Every setting that has a fixed name, as a path of keys."""

    def names(section: type, at: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for setting in settings_in(section):
            yield (*at, setting.name)
            if setting.section is not None:
                yield from names(setting.section, (*at, setting.name))

    return tuple(names(Settings, ()))


@dataclass(frozen=True, slots=True)
class Setting:
    """One name of a section. `section`: what it holds, when that has settings of its own."""

    name: str
    default: Any
    about: str
    section: type | None


def settings_in(section: type) -> Iterator[Setting]:
    """The settings of a section, in their order."""
    if issubclass(section, BaseModel):
        for name, field in section.model_fields.items():
            inner = _section_of(field.annotation)
            about = field.description or (inner.__doc__ if inner else "") or ""
            yield Setting(name, field.default, about, inner)
    elif is_dataclass(section):
        for setting_field in fields(section):
            yield Setting(
                setting_field.name, setting_field.default, setting_field.metadata.get("about", ""), None
            )


def _section_of(annotation: Any) -> type | None:
    if get_origin(annotation) in (dict, tuple):
        return None  # named by the person, or numbered
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and (issubclass(candidate, BaseModel) or is_dataclass(candidate)):
            return candidate
    return None

"""The address of a job's page, and who can open it. Pure."""

import ipaddress
from dataclasses import replace
from urllib.parse import urlsplit

from babysitter.model.message import MessageContent


def for_others(words: MessageContent) -> MessageContent:
    """The words for people at other machines: without an address that only this machine can open."""
    return replace(words, page="") if words.page and is_of_this_machine(words.page) else words


def is_of_this_machine(address: str) -> bool:
    """Whether the host is the machine of whoever opens it."""
    host = urlsplit(address).hostname or ""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost") or not host
    return found.is_loopback or found.is_unspecified

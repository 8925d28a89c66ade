"""Why a request brought no answer, in plain words."""

import os

import aiohttp


def describe_fault(fault: BaseException) -> str:
    """The system's own words ("connection refused") where it has some."""
    if isinstance(fault, aiohttp.ClientConnectorDNSError):
        return "its name is not known"
    if isinstance(fault, aiohttp.ClientSSLError):
        return "no trusted encrypted connection comes about"
    if isinstance(fault, aiohttp.ClientPayloadError):
        return "the answer broke off before its end"
    number = getattr(fault, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number).lower()
    return "it hung up before it answered"

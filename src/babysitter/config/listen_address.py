"""Listening on an address that a person chose: what to tell them where that is not possible."""

import os


def cannot_listen_reason(fault: OSError | OverflowError) -> str:
    """Why an address cannot be listened at, in the system's few words instead of a library's many."""
    if isinstance(fault, OverflowError):
        return "a port is a number up to 65535"
    if fault.errno is not None and fault.errno > 0:
        return os.strerror(fault.errno).lower()
    return "its host is not known here"

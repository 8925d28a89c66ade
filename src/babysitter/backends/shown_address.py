"""Addresses of clusters as other people may see them."""

from urllib.parse import urlsplit, urlunsplit


def without_password(url: str) -> str:
    """The address without a user and a password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

"""Where the files are that come with the program."""

from pathlib import Path


def shipped(name: str = "playbooks") -> Path:
    """The folder of shipped playbooks (or "skills"): in the installed package or at the repository top."""
    package = Path(__file__).resolve().parent
    packed = package / "_shipped" / name
    return packed if packed.is_dir() else package.parent.parent / name

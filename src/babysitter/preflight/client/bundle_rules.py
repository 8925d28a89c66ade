"""Which files the client leaves out of a bundle, and which ignored ones it adds."""

from fnmatch import fnmatchcase

from babysitter.preflight.client.client_tables import bundle_rules


def is_left_out(path: str, generation: str) -> bool:
    """Whether the client leaves out this file. `path`: relative to the folder, with forward slashes."""
    rules = bundle_rules()
    if path.endswith(rules.suffixes):
        return True
    *folders, name = path.split("/")
    inside = f"/{'/'.join((*folders, name))}/"
    if any(f"/{folder}/" in inside for folder in rules.folders):
        return True
    if any(part.endswith(rules.folder_suffixes) for part in (*folders, name)):
        return True
    return any(fnmatchcase(name, pattern) for pattern in rules.file_patterns.get(generation, ()))

"""YAML with places: plain values, and for every key and value the line where it stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from babysitter.diagnosis.causes.file_position import FilePosition

# libyaml's parser is ten times as fast and gives the same marks; wheels without it exist.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# libyaml builds nodes by recursion in C: nesting without a limit ends the process. Our files nest below 20.
MAX_NESTING = 200


@dataclass(slots=True)
class FilePositions:
    """The node tree of a file, for finding the place of a value by its path of keys and indices."""

    path: Path
    root: Any
    duplicates: list[tuple[str, FilePosition]] = field(default_factory=list)

    def find(self, location: Sequence[str | int], *, of_key: bool = False) -> FilePosition:
        """Where the value (or its key) stands; a missing one: where its nearest ancestor stands."""
        node, at = self.root, self.root
        for step in location:
            key, child = _child(node, step)
            if child is None:
                break
            node, at = child, (key if of_key and key is not None else child)
        return self.place(at)

    def place(self, node: Any) -> FilePosition:
        if node is None:
            return FilePosition(self.path, 1)
        return FilePosition(self.path, node.start_mark.line + 1, node.start_mark.column + 1)

    def path_words(self, location: Sequence[str | int]) -> str:
        """The path in a reader's words: `rule zephyr.x, match.logs`; the last key is left to the sentence."""
        words: list[str] = []
        node = self.root
        for step in location:
            _, child = _child(node, step)
            if child is None:
                break
            node = child
            name = _scalar(_child(node, "id")[1]) or _scalar(_child(node, "name")[1])
            if isinstance(step, int) and name:
                words = [f"rule {name}"]
            elif isinstance(step, str):
                words.append(step)
        head, tail = (words[0], words[1:]) if words and words[0].startswith("rule ") else ("", words)
        return ", ".join(part for part in (head, ".".join(tail)) if part) or "the file"


def parse_yaml(raw: bytes, path: Path) -> tuple[Any, FilePositions]:
    """Values and places of a document. Raises yaml.YAMLError, UnicodeDecodeError."""
    text = raw.decode("utf-8")
    _check_nesting(text)
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        places = FilePositions(path, root)
        _find_duplicates(root, places)
        return (loader.construct_document(root) if root is not None else None), places
    finally:
        loader.dispose()


def _check_nesting(text: str) -> None:
    """Raise yaml.MarkedYAMLError where collections nest deeper than the limit."""
    # Each level takes a bracket or a column, so an ordinary file needs no second reading.
    if text.count("[") + text.count("{") + max(map(len, text.splitlines()), default=0) <= MAX_NESTING:
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_NESTING:
            problem = f"nested deeper than {MAX_NESTING} levels"
            mark: Any = event.start_mark
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _child(node: Any, step: str | int) -> tuple[Any, Any]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return key, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None, None


def _scalar(node: Any) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _find_duplicates(root: Any, places: FilePositions) -> None:
    pending, seen_nodes = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in seen_nodes:  # an alias; a self-containing one would never end
            continue
        seen_nodes.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys = set[str]()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in keys:
                        places.duplicates.append((key.value, places.place(key)))
                    keys.add(key.value)
                pending.append(value)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)

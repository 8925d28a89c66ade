"""Small wrong changes of a source text, one at a time, each at the place of a node of its syntax tree."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """`key`: tells it from every other, and stays the same when lines move above it."""

    path: str
    line: int
    key: str
    text: str  # of the whole file


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of the lines."""
    tree = ast.parse(source)
    names = _scopes(tree)
    seen: dict[str, int] = {}
    for node in sorted(_placed(tree), key=lambda candidate: (candidate.lineno, candidate.col_offset)):  # type: ignore[attr-defined]
        for replacement in _changes(node):
            text = _replaced(source, node, replacement)
            was = " ".join((ast.get_source_segment(source, node) or "").split())
            key = f"{path} {names.get(node.lineno, '')}: {_short(was)} -> {_short(replacement)}"  # type: ignore[attr-defined]
            seen[key] = seen.get(key, 0) + 1
            if seen[key] > 1:
                key = f"{key} #{seen[key]}"
            yield Mutant(path, node.lineno, key, text)  # type: ignore[attr-defined]


def _changes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for other in _COMPARISONS.get(type(op), ()):
                yield ast.unparse(ast.Compare(left, [other()], [right]))
        case ast.BoolOp(op=op, values=values):
            other_op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(other_op, values))})"
            for value in values:  # as if the others were not asked
                yield f"({ast.unparse(value)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"bool({ast.unparse(operand)})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            if not any(isinstance(expr, ast.JoinedStr) for expr in (left, right)):
                yield f"({ast.unparse(ast.BinOp(left, _ARITHMETIC[type(op)](), right))})"
        case ast.Constant(value=bool() as value):
            yield repr(not value)
        case ast.Constant(value=int() | float() as value):
            yield repr(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield f"({ast.unparse(body)})"
            yield f"({ast.unparse(orelse)})"
        case ast.Expr(value=ast.Await() | ast.Call()) | ast.Raise() | ast.AugAssign():
            yield "pass"
        case ast.Continue():
            yield "break"


def _placed(tree: ast.Module) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that run: no annotations, no decorators, no docstrings, no texts of f-strings."""
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        skipped: list[ast.AST] = []
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                skipped = [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
            case ast.ClassDef():
                skipped = [*node.decorator_list]
            case ast.AnnAssign():
                skipped = [node.annotation]
            case ast.JoinedStr():
                continue
        waiting += [child_node for child_node in ast.iter_child_nodes(node) if child_node not in skipped]


def _scopes(tree: ast.Module) -> dict[int, str]:
    """The innermost function of each line."""
    found: dict[int, str] = {}
    for node in ast.walk(tree):  # outer ones first, so that inner ones overwrite
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node.name)
    return found


def _replaced(source: str, node: ast.expr | ast.stmt, replacement: str) -> str:
    lines = source.encode().splitlines(keepends=True)
    before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    last = (node.end_lineno or node.lineno) - 1
    after = lines[last][node.end_col_offset :] + b"".join(lines[last + 1 :])
    return (before + replacement.encode() + after).decode()


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 90 else f"{flat[:60]}...{flat[-27:]}"

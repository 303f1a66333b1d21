"""What may stand in a call's place: other arguments, no call or two of them, a neighbour of the same library."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .sites import Site

Change = tuple[str, ast.expr]  # the operator's name, and what it puts in

NEIGHBOURS = (  # methods and functions that are taken for one another
    ("any", "all"), ("min", "max"), ("sum", "mean"), ("softmax", "log_softmax"), ("sqrt", "exp"),
    ("zeros", "ones"), ("cat", "stack"), ("repeat_interleave", "repeat"), ("triu", "tril"), ("eval", "train"),
    ("unsqueeze", "squeeze"), ("set_xticks", "set_yticks"), ("view", "reshape"), ("flatten", "contiguous"),
    ("argmax", "argmin"), ("no_grad", "enable_grad"), ("empty", "zeros"), ("log", "exp"), ("range", "list"),
    ("xavier_uniform_", "xavier_normal_"), ("chunk", "split"), ("permute", "reshape"),
)  # fmt: skip
IN_PLACE = frozenset(
    {"transpose", "masked_fill", "unsqueeze", "squeeze", "add", "sub", "mul", "div", "clamp", "t", "sigmoid"}
)
LIBRARIES = frozenset({"math", "np", "numpy", "torch", "nn", "F", "plt", "einops"})
EITHER_WAY = ("transpose", "swapaxes", "transpose_")  # take their two arguments in any order


def call_changes(node: ast.Call, site: Site) -> Iterator[Change]:
    """All that may be put in a call's place."""
    if site.role == "message":  # how an error is made: its kind and words have operators of their own
        return
    yield from _arguments(node)
    yield from _dropped_call(node)
    yield from _doubled_call(node)
    name = _called(node)
    for pair in NEIGHBOURS:
        if name in pair:
            yield "another call", _renamed(node, pair[1] if name == pair[0] else pair[0])
    if name in IN_PLACE and isinstance(node.func, ast.Attribute):
        yield "in place", _renamed(node, f"{name}_")


def _arguments(node: ast.Call) -> Iterator[Change]:
    given = node.args
    for place in range(0 if _called(node) in EITHER_WAY else len(given) - 1):
        turned = [*given[:place], given[place + 1], given[place], *given[place + 2 :]]
        yield "argument order", ast.Call(node.func, turned, node.keywords)
    for place in range(len(given)):
        yield "dropped argument", ast.Call(node.func, [*given[:place], *given[place + 1 :]], node.keywords)
    for place in range(len(node.keywords)):
        rest = [*node.keywords[:place], *node.keywords[place + 1 :]]
        yield "dropped keyword", ast.Call(node.func, given, rest)


def _dropped_call(node: ast.Call) -> Iterator[Change]:
    if isinstance(node.func, ast.Attribute) and not is_module(node.func.value):
        yield "dropped call", node.func.value
    else:
        for argument in node.args:
            if not isinstance(argument, ast.Starred):
                yield "dropped call", argument


def _doubled_call(node: ast.Call) -> Iterator[Change]:
    if isinstance(node.func, ast.Attribute) and not is_module(node.func.value):
        again = ast.Attribute(node, node.func.attr, ast.Load())
        yield "doubled call", ast.Call(again, node.args, node.keywords)
    elif node.args:
        yield "doubled call", ast.Call(node.func, [node, *node.args[1:]], node.keywords)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _renamed(node: ast.Call, name: str) -> ast.Call:
    function = node.func
    if isinstance(function, ast.Attribute):
        return ast.Call(ast.Attribute(function.value, name, ast.Load()), node.args, node.keywords)
    return ast.Call(ast.Name(name, ast.Load()), node.args, node.keywords)


def is_module(node: ast.expr) -> bool:
    """Whether a dotted name begins with a library by its usual name, or with what a class inherits."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in LIBRARIES

"""Notes definitions of wanted names as a module makes them, by a call put in behind each."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any


class Catch(ast.NodeTransformer):
    """Notes each module-level definition of a wanted name right after it is made, a lambda's too."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self.wanted = wanted

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Any:
        return [node, self._note(node.name, node, made_here=True)] if node.name in self.wanted else node

    def _assigned(self, node: ast.Assign | ast.AnnAssign) -> Any:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if node.value else []
        names = [target.id for target in targets if isinstance(target, ast.Name) and target.id in self.wanted]
        return [node, *(self._note(name, node, made_here=False) for name in names)]

    @staticmethod
    def _note(name: str, node: ast.stmt, *, made_here: bool) -> ast.stmt:
        arguments: list[ast.expr] = [ast.Constant(name), ast.Name(name, ast.Load()), ast.Constant(made_here)]
        call = ast.Call(ast.Name("__defined__", ast.Load()), arguments, [])
        return ast.copy_location(ast.Expr(call), node)

    visit_FunctionDef: Callable[..., Any] = _defined
    visit_AsyncFunctionDef: Callable[..., Any] = _defined
    visit_ClassDef: Callable[..., Any] = _defined
    visit_Assign: Callable[..., Any] = _assigned
    visit_AnnAssign: Callable[..., Any] = _assigned

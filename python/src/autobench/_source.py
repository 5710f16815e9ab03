"""A function's source as the text of an expression (docs/guide/tuning.md)."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import math
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

FUNCTIONS = frozenset(
    ("abs", "bool", "ceil", "exp", "float", "floor", "int", "len", "list", "log", "log10", "log2")
).union(("max", "min", "pow", "range", "round", "sqrt", "sum"))
"""The functions of expressions."""

ALLOWED = (
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.List,
    ast.Load,
)
"""Nodes that expressions have too."""


class Unreadable(Exception):
    """Why a function is no expression, as the end of a sentence."""


def expression_of(function: Callable[..., Any], roles: Mapping[str, str | None]) -> str:
    """Returns the text of what a function returns, with its arguments under the names of `roles`.

    An argument without a name (None) is a mapping of all parameters.
    """
    body = _body(function)
    return ast.unparse(ast.fix_missing_locations(_Reader(function, roles).visit(body)))


def _body(function: Callable[..., Any]) -> ast.expr:
    """Finds what a lambda, or a function with one `return`, returns."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise Unreadable("it is no function of Python")
    lines = linecache.getlines(code.co_filename, getattr(function, "__globals__", None))
    if not lines:
        raise Unreadable("its source is unknown")
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        raise Unreadable("its source cannot be read") from None
    found = {ast.dump(body): body for body in _bodies(tree, code)}
    if len(found) != 1:
        raise Unreadable("its source is not found" if not found else "its line has several lambdas")
    return next(iter(found.values()))


def _bodies(tree: ast.AST, code: types.CodeType) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>":
            if node.lineno == code.co_firstlineno and _arguments(node) == _names(code):
                yield from [node.body] if _is_at(node.body, code) else []
        elif isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first == code.co_firstlineno:
                yield _returned(node)


def _arguments(node: ast.Lambda) -> list[str]:
    return [one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]


def _names(code: types.CodeType) -> list[str]:
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _is_at(body: ast.expr, code: types.CodeType) -> bool:
    """Whether a code's instructions begin and end in `body`; true before Python 3.11."""
    if not hasattr(code, "co_positions"):
        return True
    places = [
        (line, column)
        for line, _, column, _ in code.co_positions()
        if line is not None and column is not None and (line, column) != (code.co_firstlineno, 0)
    ]
    begin = (body.lineno, body.col_offset)
    end = (body.end_lineno or 0, body.end_col_offset or 0)
    return all(begin <= place <= end for place in places)


def _returned(node: ast.FunctionDef) -> ast.expr:
    statements = list(node.body)
    if isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
        statements.pop(0)  # its docstring
    if len(statements) == 1 and isinstance(statements[0], ast.Return) and statements[0].value:
        return statements[0].value
    raise Unreadable("it is more than one `return`")


class _Reader(ast.NodeTransformer):
    """Makes an expression of a function's body."""

    def __init__(self, function: Callable[..., Any], roles: Mapping[str, str | None]) -> None:
        self.roles = roles
        closure = inspect.getclosurevars(function)
        self.known = {**vars(builtins), **closure.globals, **closure.nonlocals}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, ALLOWED):
            what = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
            raise Unreadable(f"expressions have no `{what}`")
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return _constant(node.value)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return self._list(node.elts)

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return self._list(node.elts)

    def _list(self, elements: list[ast.expr]) -> ast.AST:
        return ast.List([self.visit(one) for one in elements], ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.roles:
            name = self.roles[node.id]
            if name is None:
                raise Unreadable(f"`{node.id}` is used without a parameter's name in brackets")
            return ast.Name(name, ast.Load())
        return _constant(self._value(node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return _constant(self._value(node))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        whole, key = node.value, node.slice
        if isinstance(whole, ast.Name) and self.roles.get(whole.id, "") is None:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                return ast.Name(key.value, ast.Load())
            raise Unreadable(f"`{ast.unparse(node)}` names no parameter")
        return ast.Subscript(self.visit(whole), self.visit(key), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = self._value(node.func)
        name = getattr(function, "__name__", "")
        if name not in FUNCTIONS or node.keywords or not _is_plain(function, name):
            raise Unreadable(f"expressions have no `{ast.unparse(node.func)}`")
        return ast.Call(ast.Name(name, ast.Load()), [self.visit(one) for one in node.args], [])

    def _value(self, node: ast.expr) -> Any:
        """Returns what a name, or an attribute of one, means outside the function."""
        if isinstance(node, ast.Name) and node.id in self.known and node.id not in self.roles:
            return self.known[node.id]
        if isinstance(node, ast.Attribute):
            whole = self._value(node.value)
            if hasattr(whole, node.attr):
                return getattr(whole, node.attr)
        raise Unreadable(f"`{ast.unparse(node)}` is unknown")


def _is_plain(function: Any, name: str) -> bool:
    """Whether a function is the one that expressions know under this name."""
    if function is getattr(builtins, name, None) or function is getattr(math, name, None):
        return True
    return type(function).__name__ == "ufunc"


def _constant(value: object) -> ast.expr:
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return ast.List([_constant(one) for one in value], ast.Load())
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return ast.Constant(value)
    if isinstance(value, float) and math.isfinite(value):
        return ast.Constant(value)
    raise Unreadable(f"`{value!r}` is no number or text")

"""Restrictions, ``bytes`` and ``flops``: texts, or functions that become texts.

The program reads expressions (docs/guide/tuning.md) and cannot call Python. A function is called
once with symbols in place of values, and what comes back is the text. Where Python itself asks for
a value (``and``, ``or``, ``in``, ``if``), the function's source is read instead.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._source import Unreadable, expression_of

SIZE = "size"
"""What expressions call the problem size."""

Quantity = str | int | float | Callable[..., Any]
Restriction = str | Callable[..., Any]


def restriction(given: Restriction, names: Sequence[str]) -> str:
    """Returns the expression of a restriction over the parameters.

    >>> restriction(lambda BLOCK: BLOCK * 2 <= 512, ["BLOCK"])
    '((BLOCK * 2) <= 512)'
    >>> restriction(lambda p: p["a"] > 1 and p["b"] in (1, 2), ["a", "b"])
    'a > 1 and b in [1, 2]'
    """
    if isinstance(given, str):
        return given
    if not callable(given):
        raise TypeError(f"a restriction is a text or a function, not {given!r}")
    roles = _roles(given, [*names, SIZE], sized=False)
    return _traced(given, roles) or _read(given, roles, "a restriction")


def quantity(what: str, given: Quantity, names: Sequence[str]) -> str:
    """Returns the expression of `what` (``bytes`` or ``flops``) over the size and the parameters.

    >>> quantity("bytes", lambda n: 12 * n, [])
    '(12 * size)'
    >>> quantity("flops", lambda n, tile: 2 * n if tile > 1 else n, ["tile"])
    '2 * size if tile > 1 else size'
    """
    if isinstance(given, str):
        return given
    if not callable(given):
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise TypeError(f"`{what}` is a text, a number or a function, not {given!r}")
        return repr(given)
    roles = _roles(given, names, sized=True)
    return _traced(given, roles) or _read(given, roles, f"`{what}`")


Roles = Mapping[str, str | None]
"""What each argument of a function is: a name in expressions, or None for all parameters."""


def _roles(function: Callable[..., Any], names: Sequence[str], *, sized: bool) -> Roles:
    arguments = list(inspect.signature(function).parameters)
    roles: dict[str, str | None] = {}
    if sized and arguments and arguments[0] not in names:
        roles[arguments.pop(0)] = SIZE
    if len(arguments) == 1 and arguments[0] not in names:
        return roles | {arguments[0]: None}
    for name in arguments:
        if name not in names:
            known = ", ".join(names) or "none"
            raise TypeError(
                f"`{_called(function)}` takes `{name}`, which is no parameter of the space "
                f"(there are: {known})"
            )
        roles[name] = name
    return roles


def _traced(function: Callable[..., Any], roles: Roles) -> str | None:
    """Returns what a function makes of symbols; None if it needs values."""
    symbols = {name: Symbol(name) for name in roles.values() if name is not None}
    everything = _Parameters()
    arguments = [everything if name is None else symbols[name] for name in roles.values()]
    try:
        result = function(*arguments)
    except Exception:  # Whatever a function does with symbols only says that it needs values.
        return None
    if isinstance(result, Symbol):
        return result.text
    if isinstance(result, (int, float)) and not isinstance(result, bool):
        return repr(result)
    return None


def _read(function: Callable[..., Any], roles: Roles, what: str) -> str:
    try:
        return expression_of(function, roles)
    except Unreadable as why:
        raise TypeError(
            f"{what} given as `{_called(function)}` cannot be turned into an expression: {why}; "
            "write it as a string"
        ) from None


def _called(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))


class Symbol:
    """A value that is not known yet. Operators make the text of an expression of it."""

    __slots__ = ("text",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        self.text = text

    def __bool__(self) -> bool:
        raise TypeError("a symbol has no truth value")

    def __neg__(self) -> Symbol:
        return Symbol(f"(-{self.text})")

    def __pos__(self) -> Symbol:
        return self

    def __invert__(self) -> Symbol:
        return Symbol(f"(~{self.text})")

    def __abs__(self) -> Symbol:
        return Symbol(f"abs({self.text})")

    def __ceil__(self) -> Symbol:
        return Symbol(f"ceil({self.text})")

    def __floor__(self) -> Symbol:
        return Symbol(f"floor({self.text})")

    def __round__(self, digits: int | None = None) -> Symbol:
        return Symbol(f"round({self.text})" if digits is None else f"round({self.text}, {digits})")


class _Parameters:
    """All parameters by name, for functions that take one mapping. Only names are known of it."""

    def __getitem__(self, name: object) -> Symbol:
        if not isinstance(name, str):
            raise TypeError("parameters have names, and no order or number in an expression")
        return Symbol(name)


def literal(value: object) -> str:
    """Returns a constant as a text of an expression.

    >>> literal((1, "a", True))
    "[1, 'a', True]"
    """
    if isinstance(value, Symbol):
        return value.text
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return f"[{', '.join(literal(one) for one in value)}]"
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    if hasattr(value, "item"):  # a number of NumPy
        return literal(value.item())
    raise TypeError(f"{value!r} has no place in an expression")


def _binary(operator: str, *, reflected: bool) -> Callable[[Symbol, object], Symbol]:
    def apply(self: Symbol, other: object) -> Symbol:
        sides = (self.text, literal(other))
        left, right = reversed(sides) if reflected else sides
        return Symbol(f"({left} {operator} {right})")

    return apply


_ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

for _name, _sign in _ARITHMETIC.items():
    setattr(Symbol, f"__{_name}__", _binary(_sign, reflected=False))
    setattr(Symbol, f"__r{_name}__", _binary(_sign, reflected=True))
for _name, _sign in _COMPARISONS.items():
    setattr(Symbol, f"__{_name}__", _binary(_sign, reflected=False))

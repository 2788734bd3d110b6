"""Constraints on the cost of a selection, which decide whether a job can start there.

Vectors are compared component by component, and every component must satisfy the comparison. Numbers are
exact.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from netplace.inputs import abbreviate

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|\d+(?:\.\d+)?|\.\.|<=|>=|==|[][{}()=@/:;,+*<>-]")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DIGITS = 30  # of a number, at most; more than any bound has


@dataclass(frozen=True)
class _Token:
    text: str
    line: int


class Tokens:
    """A file, word by word."""

    def __init__(self, path: Path, text: str):
        self._path = path
        self._tokens: list[_Token] = []
        self._at = 0
        for number, line in enumerate(text.splitlines(), 1):
            rest = line.partition("#")[0]
            place = 0
            while place < len(rest):
                if rest[place].isspace():
                    place += 1
                    continue
                match = _WORD.match(rest, place)
                if match is None:
                    raise ValueError(f"{path}:{number}: {abbreviate(rest[place])} is not part of a word")
                self._tokens.append(_Token(match[0], number))
                place = match.end()

    @property
    def next(self) -> str:
        return self._tokens[self._at].text if self._at < len(self._tokens) else ""

    @property
    def line(self) -> int:
        if not self._tokens:
            return 1
        return self._tokens[min(self._at, len(self._tokens) - 1)].line

    def error(self, expected: str, line: int | None = None) -> ValueError:
        """Return the error that something else was expected here."""
        seen = abbreviate(self.next) if self.next else "the end of the file"
        return ValueError(f"{self._path}:{line or self.line}: {seen} was found, expected {expected}")

    def wrong(self, label: str, line: int | None = None) -> ValueError:
        return ValueError(f"{self._path}:{line or self.line}: {label}")

    def accept(self, *words: str) -> bool:
        texts = tuple(token.text for token in self._tokens[self._at : self._at + len(words)])
        if texts == words:
            self._at += len(words)
        return texts == words

    def expect(self, *words: str, instead: str = "") -> None:
        """Take the next words, which must be these; `instead` of the first, another could be there."""
        for place, word in enumerate(words):
            if not self.accept(word):
                other = f"{instead} or " if instead and not place else ""
                raise self.error(f"{other}'{word}'")

    def items(self) -> Iterator[int]:
        """Yield the line in which each item of a list begins; commas stand between them."""
        yield self.line
        while self.accept(","):
            yield self.line

    def name(self, label: str) -> str:
        if not _NAME.fullmatch(self.next):
            raise self.error(label)
        return self._take()

    def number(self, label: str, minimum: int = 0) -> int:
        self._check_length()
        if not self.next.isdecimal() or int(self.next) < minimum:
            raise self.error(f"{label}, a whole number of at least {minimum}")
        return int(self._take())

    def expression(self) -> str:
        """Take and return the words up to the next comma outside brackets, or to the end."""
        words: list[str] = []
        depth = 0
        while self.next and (depth > 0 or self.next != ","):
            depth += (self.next in "([") - (self.next in ")]")
            words.append(self._take())
        return " ".join(words)

    def _check_length(self) -> None:
        word = self.next
        if word[:1].isdecimal() and len(word) > _DIGITS:
            raise self.wrong(f"{word[:8]}.. has {len(word)} digits, expected at most {_DIGITS}")

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1].text


Cost = tuple[int, ...]


@dataclass(frozen=True)
class Facts:
    """What a constraint is asked about."""

    cost: Cost  # cost of the selection
    processors: int  # size of the job, in processors
    # Takes a number of processors and returns the cost that a job of that size has on the empty machine; None
    # if the machine is smaller.
    minimum: Callable[[int], Cost | None]


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.LtE: operator.le,
    ast.Lt: operator.lt,
    ast.GtE: operator.ge,
    ast.Gt: operator.gt,
    ast.Eq: operator.eq,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


@dataclass(frozen=True)
class Rule:
    """A test for jobs of some sizes."""

    # Sizes in processors, both included.
    low: int
    high: int
    condition: ast.expr
    line: int  # where it stands
    maximum: int  # largest size that it names in ``MINCOST(k)``; 0 for none

    def test(self, facts: Facts) -> bool:
        """Return whether the job may start."""
        return _test(self.condition, facts)


def read_rules(tokens: Tokens, sizes: Callable[[Tokens], tuple[int, int]], length: int) -> list[Rule]:
    rules = []
    for line in tokens.items():
        low, high = sizes(tokens)
        tokens.expect(":")
        named = [0]  # sizes in MINCOST

        def minimum(size: int, named: list[int] = named) -> Cost:
            named.append(size)
            return (0,) * length

        try:
            condition = ast.parse(tokens.expression(), mode="eval").body
            _test(condition, Facts((0,) * length, 0, minimum))  # every part is evaluated, so faults show here
        except SyntaxError as error:
            raise tokens.wrong(f"constraint: {error.msg}", line) from None
        except (RecursionError, MemoryError):
            raise tokens.wrong("constraint: parts are nested too deep", line) from None
        except ValueError as error:
            raise tokens.wrong(str(error), line) from None
        rules.append(Rule(low, high, condition, line, max(named)))
    return rules


def _test(part: ast.expr, facts: Facts) -> bool:
    match part:
        case ast.BoolOp(how, parts):
            results = [_test(each, facts) for each in parts]
            return all(results) if isinstance(how, ast.And) else any(results)
        case ast.UnaryOp(ast.Not(), inner):
            return not _test(inner, facts)
        case ast.Compare(left, [sign], [right]) if type(sign) in _COMPARISONS:
            a, b = _value(left, facts), _value(right, facts)
            return a is not None and b is not None and bool(np.all(_COMPARISONS[type(sign)](a, b)))
    raise ValueError(f"{abbreviate(ast.unparse(part))} is no comparison by <=, <, >=, > or ==")


def _value(part: ast.expr, facts: Facts) -> Any:
    """Return a number, a vector as an array of exact numbers, or None for a job larger than the machine."""
    match part:
        case ast.Constant(int() | float() as number):
            return Fraction(str(number))
        case ast.List(entries) if len(entries) == len(facts.cost):
            return np.array([_whole(entry) for entry in entries], object)
        case ast.List(entries):
            raise ValueError(
                f"the vector {ast.unparse(part)} has {len(entries)} entries, expected {len(facts.cost)}"
            )
        case ast.Name("cost"):
            return np.array(facts.cost, object)
        case ast.Subscript(ast.Name("cost"), component):
            if not 1 <= (place := _whole(component)) <= len(facts.cost):
                raise ValueError(f"cost[{place}]: costs have {len(facts.cost)} components")
            return facts.cost[place - 1]
        case ast.Call(ast.Name("MINCOST"), [size], []):
            named = isinstance(size, ast.Name) and size.id == "PEs"
            cost = facts.minimum(facts.processors if named else _whole(size))
            return None if cost is None else np.array(cost, object)
        case ast.Call(ast.Name("ceil"), [inner], []):
            value = _value(inner, facts)
            return None if value is None else np.ceil(value)
        case ast.BinOp(left, sign, right) if type(sign) in _ARITHMETIC:
            a, b = _value(left, facts), _value(right, facts)
            return None if a is None or b is None else _ARITHMETIC[type(sign)](a, b)
    raise ValueError(
        f"{abbreviate(ast.unparse(part))} is not cost, MINCOST(..), ceil(..), a vector or a number"
    )


def _whole(part: ast.expr) -> int:
    match part:
        case ast.Constant(int() as number):
            return number
    raise ValueError(f"{abbreviate(ast.unparse(part))} is not a whole number of at least 0")


def read_vector(tokens: Tokens, length: int) -> list[int]:
    """Return the numbers up to the closing bracket; `length` of them, or any number if it is 0."""
    line = tokens.line
    numbers = [tokens.number("an entry of a cost vector") for _ in tokens.items()]
    tokens.expect("]")
    if length and len(numbers) != length:
        raise tokens.wrong(f"the vector {numbers} has {len(numbers)} entries, expected {length}", line)
    return numbers

"""Constraints on the cost of a selection, which decide whether a job can start there.

Vectors are compared component by component, and every component must satisfy the comparison. Numbers are
exact.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

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

    def wrong(self, what: str, line: int | None = None) -> ValueError:
        return ValueError(f"{self._path}:{line or self.line}: {what}")

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

    def name(self, what: str) -> str:
        if not _NAME.fullmatch(self.next):
            raise self.error(what)
        return self._take()

    def number(self, what: str, least: int = 0) -> int:
        self._check_length()
        if not self.next.isdecimal() or int(self.next) < least:
            raise self.error(f"{what}, a whole number of at least {least}")
        return int(self._take())

    def decimal(self) -> str:
        """Take and return a number as it is written; empty if the next word is none."""
        self._check_length()
        return self._take() if self.next[:1].isdecimal() else ""

    def _check_length(self) -> None:
        word = self.next
        if word[:1].isdecimal() and len(word) > _DIGITS:
            raise self.wrong(f"{word[:8]}.. has {len(word)} digits, expected at most {_DIGITS}")

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1].text


Value = Fraction | tuple[Fraction, ...]
Cost = tuple[int, ...]


@dataclass(frozen=True)
class Facts:
    """What a constraint is asked about."""

    cost: Cost  # cost of the selection
    processors: int  # size of the job, in processors
    # Takes a number of processors and returns the cost that a job of that size has on the empty machine; None
    # if the machine is smaller.
    least: Callable[[int], Cost | None]


Term = Callable[[Facts], Value | None]
Test = Callable[[Facts], bool]
_DEEPEST = 50  # parts within parts
_COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
}


@dataclass(frozen=True)
class Rule:
    """A test for jobs of some sizes."""

    # Sizes in processors, both included.
    low: int
    high: int
    test: Test  # takes `Facts` and returns whether the job may start
    line: int  # where it stands
    most: int  # largest size that it names in ``MINCOST(k)``; 0 for none


def read_rules(tokens: Tokens, sizes: Callable[[Tokens], tuple[int, int]], length: int) -> list[Rule]:
    rules = []
    while True:
        line = tokens.line
        low, high = sizes(tokens)
        tokens.expect(":")
        reader = _Reader(tokens, length)
        rules.append(Rule(low, high, reader.test(), line, reader.most))
        if not tokens.accept(","):
            return rules


class _Reader:
    def __init__(self, tokens: Tokens, length: int):
        self._tokens, self._length, self.most = tokens, length, 0
        self._depth = 0

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._tokens.wrong(f"parts are nested more than {_DEEPEST} deep")
        yield
        self._depth -= 1

    def test(self) -> Test:
        parts = [self._both()]
        while self._tokens.accept("or"):
            parts.append(self._both())
        return lambda facts: any(part(facts) for part in parts)

    def _both(self) -> Test:
        parts = [self._atom()]
        while self._tokens.accept("and"):
            parts.append(self._atom())
        return lambda facts: all(part(facts) for part in parts)

    def _atom(self) -> Test:
        with self._deeper():
            return self._nested_atom()

    def _nested_atom(self) -> Test:
        if self._tokens.accept("not"):
            inner = self._atom()
            return lambda facts: not inner(facts)
        if self._tokens.accept("("):
            inner = self.test()
            self._tokens.expect(")")
            return inner
        left = self._value()
        sign = next((sign for sign in _COMPARISONS if self._tokens.accept(sign)), "")
        if not sign:
            raise self._tokens.error("a comparison: <=, <, >=, > or ==")
        right = self._value()

        def compare(facts: Facts) -> bool:
            a, b = left(facts), right(facts)
            if a is None or b is None:
                return False
            return all(_COMPARISONS[sign](x, y) for x, y in _paired(a, b))

        return compare

    def _value(self) -> Term:
        terms = [(1, self._term())]
        while self._tokens.next in ("+", "-"):
            sign = 1 if self._tokens.accept("+") else -1
            if sign < 0:
                self._tokens.expect("-")
            terms.append((sign, self._term()))
        return terms[0][1] if len(terms) == 1 else _sum_of(terms)

    def _term(self) -> Term:
        with self._deeper():
            return self._nested_term()

    def _nested_term(self) -> Term:
        tokens = self._tokens
        written = tokens.decimal()
        if written:
            factor = Fraction(written)
            if not tokens.accept("*"):
                return lambda facts: factor
            inner = self._term()
            return lambda facts: _each(inner(facts), lambda x: factor * x)
        if tokens.accept("cost"):
            return self._cost()
        if tokens.accept("MINCOST", "("):
            return self._least()
        if tokens.accept("ceil", "("):
            inner = self._value()
            tokens.expect(")")
            return lambda facts: _each(inner(facts), lambda x: Fraction(math.ceil(x)))
        if tokens.accept("["):
            vector = tuple(Fraction(number) for number in read_vector(tokens, self._length))
            return lambda facts: vector
        raise tokens.error("cost, MINCOST(..), ceil(..), a vector or a number")

    def _cost(self) -> Term:
        if not self._tokens.accept("["):
            return lambda facts: tuple(map(Fraction, facts.cost))
        line = self._tokens.line
        component = self._tokens.number("a component of the cost", 1)
        if component > self._length:
            raise self._tokens.wrong(f"cost[{component}]: costs have {self._length} components", line)
        self._tokens.expect("]")
        return lambda facts: Fraction(facts.cost[component - 1])

    def _least(self) -> Term:
        if self._tokens.accept("PEs"):
            size = 0
        else:
            size = self._tokens.number("PEs or a number of processors", 1)
            self.most = max(self.most, size)
        self._tokens.expect(")")

        def least(facts: Facts) -> Value | None:
            cost = facts.least(size or facts.processors)
            return None if cost is None else tuple(map(Fraction, cost))

        return least


def read_vector(tokens: Tokens, length: int) -> list[int]:
    """Return the numbers up to the closing bracket; `length` of them, or any number if it is 0."""
    line = tokens.line
    numbers = [tokens.number("an entry of a cost vector")]
    while tokens.accept(","):
        numbers.append(tokens.number("an entry of a cost vector"))
    tokens.expect("]")
    if length and len(numbers) != length:
        raise tokens.wrong(f"the vector {numbers} has {len(numbers)} entries, expected {length}", line)
    return numbers


def _each(value: Value | None, change: Callable[[Fraction], Fraction]) -> Value | None:
    if value is None or isinstance(value, Fraction):
        return None if value is None else change(value)
    return tuple(change(x) for x in value)


def _paired(a: Value, b: Value) -> list[tuple[Fraction, Fraction]]:
    """Return components combined; a number is combined with every component of a vector."""
    if isinstance(a, Fraction):
        return [(a, y) for y in (b if isinstance(b, tuple) else (b,))]
    return [(x, y) for x, y in zip(a, b if isinstance(b, tuple) else (b,) * len(a), strict=True)]


def _sum_of(terms: list[tuple[int, Term]]) -> Term:
    def total(facts: Facts) -> Value | None:
        sum_so_far: Value | None = Fraction(0)
        for sign, term in terms:
            value = term(facts)
            if sum_so_far is None or value is None:
                return None
            sums = tuple(x + sign * y for x, y in _paired(sum_so_far, value))
            sum_so_far = sums if isinstance(sum_so_far, tuple) or isinstance(value, tuple) else sums[0]
        return sum_so_far

    return total

"""Every public callable checks what comes from outside, and what it refuses is a sentence."""

import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import re
from abc import ABCMeta
from pathlib import Path

import numpy as np
import pytest

from netplace.apps import Program, application
from netplace.checks.border import at_border, guard_module, public_names
from netplace.guarding import GUARDED, is_guarded
from netplace.netsim import simulate
from netplace.scheduling import Job, schedule
from netplace.topologies import parse
from netplace.topologies.routing import make_routes

REFERENCE = Path(__file__).parents[2] / "docs/reference"


def public_modules():
    for package in GUARDED:
        root = importlib.import_module(f"netplace.{package}")
        for one in [
            root.__name__,
            *(one.name for one in pkgutil.walk_packages(root.__path__, f"{root.__name__}.")),
        ]:
            if is_guarded(one):
                yield importlib.import_module(one)


def callables(module):
    """Yield by name what a module exports and can be called, and the methods of its classes."""
    for name in public_names(module):
        value = getattr(module, name)
        if inspect.isroutine(value) or hasattr(value, "cache_info"):
            yield name, value
        elif type(value) in (type, ABCMeta) and not issubclass(value, tuple | BaseException):
            for key, held in vars(value).items():
                inner = getattr(held, "__func__", held)
                if callable(inner) and (key == "__init__" or not key.startswith("_")):
                    yield f"{name}.{key}", inner


def test_every_public_callable_checks_its_arguments():
    missing = [
        f"{module.__name__}.{name}"
        for module in public_modules()
        for name, value in callables(module)
        if not getattr(value, "guarded", False)
    ]
    assert missing == []


def test_what_the_reference_documents_is_guarded():
    named = re.findall(r"^::: netplace\.(\w+)", "".join(one.read_text() for one in REFERENCE.iterdir()), re.M)
    assert set(named) <= set(GUARDED)


def test_no_compiled_function_is_exported():
    """One takes arrays of exact types, and answers others with pages of the compiler's own words."""
    compiled = [
        f"{module.__name__}.{name}"
        for module in public_modules()
        for name in public_names(module)
        if type(getattr(module, name)).__name__ == "CPUDispatcher"
        and getattr(module, name).py_func.__module__ == module.__name__
    ]
    assert compiled == []


def rule(numbers: list[int], share: float = 0.5) -> float:
    """Return what needs two numbers."""
    return numbers[1] / share


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"numbers": 4}, "rule: numbers: 4 is not a sequence, each a whole number"),
        ({"numbers": [1, "x"]}, "rule: numbers: .* is not a sequence, each a whole number"),
        ({"numbers": [1, 2], "share": True}, "rule: share: True is not a number"),
        ({"numbers": [1]}, r"rule: cannot use numbers=\[1\] \(IndexError: list index out of range\)"),
        ({"numbers": [1, 2], "share": 0.0}, "rule: cannot use .* share=0.0 .ZeroDivisionError"),
        ({}, "missing 1 required"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(arguments, sentence):
    def ours():
        return at_border(rule, "rule")

    # As a function of netplace's: an error in a user's own code stays what it is.
    own = dict(rule.__globals__, __name__="netplace.apps.somewhere")
    function = type(rule)(rule.__code__, own, "rule", rule.__defaults__)
    function.__annotations__ = {"numbers": list[int], "share": float, "return": float}
    with pytest.raises((ValueError, TypeError), match=sentence):
        at_border(function, "rule")(**arguments)
    if arguments.get("numbers") == [1]:
        with pytest.raises(IndexError):
            ours()(**arguments)


def test_a_rule_of_the_users_own_may_fail_as_it_likes():
    def broken(task):
        raise KeyError("mine")

    with pytest.raises(Exception, match="mine") as raised:
        application(broken, tasks=2)
    assert "cannot use" not in str(raised.value)


def test_worker_processes_find_what_is_behind_the_border():
    inside = make_routes.unguarded
    assert pickle.loads(pickle.dumps(inside)) is inside
    assert pickle.loads(pickle.dumps(make_routes)) is make_routes


def test_modules_of_netplace_call_each_other_without_checks():
    from netplace.netsim import network

    assert not any(
        hasattr(value, "unguarded") for name, value in vars(network).items() if name not in network.__all__
    )


def test_guarding_twice_changes_nothing():
    module = importlib.import_module("netplace.topologies.routing.routes")
    before = dict(vars(module))
    guard_module(module)
    assert dict(vars(module)) == before


def records():
    torus, program = parse("torus:4x4"), application("2d-torus", 16)
    result = simulate(torus, program, record_messages=True)
    jobs = schedule(torus, [Job(1, 0, 4, 10.0), Job(2, 1, 16, 5.0)], "easy", "contiguous")
    return [torus, parse("tree:4,2"), parse("dragonfly:a=2,p=1,h=1"), program, result.jobs[0], jobs,
            *make_routes(parse("torus:4x4,c=1"), "dor")[:1]]  # fmt: skip


@pytest.mark.parametrize("record", records(), ids=lambda record: type(record).__name__)
def test_arrays_of_records_cannot_be_written(record):
    arrays = [
        value
        for one in dataclasses.fields(record)
        if isinstance(value := getattr(record, one.name), np.ndarray) and value.size
    ]
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_program_keeps_its_own_arrays():
    columns = {
        one.name: np.array(value)
        for one in dataclasses.fields(Program)
        if isinstance(value := getattr(application("2d-torus", 16), one.name), np.ndarray)
    }
    program = Program(**columns)
    before = program.size.copy()
    columns["size"][:] = 7
    assert columns["size"].flags.writeable
    np.testing.assert_array_equal(program.size, before)


def test_calls_from_within_are_not_asked_again():
    class Kind:
        def half(self, number: int) -> int:
            return number

    class Guarded:
        half = at_border(Kind.half, "Guarded.half")

    within = {"__name__": "netplace.somewhere", "made": Guarded()}
    assert eval("made.half('2')", within) == "2"
    assert eval("made.half(number=2)", within) == 2
    for name in ("netplace", "netplaces.else", "", None, 3):
        with pytest.raises(ValueError, match="'2' is not a whole number"):
            eval("made.half('2')", {"__name__": name, "made": Guarded()})
    assert list(inspect.signature(Guarded.half).parameters) == ["self", "number"]
    assert list(inspect.signature(Guarded().half).parameters) == ["number"]
    assert Guarded.half.__wrapped__ is Guarded.half.unguarded is Kind.half

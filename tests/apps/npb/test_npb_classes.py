import pytest

from netplace.apps import TaskWriter, npb
from netplace.apps.npb import timed
from netplace.apps.npb.timed import Run, timed_program

GENERATORS = {
    "bt": npb.bt,
    "cg": npb.cg,
    "ft": npb.ft,
    "is": npb.is_,
    "lu": npb.lu,
    "mg": npb.mg,
    "sp": npb.sp,
}

# Counts that each benchmark allows and that exercise every shape of its grid of tasks.
COUNTS = {
    "bt": [1, 4, 9, 16, 25, 36, 64],
    "sp": [1, 4, 9, 16, 25, 36, 64, 144],
    "cg": [1, 2, 4, 8, 16, 32, 64, 128, 256],
    "ft": [1, 2, 8, 32, 64, 128],
    "is": [1, 2, 8, 32, 128],
    "lu": [1, 2, 4, 6, 8, 9, 16, 32, 64],
    "mg": [1, 2, 4, 8, 16, 32, 128, 256],
}
DEFAULT_ITERATIONS = {
    "bt": dict(zip("SWABCD", (60, 200, 200, 200, 200, 250), strict=True)),
    "sp": dict(zip("SWABCD", (100, 400, 400, 400, 400, 500), strict=True)),
    "lu": dict(zip("SWABCD", (50, 300, 250, 250, 250, 300), strict=True)),
    "cg": dict(zip("SWABCD", (15, 15, 15, 75, 75, 100), strict=True)),
    "mg": dict(zip("SWABCD", (4, 4, 4, 20, 20, 50), strict=True)),
    "ft": dict(zip("SWABCD", (6, 6, 6, 20, 20, 25), strict=True)),
}


@pytest.mark.all
@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("problem_class", ["W", "B"])
def test_programs_can_run_on_every_shape_of_grid(name, problem_class):
    largest = 64 if problem_class == "B" or name == "bt" else 256
    for tasks in (count for count in COUNTS[name] if count <= largest):
        program = GENERATORS[name](problem_class, tasks, 1 if tasks > 64 else 2)
        assert program.tasks == tasks
        program.check()
        program.check(eager_limit=0)


@pytest.mark.parametrize("name", DEFAULT_ITERATIONS)
@pytest.mark.parametrize("problem_class", "SWABCD")
def test_iterations_default_to_the_benchmark_s_own(name, problem_class):
    program = GENERATORS[name](problem_class, 4)
    marks = program.marks[program.marks[:, 0] == 3]
    assert marks[:, 2].tolist() == [*range(1, DEFAULT_ITERATIONS[name][problem_class] + 1), -1]


def test_is_does_ten_iterations():
    program = npb.is_("S", 4)
    assert program.marks[program.marks[:, 0] == 0][:, 2].tolist() == [*range(1, 11), -1]


@pytest.mark.parametrize("name", GENERATORS)
def test_more_iterations_go_on_like_the_first(name):
    many, few = (GENERATORS[name]("W", 16, iterations) for iterations in (4, 2))
    if name == "is":  # which keys change depends on the number of iterations
        assert many.cut(1, 1).traffic().N.sum() == few.cut(1, 1).traffic().N.sum()
    elif name == "lu":  # the last iteration computes norms
        assert many.cut(1, 1).equals(few.cut(1, 1))
    else:
        assert many.cut(1, 2).equals(few.cut(1, 2))


@pytest.mark.parametrize("name", GENERATORS)
def test_one_task_says_nothing_to_others(name):
    program = GENERATORS[name]("S", 1, 3)
    assert len(program.marks) == 4
    assert program.traffic().N.sum() == 0


@pytest.mark.parametrize("name", GENERATORS)
def test_the_class_may_be_written_small(name):
    small, capital = (GENERATORS[name](letter, 4, 1) for letter in "sS")
    assert small.equals(capital)
    assert small.name == capital.name == f"{name}.S.4"


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("problem_class", ["E", "X", "", "SW"])
def test_unknown_classes_are_refused_with_the_valid_ones(name, problem_class):
    with pytest.raises(ValueError, match=rf"class of {name}: unknown name .*valid: S, W, A, B, C, D"):
        GENERATORS[name](problem_class, 4)


@pytest.mark.parametrize(
    ("name", "problem_class", "tasks", "valid"),
    [
        ("bt", "S", 25, "1, 4, 9, 16$"),  # cells of two points
        ("bt", "A", 8, "1, 4, 9, 16, 25, 36, 49, .*, 441$"),
        ("ft", "W", 2048, "1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024$"),  # more than 32 * 32
        ("is", "D", 2, "4, 8, 16, 32, 64, 128, 256, 512, 1024$"),
        ("lu", "S", 32, "1, 2, 4, 6, 8, 9, 12, 16$"),  # blocks of one point and a half
        ("lu", "A", 3, "1, 2, 4, 6, 8, 9, 12, 15, 16, 18, 20, 24, .., 441$"),  # three times as long as wide
    ],
)
def test_impossible_task_counts_are_refused_with_the_valid_ones(name, problem_class, tasks, valid):
    expected = rf"tasks of {name}: class {problem_class} cannot run on {tasks} tasks, expected one of {valid}"
    with pytest.raises(ValueError, match=expected):
        GENERATORS[name](problem_class, tasks)


@pytest.mark.all
def test_programs_too_large_are_refused_with_what_they_would_take():
    with pytest.raises(
        ValueError,
        match=r"lu\.C\.1024 with 250 iterations takes 320,416,000 operations, about 25\.6 GB .* at most 50 ",
    ):
        npb.lu("C", 1024)


def test_applications_take_the_class_as_an_option():
    for name, item in npb.NPB.items():
        assert item.name == name
        assert item(4, problem_class="S", iterations=1).equals(GENERATORS[name]("S", 4, 1))
    with pytest.raises(ValueError, match="option of application 'bt'"):
        npb.NPB["bt"](4, klass="S")


def ring(writer: TaskWriter, bytes: int = 1) -> None:
    """Pass a message on."""
    request = writer.irecv((writer.task - 1) % writer.tasks, bytes)
    writer.send((writer.task + 1) % writer.tasks, bytes)
    writer.wait(request)


def test_marks_and_section():
    runs = [Run(ring, 3), Run(lambda writer: ring(writer, 2), 2)]
    program = timed_program("x", 2, lambda _: runs, before=ring, after=ring)
    program.check()
    assert program.name == "x"
    assert program.first.tolist() == [0, 21, 42]
    own = program.marks[program.marks[:, 0] == 1]
    assert own[:, 1].tolist() == [21 + 3 * n for n in range(1, 7)]
    assert own[:, 2].tolist() == [1, 2, 3, 4, 5, -1]
    assert program.size[21:42:3].tolist() == [1, 1, 1, 1, 2, 2, 1]
    assert program.sections["timed"].tolist() == [[0, 21], [21, 42]]


def test_an_iteration_may_be_empty():
    program = timed_program("x", 1, lambda _: [Run(lambda writer: None, 4)])
    assert len(program) == 0
    assert sorted(program.marks[:, 2].tolist()) == [-1, 1, 2, 3, 4]


def test_size_is_checked_before_anything_is_repeated(monkeypatch):
    monkeypatch.setattr(timed, "MOST_OPERATIONS", 100)
    assert len(timed_program("x", 4, lambda _: [Run(ring, 8)])) == 96
    with pytest.raises(
        ValueError, match=r"x with 9 iterations takes 108 operations, .* at most 8 iterations"
    ):
        timed_program("x", 4, lambda _: [Run(ring, 9)])
    with pytest.raises(ValueError, match=r"tasks: one iteration of x .* fewer tasks"):
        timed_program("x", 40, lambda _: [Run(ring, 1)])

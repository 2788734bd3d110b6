import pytest

from netplace.apps import application
from netplace.apps.collectives import ALGORITHMS, allreduce, reduce_scatter, schedule, selection
from netplace.apps.collectives.call import REDUCING


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return str(path)

    return write


def test_the_first_row_that_fits_is_taken(table):
    path = table(
        """
        base = "mpich"
        allreduce = [
            {ranks = [2, 4], bytes = [0, 99], algorithm = "basic_linear"},
            {power_of_two = true, algorithm = "rabenseifner"},
            {algorithm = "segmented_ring", segment = 10},
        ]
        """
    )

    def chosen(operation, ranks, size):
        made = schedule(operation, ranks, size, collectives=path)
        return made.algorithm, made.call.segment

    assert chosen("allreduce", 3, 99) == ("basic_linear", 0)
    assert chosen("allreduce", 4, 100) == ("rabenseifner", 0)
    assert chosen("allreduce", 6, 50) == ("segmented_ring", 10)
    assert chosen("alltoall", 8, 100) == ("modified_bruck", 0)


def test_blocks_and_totals(table):
    rows = 'allgather = [{bytes = [0, 100], algorithm = "bruck"}, {algorithm = "ring"}]'
    total, block = table(rows), 'blocks = ["allgather"]\n'
    assert schedule("allgather", 4, 26, collectives=total).algorithm == "ring"
    assert schedule("allgather", 4, 26, collectives=table(block + rows)).algorithm == "bruck"


def test_one_algorithm_beside_a_table():
    chosen = selection("openmpi+allreduce=ring+barrier=tree")
    assert dict(chosen.named) == {"allreduce": "ring", "barrier": "tree"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("allreduces = []", "collective operation: unknown name 'allreduces'; did you mean allreduce"),
        (
            'allreduce = [{algorithm = "ring", rank = [2]}]',
            r"allreduce: .*unknown field `rank` - at `\$\[0\]",
        ),
        ('allreduce = [{algorithm = "ring", ranks = [5, 2]}]', "no row of allreduce fits 4 ranks and 10 "),
        ('allreduce = [{algorithm = "ring", bytes = [11]}]', "no row of allreduce fits 4 ranks and 10 bytes"),
        ('allreduce = [{algorithm = "ring", power_of_two = false}]', "no row of allreduce fits 4 ranks"),
        ('allreduce = [{algorithm = "ring", few_elements = true}]', "no row of allreduce fits 4 ranks"),
    ],
)
def test_tables_that_are_refused(table, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        schedule("allreduce", 4, 10, collectives=table(text))


def test_ranks_alone_choose_an_alltoallv(table):
    path = table('alltoallv = [{bytes = [0, 9], algorithm = "pairwise"}, {algorithm = "scattered"}]')
    with pytest.raises(ValueError, match="alltoallv: a row depends on bytes, which differ by rank"):
        schedule("alltoallv", 4, 10, collectives=path)


@pytest.mark.parametrize(
    ("operation", "ranks", "size", "element", "algorithm"),
    [
        # MPICH counts elements, and compares them with the largest power of two of ranks.
        ("allreduce", 16, 16, 8, "recursive_doubling"),
        ("allreduce", 16, 16, 1, "reduce_scatter_allgather"),
        ("allreduce", 16, 120, 8, "recursive_doubling"),
        ("allreduce", 16, 128, 8, "reduce_scatter_allgather"),
        ("allreduce", 31, 60, 4, "recursive_doubling"),
        ("allreduce", 31, 64, 4, "reduce_scatter_allgather"),
        ("allreduce", 2, 9, 1, "reduce_scatter_allgather"),
        ("reduce", 512, 2056, 8, "in_order_binomial"),
        ("reduce", 512, 4096, 8, "reduce_scatter_gather"),
        ("reduce", 512, 4088, 8, "in_order_binomial"),
        ("reduce", 256, 2056, 8, "reduce_scatter_gather"),
    ],
)
def test_mpich_counts_elements(operation, ranks, size, element, algorithm):
    made = schedule(operation, ranks, size, collectives="mpich", element=element)
    assert made.algorithm == algorithm


@pytest.mark.parametrize(
    ("operation", "name"), [key for key in ALGORITHMS if key[0] in REDUCING and "rounded" not in key[1]]
)
def test_no_part_of_an_element_is_sent(operation, name):
    for ranks, count, element in ((4, 3, 8), (8, 20, 4), (8, 3, 16)):
        elements = schedule(operation, ranks, count, algorithm=name, element=1)
        made = schedule(operation, ranks, count * element, algorithm=name, element=element)
        if "openmpi" not in name and name not in ("nonoverlapping", "non_overlapping", "basic_linear"):
            assert made.bytes.tolist() == (element * elements.bytes).tolist()
        assert not (made.bytes % element).any()


def sums(task, bytes=40):
    """Sum vectors, by one allreduce and one reduction in blocks."""
    allreduce(task, range(task.tasks), bytes)
    reduce_scatter(task, range(task.tasks), bytes)


def test_programs_say_what_their_elements_are():
    chosen = "builtin+allreduce=ring+reduce_scatter=ring"
    texts = chosen, f"{chosen}+element=8"
    bytes_of = {text: set(application(sums, 6, collectives=text).size.tolist()) for text in texts}
    assert 7 in bytes_of[chosen]  # a sixth of 40 bytes, rounded up
    # Five doubles of six ranks: whole vectors by recursive doubling, then a block of one double or none.
    assert bytes_of[f"{chosen}+element=8"] - {0} == {8, 40}


def test_an_element_without_effect_is_refused():
    with pytest.raises(ValueError, match="element: bcast does not reduce; reductions are allreduce"):
        schedule("bcast", 4, 16, element=8)
    with pytest.raises(ValueError, match="element: 8 does not divide the 20 bytes of allreduce"):
        schedule("allreduce", 4, 20, element=8)

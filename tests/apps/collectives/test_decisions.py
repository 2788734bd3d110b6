import pytest

from netplace.apps.collectives import schedule, selection


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
        ("allreduce = [", "is not TOML"),
        ("allreduces = []", "collective operation: unknown name 'allreduces'; did you mean allreduce"),
        ("allreduce = []", "allreduce is \\[\\], expected a list of rows"),
        ('allreduce = [{algorithm = "ring", rank = [2]}]', "row 1: unknown name 'rank'; did you mean ranks"),
        ('allreduce = [{algorithm = "ring", ranks = [4, 2]}]', "ranks: 2 is too small, expected at least 4"),
        (
            'allreduce = [{algorithm = "ring", ranks = [2, 8]}]',
            "no row of allreduce fits 9 ranks and 0 bytes",
        ),
        ('allreduce = [{algorithm = "ring", bytes = [8]}]', "no row of allreduce fits 2 ranks and 0 bytes"),
        (
            'allreduce = [{algorithm = "ring", power_of_two = true}]',
            "no row of allreduce fits 3 ranks and 0 bytes",
        ),
        ('base = "mine"', "base: unknown name 'mine'"),
        ('blocks = "all"', "blocks is 'all', expected a list of operations"),
    ],
)
def test_tables_that_are_refused(table, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        schedule("allreduce", 4, 10, collectives=table(text))


def test_an_unknown_algorithm_of_a_table_is_told(table):
    path = table('allreduce = [{algorithm = "rings"}]')
    with pytest.raises(ValueError, match=r"mine.toml.*algorithm of allreduce: unknown name 'rings'"):
        schedule("allreduce", 4, 10, collectives=path)


def test_ranks_alone_choose_an_alltoallv(table):
    path = table('alltoallv = [{bytes = [0, 9], algorithm = "pairwise"}, {algorithm = "scattered"}]')
    with pytest.raises(ValueError, match="alltoallv: a row asks for bytes, of which each rank has its own"):
        schedule("alltoallv", 4, 10, collectives=path)

"""``netplace map``: mappings found, measured, written, drawn; and what is refused."""

import numpy as np
import pytest
from answers import described, refused
from scipy.sparse import csr_array, save_npz

from netplace.apps import application
from netplace.netsim import simulate
from netplace.placement.mapping import cost_matrix
from netplace.placement.metrics import metrics
from netplace.report.files.traffic import read_traffic
from netplace.report.tables.bounds import bound_sentence
from netplace.report.tables.mapping_search import traits
from netplace.topologies import parse

BUTTERFLY = ("--network", "torus:4x4", "--app", "butterfly")


def test_a_mapping_is_measured_beside_the_consecutive_one(netplace):
    flags = ("--mapping", "td", "--search-iterations", "500", "--json")
    found = described(netplace("map", *BUTTERFLY, *flags))
    torus, W = parse("torus:4x4"), application("butterfly", 16).traffic().W
    nodes = np.array(found["nodes"])
    assert sorted(nodes) == list(range(16))
    assert (found["criterion"], found["method"], found["iterations"]) == ("td", "portfolio", 500)
    assert found["cost"] == (W * cost_matrix(torus, nodes, "td")).sum() == found["costs"][0]
    usual = (W * cost_matrix(torus, None, "td")).sum()
    assert found["consecutive"]["cost"] == usual > found["cost"]
    assert found["ratio"] == found["cost"] / usual
    assert found["random"]["cost"] != usual
    assert [found["traffic"].count([row, column, W[row, column]]) for row, column in ((0, 1), (5, 4))] == [
        1,
        1,
    ]


def test_traits_are_the_metrics_where_there_are_some():
    torus, W = parse("torus:4x4"), application("2d-mesh", 16).traffic().W
    nodes = np.random.default_rng(1).permutation(16)
    found, load = traits(torus, nodes, W)
    wanted = metrics(torus, nodes, W)
    names = ("TAD", "WTAD", "TAD_AL", "WTAD_AL", "pair_hops", "byte_hops", "pair_hops_al", "byte_hops_al")
    for name in names:
        assert getattr(found, name) == pytest.approx(getattr(wanted, name))
    assert load.sum() == pytest.approx(found.cost) == wanted.byte_hops * W.sum()  # a byte loads a link a hop
    assert load.max() == found.most_link_load
    tree, _ = traits(parse("tree:4,2"), nodes, W)
    assert tree.TAD_AL is None


def test_traffic_by_hand():
    # On a line of three: 0 to 1 (5 bytes) is one hop, 0 to 2 (1 byte) two; the first link carries both.
    found, load = traits(parse("mesh:3"), np.arange(3), [[0, 5, 1], [0, 0, 0], [0, 0, 0]])
    assert (found.cost, found.pair_hops, found.byte_hops, found.most_link_load) == (7, 1.5, 7 / 6, 6)
    assert (found.TAD, found.WTAD) == (3 / 6, 7 / 6)
    assert load.tolist() == [[6, 0], [1, 0], [0, 0]]
    silent, _ = traits(parse("mesh:3"), np.arange(3), np.zeros((3, 3)))
    assert (silent.cost, silent.pair_hops, silent.byte_hops, silent.most_link_load) == (0, 0, 0, 0)


def test_what_is_written_can_be_read_back(netplace, tmp_path):
    path = tmp_path / "mapping.csv"
    flags = ("--network", "torus:4x4", "--trace", "is.W.16")
    search = ("--mapping", "classic", "--method", "grasp", "--search-iterations", "2")
    found = described(netplace("map", *flags, *search, "-o", path, "--json"))
    assert (found["method"], found["iterations"]) == ("grasp", 2)
    run = described(netplace("run", *flags, "--mapping", f"file:{path}", "--json"))
    assert run["jobs"][0]["nodes"] == found["nodes"]
    again = described(netplace("map", *flags, "--mapping", f"file:{path}", "--json"))
    assert again["cost"] == found["cost"]


def test_the_best_of_several_seeds_is_kept(netplace):
    flags = ("--mapping", "random", "--seeds", "4", "--seed", "3")
    found = described(netplace("map", *BUTTERFLY, *flags, "--json"))
    assert len(found["costs"]) == 4
    assert found["cost"] == min(found["costs"]) == found["costs"][found["seed"] - 3]
    shown = netplace("map", *BUTTERFLY, *flags).stdout
    assert "The costs of 4 mappings are from" in shown
    assert "largest link load" in shown


def test_the_fastest_is_told_with_its_cycles(netplace):
    found = described(netplace("map", *BUTTERFLY, "--mapping", "best:2", "--json"))
    program = application("butterfly", 16)
    assert found["cycles"] == simulate(parse("torus:4x4"), program, found["nodes"]).cycles
    assert "Alone on the network" in netplace("map", *BUTTERFLY, "--mapping", "best:2").stdout


def test_oversubscription_on_a_thin_tree(netplace):
    flags = ("--network", "thintree:4,2,2", "--app", "butterfly", "--search-iterations", "300", "--json")
    by_flag = described(netplace("map", *flags, "--mapping", "classic", "--criterion", "oversubscription"))
    by_name = described(netplace("map", *flags, "--mapping", "classic:criterion=oversubscription"))
    W = application("butterfly", 16).traffic().W
    C = cost_matrix(parse("thintree:4,2,2"), by_flag["nodes"], "oversubscription")
    assert by_flag["cost"] == by_name["cost"] == (W * C).sum()


def test_a_partition_smaller_than_the_network(netplace, tmp_path):
    flags = ("--partition", "boxes:4x4@2,2", "--tasks", "16", "--search-iterations", "100")
    path = tmp_path / "m.svg"
    found = described(
        netplace("map", "--network", "torus:8x8", "--app", "2d-mesh", *flags, "--plot", path, "--json")
    )
    places = parse("torus:8x8").coordinates(found["nodes"])
    assert places.min() == 2
    assert places.max() == 5
    assert path.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("ending", ["csv", "npy", "npz"])
def test_a_matrix_of_ones_own(netplace, tmp_path, ending):
    W = np.array([[7, 0, 0, 5], [0, 0, 0, 0], [0, 0, 0, 0], [5, 0, 0, 0]])
    path = tmp_path / f"W.{ending}"
    if ending == "csv":
        path.write_text("# bytes\n" + "".join(",".join(map(str, row)) + "\n" for row in W.tolist()))
    elif ending == "npy":
        np.save(path, W.astype(float))
    else:
        np.savez(path, W=W)
    flags = ("--network", "mesh:4", "--from", path, "--mapping", "classic", "--json")
    found = described(netplace("map", *flags))
    assert (found["cost"], found["tasks"]) == (
        10,
        4,
    )  # tasks 0 and 3 side by side; the diagonal does not count
    assert read_traffic(path)[0, 0] == 0
    assert described(netplace("map", *flags, "--network", "mesh:6", "--tasks", "4"))["tasks"] == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,2\n1,0\n2,2\n", ["W.csv, line 1: columns '0, 2' of 3 rows, expected source, destination, bytes"]),
        ("0,1\n-1,0\n", ["W.csv: -1.0 in row 1, column 0 is not a number of at least 0"]),
        ("0,1\n1\n", ["W.csv, line 1: columns '0, 1' of 2 rows, expected source, destination, bytes"]),
        ("0,1\n1,0\n", ["W.csv: has 2 rows, expected 3, one per task"]),
    ],
)
def test_a_matrix_at_fault(netplace, tmp_path, text, words):
    path = tmp_path / "W.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    tasks = ("--tasks", "3") if "expected 3" in words[0] else ()
    refused(netplace("map", "--network", "torus:4x4", "--from", path, *tasks), *words)


def test_a_numpy_file_at_fault(netplace, tmp_path):
    (tmp_path / "W.npy").write_bytes(b"\x93NUMPY")
    np.savez(tmp_path / "W.npz", V=np.eye(2))
    (tmp_path / "words.npy").write_bytes(b"")
    np.save(tmp_path / "text.npy", np.array([["a", "b"], ["c", "d"]]))
    for name, words in (
        ("W.npy", "is not a NumPy file"),
        ("W.npz", "contains no matrix W"),
        ("words.npy", "is not a NumPy file"),
        ("text.npy", "contains values of type <U1, expected numbers"),
        ("none.npy", "No such file"),
    ):
        refused(netplace("map", "--network", "torus:4x4", "--from", tmp_path / name), words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*BUTTERFLY, "--mapping", "random", "--seconds", "1"), "--seconds: mapping random does not search"),
        ((*BUTTERFLY, "--mapping", "td", "--criterion", "classic"), "mapping td minimizes td, not classic"),
        ((*BUTTERFLY, "--from", "W.csv"), "expected no --program, --trace, --app or --jobs"),
        (
            ("--network", "torus:4x4", "--jobs", "2x:butterfly", "--tasks", "8"),
            "netplace map places a single job",
        ),
    ],
    ids=lambda value: " ".join(value)[-50:] if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_sentence(netplace, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    refused(netplace("map", *arguments), words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("flags", "method"),
    [
        (("--network", "torus:4x4"), "annealing, squares"),
        (("--network", "dragonfly:a=4,p=2,h=2"), "annealing, squares"),
        (("--network", "torus:4x4", "--method", "grasp"), "grasp"),
        (("--network", "torus:4x4", "--criterion", "classic"), "portfolio"),
        (("--network", "torus:8x8x40"), "portfolio"),
    ],
)
def test_a_matrix_is_mapped_by_link_loads_where_that_is_possible(netplace, tmp_path, flags, method):
    (tmp_path / "W.csv").write_text("0,3,1\n1,0,2\n5,1,0\n")
    matrix = ("--from", tmp_path / "W.csv", "--search-iterations", "2")
    assert described(netplace("map", *matrix, *flags, "--json"))["method"] == method


def test_a_mapping_that_lengthens_distances_says_so(netplace):
    flags = ("--network", "torus:4x4x4", "--app", "3d-torus", "--bytes", "4096", "--mapping", "random")
    said = netplace("map", *flags).stdout
    assert "A byte travels 3.14 hops on average, and 1 under the consecutive mapping (+" in said
    assert "at least 6,144 cycles (task 0 needs 6,144 cycles to send its packets)" in said


def test_a_saving_is_told_with_the_bound_that_it_comes_from():
    bounds = {"computation": {"cycles": 1000, "task": 0}, "binding": "computation", "least": 1032}
    said = bound_sentence({"name": "a", "cycles": 1034, "bounds": bounds}, 0.0)
    assert "task 0 computes for 1,000 cycles, and the job takes at least 1,032, so a mapping can save" in said


def test_a_bound_is_shown_and_concludes_nothing(netplace):
    said = netplace("map", "--network", "torus:4x4", "--app", "2d-sweep", "--mapping", "random").stdout
    assert "at least 144 cycles (without contention, task 15 ends after 144 cycles)" in said
    assert "can save" not in said


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", ",0,1\n0,0,5\n1,7,0\n"),
        ("m.csv", ",source,target,bytes\n0,0,1,5\n1,1,0,3\n2,1,0,4\n"),
        ("m.mat", "0 5\n7 0\n"),
        ("m.com", "0 5\n7 0\n"),
        ("m.tsv", "source\ttarget\tbytes\n0\t1\t5\n1\t0\t7\n"),
        ("m.csv", "sep=;\n0;5,0\n7,0;0\n"),
        (
            "m.prof",
            "# POINT TO POINT\nE\t0\t1\t5 bytes\t1 msgs sent\t0,1\n# OSC\nR\t0\t1\t7 bytes\t1 msgs sent\n"
            "# COLLECTIVES\nC\t0\t1\t9 bytes\t1 msgs sent\nD\tW\tprocs: 0,1\nO2A\t0\t9 bytes\t1 msgs sent\n",
        ),
        ("m.txt", "0.0 5.0\n7.0 0.0\n"),
        ("m.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 5\n2 1 7\n"),
    ],
)
def test_matrices_of_other_tools_are_read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_traffic(tmp_path / name).tolist() == [[0, 5], [7, 0]]


def test_sparse_matrices_of_scipy_are_read_and_damaged_ones_named(tmp_path):
    save_npz(tmp_path / "m.npz", csr_array([[0, 5], [7, 0]]))
    assert read_traffic(tmp_path / "m.npz").tolist() == [[0, 5], [7, 0]]
    for name, content in (
        ("a.npz", b"PK"),
        ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2\n"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name}: is not a"):
            read_traffic(tmp_path / name)

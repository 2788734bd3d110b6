"""Sweep files: what they expand to, and that every mistake is told with line, key and value."""

import pytest

from netplace.runs.sweep import read_sweep
from netplace.runs.toml_lines import line_of, read_table_list

HALO = 'network = "torus:4x4"\napp = "2d-torus"\n'


@pytest.fixture
def sweep(tmp_path):
    def make(text):
        path = tmp_path / "sweep.toml"
        path.write_text(text)
        return read_sweep(path)

    return make


def test_lists_combine_and_seeds_run_fastest(sweep):
    found = sweep(
        'network = ["torus:4x4", "mesh:4x4"]\napp = "2d-torus"\nmapping = ["consecutive", "random"]\n'
        "packets = [1, 2]\nseeds = 3\n[config]\nvcs = [1, 2]\n"
    )
    runs = found.runs()
    assert len(found) == len(runs) == 2 * 2 * 2 * 2 * 3
    assert len({run.key for run in runs}) == 48
    assert [run.seed for run in runs[:4]] == [0, 1, 2, 0]
    assert {run.config.vcs for run in runs} == {1, 2}


def test_pairs_go_together(sweep):
    runs = sweep(
        'app = "2d-torus"\n[config]\nqueue_packets = 3\n'
        '[[pairs]]\nnetwork = ["torus:4x4", "tree:4,2"]\nmapping = ["column", "shuffle"]\nvcs = [2, 1]\n'
        "[[pairs]]\nrouter_delay = [0, 1]\nlink_delay = [2, 1]\n"
    ).runs()
    assert [(r.network, r.jobs[0].mapping, r.config.vcs, r.config.link_delay) for r in runs] == [
        ("torus:4x4", "column", 2, 2),
        ("torus:4x4", "column", 2, 1),
        ("tree:4,2", "shuffle", 1, 2),
        ("tree:4,2", "shuffle", 1, 1),
    ]


def test_jobs_have_their_own_fields_and_share_those_of_the_top(sweep):
    runs = sweep(
        'network = "torus:8x8"\npartition = "quadrants"\ntasks = 16\nmapping = ["consecutive", "random"]\n'
        '[[jobs]]\napp = "bt,class=S"\ncount = 2\n'
        '[[jobs]]\ntrace = ["is.w.16", "mg.w.16"]\nstart = 100\nmapping = "column"\n'
    ).runs()
    assert len(runs) == 4
    assert [[job.program for job in run.jobs] for run in runs[:2]] == [
        ["bt", "bt", "IS.W.16"],
        ["bt", "bt", "MG.W.16"],
    ]
    assert [job.mapping for job in runs[2].jobs] == ["random", "random", "column"]
    assert [job.start for job in runs[0].jobs] == [0, 0, 100]


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [("4", [0, 1, 2, 3]), ('"10:13"', [10, 11, 12]), ("[3, 1]", [3, 1]), ('"2"', [0, 1])],
)
def test_seeds(sweep, seeds, expected):
    assert [run.seed for run in sweep(f"{HALO}seeds = {seeds}\n").runs()] == expected


MISTAKES = [
    ("network = = 3", ["is not TOML", "line 1"]),
    ('app = "lu"\n', ["the key network is missing"]),
    ('network = "torus:4x4"\n', ["expected one of the keys app and trace, or tables [[jobs]]"]),
    # keys
    (HALO + 'maping = "random"\n', [":3:", "key: unknown name 'maping'", "did you mean mapping"]),
    (HALO + "[config]\n\nvsc = 2\n", [":5:", "unknown name 'vsc'", "did you mean vcs"]),
    (HALO + '[[pairs]]\nbuble = [1]\npolicy = ["smart"]\n', [":4:", "did you mean bubble"]),
    ('network = "torus:4x4"\n[[jobs]]\napp = "lu"\n[[jobs]]\nap = "lu"\n', [":5:", "did you mean app"]),
    # values
    ('app = "2d-torus"\nnetwork = ["torus:4x4",\n"tours:4x4"]\n', [":3:", "network = 'tours:4x4'", "torus"]),
    ('network = "torus:4x4"\napp = ["lu,class=W",\n  "2d-tours"]\n', [":3:", "app = '2d-tours'", "2d-torus"]),
    (HALO + 'mapping = ["random", "randm"]\n', [":3:", "mapping = 'randm'", "did you mean random"]),
    (HALO + "[config]\nvcs = [2, 0]\n", [":4:", "vcs = 0: vcs: 0 is too small"]),
    (HALO + '[config]\nvc_policy = ["smart", "smrt"]\n', [":4:", "vc_policy = 'smrt'", "did you mean smart"]),
    (HALO + "packets = [1, 0]\n", [":3:", "packets = 0", "0 is too small"]),
    (HALO + "tasks = [16, 17]\n", [":3:", "tasks = 17", "more than the 16 nodes of torus:4x4"]),
    (HALO + "mapping = []\n", [":3:", "the list is empty, so the sweep has no runs"]),
    (HALO + "seeds = 0\n", [":3:", "seeds = 0", "no seed, so the sweep has no runs"]),
    (HALO + "[[pairs]]\nvcs = [1, 2]\nbubble = [1]\n", [":3:", "equally long, but vcs has 2, bubble has 1"]),
    (HALO + "[config]\nvcs = 2\n[[pairs]]\nvcs = [1]\n", [":6:", "also set elsewhere"]),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES, ids=lambda value: str(value)[-40:])
def test_a_mistake_names_line_key_and_value(sweep, text, words):
    with pytest.raises(ValueError, match=r"sweep\.toml") as caught:
        sweep(text).runs()
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def f(task):\n    1 / 0\n", ["raised ZeroDivisionError", "mine.py, line 2"]),
        ("def f(task):\n    task.recv((task.task + 1) % task.tasks, 64)\n", ["task 0"]),
    ],
    ids=["raises", "no send"],
)
def test_an_own_application_at_fault_is_told_before_any_run(sweep, plugin, code, words):
    plugin(code + "from netplace.apps import APPLICATIONS\nAPPLICATIONS.add('mine', f)\n")
    found = sweep('network = "torus:2x2"\napp = "mine"\n')
    with pytest.raises(ValueError, match="mine") as caught:
        found.check_programs(found.runs())
    for word in [":2: app", *words]:
        assert word in str(caught.value)


def test_a_million_runs_are_counted_without_being_made(sweep):
    assert len(sweep(HALO + 'seeds = "0:1000000000"\nmapping = ["random", "column"]\n')) == 2 * 10**9


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"no\.toml: cannot be read, No such file"):
        read_sweep(tmp_path / "no.toml")


def test_lines_of_values():
    text = '# a = 1\na = [\n  1, # 2\n  12,\n  2,\n]\n[t]\n"a" = 3\n[[u]]\n[[u]]\na = 4\n'
    assert line_of(text, "", "a") == 2
    assert [line_of(text, "", "a", value) for value in (1, 12, 2)] == [3, 4, 5]
    assert line_of(text, "t", "a", 3) == 8
    assert line_of(text, "u.1", "a", 4) == 11
    assert line_of(text, "u.1", "") == 10
    assert line_of("t = {a = 1}", "t", "a", 1) == 1


def test_tables_and_what_stands_beside_them(tmp_path):
    path = tmp_path / "mix.toml"
    path.write_text("communication = 0.3\n[[class]]\nweight = 1\n[[class]]\nweight = 2\n")
    found = read_table_list(path, "class", ("communication",))
    assert found.tables == [{"weight": 1}, {"weight": 2}]
    assert found.others == {"communication": 0.3}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"mix\.toml: has no \[\[class\]\], expected at least one"),
        ("\nclass = 3\n", r"mix\.toml:2: class is 3, expected tables \[\[class\]\]"),
        ("\n\nclas = 3\n", r"mix\.toml:3: unknown key 'clas', expected \[\[class\]\] or communication"),
    ],
)
def test_other_files_are_refused_in_a_sentence(tmp_path, text, sentence):
    path = tmp_path / "mix.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_table_list(path, "class", ("communication",))

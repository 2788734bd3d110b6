"""Compute times of layers from a file."""

import re

import pytest

from netplace.apps import Op, application
from netplace.apps.training import training_job
from netplace.runs import resolve

ROWS = ("0,0.004,0.008", "1,0.005,0.009", "head,0.001,0.002")


@pytest.fixture
def written(tmp_path):
    def write(*rows, header="layer,forward,backward"):
        path = tmp_path / "layers.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        return str(path)

    return write


def test_every_rank_computes_what_the_file_says(written):
    program = application(
        "training", 2, model="toy", pp=2, global_batch=3, times=written(*ROWS), cycle_ns=1000.0
    )
    computed = [
        int(program.size[slice(*program.first[task : task + 2])][kind == Op.COMPUTE].sum())
        for task in range(2)
        for kind in [program.kind[slice(*program.first[task : task + 2])]]
    ]
    assert computed == [3 * 12000, 3 * (14000 + 3000)]


def test_layers_without_a_time_follow_the_rate(written):
    both = [training_job(4, model="toy", times=times, flops=1e9) for times in ("", written(ROWS[1]))]
    assert both[0].layer_cycles(0, forward=False) == both[1].layer_cycles(0, forward=False)
    assert both[0].head_cycles(forward=True) == both[1].head_cycles(forward=True)
    assert sum(both[1].layer_cycles(1, forward=True)) == round(0.005 * 1e9 / 3.2)


def test_interleaved_chunks_have_layers_of_their_own():
    job = training_job(4, model="toy", layers=8, pp=2, chunks=2)
    assert [[*job.layers_of(stage, chunk)] for chunk in range(2) for stage in range(2)] == [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
    ]


def test_what_is_in_the_file_is_part_of_a_run(written):
    keys = [
        resolve("torus:4x4", {"app": f"training,model=toy,times={written(*rows)}"}).key
        for rows in (ROWS, ROWS[:2])
    ]
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        (("2,1,1",), {}, "line 2: '2' is not a layer, expected 0 to 1, or head"),
        (("0,1,1", "0,2,2"), {}, "line 3: layer 0 appears twice"),
        (("0,1",), {}, "line 2: 2 columns, expected 3"),
        (("0,-1,1",), {}, "line 2: forward: -1 is too small"),
        (("0,1,soon",), {}, "line 2: backward: 'soon' is not a number"),
        (("1,1,1",), {"flops": 0.0}, "times: layers 0 have no time and flops is 0"),
    ],
)
def test_mistakes_are_told(written, rows, options, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        training_job(4, model="toy", times=written(*rows), **options)


def test_another_file_is_told(tmp_path, written):
    with pytest.raises(ValueError, match="line 1: 'a,b', expected layer,forward,backward"):
        training_job(4, times=written(header="a,b"))
    with pytest.raises(ValueError, match=r"times: .*missing\.csv cannot be read, No such file"):
        training_job(4, times=str(tmp_path / "missing.csv"))

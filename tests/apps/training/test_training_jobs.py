"""Gradients that are summed in the background."""

import re
from itertools import pairwise

import numpy as np
import pytest

from netplace.apps import Op, TaskWriter, application
from netplace.apps.collectives import allreduce, selection
from netplace.apps.training import MODELS, training_job
from netplace.apps.training.job import steps_of
from netplace.apps.training.writing import TAG, Background
from netplace.netsim import simulate
from netplace.runs import resolve
from netplace.topologies import parse

CASES = [
    {"tp": 2, "pp": 2},
    {"pp": 4, "layers": 4, "global_batch": 32},
    {"pp": 2, "chunks": 2, "layers": 8, "global_batch": 32, "zero": 3},
    {"tp": 2, "sp": 1, "zero": 1, "overlap": 1},
    {"tp": 2, "pp": 2, "layers": 4, "chunks": 2, "zero": 1, "overlap": 2},
    {"cp": 2, "ep": 4, "experts": 8, "tp": 2},
]


@pytest.mark.parametrize("options", CASES)
def test_steps_come_to_their_end(options):
    program = application("training", 16, iterations=2, **options)
    program.check()
    program.check(eager_limit=0)
    assert len(program.iterations()) == 2 * 16


@pytest.mark.parametrize(
    ("stages", "micros", "chunks"), [(1, 3, 1), (4, 8, 1), (4, 2, 1), (2, 4, 2), (4, 8, 3)]
)
def test_every_pass_is_done_once_and_forward_first(stages, micros, chunks):
    for stage in range(stages):
        steps = list(steps_of(stage, stages, micros, chunks))
        keys = [(step.forward, step.micro, step.chunk) for step in steps]
        assert len(set(keys)) == len(keys) == 2 * micros * chunks
        for forward, micro, chunk in keys:
            if not forward:
                assert keys.index((True, micro, chunk)) < keys.index((False, micro, chunk))


def test_one_forward_one_backward_holds_few_activations():
    open_, most = 0, 0
    for step in steps_of(0, 4, 16):
        open_ += 1 if step.forward else -1
        most = max(most, open_)
    assert most == 4


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("llama-7b", 6.7),
        ("llama-13b", 13.0),
        ("llama-33b", 32.5),
        ("llama-65b", 65.2),
        ("llama2-70b", 69.0),
        ("llama3-8b", 8.0),
        ("llama3-70b", 70.6),
        ("llama3-405b", 405.8),
        ("gpt-22b", 22.0),
        ("gpt3-175b", 174.6),
        ("gpt-530b", 529.6),
        ("mixtral-8x7b", 46.7),
    ],
)
def test_models_have_the_published_number_of_parameters(name, billions):
    assert MODELS[name].parameters / 1e9 == pytest.approx(billions, rel=0.011)


def test_computation_is_flops_over_rate():
    model = MODELS["gpt-22b"]
    program = application("training", 1, model="gpt-22b", flops=1e14, cycle_ns=1000.0)
    s, h, layers, v = model.sequence, model.hidden, model.layers, model.vocabulary
    # Narayanan et al., SC 2021, equation 3, without recomputation: three quarters of 96.
    expected = 72 * s * layers * h * h * (1 + s / (6 * h) + v / (12 * layers * h))
    cycles = program.size[program.kind == Op.COMPUTE].sum()
    assert cycles == pytest.approx(expected / 1e14 * 1e6, rel=1e-4)


def test_a_run_takes_the_clock_of_the_network():
    run = resolve("torus:4x4", {"app": "training:model=toy,tp=2,pp=2"})
    assert dict(run.jobs[0].options) | {"tp": 2, "pp": 2, "cycle_ns": 3.2} == dict(run.jobs[0].options)


def test_no_computation_at_no_rate():
    program = application("training", 8, tp=2, flops=0)
    assert not program.size[program.kind == Op.COMPUTE].any()


def test_a_group_that_is_alone_sends_nothing():
    assert len(np.flatnonzero(application("training", 1).kind != Op.COMPUTE)) == 0


@pytest.mark.parametrize(
    ("tasks", "options", "sentence"),
    [
        (16, {"model": "llama-8b"}, "model: unknown name 'llama-8b'; did you mean llama"),
        (16, {"tp": 3}, "tasks: tp=3 x cp=1 x pp=1 = 3 does not divide 16 ranks"),
        (16, {"tp": 2, "dp": 4}, "dp: tp x cp x dp x pp = 8 differs from the 16 ranks, expected --tasks 8"),
        (12, {"pp": 3, "layers": 8}, "pp x chunks: 3 does not divide the 8 layers, expected one of .1, 2, 4"),
        (16, {"chunks": 2}, "chunks: 2 are interleaved on pipeline stages, but pp is 1"),
        (16, {"order": "tp-dp"}, "order: 'tp-dp' is not tp, cp, dp and pp in some order"),
    ],
)
def test_what_is_refused(tasks, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        application("training", tasks, **options)


def test_a_job_tells_its_bytes():
    job = training_job(64, model="llama-7b", tp=4, pp=4)
    assert (job.layout.dp, job.micros, job.stage_bytes, job.chunk_layers) == (4, 4, 16_777_216, 8)


RING = selection("builtin+allreduce=ring")


def sums(writer):
    """Sum a vector among four tasks."""
    allreduce(writer, range(4), 400)


def kinds(writer):
    return [Op(kind) for kind in writer.columns()["kind"].tolist()]


def test_all_at_once_waits_at_the_end():
    writer = TaskWriter(0, 4, RING)
    background = Background(writer, by_rounds=False)
    background.begin(sums)
    background.compute(1000, share=1)
    background.finish()
    assert kinds(writer) == [Op.IRECV, Op.ISEND] * 6 + [Op.COMPUTE] + [Op.WAIT] * 12


@pytest.mark.parametrize(("share", "pieces"), [(1, 7), (0.5, 4)])
def test_round_by_round_a_computation_pauses(share, pieces):
    writer = TaskWriter(0, 4, RING)
    background = Background(writer, by_rounds=True)
    background.begin(sums)
    background.compute(1000, share)
    background.finish()
    columns = writer.columns()
    computed = columns["size"][columns["kind"] == Op.COMPUTE]
    assert (len(computed), computed.sum()) == (pieces, 1000)
    assert computed.max() - computed.min() <= 1
    sent = [place for place, kind in enumerate(kinds(writer)) if kind == Op.ISEND]
    assert len(sent) == 6
    for first, second in pairwise(sent):
        assert kinds(writer)[first:second].count(Op.WAIT) == 2  # what the round before brought
    assert set(columns["tag"][columns["kind"] == Op.ISEND]) == {TAG}


def test_a_step_whose_gradients_overlap_takes_less():
    options = {"model": "toy", "layers": 4, "hidden": 64, "flops": 2e9, "global_batch": 8}
    plain, *overlapping = [
        simulate(parse("torus:2x4"), application("training", 8, overlap=overlap, **options)).cycles
        for overlap in (0, 1, 2)
    ]
    assert max(overlapping) < plain


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

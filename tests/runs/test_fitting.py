"""End points of a fabric from measured times, and the benchmarks' own output."""

from dataclasses import replace

import numpy as np
import pytest

from netplace.netsim import Config
from netplace.netsim.presets import CALIBRATIONS, FABRICS, calibration_of, fabric_of
from netplace.runs.benchmark_times import read_times
from netplace.runs.fitting import PARAMETERS, Point, fit, seconds_of

OSU = """# OSU MPI Latency Test v5.6.2
# Size          Latency (us)
0                       1.10
8                       1.12
1048576               172.00
"""
OSU_ALLTOALL = """
# OSU MPI All-to-All Personalized Exchange Latency Test v7.0
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       3.51              3.11              3.90        1000
4096                   21.25             20.02             22.90        1000
"""
IMB = """#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2019 Update 3, MPI-1 part
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.24         0.00
         1024         1000         2.05       499.51
# Benchmarking Alltoall
# #processes = 4
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         4.10         4.30         4.20
"""
NCCL = """# nThread 1 nGpus 1 minBytes 8 maxBytes 128
#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    85.30   12.29   18.44      0    84.10   12.47   18.70
"""


@pytest.mark.parametrize(
    ("text", "kind", "ranks", "expected"),
    [
        (OSU, "pingpong", 2, [(0, 1.10), (8, 1.12), (1048576, 172.0)]),
        (OSU_ALLTOALL, "alltoall", 8, [(1, 3.51), (4096, 21.25)]),
        (IMB, "pingpong", 2, [(0, 1.24), (1024, 2.05)]),
        (IMB, "alltoall", 4, [(8, 4.20)]),
        (NCCL, "allreduce", 4, [(1048576, 85.30)]),
        (NCCL.replace("sum", "none"), "alltoall", 4, [(262144, 85.30)]),
    ],
)
def test_benchmarks_are_read_as_they_print(tmp_path, text, kind, ranks, expected):
    (tmp_path / "out.txt").write_text(text)
    found = read_times(tmp_path / "out.txt", kind, ranks)
    assert [(row.bytes, pytest.approx(row.seconds * 1e6)) for row in found] == expected


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        (OSU, "alltoall", "is the output of 'Latency Test', expected that of alltoall"),
        ("hello\n", "pingpong", "has no times, expected the output of OSU micro-benchmarks"),
        (OSU.replace("1.12", "fast"), "pingpong", "out.txt:4: time in microseconds: 'fast'"),
    ],
)
def test_other_output_is_refused(tmp_path, text, kind, says):
    (tmp_path / "out.txt").write_text(
        text.replace("# Benchmarking PingPong\n# #processes = 2\n", "", kind == "alltoall")
    )
    with pytest.raises(ValueError, match=says):
        read_times(tmp_path / "out.txt", kind, 2)


def _points(config, sizes=(8, 1024, 65536, 1 << 20, 4 << 20)):
    """Return ping-pongs whose times are those under `config`."""
    made = [
        Point(
            f"{size}", "tree:4,2", f"collective,operation=bcast,algorithm=linear,bytes={size}", 1.0, size, 2
        )
        for size in sizes
    ]
    return [
        Point(point.name, point.network, point.app, seconds, point.bytes, point.tasks)
        for point, seconds in zip(made, seconds_of(made, config), strict=True)
    ]


def test_a_fit_finds_the_settings_that_made_the_times():
    hidden = PARAMETERS["link"].put(Config(fabric="omnipath", o_send=700.0, o_recv=700.0), 9.0)
    found = fit(_points(hidden), Config(fabric="omnipath"))
    assert found.values["overhead"][0] == pytest.approx(700, rel=0.02)
    assert found.values["link"][0] == pytest.approx(9, rel=0.02)
    for value, low, high in found.values.values():
        assert low <= value <= high


def test_sends_at_once_separate_latency_from_overhead():
    hidden = PARAMETERS["latency"].put(Config(fabric="omnipath", o_send=300.0, o_recv=300.0), 2000.0)
    asked = [
        (app, size) for app in ("alltoall,algorithm=linear", "bcast,algorithm=binomial") for size in (8, 4096)
    ]
    points = [
        Point(f"{app} {size}", "tree:4,2", f"collective,operation={app},bytes={size}", 1.0, size, 16)
        for app, size in asked
    ]
    points = [
        replace(point, seconds=seconds)
        for point, seconds in zip(points, seconds_of(points, hidden), strict=True)
    ]
    found = fit(points, Config(fabric="omnipath"), ("overhead", "latency"))
    assert found.values["overhead"][0] == pytest.approx(300, rel=0.03)
    assert found.values["latency"][0] == pytest.approx(2000, rel=0.03)
    assert PARAMETERS["latency"].get(found.config) == pytest.approx(found.values["latency"][0], rel=0.01)
    assert "local=" in found.config.cable_latency  # as the fabric has it


def test_a_fit_needs_points():
    points = _points(Config(fabric="omnipath"), (8, 64, 512))
    with pytest.raises(
        ValueError, match="3 measured times are too few to fit 2 parameters, expected at least 4"
    ):
        fit(points, Config())


def test_what_is_fitted_is_a_fabric(netplace, tmp_path):
    (tmp_path / "osu.txt").write_text(
        OSU.replace("0    ", "64   ", 1).replace("8    ", "8192   6.0\n8    ", 1)
    )
    fabric = tmp_path / "fabric.toml"
    flags = ("--network", "tree:4,2", "--fabric", "omnipath")
    result = netplace("fit", *flags, "--pingpong", tmp_path / "osu.txt", "-o", fabric)
    assert result.exit_code == 0, result.stderr
    assert "overhead" in result.stdout
    assert fabric_of(str(fabric)).network == "tree:4,2"
    assert "osu.txt" in fabric_of(str(fabric)).sources["o_send"]
    config = Config(fabric=str(fabric))
    assert config.o_send > 0
    assert config.fabric == ""
    result = netplace("run", "--network", "tree:4,2", "--fabric", fabric, "--collective", "bcast")
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize("name", [*FABRICS, *CALIBRATIONS])
def test_each_figure_has_a_source(name):
    preset = fabric_of(name, calibrated=False) if name in FABRICS else calibration_of(name)
    assert preset.says
    assert preset.sources.keys() == preset.settings.keys()
    Config(**preset.settings)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[settings]\npacket_fits = 3\n", "unknown name 'packet_fits'; did you mean packet_phits"),
        ("says = 'x'\n", "has no settings"),
    ],
)
def test_a_file_of_another_form_is_no_fabric(tmp_path, text, says):
    (tmp_path / "f.toml").write_text(text)
    with pytest.raises(ValueError, match=says):
        Config(fabric=str(tmp_path / "f.toml"))


def test_a_parameter_without_effect_may_have_any_value():
    """On a mesh, nodes have no cables to switches."""
    app = "collective,operation=bcast,algorithm=linear,bytes"
    points = [
        Point("", "mesh:2", f"{app}={size}", 1e-6 * (1 + size / 5000), size)
        for size in (8, 1024, 4096, 65536)
    ]
    found = fit(points, Config(fabric="tofu-d"), ("latency", "link"), 2)
    assert found.values["latency"][1:] == (0, np.inf)
    assert found.values["link"][2] < np.inf

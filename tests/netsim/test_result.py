"""What a run gives, checked by hand; delays and their histogram; what notebooks show."""

import json

import numpy as np
import pytest
from reference_cases import program

from netplace.apps import APPLICATIONS, Program, TaskWriter, application
from netplace.netsim import Config, Delay, Network, simulate
from netplace.netsim.delays import BINS, bin_of, bin_start, percentile
from netplace.notebook import html_table
from netplace.placement.metrics import metrics
from netplace.report.pages.html import DataTable, Page
from netplace.report.plots.charts import bar_figure
from netplace.scheduling import Job, schedule
from netplace.topologies import parse


@pytest.fixture(scope="module")
def result():
    sender, receiver = TaskWriter(0, 2), TaskWriter(1, 2)
    sender.send(1, 640)
    sender.send(1, 64, 1)
    receiver.recv(0, 640)
    return simulate(parse("mesh:4"), Program.of([sender, receiver], "two"), [0, 3], record_messages=True)


def test_counts(result):
    assert (result.packets, result.phits, result.packet_hops) == (11, 176, 33)
    assert result.link_packets.tolist() == [[11, 0], [11, 0], [11, 0], [0, 0]]
    assert result.packet_delay.count == 11
    assert result.message_delay.count == 2


def test_cycles(result):
    # The tenth packet is consumed in cycle 10 * 16 + 3 - 1, and the receive is retired in the next.
    assert result.cycles == 162 + 2
    # The packet that nobody receives goes on for another 16.
    assert result.drained_cycles == 162 + 16 + 1
    assert result.seconds == pytest.approx(164 * 3.2e-9)
    (job,) = result.jobs
    assert (job.name, job.start, job.end, job.cycles) == ("two", 0, 164, 164)
    assert job.nodes.tolist() == [0, 3]
    assert job.message_end.tolist() == [162, 178]
    assert job.message_start[0] == 0
    assert job.task_cycles.tolist() == [int(job.message_start[1]) + 1, 164]


def test_injection_blocked(result):
    # Eight packets fit into buffer and FIFO of the injector: one a cycle, then one as each tail leaves.
    # Packet 8 + i is created when tail i has left, in cycle 16 * (i + 1) - 1, and room was seen: cycle + 2.
    (job,) = result.jobs
    created = int(job.message_start[1])  # the eleventh
    assert created == 16 * 3 + 1
    assert result.injection_blocked == job.injection_blocked[0] == created - 10


def test_loads(result):
    assert result.link_load[0, 0] == pytest.approx(176 / 179)
    assert result.link_load.max() <= 1


def test_json(result):
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["cycles"] == 164
    assert told["network"] == "mesh:4"
    assert told["engine"] == "kernel"
    assert told["config"]["packet_phits"] == 16
    job = {"name": "two", "start": 0, "end": 164, "cycles": 164, "outcome": "finished", "reason": None}
    assert told["jobs"] == [job]
    assert told["message_delay"]["count"] == 2
    assert {"python", "numpy", "netplace"} <= told["versions"].keys()


def test_json_of_a_run_without_packets():
    silent = simulate(parse("mesh:4"), program([("compute", 3)]))
    told = json.loads(json.dumps(silent.to_dict(), allow_nan=False))
    assert told["packet_delay"] == dict.fromkeys(("mean", "p50", "p95", "p99", "most")) | {"count": 0}


def test_messages_are_kept_on_demand_only():
    program = APPLICATIONS["all-to-one"].make(tasks=4)
    (job,) = simulate(parse("mesh:4"), program).jobs
    assert job.message_start is None
    assert job.message_end is None


def test_a_running_network_tells_what_it_knows():
    network = Network(parse("mesh:4"), Config(), record_messages=True)
    network.start(APPLICATIONS["all-to-one"].make(tasks=4))
    network.advance(18)
    record = network.job(0)
    assert record.end == -1
    assert record.message_end.tolist() == [16, -1, -1]
    assert network.in_flight == 2


def test_bins_of_delays():
    starts = bin_start()
    assert len(starts) == BINS
    assert [bin_of(delay) for delay in (0, 255, 256, 257, 258, 512)] == [0, 255, 256, 256, 257, 384]
    assert bin_of((1 << 60) - 1) == BINS - 1
    assert (np.diff(starts) > 0).all()
    assert all(bin_of(int(start)) == place for place, start in enumerate(starts))
    assert all(bin_of(int(start) - 1) == place - 1 for place, start in enumerate(starts) if place)
    widths = np.diff(starts)[256:]
    assert (widths / starts[256:-1]).max() <= 1 / 128


def test_percentiles():
    histogram = np.zeros(BINS, np.int64)
    for delay in range(1, 101):
        histogram[bin_of(delay)] += 1
    assert [percentile(histogram, share) for share in (0.5, 0.95, 0.99, 1.0, 0.0)] == [50, 95, 99, 100, 1]
    assert np.isnan(percentile(np.zeros(BINS, np.int64), 0.5))
    histogram[:] = 0
    histogram[bin_of(10_000)] = 1
    assert percentile(histogram, 0.5) == pytest.approx(10_000, rel=0.008)


def test_delay():
    histogram = np.zeros(BINS, np.int64)
    histogram[[10, 20]] = 1, 3
    delay = Delay.of(histogram, 70)
    assert delay.to_dict() == {"count": 4, "mean": 17.5, "p50": 20, "p95": 20, "p99": 20, "most": 20}


def test_names_are_escaped_and_numbers_read():
    text = html_table("<b>", [("a & b", 1234567), ("c", 0.125), ("d", float("nan")), ("e", "<i>")])
    assert "&lt;b&gt;" in text
    assert "a &amp; b" in text
    assert "1,234,567" in text
    assert ">-<" in text
    assert "<i>" not in text


def test_a_run_shows_what_it_took():
    found = simulate(parse("torus:4x4"), application("2d-torus", 16))
    text = found._repr_html_()
    assert f"{found.cycles:,}" in text
    assert "2d-torus on torus:4x4" in text


def test_a_program_shows_who_writes_to_whom():
    text = application("butterfly", 8)._repr_html_()
    assert text.count("<title>") == 24  # three partners of each of eight tasks
    assert "0 to 1: " in text
    assert application("2d-torus", 4096)._repr_html_().count("<title>") > 64  # of many tasks, blocks
    assert application("all-to-all", 100)._repr_html_().count("<title>") <= 64 * 64


def test_metrics_are_shown():
    text = metrics(parse("torus:4x4"), range(4))._repr_html_()
    assert ">AD<" in text
    assert "TAD" not in text  # nothing is known of traffic


def test_a_page_shows_its_pictures_and_tables():
    bars = bar_figure("<times>", ["a"], {"x": [1.0]})
    text = Page(
        "How long?", ["It holds."], [("seed", "1")], [bars, DataTable("t", ["v"], [[3]])]
    )._repr_html_()
    assert "<svg" in text
    assert "&lt;times&gt;" in text
    assert "It holds." in text
    assert "<td>3</td>" in text


def test_a_schedule_shows_its_figures():
    made = schedule(parse("torus:4x4"), [Job(1, 0, 16, 3600), Job(2, 0, 16, 3600)], "fcfs", "non-contiguous")
    text = made._repr_html_()
    assert "2 jobs on torus:4x4, fcfs" in text
    assert ">1,800<" in text  # mean wait
    assert ">100<" in text  # held

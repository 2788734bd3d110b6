"""Source rates: fixed ones, and those of DCQCN-like sources, which marks reduce and timers raise."""

import numpy as np
import pytest
from reference_cases import flow, program

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, Network, simulate
from netplace.netsim.fabric_texts import LINE_RATE, Control, read_congestion
from netplace.netsim.reference.rates import Rate
from netplace.topologies import parse

ENGINES = ("kernel", "reference")
DCQCN = "dcqcn=1,every=50,timer=100,step=0.05"


@pytest.mark.parametrize(("share", "gap"), [(1.0, 16), (0.5, 32), (0.3, 54), (0.001, 15888)])
def test_a_source_rate_sets_packets_apart(share, gap, engine):
    """A packet has 16 phits; the cycles between two are rounded up, the rate being a multiple of 2^-16."""
    config = Config(vcs=1, routing="dor", bubble=0, congestion_control=f"rate={share}")
    found = simulate(parse("mesh:2x1"), flow(3), config=config, engine=engine)
    assert found.drained_cycles == 2 * gap + 18


def pairs_of_one_node(control, engine):
    """Return the cycles of twenty packets each from node 0 to two others, one packet a message, in turn."""
    receives = [("recv", 0, 64)] * 20
    two = program([("send", 1, 64), ("send", 2, 64)] * 20, receives, receives)
    config = Config(vcs=1, routing="dor", bubble=0, congestion_control=control)
    return simulate(parse("mesh:3x1"), two, config=config, engine=engine).cycles


def test_a_rate_is_that_of_a_pair_of_nodes(engine):
    """Two pairs at half the rate each fill a link; one pair's packets wait, as messages keep their order."""
    assert pairs_of_one_node("rate=0.5", engine) == pytest.approx(40 * 16, rel=0.05)
    assert pairs_of_one_node("rate=0.25", engine) == pytest.approx(20 * 64, rel=0.05)


def test_rates_follow_the_published_equations():
    """R_T = R_C, R_C = R_C (1 - alpha / 2); five halvings of the gap; then R_T goes up (Zhu et al.)."""
    control = Control(rate=LINE_RATE, marks=1, timer=100, gain=256, step=LINE_RATE // 8)
    rate = Rate(control, packet_phits=16)

    def gap(now):
        rate.created(now)
        return rate.due - now

    assert gap(0) == 16
    rate.notified(1000)  # alpha is 1
    assert gap(1000) == 32
    rate.notified(1050)
    assert gap(1050) == 64
    gaps = [gap(1050 + 100 * n) for n in range(1, 8)]
    shares = [1 / 2 - 1 / 4 / 2**n for n in range(1, 6)]
    shares.append((shares[-1] + 5 / 8) / 2)
    shares.append((shares[-1] + 6 / 8) / 2)
    assert gaps == [int(np.ceil(16 / share - 0.01)) for share in shares]
    assert gap(10**7) == 16


def test_alpha_goes_down_while_there_are_no_notifications():
    control = Control(rate=LINE_RATE, marks=1, timer=10, gain=4, step=LINE_RATE)
    rate = Rate(control, packet_phits=1 << 10)
    rate.notified(100)
    rate.created(10_000)
    assert rate.due == 10_000 + (1 << 10)
    rate.notified(10_001)  # alpha has all but gone: the rate is hardly reduced
    rate.created(10_001)
    assert rate.due == 10_001 + (1 << 10) + 1


def incast(control, engine, packets=100):
    """Return the cycles of a flow from node 14 to 4 beside twelve nodes that send to one, and mean delays."""
    senders = np.array([0, 1, 2, 3, *range(5, 14)])
    to_one = APPLICATIONS["all-to-one"].make(tasks=13, bytes=64 * packets)
    config = Config(vcs=2, pipeline=1, queue_packets=16, congestion_control=control)
    run = Network(parse("tree:4,2"), config, engine=engine)
    jobs = [run.start(to_one, senders), run.start(flow(packets), np.array([14, 4]))]
    run.finish()
    counters = run.counters()
    return [run.job(job).end for job in jobs], counters.packet_delay_sum / counters.delivered


def test_marks_protect_the_victim_of_an_incast_and_keep_buffers_short():
    """As in section 6 of Zhu et al.: the victim flow recovers; the link of the incast stays busy."""
    (all_to_one, victim), delay = incast("", "kernel", 400)
    (marked, protected), short = incast(DCQCN, "kernel", 400)
    assert victim > 2 * protected
    assert marked < 1.1 * all_to_one
    assert delay > 2 * short


def test_engines_agree_on_an_incast_with_marks():
    kernel, reference = (incast(DCQCN + ",ack=40", engine, 40) for engine in ENGINES)
    assert kernel == reference


def test_a_single_way_into_a_node_marks_as_a_link_does(engine):
    """Node 4 takes a phit a cycle and is sent three; node 0's packets to 7, the victim's, go through it."""

    def victim(control):
        senders = [[("send", 0, 64 * 300)] for _ in (1, 2, 3)]
        to_one = program([("recv", task, 64 * 300) for task in (1, 2, 3)], *senders)
        config = Config(
            vcs=1, routing="dor", bubble=0, queue_packets=8, ejection="single", congestion_control=control
        )
        places = [np.array([4, 1, 3, 5]), np.array([0, 7])]
        return (
            simulate(parse("mesh:3x3"), [to_one, flow(300)], places, config=config, engine=engine)
            .jobs[1]
            .cycles
        )

    assert victim("rate=1") > 1.8 * victim(DCQCN)


def test_a_flow_that_is_alone_is_never_marked():
    alone, controlled = (
        simulate(
            parse("tree:4,2"), flow(200), [14, 4], config=Config(vcs=2, congestion_control=control)
        ).cycles
        for control in ("", "dcqcn=1")
    )
    assert alone == controlled


def test_what_is_not_given_is_usual():
    assert read_congestion("") == Control()
    assert read_congestion("dcqcn=3") == Control(rate=LINE_RATE, marks=3)
    assert read_congestion("rate=0.5,dcqcn=3,ack=7").rate == LINE_RATE // 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"congestion_control": "rate=0"}, "rate: 0 is too small, expected at least 0.001"),
        (
            {"congestion_control": "dcqcn=5"},
            r"dcqcn: the mark threshold of 5 packets .* buffer of 4 \(queue_packets\)",
        ),
        ({"congestion_control": "timer=5"}, "dcqcn= is missing, which timer= needs"),
        ({"congestion_control": "rate=0.5,ack=5"}, "window= or dcqcn= is missing, which ack= needs"),
        ({"congestion_control": "dcqcn=1", "faults": "at=3,links=0.1"}, "expected no faults"),
    ],
)
def test_what_is_no_source_rate_is_told(given, says):
    with pytest.raises(ValueError, match=says):
        Config(**given)

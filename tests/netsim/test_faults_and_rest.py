"""What comes first, the end of a run or a fault, is the same on both engines."""

import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config, DeadlockError, Network, Traffic, pattern
from netplace.topologies import parse

ENGINES = ["kernel", "reference"]


@pytest.mark.parametrize("engine", ENGINES)
def test_faults_after_the_end_do_not_happen(engine):
    network = Network(parse("mesh:4x2"), Config(faults="at=2000,link=0-1"), engine=engine)
    network.generate(pattern("uniform", network.topology, 0.001))
    network.advance(1000)
    network.generate(None)  # sources may have drawn a cycle past the fault
    network.advance()
    assert (network.in_flight, network.faults) == (0, [])
    network.advance(3000)
    assert len(network.faults) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_stuck_waits_for_the_next_fault(engine):
    writers = [TaskWriter(task, 2) for task in range(2)]
    writers[1].recv(0, 64, 0)
    network = Network(parse("mesh:4x2"), Config(faults="at=500,router=1"), engine=engine)
    job = network.start(Program.of(writers, "missing"), [0, 1])
    assert network.advance(400) == []
    network.advance()
    assert network.faults[0].jobs == (job,)
    assert network.job(job).stopped


@pytest.mark.parametrize("engine", ENGINES)
def test_what_no_fault_sets_free_is_a_deadlock(engine):
    writers = [TaskWriter(task, 2) for task in range(2)]
    writers[1].recv(0, 64, 0)
    network = Network(parse("mesh:4x2"), Config(faults="at=500,slow=1"), engine=engine)
    network.start(Program.of(writers, "missing"), [0, 1])
    with pytest.raises(DeadlockError) as caught:
        network.advance()
    assert (caught.value.cycle, len(network.faults)) == (500, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_open_loop_traffic_goes_on_through_faults(engine):
    network = Network(parse("mesh:4x2"), Config(faults="at=500,slow=1"), engine=engine)
    quiet = pattern("uniform", network.topology, 1e-9)
    assert isinstance(quiet, Traffic)
    network.generate(quiet)
    network.advance(600)
    assert [report.at for report in network.faults] == [500]

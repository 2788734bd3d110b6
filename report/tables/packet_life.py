"""The way of a packet through the network, as ``netplace run --trace-packet`` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netplace.netsim.reference.packet_life import STATES, PacketLife
from netplace.report.plots.figure import HELD, Axis, Boxes, Figure, Panel
from netplace.report.tables.data_table import DataTable

_COLOURS: dict[str, int | str] = dict(zip(STATES, (HELD, 3, 2), strict=True))


def describe_life(packet: tuple[int, int, int], life: PacketLife) -> dict[str, Any]:
    """Return the way of a packet in JSON-compatible form, with a sentence that sums it up."""
    source, destination, number = packet
    spent = dict.fromkeys(STATES, 0)
    for step in life.steps:
        spent[step.state] += step.end + 1 - step.begin
    ends = f"cycle {life.consumed}" if life.consumed >= 0 else "never"
    return {
        "answer": f"Packet {number} from node {source} to node {destination} was created in cycle "
        f"{life.created} and consumed in {ends}: "
        + ", ".join(f"{cycles} cycles {state}" for state, cycles in spent.items())
        + ".",
        "created": life.created,
        "consumed": life.consumed,
        "steps": [vars(step) for step in life.steps],
    }


def life_table(life: Mapping[str, Any]) -> DataTable:
    columns = ["first cycle", "last cycle", "where its header is", "state", "behind, waiting for, or granted"]
    rows = [[*step.values()] for step in life["steps"]]
    note = "The state is that between the grants and the moves of a cycle."
    return DataTable("Way of the packet", columns, rows, note=note)


def life_figure(life: Mapping[str, Any]) -> Figure:
    """Return a lane for each place, with what the packet did there."""
    places = list(dict.fromkeys(step["place"] for step in life["steps"]))
    marks = []
    for state in STATES:
        own = [step for step in life["steps"] if step["state"] == state]
        lanes = [places.index(step["place"]) for step in own]
        marks.append(
            Boxes(
                x0=[step["begin"] for step in own],
                x1=[step["end"] + 1 for step in own],
                y0=[lane - 0.4 for lane in lanes],
                y1=[lane + 0.4 for lane in lanes],
                label=state,
                colour=_COLOURS[state],
                tips=[step["detail"] for step in own],
            )
        )
    panel = Panel(marks=marks, x=Axis(label="cycle", grid=True), y=Axis(names=places, down=True))
    return Figure(title=life["answer"], panels=[panel], height=1.4 + 0.3 * len(places))

"""Files that make Slurm follow the advice: a ``topology.yaml``, and a ``job_submit.lua`` for trees."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.slurm import Placement, read_placements
from netplace.topologies import Grid, Topology, hierarchy
from netplace.topologies.host_lists import host_list

_STRICT = ("contiguous", "quasi-contiguous", "nearly-contiguous")
_LUA = """-- Requests the fewest leaf switches that can hold a job, and limits the wait for them.
local most = {{ {switches} }}  -- nodes below 1, 2, .. leaf switches, the fullest first
local wait = {wait}  -- seconds; slurm.conf: SchedulerParameters=max_switch_wait={wait}

function slurm_job_submit(job_desc, part_list, submit_uid)
    local nodes = job_desc.min_nodes
    if nodes == nil or nodes == slurm.NO_VAL or job_desc.req_switch ~= 0 then
        return slurm.SUCCESS
    end
    for count, room in ipairs(most) do
        if nodes <= room then
            job_desc.req_switch = count
            job_desc.wait4switch = wait
            return slurm.SUCCESS
        end
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
"""


def install_files(rule: str, machine: Topology, hosts: list[str], wait: float) -> dict[str, str]:
    """Return the files, by name, that make Slurm follow a rule, if it can; `wait` is in seconds."""
    name, _, option = rule.partition(":")
    kind, _, shapes = option.partition("=")
    if name == "slurm" and kind == "torus3d" and isinstance(machine, Grid):
        return {"topology.yaml": _torus_text(machine, hosts, shapes)} if shapes else {}
    if name == "slurm" and kind == "flat":
        return {"topology.yaml": "---\n- topology: flat\n  cluster_default: true\n  flat: true\n"}
    known = hierarchy(machine)
    if name in _STRICT and known:
        rooms = np.cumsum(np.sort(np.diff(known.starts[1]))[::-1])
        switches = ", ".join(map(str, rooms.tolist()))
        return {"job_submit.lua": _LUA.format(switches=switches, wait=max(60, round(wait)))}
    return {}


def _torus_text(machine: Grid, hosts: list[str], shapes: str) -> str:
    """Return a ``topology.yaml`` of a torus, with a region for each node where some places are empty."""
    lines = ["---", "- topology: torus", "  cluster_default: true", "  torus3d:", "    toruses:"]
    lines += ["      - name: torus", f"        dims: {_axes(machine.sizes)}"]
    if len(machine.service):
        lines.append("        regions:")
        for node in machine.computing.tolist():
            lines.append(f"          - anchor: {_axes(tuple(machine.coordinates(node).tolist()))}")
            lines.append("            dims: {x: 1, y: 1, z: 1}")
            lines.append(f"            nodes: {hosts[node]}")
    else:
        lines.append(f"        nodes: {host_list(hosts)}")
    lines.append("        placements:")
    for placement in read_placements(shapes, machine.sizes, "placements"):
        lines += _placement_lines(placement)
    return "\n".join(lines) + "\n"


def _placement_lines(placement: Placement) -> list[str]:
    lines = [f"          - dims: {_axes(placement.dims)}"]
    if placement.spacing != placement.dims:
        lines.append(f"            anchor_spacing: {_axes(placement.spacing)}")
    if any(placement.seed):
        lines.append(f"            anchor_seed: {_axes(placement.seed)}")
    return lines


def _axes(values: tuple[int, ...]) -> str:
    return "{" + ", ".join(f"{axis}: {value}" for axis, value in zip("xyz", values, strict=True)) + "}"

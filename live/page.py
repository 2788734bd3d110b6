"""The page of the service: which job holds which node, in a browser."""

from __future__ import annotations

__all__ = ["PAGE"]

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>netplace</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem; max-width: 70rem; color: #222 }
#nodes { display: flex; flex-wrap: wrap; gap: 12px; margin: 1rem 0 }
#nodes div { display: grid; flex-grow: 0; gap: 2px; grid-template-columns: repeat(var(--columns), 12px) }
i { display: inline-block; width: 12px; height: 12px; background: #e4e4e4; border-radius: 2px }
i.down { background: repeating-linear-gradient(45deg, #222 0 2px, #fff 2px 4px) } i.off { background: #666 }
table { border-collapse: collapse }
td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top }
td:nth-child(2) { white-space: nowrap }
#error { color: #b00020 }
</style>
<h1>netplace</h1>
<p id="summary">Open this page as <code>http://127.0.0.1:PORT/#TOKEN</code>.</p>
<p id="error"></p>
<p>Each colour is a job. <i></i> free <i class="down"></i> down <i class="off"></i> off</p>
<p>Load met: mean load of other jobs on the links of a job, in nodes that send all the time, if each node
of a job sends the same amount of data to every other. Power: a typical draw of nodes.</p>
<div id="nodes" aria-label="Nodes"></div>
<table id="jobs"></table>
<script>
const spread = text => { // node[0-2,7],login: node0 node1 node2 node7 login
  const names = [];
  for (const part of text.match(/[^,\\[]+(\\[[^\\]]*\\])?[^,]*/g) || []) {
    const found = part.match(/^([^\\[]*)\\[([^\\]]*)\\](.*)$/);
    if (!found) { names.push(part); continue }
    for (const range of found[2].split(",")) {
      const [first, last = first] = range.split("-");
      for (let value = +first; value <= +last; value++)
        names.push(found[1] + String(value).padStart(first.length, "0") + found[3]);
    }
  }
  return names;
};
const cell = (row, text, tag = "td") => row.appendChild(Object.assign(document.createElement(tag),
  {textContent: text}));
async function show() {
  const error = document.getElementById("error");
  try {
    const reply = await fetch("/v1/state", {headers: {Authorization: "Bearer " + location.hash.slice(1)}});
    const told = await reply.json();
    if (!told.ok) throw new Error(told.error);
    const state = told.result;
    error.textContent = "";
    document.getElementById("summary").textContent = `${state.machine}: ${state.nodes} nodes, ` +
      `${state.held} held, ${state.free} free, ${state.down} down, ` +
      `${state.off} off; ${state.jobs} jobs hold nodes, ${state.waiting} wait; ` +
      `about ${(state.watts / 1000).toFixed(1)} kW`;
    const nodes = document.getElementById("nodes"), table = document.getElementById("jobs");
    nodes.replaceChildren(); table.replaceChildren();
    const head = table.insertRow();
    for (const text of ["", "Job", "Nodes", "Load met", "In rank order"]) cell(head, text, "th");
    const boxes = new Map();
    const [columns = 64, rows = Infinity] = state.sides; // a grid: one block for each plane
    let block;
    spread(state.all_nodes).forEach((name, place) => {
      if (place % (columns * rows) === 0 || !block) {
        block = nodes.appendChild(document.createElement("div"));
        block.style.setProperty("--columns", columns);
      }
      const box = block.appendChild(document.createElement("i")); box.title = name; boxes.set(name, box);
    });
    Object.entries(state.held_by).forEach(([job, hosts], place) => {
      const names = spread(hosts), colour = `hsl(${place * 137 % 360} 60% 55%)`, row = table.insertRow();
      for (const name of names) {
        const box = boxes.get(name); box.style.background = colour; box.title = `${name}: ${job}`;
      }
      cell(row, ""); row.cells[0].appendChild(document.createElement("i")).style.background = colour;
      cell(row, job); cell(row, names.length);
      cell(row, (state.load_met[job] || 0).toFixed(2)); cell(row, hosts);
    });
    for (const kind of ["down", "off"]) for (const name of spread(state[kind + "_nodes"])) {
      const box = boxes.get(name); box.className = kind; box.title = `${name}: ${kind}`;
    }
    for (const job of state.queue) {
      const row = table.insertRow(); cell(row, ""); cell(row, job); cell(row, "waits");
    }
  } catch (problem) { error.textContent = problem.message }
}
if (location.hash) { show(); setInterval(show, 5000) }
</script></html>
"""
